<?php

declare(strict_types=1);

namespace Toolwire\Plain\Json;

use Toolwire\Plain\Span;

/**
 * Makes JSON from an object that is almost JSON, where its meaning is clear. Each repair is noted;
 * every other fault is refused, and so is a text that needs too many repairs.
 */
final class Repairer
{
    use RepairsScalars;

    private const LONGEST_COMMENT = 1024;
    private const MOST_REPAIRS = 64;
    private const MOST_AROUND = 64;
    private const WORD = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_$';

    private const VALUE = 1;
    private const VALUE_OR_END = 2;
    private const KEY = 3;
    private const KEY_OR_END = 4;
    private const COLON = 5;
    private const COMMA_OR_END = 6;

    /** @var string */
    private $text;

    /** @var int */
    private $start;

    /** @var int */
    private $pos;

    /** @var Tolerance */
    private $tolerance;

    /** @var string closing brackets may be missing before it, unless it is empty */
    private $endMarker;

    /** @var int */
    private $expected = self::VALUE;

    /** @var list<array{string, int, int, int}> each bracket, its place, parts and repairs before it */
    private $stack = [];

    /** @var int the number of brackets around the object, which are not read any more */
    private $around = 0;

    /** @var int|null where the last comma stands, which is one too many before a bracket */
    private $comma = null;

    /** @var int the place of that comma among the parts of the JSON */
    private $commaPart = 0;

    /** @var list<string> the parts of the JSON */
    private $json = [];

    /** @var int the part with which the JSON of the object begins */
    private $firstPart = 0;

    /** @var list<array{code: string, message: string, offset: int}> */
    private $notes = [];

    /** @var int the number of repairs before the object */
    private $earlierNotes = 0;

    /** @var bool whether a limit stopped the reader; an object inside may still be repaired */
    private $atLimit = false;

    /** @var bool whether the text ended too early */
    private $cut = false;

    public function __construct(string $text, int $pos, Tolerance $tolerance, string $endMarker)
    {
        $this->text = $text;
        $this->start = $this->pos = $pos;
        $this->tolerance = $tolerance;
        $this->endMarker = $endMarker;
    }

    /**
     * The repaired object; null where the text ends in it.
     *
     * @return ReadArguments|Bad|null
     */
    public function read()
    {
        do {
            $tooLarge = $this->pos - $this->start > $this->tolerance->bytes;
            $bad = $tooLarge ? Bad::tooLarge($this->pos) : $this->tooMany() ?? $this->structure();
            $bad = $this->tooMany() ?? $bad;
            if ($this->cut || $bad !== null) {
                $limit = $this->tooMany() !== null || ($bad !== null && $bad->code !== 'bad_json');
                $this->atLimit = $limit && !$this->cut;
                return $this->cut ? null : $bad;
            }
        } while ($this->isInside() || $this->expected !== self::COMMA_OR_END);
        $span = new Span($this->start, $this->pos);
        $json = implode('', array_slice($this->json, $this->firstPart));
        return new ReadArguments($span, $this->notes, $json);
    }

    /** Whether a limit stopped the reader. If it failed otherwise, each open bracket fails too. */
    public function atLimit(): bool
    {
        return $this->atLimit;
    }

    /** @return list<int> the places of the brackets that are open */
    public function openBrackets(): array
    {
        return array_column(array_slice($this->stack, $this->around), 1);
    }

    public function hasOpen(int $at): bool
    {
        return $this->levelOf($at) !== null;
    }

    /** Goes on as the repairer of the object that is open at `$at`. */
    public function beginAt(int $at): void
    {
        $this->around = $this->levelOf($at) ?? $this->around;
        [, $this->start, $this->firstPart, $repairs] = $this->stack[$this->around];
        array_splice($this->notes, 0, $repairs - $this->earlierNotes);
        $this->earlierNotes = $repairs;
        if ($this->around >= self::MOST_AROUND) {
            $this->forgetWhatIsAround();
        }
    }

    private function forgetWhatIsAround(): void
    {
        array_splice($this->stack, 0, $this->around);
        array_splice($this->json, 0, $this->firstPart);
        foreach ($this->stack as $level => $_) {
            $this->stack[$level][2] -= $this->firstPart;
        }
        $this->commaPart -= $this->firstPart;
        $this->around = $this->firstPart = 0;
    }

    private function levelOf(int $at): ?int
    {
        for ($level = $this->around; isset($this->stack[$level]); $level++) {
            if ($this->stack[$level][1] >= $at) {
                return $this->stack[$level][1] === $at ? $level : null;
            }
        }
        return null;
    }

    private function isInside(): bool
    {
        return count($this->stack) > $this->around;
    }

    private function innermost(): string
    {
        return $this->stack[count($this->stack) - 1][0];
    }

    private function tooMany(): ?Bad
    {
        return count($this->notes) > self::MOST_REPAIRS
            ? $this->bad('it would take too many repairs')
            : null;
    }

    private function structure(): ?Bad
    {
        $byte = $this->text[$this->pos] ?? null;
        if ($byte === null) {
            return $this->needMore();
        }
        if (strpos(" \t\r\n", $byte) !== false) {
            $this->copy(strspn($this->text, " \t\r\n", $this->pos));
            return null;
        }
        if ($byte === '/') {
            return $this->comment();
        }
        if (!$this->isInside()) {
            if ($byte !== '{') {
                return $this->bad('an object is expected');
            }
            $this->start = $this->pos;
            $this->json = [];
            return $this->open($byte);
        }
        $marker = $this->atEndMarker();
        if ($this->cut || $marker) {
            return $this->cut ? null : $this->missingBrackets();
        }
        return $this->inside($byte);
    }

    /** Reads what stands inside a bracket. */
    private function inside(string $byte): ?Bad
    {
        $value = $this->expected === self::VALUE || $this->expected === self::VALUE_OR_END;
        $key = $this->expected === self::KEY || $this->expected === self::KEY_OR_END;
        if ($value && ($byte === '{' || $byte === '[')) {
            return $this->open($byte);
        }
        if ($byte === '}' || $byte === ']') {
            $open = $this->expected === self::VALUE || $this->expected === self::KEY;
            if ($open && $this->comma !== null) {
                $this->trailingComma();
                return $this->close($byte);
            }
            if (!$open && $this->expected !== self::COLON) {
                return $this->close($byte);
            }
        }
        if ($this->expected === self::COMMA_OR_END && $byte === ',') {
            [$this->comma, $this->commaPart] = [$this->pos, count($this->json)];
            $this->copy(1);
            $this->expected = $this->innermost() === '{' ? self::KEY : self::VALUE;
            return null;
        }
        if ($this->expected === self::COLON && $byte === ':') {
            $this->copy(1);
            [$this->expected, $this->comma] = [self::VALUE, null];
            return null;
        }
        if (!$value && !$key) {
            return $this->bad('the structure is not JSON');
        }
        if ($byte === '"' || $byte === "'") {
            return $this->string($byte, $key);
        }
        if ($value && strpos('-0123456789', $byte) !== false) {
            return $this->number();
        }
        return strpos(self::WORD, $byte) !== false
            ? $this->word($key)
            : $this->bad('the structure is not JSON');
    }

    private function needMore(): ?Bad
    {
        $this->cut = true;
        return null;
    }

    private function copy(int $length): void
    {
        $this->json[] = substr($this->text, $this->pos, $length);
        $this->pos += $length;
    }

    private function bad(string $what): Bad
    {
        return new Bad('bad_json', $this->pos, "the arguments cannot be repaired: $what");
    }

    private function note(string $code, int $offset, string $message): void
    {
        $this->notes[] = ['code' => $code, 'message' => $message, 'offset' => $offset];
    }

    private function open(string $byte): ?Bad
    {
        if (count($this->stack) - $this->around >= $this->tolerance->depth) {
            return Bad::tooDeep($this->pos);
        }
        $repairs = $this->earlierNotes + count($this->notes);
        $this->stack[] = [$byte, $this->pos, count($this->json), $repairs];
        $this->copy(1);
        $this->comma = null;
        $this->expected = $byte === '{' ? self::KEY_OR_END : self::VALUE_OR_END;
        return null;
    }

    private function close(string $byte): ?Bad
    {
        if ($this->innermost() !== ($byte === '}' ? '{' : '[')) {
            return $this->bad('the brackets do not match');
        }
        array_pop($this->stack);
        $this->copy(1);
        $this->valueEnds();
        return null;
    }

    private function valueEnds(): void
    {
        [$this->expected, $this->comma] = [self::COMMA_OR_END, null];
    }

    private function trailingComma(): void
    {
        $comma = (int) $this->comma;
        $this->comma = null;
        $this->note('trailing_comma', $comma, 'a comma before a closing bracket was dropped');
        $this->json[$this->commaPart] = '';
    }

    private function atEndMarker(): bool
    {
        if ($this->endMarker === '') {
            return false;
        }
        $rest = substr($this->text, $this->pos, strlen($this->endMarker));
        if ($rest !== $this->endMarker && strncmp($this->endMarker, $rest, strlen($rest)) === 0) {
            $this->needMore();
        }
        return $rest === $this->endMarker;
    }

    private function missingBrackets(): ?Bad
    {
        $open = $this->expected === self::KEY || $this->expected === self::VALUE;
        if ($open && $this->comma !== null) {
            $this->trailingComma();
        } elseif ($open || $this->expected === self::COLON) {
            return $this->bad('a value is missing before the end');
        }
        while ($this->isInside()) {
            [$opened] = array_pop($this->stack);
            $this->note('missing_bracket', $this->pos, 'a missing closing bracket was added');
            $this->json[] = $opened === '{' ? '}' : ']';
        }
        $this->expected = self::COMMA_OR_END;
        return null;
    }

    private function comment(): ?Bad
    {
        $kind = $this->text[$this->pos + 1] ?? null;
        if ($kind === null) {
            return $this->needMore();
        }
        if ($kind !== '/' && $kind !== '*') {
            return $this->bad('the structure is not JSON');
        }
        if ($this->pos + 2 - $this->start > $this->tolerance->bytes) {
            return Bad::tooLarge($this->pos + 2);
        }
        $this->note('comment', $this->pos, 'a comment was dropped');
        $this->pos += 2;
        $rest = substr($this->text, $this->pos, self::LONGEST_COMMENT);
        $end = $kind === '/' ? "\n" : '*/';
        $at = strpos($rest, $end);
        if ($at === false) {
            return strlen($this->text) < $this->pos + self::LONGEST_COMMENT
                ? $this->needMore()
                : $this->bad('a comment is too long');
        }
        $this->pos += $at + strlen($end);
        return null;
    }
}
