<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect\Literal;

use Toolwire\Plain\Json\Lexeme;
use Toolwire\Plain\TextEnded;

/** The start of keys and values in a literal, and the signs between them. */
trait ReadsEntries
{
    /** @var int the most keys that a new key is compared with */
    private static $compared = 64;

    /** @var string */
    private static $ofWords
        = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-';

    private function separator(string $byte): void
    {
        if ($byte !== ($this->innermost() === self::CALL ? '=' : ':')) {
            throw $this->bad('a key and its value are joined by another sign');
        }
        $entry = [count($this->stack), substr($this->json, $this->key)];
        if (in_array($entry, array_slice($this->keys, -self::$compared), true)) {
            $message = 'a key is repeated; the last value counts';
            $this->note('duplicate_key', $this->pos, $message);
        }
        $this->keys[] = $entry;
        $this->json .= ':';
        $this->pos++;
        $this->expected = self::VALUE;
    }

    private function valueOrKey(string $byte): void
    {
        if ($this->quote !== null && $this->marker()) {
            $this->markedText();
            return;
        }
        $inCall = $this->isKey() && $this->innermost() === self::CALL;
        if (!$inCall && ($byte === '"' || $byte === "'")) {
            $this->quoted($byte, 0);
            return;
        }
        if (!$inCall && $this->quote === null && strpos('rRuU', $byte) !== false) {
            $next = $this->needed($this->pos + 1);
            if ($next === '"' || $next === "'") {
                $this->quoted($next, 1);
                return;
            }
        }
        $this->word($byte);
    }

    /** Reads a word: a name before its value, a number, or a constant. */
    private function word(string $byte): void
    {
        $isNumber = strpos('-0123456789', $byte) !== false;
        $isDict = $this->innermost() === self::DICT && substr($this->json, -1) === '{';
        if ($isNumber && $isDict && $this->isKey() && $this->isForgiving()) {
            // The braces are those of a set of numbers.
            $this->bracesHoldValues(strlen($this->json) - 1);
            $this->expected = self::VALUE;
        }
        $isWord = preg_match('/^[A-Za-z_]/', $byte) === 1;
        if (!$isWord && ($this->isKey() || !$isNumber)) {
            throw $this->bad($this->isKey() ? 'a name is expected' : 'a literal is expected');
        }
        $start = $this->pos;
        $belongs = self::$ofWords . ($this->isKey() ? '' : '+');
        $this->pos += strspn($this->text, $belongs, $start, $this->textEnd() - $start);
        if ($this->pos >= $this->textEnd()) {
            throw new TextEnded();
        }
        $word = substr($this->text, $start, $this->pos - $start);
        $this->commaBefore();
        if ($this->isKey()) {
            [$this->key, $this->keyIsWord] = [strlen($this->json), true];
            $this->json .= "\"$word\"";
            $this->expected = self::SEPARATOR;
            return;
        }
        $words = [
            'True' => 'true', 'true' => 'true', 'False' => 'false', 'false' => 'false',
            'None' => 'null', 'null' => 'null',
        ];
        $json = $words[$word] ?? (Lexeme::isNumber($word) ? $word : null)
            ?? $this->withoutZeros($word, $start);
        if ($json === null) {
            $this->pos = $start;
            throw $this->bad('a value is no literal');
        }
        $this->json .= $json;
        $this->expected = self::COMMA_OR_END;
    }

    /** The number without its leading zeros, if it would be a number without them. */
    private function withoutZeros(string $word, int $start): ?string
    {
        $sign = $word[0] === '-' ? '-' : '';
        $digits = substr($word, strlen($sign));
        $number = $sign . ltrim((string) $digits, '0');
        if (!$this->isForgiving() || $number === $word || !Lexeme::isNumber($number)) {
            return null;
        }
        $message = 'the leading zeros of a number were dropped';
        $this->note('leading_zero', $start, $message);
        return $number;
    }
}
