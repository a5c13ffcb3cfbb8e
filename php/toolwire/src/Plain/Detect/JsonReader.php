<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect;

use Toolwire\Plain\Detect\Format\Keys;
use Toolwire\Plain\Json\Bad;
use Toolwire\Plain\Json\Lexeme;
use Toolwire\Plain\Json\Observer;
use Toolwire\Plain\Json\Repairer;
use Toolwire\Plain\Json\Scanner;
use Toolwire\Plain\Json\Tolerance;
use Toolwire\Plain\Span;

/**
 * Calls that are JSON objects, alone or in an array: `{"name": "…", "arguments": {…}}`.
 *
 * Only the outermost object counts. An array counts as a whole when each of its elements is a call;
 * otherwise its elements are read one by one.
 */
final class JsonReader
{
    use JudgesJson;

    /** The number of levels at which a token may belong to a member. */
    private const MEMBER_LEVELS = 2;

    /** @var string the slug of the format */
    private $format;

    /** @var Keys */
    private $keys;

    /** @var string|null the marker that may end the JSON; null in prose */
    private $endMarker;

    /** @var string */
    private $text;

    /** @var int */
    private $start;

    /** @var Tolerance */
    private $tolerance;

    /** @var Scanner */
    private $scanner;

    /** @var Observer */
    private $observer;

    /** @var bool */
    private $array = false;

    /** @var list<Candidate|Refusal> the calls of an array so far */
    private $found = [];

    /** @var int the start of the object that may be a call */
    private $objectStart;

    /** @var Members the members of the object itself */
    private $outer;

    /** @var Members|null the members of the object that it wraps */
    private $inner = null;

    /** @var int|null */
    private $tooDeep = null;

    /** @var array{Repairer, int}|null the repairer, and the first fault, once there is one */
    private $repair = null;

    /** @var int|null the least number of open brackets while the arguments are being read */
    private $argumentsDepth = null;

    /**
     * Starts at a `{` or `[`. In prose, where no marker may end it, JSON that is not a complete
     * call is text.
     */
    public function __construct(
        string $format,
        Keys $keys,
        string $text,
        int $start,
        Tolerance $tolerance,
        ?string $endMarker = null
    ) {
        [$this->format, $this->keys, $this->endMarker] = [$format, $keys, $endMarker];
        $this->text = $text;
        $this->start = $this->objectStart = $start;
        $this->tolerance = $tolerance;
        $this->scanner = new Scanner($text, $start, PHP_INT_MAX);
        $this->observer = new Observer();
        $this->outer = new Members($this->keys);
    }

    /**
     * Goes on with the repairer of an object around this one. Up to its fault, the text is read.
     *
     * @param array{Repairer, int} $repair
     */
    public function goOn(array $repair): void
    {
        $this->repair = $repair;
    }

    /** The first byte. */
    public function start(): int
    {
        return $this->start;
    }

    /**
     * The calls of an array that failed behind them. Between markers, these count all the same.
     *
     * @return list<Candidate|Refusal>
     */
    public function foundSoFar(): array
    {
        return $this->found;
    }

    public function read(): Verdict
    {
        if ($this->repair !== null && $this->repair[1] > $this->start) {
            return $this->repairWith(...$this->repair) ?? $this->prose();
        }
        $length = strlen($this->text);
        while (true) {
            $begun = $this->openArguments();
            $limit = $begun === null ? $length : min($length, $begun + $this->tolerance->bytes);
            $this->scanner->limit = $limit;
            $kind = $this->argumentsDepth === null ? $this->scanner->next() : $this->nextInside();
            if ($kind === Scanner::FAULT) {
                return $this->fault();
            }
            if ($kind === Scanner::END) {
                return $length > $limit ? $this->oversized($limit) : $this->cutOff();
            }
            $verdict = $this->token($kind);
            if ($verdict !== null) {
                return $verdict;
            }
        }
    }

    /** Skips JSON that is too large, up to its end or its first fault. */
    public function skip(): int
    {
        $this->scanner->limit = strlen($this->text);
        while (true) {
            $kind = $this->scanner->next();
            if ($kind === Scanner::FAULT) {
                return max($this->scanner->start, $this->start + 1);
            }
            if ($kind === Scanner::END) {
                return strlen($this->text);
            }
            if ($kind === Scanner::CLOSE && $this->scanner->done()) {
                return $this->scanner->end;
            }
        }
    }

    /**
     * The brackets that were open when the JSON failed and at which no call can start.
     *
     * @return list<int>
     */
    public function openBrackets(): array
    {
        if ($this->repair !== null) {
            return $this->repair[0]->openBrackets();
        }
        if ($this->array && $this->tolerance->repairs) {
            // The elements of an array may still be repaired.
            return [];
        }
        // An element of an array is read again on its own.
        return array_slice($this->scanner->open, $this->array ? 2 : 1);
    }

    /**
     * The repairer that a limit has stopped, if one has, and the first fault.
     *
     * @return array{Repairer, int}|null
     */
    public function stoppedRepair(): ?array
    {
        return $this->repair !== null && $this->repair[0]->atLimit() ? $this->repair : null;
    }

    private function token(int $kind): ?Verdict
    {
        $token = $this->scanner;
        $base = $this->array ? 1 : 0;
        $this->argumentsDepth = null;
        if ($kind === Scanner::OPEN) {
            if (!$token->isObject && $token->start === $this->start) {
                $this->array = true;
                return null;
            }
            if ($token->depth === $base + 1) {
                if (!$token->isObject) {
                    return $this->ofSomethingElse();
                }
                $this->objectStarts($token->start);
                return null;
            }
        } elseif ($kind === Scanner::CLOSE) {
            if ($token->isObject && $token->depth === $base) {
                return $this->objectEnds($token->end);
            }
            if (!$token->isObject && $token->depth === 0) {
                return $this->arrayEnds($token->end);
            }
        }
        if ($token->depth === $base) {
            return $this->ofSomethingElse();
        }
        $this->member($kind, $token->depth - $base);
        return null;
    }

    /** Reads on inside the arguments, up to the token that ends them. */
    private function nextInside(): int
    {
        $token = $this->scanner;
        $base = $this->array ? 1 : 0;
        while (true) {
            $kind = $token->next();
            if ($kind >= Scanner::FAULT || $token->depth < $this->argumentsDepth) {
                return $kind;
            }
            $this->outer->holdsSomething();
            if ($this->inner !== null) {
                $this->inner->holdsSomething();
            }
            $this->observeArguments($kind, $token->depth - $base);
        }
    }

    private function objectStarts(int $at): void
    {
        $this->objectStart = $at;
        $this->outer = new Members($this->keys);
        $this->inner = null;
        $this->tooDeep = null;
    }

    /** Takes a token inside the object; `$depth` counts the brackets that are open after it. */
    private function member(int $kind, int $depth): void
    {
        // A bracket belongs to the level around it, whether it opens or closes.
        $level = max(0, $depth - ($kind === Scanner::OPEN ? 2 : 1));
        $inArguments = $this->openArguments() !== null;
        if ($level > self::MEMBER_LEVELS) {
            if ($inArguments) {
                $this->observeArguments($kind, $depth);
            }
            return;
        }
        $this->outer->observe($kind, $this->scanner, $level, $this->text);
        $inWrapper = $this->outer->readsWrapper();
        if ($inWrapper && $kind === Scanner::OPEN && $this->scanner->isObject && $level === 0) {
            $this->inner = new Members($this->keys);
        } elseif ($inWrapper && $level > 0 && $this->inner !== null) {
            $this->inner->observe($kind, $this->scanner, $level - 1, $this->text);
        }
        $inArgumentsNow = $this->openArguments() !== null;
        if ($inArgumentsNow && $kind === Scanner::OPEN) {
            $this->argumentsDepth = $this->scanner->depth;
        }
        if ($inArguments || $inArgumentsNow) {
            $this->observeArguments($kind, $depth);
        }
    }

    private function observeArguments(int $kind, int $depth): void
    {
        $this->observer->observe($kind, $this->scanner, $this->text);
        if ($kind === Scanner::OPEN && $depth > $this->tolerance->depth) {
            $this->tooDeep = $this->tooDeep ?? $this->scanner->start;
        }
    }

    private function openArguments(): ?int
    {
        $inner = $this->inner === null ? null : $this->inner->openArguments();
        return $this->outer->openArguments() ?? $inner;
    }

    private function objectEnds(int $end): ?Verdict
    {
        $found = $this->evaluate(new Span($this->objectStart, $end));
        if ($found === null) {
            return $this->array ? $this->prose() : Verdict::prose($end);
        }
        if ($this->array) {
            $this->found[] = $found;
            return null;
        }
        return $found instanceof Refusal
            ? Verdict::refused($found, $end)
            : Verdict::calls([$found], $end);
    }

    private function arrayEnds(int $end): Verdict
    {
        return $this->found === [] && $this->endMarker === null
            ? Verdict::prose($end)
            : Verdict::calls($this->found, $end);
    }

    /**
     * Reads the object as a call or a refusal; null when it is prose.
     *
     * @return Candidate|Refusal|null
     */
    private function evaluate(Span $span)
    {
        $members = $this->outer;
        if ($this->inner !== null && $this->outer->name() === null) {
            if ($this->outer->isOfOtherType($this->text)) {
                return $this->lacks($span, 'missing_name', 'the object is of another type');
            }
            $members = $this->inner;
        }
        $name = $this->nameOf($members);
        if ($name === null) {
            return $this->lacks($span, 'missing_name', 'the object names no tool');
        }
        $format = $members->format($this->format);
        $arguments = $members->arguments($this->tolerance, $this->text);
        if ($format === null || $arguments === null) {
            return $this->lacks($span, 'missing_arguments', 'the object holds no arguments');
        }
        $twice = $this->endMarker === null ? null : $members->contradiction();
        if ($twice !== null) {
            $reason = 'the object holds the name or the arguments twice';
            $arguments = new Bad('bad_json', $twice, $reason);
        }
        $bad = $this->tooDeep === null ? $arguments : Bad::tooDeep($this->tooDeep);
        if ($bad instanceof Bad) {
            return $this->claim(Refusal::ofArguments($format, $span->start, $bad), $name);
        }
        [$place, $made, $notes] = $arguments;
        $notes = array_merge($members->repetition(), $notes);
        if ($made === null) {
            $notes = array_merge($notes, $this->observer->between($place->start, $place->end));
        }
        $notes = Observer::sorted($notes);
        $call = new Candidate($format, $name, $place, $made, $span, $notes);
        $call->id = $this->outer->id($this->text) ?? $members->id($this->text);
        $call->proseIfUnknown = $this->endMarker === null;
        return $call;
    }

    private function nameOf(Members $members): ?string
    {
        $name = $members->name();
        return $name === null ? null : Lexeme::decode($this->text, $name[1], $name[2], $name[3]);
    }
}
