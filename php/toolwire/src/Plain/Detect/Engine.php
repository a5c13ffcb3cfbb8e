<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect;

use Toolwire\Plain\Json\Arguments;
use Toolwire\Plain\Json\KeptRepairs;
use Toolwire\Plain\Span;

/**
 * Walks a text once and decides what stands at each place where a call may start.
 *
 * It goes back only to just behind the start of a candidate that failed. Each byte is looked at a
 * bounded number of times.
 */
final class Engine
{
    use ReadsCode;
    use ReadsElements;
    use ReadsLoneEnds;
    use ReadsMessages;
    use Resolves;

    /** The number of bytes after a bracket that are checked before a reader is made for it. */
    private const NEAR = 16;

    /** @var Findings */
    public $findings;

    /** @var list<array{string, Span}>|null the calls, in a search that hands out none */
    public $probe = null;

    /** @var list<Refusal> what such a search refused */
    public $probedRefusals = [];

    /** @var Options */
    private $options;

    /** @var Rules */
    private $rules;

    /** @var string */
    private $text;

    /** @var int where the search is */
    private $pos = 0;

    /** @var bool whether the rest is text */
    private $done = false;

    /** @var bool whether a limit of the whole text was reached */
    private $limited = false;

    /** @var string the bytes at which something may start */
    private $starts;

    /** @var bool */
    private $hasTag;

    /** @var bool */
    private $hasJson;

    /** @var NewIds */
    private $ids;

    /** @var string a bit for each offset at which no JSON call can start */
    private $ruledOut = '';

    /** @var KeptRepairs the repairers that go on at a bracket inside the object they failed at */
    private $keptRepairs;

    /** @var int the place at which no tag call starts, though a marker stands there */
    private $passed = -1;

    /** @var int the end of the last call: no markup begins before it */
    private $floor = 0;

    public function __construct(Options $options, string $text, bool $probe = false)
    {
        $this->options = $options;
        $this->rules = new Rules($options);
        $this->text = $text;
        $this->probe = $probe ? [] : null;
        $this->findings = new Findings($text, $options->maxRejections);
        $this->ids = new NewIds();
        $this->keptRepairs = new KeptRepairs();
        $this->hasTag = in_array('tag', $options->formats, true);
        $this->hasJson = in_array('json', $options->formats, true);
        $this->starts = '<`~' . ($this->hasJson ? '{[' : ($this->hasTag ? '{' : ''));
        $this->codeSpans = new CodeSpans($text);
        if (in_array('html', $options->formats, true)) {
            $element = new ElementFormat($options->htmlClass, $options->tolerance);
            $this->element = $element->mayMark($text) ? $element : null;
        }
        $this->hiding = new Hiding();
    }

    /** Searches the whole text. */
    public static function find(Options $options, string $input): Findings
    {
        $text = substr($input, 0, $options->maxInput);
        $engine = new self($options, $text);
        $engine->run();
        if (strlen($text) < strlen($input) && !$engine->limited) {
            $span = new Span(strlen($text), strlen($text));
            $reason = 'the text exceeds max_input; the rest was not searched';
            $engine->limitReached($span, 'too_large', $reason);
        }
        return $engine->findings;
    }

    private function run(): void
    {
        $length = strlen($this->text);
        while (!$this->done) {
            $this->pos += strcspn($this->text, $this->starts, $this->pos);
            if ($this->pos >= $length) {
                return;
            }
            if (!$this->startsAt($this->text[$this->pos])) {
                $this->pos++;
            }
        }
    }

    /** Whether something started at the byte, so that the search goes on elsewhere. */
    private function startsAt(string $byte): bool
    {
        if ($byte === '<') {
            return $this->marker() || $this->tag();
        }
        return $byte === '{' || $byte === '[' ? $this->bracket($byte) : $this->codeMarker($byte);
    }

    /** What starts at the marker of a call or of the message, if one stands here. */
    private function marker(): bool
    {
        if ($this->pos < $this->floor) {
            return false;
        }
        $next = $this->text[$this->pos + 1] ?? '';
        if ($next !== 't' && $next !== '/') {
            return false;
        }
        $opens = substr($this->text, $this->pos, strlen(TagCall::OPEN)) === TagCall::OPEN;
        if ($this->hasTag && $opens) {
            return $this->passed !== $this->pos && $this->tagCall();
        }
        return $this->reasoningMarker();
    }

    private function tagCall(): bool
    {
        $start = $this->pos;
        $found = (new TagCall($this->text, $start, $this->options->tolerance))->read();
        $this->endIsKnown = !$found instanceof Candidate;
        if ($found instanceof Candidate) {
            $refused = $this->rules->check($found);
            $end = $found->span->end;
            $this->accept([$refused instanceof Refusal ? $refused : $found], $end, $end);
            return true;
        }
        // The marker must not be found again.
        $this->passed = $start;
        $this->refuse($found);
        return $this->searchFrom(max($start + strlen(TagCall::OPEN), $this->floor));
    }

    /** What starts at a bracket of JSON; a look at the next byte avoids most readers. */
    private function bracket(string $bracket): bool
    {
        if ($this->isRuledOut($this->pos)) {
            return false;
        }
        if ($bracket === '{' && ($this->text[$this->pos + 1] ?? '') === '}') {
            return $this->emptyObject();
        }
        if (!$this->hasJson) {
            return $this->object();
        }
        $near = $this->pos + 1 + strspn($this->text, Arguments::BLANK, $this->pos + 1, self::NEAR);
        if ($near <= $this->pos + self::NEAR) {
            $next = $this->text[$near] ?? '';
            if ($next === '' || !$this->mayFollow($next, $bracket)) {
                return false;
            }
        }
        $start = $this->pos;
        $reader = new JsonReader($this->text, $start, $this->options->tolerance);
        if ($bracket === '[' && $this->keptRepairs->hasFaultBehind($start)) {
            return false;
        }
        $kept = $bracket === '{' ? $this->keptRepairs->take($start) : null;
        if ($kept !== null) {
            $reader->goOn($kept);
        }
        $verdict = $reader->read();
        $failed = $verdict->kind === Verdict::PROSE || $verdict->kind === Verdict::REFUSED;
        if ($failed && $verdict->end === $start + 1) {
            $stopped = $reader->stoppedRepair();
            if ($stopped === null) {
                $this->ruleOut($reader->openBrackets());
            } else {
                $this->keptRepairs->keep(...$stopped);
            }
        }
        $this->resolve($verdict, $start, $reader);
        return true;
    }

    /** Whether JSON that may be a call can have this byte after its first bracket. */
    private function mayFollow(string $next, string $bracket): bool
    {
        if ($bracket === '[') {
            return $next === '{';
        }
        return $next === '"' || ($this->options->tolerance->repairs
            && (strpos("'/_$", $next) !== false || ElementReader::isLetter($next)));
    }

    private function searchFrom(int $pos): bool
    {
        $this->pos = $pos;
        return true;
    }

    private function isRuledOut(int $place): bool
    {
        return (ord($this->ruledOut[$place >> 3] ?? "\0") >> ($place & 7) & 1) === 1;
    }

    /** @param list<int> $places in ascending order */
    private function ruleOut(array $places): void
    {
        if ($places === []) {
            return;
        }
        if ($this->ruledOut === '') {
            $this->ruledOut = str_repeat("\0", (strlen($this->text) >> 3) + 1);
        }
        foreach ($places as $place) {
            $bits = ord($this->ruledOut[$place >> 3]) | 1 << ($place & 7);
            $this->ruledOut[$place >> 3] = chr($bits);
        }
    }
}
