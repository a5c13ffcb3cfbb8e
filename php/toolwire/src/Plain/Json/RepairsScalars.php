<?php

declare(strict_types=1);

namespace Toolwire\Plain\Json;

/** The strings, words and numbers of an object that is almost JSON. */
trait RepairsScalars
{
    /** Whether an escape of the string that JSON knows has a letter. */
    private bool $knownLetter = false;

    /** The same for one that JSON does not know: then the first may be part of the text too. */
    private bool $unknownLetter = false;

    private function string(string $quote, bool $key): ?Bad
    {
        $before = [$this->pos, count($this->json), count($this->notes)];
        if ($quote === "'") {
            $this->note('single_quotes', $this->pos, 'single quotes were replaced');
        }
        $this->json[] = '"';
        $this->pos++;
        $this->knownLetter = $this->unknownLetter = false;
        while (true) {
            if ($this->pos - $this->start > $this->tolerance->bytes) {
                // The string is read again for an object inside.
                $bad = Bad::tooLarge($this->pos);
                $this->pos = $before[0];
                array_splice($this->json, $before[1]);
                array_splice($this->notes, $before[2]);
                return $bad;
            }
            $length = strcspn($this->text, Lexeme::SPECIAL . "'", $this->pos);
            $this->copy($length);
            $byte = $this->text[$this->pos] ?? null;
            if ($byte === null) {
                return $this->needMore();
            }
            if ($byte === $quote) {
                break;
            }
            $bad = $this->special($byte, $quote);
            if ($this->cut || $bad !== null) {
                return $bad;
            }
        }
        $this->json[] = '"';
        $this->pos++;
        if ($key) {
            $this->expected = self::COLON;
        } else {
            $this->valueEnds();
        }
        return null;
    }

    /** Copies or mends a character of a string that is not plain. */
    private function special(string $byte, string $quote): ?Bad
    {
        if ($byte === '\\') {
            return $this->escape($quote);
        }
        if ($byte === "'") {
            $this->copy(1);
            return null;
        }
        if ($byte === '"') {
            $this->json[] = '\\"';
            $this->pos++;
            return null;
        }
        $this->note('control_character', $this->pos, 'a control character was escaped');
        $this->json[] = trim((string) json_encode($byte), '"');
        $this->pos++;
        return null;
    }

    private function escape(string $quote): ?Bad
    {
        if (($this->text[$this->pos + 1] ?? null) === "'") {
            if ($quote === '"') {
                $message = 'an escaped single quote was unescaped';
                $this->note('single_quotes', $this->pos, $message);
            }
            $this->json[] = "'";
            $this->pos += 2;
            return null;
        }
        $length = Lexeme::escape($this->text, $this->pos, strlen($this->text));
        if ($length === null) {
            return $this->needMore();
        }
        $isLetter = preg_match('/^[0-9A-Za-z]/', $this->text[$this->pos + 1]) === 1;
        if (is_int($length)) {
            $this->knownLetter = $this->knownLetter || $isLetter;
            $this->copy($length);
        } elseif ($this->isUnknownEscape()) {
            $this->unknownLetter = $this->unknownLetter || $isLetter;
            $message = 'a backslash that begins no escape was escaped';
            $this->note('unknown_escape', $this->pos, $message);
            $this->json[] = '\\\\';
            $this->pos++;
        } else {
            return $this->bad($length);
        }
        return $this->knownLetter && $this->unknownLetter
            ? $this->bad('a backslash is part of the text or begins an escape')
            : null;
    }

    /** Whether what stands here is certainly no escape, rather than one that is damaged. */
    private function isUnknownEscape(): bool
    {
        $kind = $this->text[$this->pos + 1];
        return $kind === 'u'
            ? preg_match('/^[0-9A-Fa-f]?$/D', $this->text[$this->pos + 2] ?? '') !== 1
            : ord($kind) >= 0x20 && $kind !== "\x7F";
    }

    /** Reads a key without quotes, or a literal. */
    private function word(bool $key): ?Bad
    {
        $start = $this->pos;
        $this->pos += strspn($this->text, self::WORD . '0123456789-', $start);
        if ($this->pos >= strlen($this->text)) {
            return $this->needMore();
        }
        $word = substr($this->text, $start, $this->pos - $start);
        if ($key) {
            $this->expected = self::COLON;
            $this->json[] = "\"$word\"";
            $this->note('unquoted', $start, 'a key was quoted');
            return null;
        }
        $literals = [
            'true' => 'true', 'True' => 'true', 'false' => 'false', 'False' => 'false',
            'null' => 'null', 'None' => 'null',
        ];
        $literal = $literals[$word] ?? null;
        if ($literal === null) {
            return $this->bad('a value without quotes is ambiguous');
        }
        if ($literal !== $word) {
            $this->note('python_literal', $start, 'a Python literal was replaced');
        }
        $this->json[] = $literal;
        $this->valueEnds();
        return null;
    }

    private function number(): ?Bad
    {
        $start = $this->pos;
        $this->pos += strspn($this->text, Lexeme::OF_NUMBERS, $start);
        if ($this->pos >= strlen($this->text)) {
            return $this->needMore();
        }
        $number = substr($this->text, $start, $this->pos - $start);
        if (!Lexeme::isNumber($number)) {
            return $this->bad('not a number');
        }
        $this->json[] = $number;
        $this->valueEnds();
        return null;
    }
}
