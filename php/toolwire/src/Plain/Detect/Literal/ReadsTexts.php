<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect\Literal;

use Toolwire\Plain\Json\Arguments;
use Toolwire\Plain\TextEnded;
use Toolwire\Plain\Utf8;

/** Strings in literals: quotes, escapes, and strings between markers. */
trait ReadsTexts
{
    /** @var array<string, string> the escapes of one letter */
    private static $escapes = [
        'n' => "\n", 't' => "\t", 'r' => "\r", 'b' => "\x08", 'f' => "\f", 'a' => "\x07",
        'v' => "\x0B", '\\' => '\\', "'" => "'", '"' => '"',
    ];

    /** @var array<string, int> the number of digits of the escapes of a character's number */
    private static $digits = ['x' => 2, 'u' => 4, 'U' => 8];

    /** Whether the marker of strings stands here. */
    private function marker(): bool
    {
        $length = strlen((string) $this->quote);
        $length = min($length, $this->textEnd() - $this->pos);
        $here = (string) substr($this->text, $this->pos, $length);
        if ($here !== $this->quote && strncmp((string) $this->quote, $here, strlen($here)) === 0) {
            throw new TextEnded();
        }
        return $here === $this->quote;
    }

    private function textStarts(int $length): void
    {
        $this->commaBefore();
        [$this->key, $this->keyIsWord] = [strlen($this->json), false];
        $this->json .= '"';
        $this->pos += $length;
    }

    private function textEnds(int $length): void
    {
        $this->json .= '"';
        $this->pos += $length;
        $this->expected = $this->isKey() ? self::SEPARATOR : self::COMMA_OR_END;
    }

    /** Reads a string between markers. */
    private function markedText(): void
    {
        $length = strlen((string) $this->quote);
        $this->textStarts($length);
        while (true) {
            $rest = $this->textEnd() - $this->pos;
            $this->pushPlain(strcspn($this->text, $this->quote[0], $this->pos, $rest));
            if ($this->marker()) {
                $this->textEnds($length);
                return;
            }
            $this->pushPlain(1);
        }
    }

    /** Appends text that holds no escapes. */
    private function pushPlain(int $length): void
    {
        $this->json .= self::escaped((string) substr($this->text, $this->pos, $length));
        $this->pos += $length;
    }

    /** Reads a string from its quotes on; so many letters stand before them. */
    private function quoted(string $quote, int $prefix): void
    {
        $raw = $prefix > 0 && strpos('rR', $this->text[$this->pos]) !== false;
        $start = $this->pos + $prefix;
        $run = strspn($this->text, $quote, $start, min(3, $this->textEnd() - $start));
        if ($run < 3 && $start + $run >= $this->textEnd()) {
            throw new TextEnded();
        }
        // Two quotes are an empty string.
        $quotes = $run === 3 && $this->quote === null ? 3 : 1;
        $this->textStarts($prefix + $quotes);
        do {
            $plain = strcspn($this->text, "$quote\\\n", $this->pos, $this->textEnd() - $this->pos);
            $this->pushPlain($plain);
        } while (!$this->textPart($quote, $quotes, $raw));
    }

    /** Reads a quote, an escape or a line break in a string; whether the string ends. */
    private function textPart(string $quote, int $quotes, bool $raw): bool
    {
        $byte = $this->needed($this->pos);
        if ($byte === '\\' && $raw) {
            $this->needed($this->pos + 1);
            $this->pushPlain(2);
        } elseif ($byte === '\\') {
            $this->escape($this->textEnd());
        } elseif ($byte === "\n") {
            if ($quotes === 1) {
                $this->lineEndsInText();
            }
            $this->pushPlain(1);
        } elseif ($quotes === 1 && !$this->endsText()) {
            $this->quotedUpTo($this->quotedEnd($quote));
            return true;
        } else {
            $run = strspn($this->text, $quote, $this->pos, $quotes);
            if ($run === $quotes && $this->pos + $run <= $this->textEnd()) {
                $this->textEnds($quotes);
                return true;
            }
            if ($this->pos + $run >= $this->textEnd()) {
                throw new TextEnded();
            }
            $this->pushPlain($run);
        }
        return false;
    }

    /** A line break in a string counts as a character of it, where only a call can be meant. */
    private function lineEndsInText(): void
    {
        if (!$this->isForgiving()) {
            throw $this->bad('a line ends inside a string');
        }
        $message = 'a line break inside a string was escaped';
        $this->note('control_character', $this->pos, $message);
    }

    /** Whether the string can end at a quote. Only between markers may it hold its own quotes. */
    private function endsText(): bool
    {
        if (!$this->isForgiving() || $this->innermost() !== self::CALL) {
            return true;
        }
        $at = $this->pos + 1;
        $at += $at < $this->textEnd()
            ? strspn($this->text, Arguments::BLANK, $at, $this->textEnd() - $at)
            : 0;
        return strpos(',)', $this->needed($at)) !== false;
    }

    /** Reads an escape as Python does, up to a place. An unknown escape keeps its backslash. */
    private function escape(int $end): void
    {
        $kind = $this->pos + 1 < $end ? $this->text[$this->pos + 1] : '';
        if ($kind === '') {
            throw new TextEnded();
        }
        if (isset(self::$escapes[$kind])) {
            $this->json .= self::escaped(self::$escapes[$kind]);
            $this->pos += 2;
        } elseif ($kind === "\n") {
            $this->pos += 2;
        } elseif (isset(self::$digits[$kind])) {
            $this->numberEscape(2, self::$digits[$kind], 16, $end);
        } elseif ($kind >= '0' && $kind <= '7') {
            $most = min(3, $end - $this->pos - 1);
            $digits = strspn($this->text, '01234567', $this->pos + 1, $most);
            if ($digits < 3 && $this->pos + 1 + $digits === $end) {
                throw new TextEnded();
            }
            $this->numberEscape(1, $digits, 8, $end);
        } else {
            $this->pushPlain(1);
        }
    }

    /**
     * Reads a character by its number, which has so many digits. A surrogate needs its other half.
     */
    private function numberEscape(int $from, int $digits, int $radix, int $end): void
    {
        $length = $from + $digits;
        if ($this->pos + $length > $end) {
            throw new TextEnded();
        }
        $code = $this->numberAt($this->pos + $from, $digits, $radix);
        if ($code === null) {
            throw $this->bad('an escape is not complete');
        }
        if ($code >= 0xD800 && $code < 0xDC00 && $digits === 4) {
            if ($this->pos + 2 * $length > $end) {
                throw new TextEnded();
            }
            $low = $this->numberAt($this->pos + $length + $from, $digits, $radix) ?? 0;
            if ($low < 0xDC00 || $low > 0xDFFF) {
                throw $this->bad('half of a surrogate pair');
            }
            $code = 0x10000 + (($code - 0xD800) << 10) + ($low & 0x3FF);
            $length *= 2;
        }
        if ($code > 0x10FFFF || ($code >= 0xD800 && $code <= 0xDFFF)) {
            throw $this->bad('half of a surrogate pair');
        }
        $this->json .= self::escaped(Utf8::encode($code));
        $this->pos += $length;
    }

    private function numberAt(int $at, int $digits, int $radix): ?int
    {
        $text = (string) substr($this->text, $at, $digits);
        $known = $radix === 8 ? '01234567' : '0123456789abcdefABCDEF';
        return strspn($text, $known) === $digits ? (int) base_convert($text, $radix, 10) : null;
    }
}
