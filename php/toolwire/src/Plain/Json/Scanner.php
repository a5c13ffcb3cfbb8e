<?php

declare(strict_types=1);

namespace Toolwire\Plain\Json;

/**
 * A JSON tokenizer. Each byte is looked at once, and nothing recurses.
 *
 * It accepts exactly the JSON of RFC 8259, with one exception: an escape that is half of a
 * surrogate pair is a fault, as no string could hold it. An option lets it pass.
 */
final class Scanner
{
    public const OPEN = 1;
    public const CLOSE = 2;
    public const KEY = 3;
    public const TEXT = 4;
    public const NUMBER = 5;
    public const LITERAL = 6;
    public const FAULT = 7;
    /** The text ends within the value. */
    public const END = 8;

    private const VALUE = 1;
    private const VALUE_OR_END = 2;
    private const NEXT_KEY = 3;
    private const KEY_OR_END = 4;
    private const COLON = 5;
    private const COMMA_OR_END = 6;
    private const NOTHING = 7;

    private const UNEXPECTED = [
        self::VALUE => 'a value is expected',
        self::VALUE_OR_END => 'a value or ] is expected',
        self::NEXT_KEY => 'a key in double quotes is expected',
        self::KEY_OR_END => 'a key in double quotes or } is expected',
        self::COLON => 'a colon is expected',
        self::COMMA_OR_END => 'a comma or a closing bracket is expected',
        self::NOTHING => 'the value has ended',
    ];

    /** @var int the first byte of the token; of a closing bracket, the byte behind it */
    public $start = 0;

    /** @var int the byte behind the token */
    public $end = 0;

    /** @var bool whether the string holds a backslash */
    public $escaped = false;

    /** @var bool whether the bracket is that of an object */
    public $isObject = false;

    /** @var string why the text is not JSON */
    public $fault = '';

    /** @var bool whether the fault is the depth */
    public $tooDeep = false;

    /** @var int the byte that must not be read */
    public $limit;

    /** @var list<int> where the open brackets stand */
    public $open = [];

    /** @var int the number of open brackets */
    public $depth = 0;

    /** @var int */
    public $pos;

    /** @var string */
    private $text;

    /** @var int */
    private $expected = self::VALUE;

    /** @var int */
    private $maxDepth;

    /** @var bool */
    private $halves;

    public function __construct(string $text, int $pos, int $maxDepth, bool $halves = false)
    {
        $this->text = $text;
        $this->limit = strlen($text);
        $this->pos = $pos;
        $this->maxDepth = $maxDepth;
        $this->halves = $halves;
    }

    /** Whether the value is complete. */
    public function done(): bool
    {
        return $this->expected === self::NOTHING;
    }

    /** Reads the next token and gives its kind. */
    public function next(): int
    {
        while (true) {
            $this->pos += strspn($this->text, " \n\r\t", $this->pos);
            if ($this->pos >= $this->limit) {
                return self::END;
            }
            $byte = $this->text[$this->pos];
            if ($byte === ':' && $this->expected === self::COLON) {
                $this->expected = self::VALUE;
            } elseif ($byte === ',' && $this->expected === self::COMMA_OR_END) {
                $object = $this->text[$this->open[$this->depth - 1]] === '{';
                $this->expected = $object ? self::NEXT_KEY : self::VALUE;
            } else {
                return $this->token($byte);
            }
            $this->pos++;
        }
    }

    private function token(string $byte): int
    {
        $expected = $this->expected;
        if ($expected <= self::KEY_OR_END && $byte === '"') {
            return $this->string();
        }
        $ends = $expected === self::COMMA_OR_END;
        if ($byte === '}' && ($ends || $expected === self::KEY_OR_END)) {
            return $this->close('{');
        }
        if ($byte === ']' && ($ends || $expected === self::VALUE_OR_END)) {
            return $this->close('[');
        }
        if ($expected > self::VALUE_OR_END) {
            return $this->fault($this->pos, self::UNEXPECTED[$expected]);
        }
        switch ($byte) {
            case '{':
            case '[':
                return $this->open($byte === '{');
            case 't':
                return $this->literal('true');
            case 'f':
                return $this->literal('false');
            case 'n':
                return $this->literal('null');
        }
        if ($byte === '-' || ($byte >= '0' && $byte <= '9')) {
            return $this->number();
        }
        return $this->fault($this->pos, self::UNEXPECTED[$expected]);
    }

    private function open(bool $object): int
    {
        if ($this->depth >= $this->maxDepth) {
            $this->tooDeep = true;
            return $this->fault($this->pos, '');
        }
        $this->isObject = $object;
        $this->start = $this->pos;
        $this->open[] = $this->pos;
        $this->depth++;
        $this->end = ++$this->pos;
        $this->expected = $object ? self::KEY_OR_END : self::VALUE_OR_END;
        return self::OPEN;
    }

    private function close(string $opened): int
    {
        if ($this->text[$this->open[$this->depth - 1]] !== $opened) {
            return $this->fault($this->pos, 'the brackets do not match');
        }
        array_pop($this->open);
        $this->depth--;
        $this->isObject = $opened === '{';
        $this->start = $this->end = ++$this->pos;
        $this->valueEnds();
        return self::CLOSE;
    }

    private function valueEnds(): void
    {
        $this->expected = $this->depth === 0 ? self::NOTHING : self::COMMA_OR_END;
    }

    private function string(): int
    {
        $this->start = $this->pos;
        $this->escaped = false;
        $pos = $this->pos + 1;
        while (true) {
            if ($pos < $this->limit) {
                $pos += strcspn($this->text, Lexeme::SPECIAL, $pos, $this->limit - $pos);
            }
            if ($pos >= $this->limit) {
                return self::END;
            }
            $byte = $this->text[$pos];
            if ($byte === '"') {
                return $this->stringEnds($pos + 1);
            }
            if ($byte !== '\\') {
                return $this->fault($pos, 'a control character must be escaped');
            }
            $this->escaped = true;
            $length = Lexeme::escape($this->text, $pos, $this->limit);
            if ($length === null) {
                return self::END;
            }
            if (is_string($length)) {
                if (!$this->halves || !Lexeme::isHalf($this->text, $pos)) {
                    return $this->fault($pos, $length);
                }
                $length = 6;
            }
            $pos += $length;
        }
    }

    private function stringEnds(int $end): int
    {
        $this->pos = $this->end = $end;
        if ($this->expected >= self::NEXT_KEY) {
            $this->expected = self::COLON;
            return self::KEY;
        }
        $this->valueEnds();
        return self::TEXT;
    }

    private function number(): int
    {
        $end = $this->pos + strspn($this->text, Lexeme::OF_NUMBERS, $this->pos);
        if ($end >= $this->limit) {
            // The byte behind a number shows that the number is complete.
            return self::END;
        }
        if (!Lexeme::isNumber(substr($this->text, $this->pos, $end - $this->pos))) {
            return $this->fault($this->pos, 'not a number');
        }
        $this->start = $this->pos;
        $this->pos = $this->end = $end;
        $this->valueEnds();
        return self::NUMBER;
    }

    private function literal(string $word): int
    {
        $rest = substr($this->text, $this->pos, min(strlen($word), $this->limit - $this->pos));
        if ($rest === $word) {
            $this->start = $this->pos;
            $this->pos = $this->end = $this->pos + strlen($word);
            $this->valueEnds();
            return self::LITERAL;
        }
        if (strncmp($word, $rest, strlen($rest)) === 0) {
            return self::END;
        }
        return $this->fault($this->pos, self::UNEXPECTED[$this->expected]);
    }

    private function fault(int $at, string $what): int
    {
        $this->start = $at;
        $this->fault = $what;
        return self::FAULT;
    }
}
