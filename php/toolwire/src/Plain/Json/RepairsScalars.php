<?php

declare(strict_types=1);

namespace Toolwire\Plain\Json;

/** The strings, words and numbers of an object that is almost JSON. */
trait RepairsScalars
{
    private function string(string $quote, bool $key): ?Bad
    {
        $single = $quote === "'";
        $message = 'single quotes were replaced';
        $bad = $single ? $this->note('single_quotes', $this->pos, $message) : null;
        if ($bad !== null) {
            return $bad;
        }
        $this->json[] = '"';
        $this->pos++;
        while (true) {
            if ($this->pos - $this->start > $this->tolerance->bytes) {
                return Bad::tooLarge($this->pos);
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
        $bad = $this->note('control_character', $this->pos, 'a control character was escaped');
        if ($bad === null) {
            $this->json[] = trim((string) json_encode($byte), '"');
            $this->pos++;
        }
        return $bad;
    }

    private function escape(string $quote): ?Bad
    {
        if (($this->text[$this->pos + 1] ?? null) === "'") {
            $message = 'an escaped single quote was unescaped';
            $bad = $quote === '"' ? $this->note('single_quotes', $this->pos, $message) : null;
            if ($bad === null) {
                $this->json[] = "'";
                $this->pos += 2;
            }
            return $bad;
        }
        $length = Lexeme::escape($this->text, $this->pos, strlen($this->text));
        if (is_int($length)) {
            $this->copy($length);
            return null;
        }
        return $length === null ? $this->needMore() : $this->bad($length);
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
            return $this->note('unquoted', $start, 'a key was quoted');
        }
        $literals = [
            'true' => 'true', 'True' => 'true', 'false' => 'false', 'False' => 'false',
            'null' => 'null', 'None' => 'null',
        ];
        $literal = $literals[$word] ?? null;
        if ($literal === null) {
            return $this->bad('a value without quotes is ambiguous');
        }
        $message = 'a Python literal was replaced';
        $bad = $literal === $word ? null : $this->note('python_literal', $start, $message);
        $this->json[] = $literal;
        $this->valueEnds();
        return $bad;
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
