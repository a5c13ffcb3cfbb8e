<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect;

use Toolwire\Plain\Json\Bad;
use Toolwire\Plain\Json\Lexeme;
use Toolwire\Plain\Json\Observer;
use Toolwire\Plain\Json\ReadArguments;
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
    private const FORMAT = 'json';

    /** The number of levels at which a token may belong to a member. */
    private const MEMBER_LEVELS = 2;

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

    /** Starts at a `{` or `[` in prose. */
    public function __construct(string $text, int $start, Tolerance $tolerance)
    {
        $this->text = $text;
        $this->start = $this->objectStart = $start;
        $this->tolerance = $tolerance;
        $this->scanner = new Scanner($text, $start, PHP_INT_MAX);
        $this->observer = new Observer();
        $this->outer = new Members();
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
                    return $this->prose();
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
            return $this->prose();
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
        $this->outer = new Members();
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
            $this->inner = new Members();
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
        return $this->found === [] ? Verdict::prose($end) : Verdict::calls($this->found, $end);
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
                return null;
            }
            $members = $this->inner;
        }
        $name = $this->nameOf($members);
        $arguments = $members->arguments($this->tolerance, $this->text);
        if ($name === null || $arguments === null) {
            return null;
        }
        $bad = $this->tooDeep === null ? $arguments : Bad::tooDeep($this->tooDeep);
        if ($bad instanceof Bad) {
            $refusal = Refusal::ofArguments(self::FORMAT, $span->start, $bad);
            $refusal->claimed = $name;
            return $refusal;
        }
        [$place, $made, $notes] = $arguments;
        $notes = array_merge($members->repetition(), $notes);
        if ($made === null) {
            $notes = array_merge($notes, $this->observer->between($place->start, $place->end));
        }
        $notes = Observer::sorted($notes);
        $call = new Candidate(self::FORMAT, $name, $place, $made, $span, $notes);
        $call->id = $this->outer->id($this->text) ?? $members->id($this->text);
        $call->proseIfUnknown = true;
        return $call;
    }

    private function nameOf(Members $members): ?string
    {
        $name = $members->name();
        return $name === null ? null : Lexeme::decode($this->text, $name[1], $name[2], $name[3]);
    }

    private function prose(): Verdict
    {
        return Verdict::prose($this->start + 1);
    }

    private function looksLikeACall(): bool
    {
        return $this->outer->looksLikeACall()
            || ($this->inner !== null && $this->inner->looksLikeACall());
    }

    private function fault(): Verdict
    {
        $bad = Bad::fault($this->scanner);
        // The elements of an array are repaired one by one.
        if ($this->tolerance->repairs && !$this->array) {
            [$repairer] = $this->repair
                ?? [new Repairer($this->text, $this->start, $this->tolerance, '')];
            return $this->repairWith($repairer, $this->scanner->start) ?? $this->fail($bad);
        }
        return $this->fail($bad);
    }

    private function repairWith(Repairer $repairer, int $fault): ?Verdict
    {
        $this->repair = [$repairer, $fault];
        $repaired = $repairer->read();
        return $repaired instanceof ReadArguments ? $this->repaired($repaired) : null;
    }

    /** Reads the repaired object as if the model had written it so. */
    private function repaired(ReadArguments $read): Verdict
    {
        $json = $read->json($this->text);
        $strict = new Tolerance($this->tolerance->depth, $this->tolerance->bytes, false);
        $verdict = (new self($json, 0, $strict))->read();
        if ($verdict->kind === Verdict::REFUSED) {
            $verdict->refusal->span = $read->span;
            return Verdict::refused($verdict->refusal, $read->span->end);
        }
        if ($verdict->kind !== Verdict::CALLS) {
            return Verdict::prose($read->span->end);
        }
        foreach ($verdict->found as $found) {
            if ($found instanceof Candidate) {
                $found->made = $found->made ?? $found->arguments->of($json);
                foreach ($found->notes as $at => $_) {
                    $found->notes[$at]['offset'] = $read->span->start;
                }
                $found->notes = array_merge($found->notes, $read->notes);
            }
            $found->span = $read->span;
        }
        return Verdict::calls($verdict->found, $read->span->end);
    }

    private function cutOff(): Verdict
    {
        $this->repair = null;
        $reason = 'the text ends inside the call';
        return $this->fail(new Bad('incomplete', strlen($this->text), $reason));
    }

    private function fail(Bad $bad): Verdict
    {
        // In an array the element is refused later, when it is read on its own.
        if ($this->array || !$this->looksLikeACall()) {
            return $this->prose();
        }
        $bad = $this->tooDeep === null ? $bad : Bad::tooDeep($this->tooDeep);
        return Verdict::refused($this->refusal($bad), $this->start + 1);
    }

    private function oversized(int $limit): Verdict
    {
        $looks = $this->looksLikeACall();
        return Verdict::oversized($looks ? $this->refusal(Bad::tooLarge($limit)) : null);
    }

    private function refusal(Bad $bad): Refusal
    {
        $refusal = Refusal::ofArguments(self::FORMAT, $this->objectStart, $bad);
        $inner = $this->inner === null ? null : $this->nameOf($this->inner);
        $refusal->claimed = $this->nameOf($this->outer) ?? $inner ?? '';
        return $refusal;
    }
}
