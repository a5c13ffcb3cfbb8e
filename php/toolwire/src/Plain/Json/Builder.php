<?php

declare(strict_types=1);

namespace Toolwire\Plain\Json;

use Toolwire\Plain\Utf8;

/**
 * Builds PHP's values from JSON text.
 *
 * An integer beyond 64 bits, or a number beyond a float, becomes a string of its digits, and half
 * of a surrogate pair U+FFFD. Of a repeated key the last value counts.
 */
final class Builder
{
    /** Objects become arrays. */
    public const ARRAYS = 1;

    /** Objects become objects. */
    public const OBJECTS = 2;

    /** What `json_encode()` writes as the same JSON: objects that look like lists stay objects. */
    public const ENCODABLE = 3;

    /** Objects become objects, numbers keep their digits, half of a surrogate pair is a fault. */
    public const EXACT = 4;

    /** @var int */
    private $objects;

    /** @var list<array<array-key, mixed>> the values so far of each open bracket */
    private $open = [];

    /** @var list<string|null> the key that waits for its value, of each open bracket */
    private $keys = [];

    /** @var mixed */
    private $whole = null;

    private function __construct(int $objects)
    {
        $this->objects = $objects;
    }

    /**
     * The value in a one-element list; null for what is not JSON.
     *
     * @return array{mixed}|null
     */
    public static function read(string $text, int $objects, int $maxDepth = PHP_INT_MAX): ?array
    {
        if (!Utf8::isValid($text)) {
            return null;
        }
        // The scanner wants to see the byte behind a number.
        $scanner = new Scanner("$text ", 0, $maxDepth, $objects !== self::EXACT);
        $builder = new self($objects);
        while (!$scanner->done()) {
            $kind = $scanner->next();
            if ($kind === Scanner::FAULT || $kind === Scanner::END) {
                return null;
            }
            $builder->token($kind, $scanner, $text);
        }
        $rest = strspn($text, " \n\r\t", $scanner->pos);
        return $scanner->pos + $rest === strlen($text) ? [$builder->whole] : null;
    }

    private function token(int $kind, Scanner $token, string $text): void
    {
        $length = $token->end - $token->start;
        switch ($kind) {
            case Scanner::OPEN:
                $this->open[] = [];
                $this->keys[] = null;
                break;
            case Scanner::CLOSE:
                $value = array_pop($this->open);
                array_pop($this->keys);
                $this->take($token->isObject ? $this->object($value) : $value);
                break;
            case Scanner::KEY:
                $key = Lexeme::decode($text, $token->start, $token->end, $token->escaped);
                $this->keys[count($this->keys) - 1] = $key;
                break;
            case Scanner::TEXT:
                $this->take(Lexeme::decode($text, $token->start, $token->end, $token->escaped));
                break;
            case Scanner::NUMBER:
                $this->take($this->number(substr($text, $token->start, $length)));
                break;
            default:
                $words = ['t' => true, 'f' => false, 'n' => null];
                $this->take($words[$text[$token->start]]);
        }
    }

    /** @param mixed $value */
    private function take($value): void
    {
        $at = count($this->open) - 1;
        if ($at < 0) {
            $this->whole = $value;
        } elseif ($this->keys[$at] === null) {
            $this->open[$at][] = $value;
        } else {
            $this->open[$at][$this->keys[$at]] = $value;
        }
    }

    /**
     * @param array<array-key, mixed> $entries
     * @return array<array-key, mixed>|object
     */
    private function object(array $entries)
    {
        if ($this->objects === self::ARRAYS) {
            return $entries;
        }
        $place = 0;
        foreach ($entries as $key => $_) {
            if ($this->objects === self::ENCODABLE && $key !== $place++) {
                return $entries;
            }
        }
        return (object) $entries;
    }

    /** @return int|float|string|Digits */
    private function number(string $digits)
    {
        if ($this->objects === self::EXACT) {
            return Digits::of($digits);
        }
        $whole = (int) $digits;
        if ((string) $whole === $digits || $digits === '-0') {
            return $whole;
        }
        $is_whole = strpbrk($digits, '.eE') === false;
        $float = (float) $digits;
        // `json_encode()` fails for INF.
        return !$is_whole && is_finite($float) ? $float : $digits;
    }
}
