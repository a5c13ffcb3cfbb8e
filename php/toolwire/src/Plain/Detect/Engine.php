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
    use ReadsBrokenCalls;
    use ReadsCode;
    use ReadsElements;
    use ReadsForeign;
    use ReadsLoneEnds;
    use ReadsMarkers;
    use ReadsMessages;
    use ReadsReasoning;
    use ReadsStrays;
    use Resolves;

    /** The number of bytes after a bracket that are checked before a reader is made for it. */
    private const NEAR = 16;

    /** @var Findings */
    public $findings;

    /** @var list<array{string, Span}>|null the calls, in a search that hands out none */
    public $probe = null;

    /** @var list<Refusal> what such a search refused */
    public $probedRefusals = [];

    /** @var Config */
    private $config;

    /** @var Options */
    private $options;

    /** @var Rules */
    private $rules;

    /** @var JsonSearch|null */
    private $json;

    /** @var string */
    private $text;

    /** @var int where the search is */
    private $pos = 0;

    /** @var bool whether the rest is text */
    private $done = false;

    /** @var bool whether a limit of the whole text was reached */
    private $limited = false;

    /** @var NewIds */
    private $ids;

    /** @var string a bit for each offset at which no JSON call can start */
    private $ruledOut = '';

    /** @var KeptRepairs the repairers that go on at a bracket inside the object they failed at */
    private $keptRepairs;

    /** @var int the end of the last call: no markup begins before it */
    private $floor = 0;

    private function __construct(Config $config, string $text, bool $probe)
    {
        $this->config = $config;
        [$this->options, $this->rules] = [$config->options, $config->rules];
        $this->json = $config->json;
        $this->text = $text;
        $this->probe = $probe ? [] : null;
        $this->findings = new Findings($text, $this->options->maxRejections);
        $this->ids = new NewIds();
        $this->keptRepairs = new KeptRepairs();
        $this->unclosed = new Unclosed();
        $this->useCodeText($text);
        $element = $config->element;
        $this->element = $element !== null && $element->mayMark($text) ? $element : null;
        $this->hiding = new Hiding();
    }

    /** Searches the whole text. */
    public static function find(Config $config, string $input): Findings
    {
        $text = substr($input, 0, $config->options->maxInput);
        $engine = new self($config, $text, false);
        $engine->begin();
        $engine->run();
        $engine->refuseForeign();
        if (strlen($text) === strlen($input)) {
            $engine->tellUnmarked();
            $engine->hideCutOff();
            $engine->endInThought();
        } elseif (!$engine->limited) {
            $span = new Span(strlen($text), strlen($text));
            $reason = 'the text exceeds max_input; the rest was not searched';
            $engine->limitReached($span, 'too_large', $reason);
        }
        return $engine->findings;
    }

    /** What begins with the message. */
    private function begin(): void
    {
        $begun = $this->config->message->begun;
        if ($begun !== null) {
            // The prompt has opened the reasoning; a model may open it again.
            $this->frame(0, 0, $begun);
        } elseif ($this->config->markers->mayOpenFirst() || $this->config->message->hasFirst()) {
            $this->isFirst = true;
        }
    }

    private function run(): void
    {
        [$length, $starts] = [strlen($this->text), $this->config->starts];
        while (!$this->done) {
            if ($this->isFirst) {
                $this->isFirst = false;
                $this->first();
                continue;
            }
            if ($this->pos < $length) {
                $this->pos += strcspn($this->text, $starts, $this->pos);
            }
            if ($this->pos >= $length) {
                return;
            }
            $this->settleForeign();
            if (!$this->markers() && !$this->startsAt($this->text[$this->pos])) {
                $this->pos++;
            }
        }
    }

    /** Whether something that is no marker started at the byte, so that the search goes on. */
    private function startsAt(string $byte): bool
    {
        // In a message to a person, nothing but the markers of the message counts.
        if ($this->inAnswer) {
            return false;
        }
        switch ($byte) {
            case '{':
            case '[':
                return $this->json !== null && $this->bracket($byte, $this->json);
            case '`':
                return $this->codeMarker($byte);
            case '~':
                return ($this->text[$this->pos + 1] ?? '~') === '~' && $this->codeMarker($byte);
            case '<':
                return $this->tag();
        }
        return false;
    }

    /** What starts at a bracket of JSON; a look at the next byte avoids most readers. */
    private function bracket(string $bracket, JsonSearch $json): bool
    {
        if ($this->isRuledOut($this->pos)) {
            return false;
        }
        if ($bracket === '{' && ($this->text[$this->pos + 1] ?? '') === '}') {
            return $this->emptyObject($json);
        }
        $near = $this->pos + 1 + strspn($this->text, Arguments::BLANK, $this->pos + 1, self::NEAR);
        if ($near <= $this->pos + self::NEAR) {
            $next = $this->text[$near] ?? '';
            if ($next === '' || !$json->mayFollow($next, $bracket)) {
                return false;
            }
        }
        $start = $this->pos;
        $reader = $json->reader($this->text, $start);
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
        $this->resolve($verdict, $start, $reader, $json);
        return true;
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

    /** @param list<int> $places */
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
