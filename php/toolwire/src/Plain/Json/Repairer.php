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

    /** @var list<string> the open brackets */
    private $stack = [];

    /** @var int|null where the last comma stands, which is one too many before a bracket */
    private $comma = null;

    /** @var int the place of that comma among the parts of the JSON */
    private $commaPart = 0;

    /** @var list<string> the parts of the JSON */
    private $json = [];

    /** @var list<array{code: string, message: string, offset: int}> */
    private $notes = [];

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
            if ($this->pos - $this->start > $this->tolerance->bytes) {
                return Bad::tooLarge($this->pos);
            }
            $bad = $this->structure();
            if ($this->cut || $bad !== null) {
                return $bad;
            }
        } while ($this->stack !== [] || $this->expected !== self::COMMA_OR_END);
        $span = new Span($this->start, $this->pos);
        return new ReadArguments($span, $this->notes, implode('', $this->json));
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
        if ($this->stack === []) {
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
                return $this->trailingComma() ?? $this->close($byte);
            }
            if (!$open && $this->expected !== self::COLON) {
                return $this->close($byte);
            }
        }
        if ($this->expected === self::COMMA_OR_END && $byte === ',') {
            [$this->comma, $this->commaPart] = [$this->pos, count($this->json)];
            $this->copy(1);
            $this->expected = end($this->stack) === '{' ? self::KEY : self::VALUE;
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

    private function note(string $code, int $offset, string $message): ?Bad
    {
        if (count($this->notes) >= self::MOST_REPAIRS) {
            return $this->bad('it would take too many repairs');
        }
        $this->notes[] = ['code' => $code, 'message' => $message, 'offset' => $offset];
        return null;
    }

    private function open(string $byte): ?Bad
    {
        if (count($this->stack) >= $this->tolerance->depth) {
            return Bad::tooDeep($this->pos);
        }
        $this->stack[] = $byte;
        $this->copy(1);
        $this->comma = null;
        $this->expected = $byte === '{' ? self::KEY_OR_END : self::VALUE_OR_END;
        return null;
    }

    private function close(string $byte): ?Bad
    {
        if (end($this->stack) !== ($byte === '}' ? '{' : '[')) {
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

    private function trailingComma(): ?Bad
    {
        $comma = (int) $this->comma;
        $this->comma = null;
        $message = 'a comma before a closing bracket was dropped';
        $bad = $this->note('trailing_comma', $comma, $message);
        if ($bad === null) {
            $this->json[$this->commaPart] = '';
        }
        return $bad;
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
            $bad = $this->trailingComma();
            if ($bad !== null) {
                return $bad;
            }
        } elseif ($open || $this->expected === self::COLON) {
            return $this->bad('a value is missing before the end');
        }
        while ($this->stack !== []) {
            $opened = array_pop($this->stack);
            $message = 'a missing closing bracket was added';
            $bad = $this->note('missing_bracket', $this->pos, $message);
            if ($bad !== null) {
                return $bad;
            }
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
        $bad = $this->note('comment', $this->pos, 'a comment was dropped');
        if ($bad !== null) {
            return $bad;
        }
        $this->pos += 2;
        if ($this->pos - $this->start > $this->tolerance->bytes) {
            return Bad::tooLarge($this->pos);
        }
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
