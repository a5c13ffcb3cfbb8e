<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect\Literal;

use Toolwire\Plain\Json\Bad;

/** The brackets of a literal, and the commas between its values. */
trait ReadsStructure
{
    private function structure(): void
    {
        $this->pos += strspn($this->text, " \t\r\n", $this->pos, $this->textEnd() - $this->pos);
        $byte = $this->needed($this->pos);
        $expected = $this->expected;
        if ($this->stack === [] && strpos($this->opening, $byte) === false) {
            throw $this->bad('the arguments do not start with a bracket');
        }
        $isValue = $expected === self::VALUE || $expected === self::VALUE_OR_END;
        $isBehindKey = $expected === self::SEPARATOR;
        $mayEnd = $expected !== self::VALUE && !$isBehindKey;
        if ($isValue && strpos('([{', $byte) !== false) {
            $this->open($byte);
        } elseif ($mayEnd && strpos(')]}', $byte) !== false) {
            $this->close($byte);
        } elseif ($expected === self::COMMA_OR_END && $byte === ',') {
            $this->comma();
        } elseif ($isBehindKey && ($byte === '=' || $byte === ':')) {
            $this->separator($byte);
        } elseif ($isBehindKey && strpos(',}', $byte) !== false && $this->mayBeSet()) {
            $this->dictIsSet();
        } elseif ($expected === self::COMMA_OR_END || $isBehindKey) {
            throw $this->bad('the structure is no literal');
        } else {
            $this->valueOrKey($byte);
        }
    }

    private function open(string $byte): void
    {
        if (count($this->stack) >= $this->tolerance->depth) {
            throw new NoLiteral(Bad::tooDeep($this->pos));
        }
        if ($byte === '(' && $this->stack === []) {
            [$bracket, $json, $expected] = [self::CALL, '{', self::KEY_OR_END];
        } elseif ($byte === '(' && $this->quote !== null) {
            throw $this->bad('a round bracket is no literal');
        } elseif ($byte === '{') {
            [$bracket, $json, $expected] = [self::DICT, '{', self::KEY_OR_END];
        } else {
            $bracket = $byte === '(' ? self::TUPLE : self::LIST;
            [$json, $expected] = ['[', self::VALUE_OR_END];
        }
        if ($this->stack === []) {
            $this->startsAt($this->pos);
        }
        $this->commaBefore();
        $this->stack[] = $bracket;
        $this->commas[] = 0;
        $this->json .= $json;
        $this->pos++;
        $this->expected = $expected;
    }

    /** Writes the comma between two values, once it is sure that another one follows. */
    private function commaBefore(): void
    {
        $last = substr($this->json, -1);
        $fresh = $last === '' || $last === false || strpos('{[:', $last) !== false;
        if (!$fresh && $this->expected !== self::COMMA_OR_END) {
            $this->json .= ',';
        }
    }

    private function close(string $byte): void
    {
        $pairs = [
            self::CALL => ')}', self::DICT => '}}', self::SET => '}]', self::LIST => ']]',
            self::TUPLE => ')]',
        ];
        $bracket = $this->innermost();
        if ($bracket === 0) {
            throw $this->bad('a bracket is closed that was not opened');
        }
        $depth = count($this->stack);
        $isAlone = $this->commas[$depth - 1] === 0 && substr($this->json, -1) !== '[';
        if ($bracket === self::TUPLE && $isAlone) {
            throw $this->bad('a value in brackets is no literal');
        }
        if ($byte !== $pairs[$bracket][0]) {
            throw $this->bad('the brackets do not match');
        }
        array_pop($this->stack);
        array_pop($this->commas);
        while ($this->keys !== [] && $this->keys[count($this->keys) - 1][0] >= $depth) {
            array_pop($this->keys);
        }
        $this->json .= $pairs[$bracket][1];
        $this->pos++;
        if ($this->stack === [self::LIST]) {
            $this->elementEnds[] = $this->pos;
        }
        $this->expected = self::COMMA_OR_END;
    }

    private function comma(): void
    {
        $this->pos++;
        $bracket = $this->innermost();
        if ($bracket === self::TUPLE) {
            $this->commas[count($this->commas) - 1]++;
        }
        $hasKeys = $bracket === self::CALL || $bracket === self::DICT;
        $this->expected = $hasKeys ? self::KEY_OR_END : self::VALUE_OR_END;
    }

    /** Whether the braces that hold one string so far may be those of a set. */
    private function mayBeSet(): bool
    {
        return $this->isForgiving() && $this->innermost() === self::DICT && !$this->keyIsWord
            && $this->key > 0 && $this->json[$this->key - 1] === '{';
    }

    /** Reads the braces as those of a set, whose first value is the last string. */
    private function dictIsSet(): void
    {
        $this->bracesHoldValues(max(0, $this->key - 1));
        $this->expected = self::COMMA_OR_END;
    }

    /** Makes an array of the braces that were opened last, at a place of the JSON. */
    private function bracesHoldValues(int $brace): void
    {
        $this->stack[count($this->stack) - 1] = self::SET;
        $this->json[$brace] = '[';
        $this->note('python_literal', $this->pos, 'a set was read as an array');
    }
}
