<?php

declare(strict_types=1);

namespace Toolwire\Plain\Json;

use Toolwire\Plain\Utf8;

/** Indents JSON text for a person; numbers keep their digits. */
final class Pretty
{
    /** The deepest nesting of JSON that is indented. */
    private const MAX_DEPTH = 128;

    private const SHORT = [
        '"' => '\\"', '\\' => '\\\\', "\n" => '\\n', "\r" => '\\r', "\t" => '\\t',
        "\x08" => '\\b', "\f" => '\\f',
    ];

    /** @var list<array<array-key, string>> the parts of each open bracket, keys in front of them */
    private $open = [];

    /** @var list<string|null> the key that waits for its value, of each open bracket */
    private $keys = [];

    /** @var string */
    private $whole = '';

    /** The text with an indentation of two spaces; as it is where it is not JSON. */
    public static function of(string $text): string
    {
        if (!Utf8::isValid($text)) {
            return $text;
        }
        $scanner = new Scanner("$text ", 0, self::MAX_DEPTH);
        $pretty = new self();
        while (!$scanner->done()) {
            $kind = $scanner->next();
            if ($kind === Scanner::FAULT || $kind === Scanner::END) {
                return $text;
            }
            $pretty->token($kind, $scanner, $text);
        }
        $rest = strspn($text, " \n\r\t", $scanner->pos);
        return $scanner->pos + $rest === strlen($text) ? $pretty->whole : $text;
    }

    /** A text as JSON, with letters of every script as they are. */
    public static function text(string $text): string
    {
        $escape = static function (array $found): string {
            return self::SHORT[$found[0]] ?? sprintf('\\u%04x', ord($found[0]));
        };
        return '"' . preg_replace_callback('/["\\\\\x00-\x1F]/', $escape, $text) . '"';
    }

    private function token(int $kind, Scanner $token, string $text): void
    {
        if ($kind === Scanner::OPEN) {
            $this->open[] = [];
            $this->keys[] = null;
        } elseif ($kind === Scanner::CLOSE) {
            $parts = array_pop($this->open);
            array_pop($this->keys);
            $this->take($this->container($parts, $token->isObject));
        } elseif ($kind === Scanner::KEY) {
            $key = Lexeme::decode($text, $token->start, $token->end, $token->escaped);
            $this->keys[count($this->keys) - 1] = $key;
        } elseif ($kind === Scanner::TEXT) {
            $decoded = Lexeme::decode($text, $token->start, $token->end, $token->escaped);
            $this->take(self::text($decoded));
        } else {
            // An exponent is written with its sign.
            $part = substr($text, $token->start, $token->end - $token->start);
            $number = $kind === Scanner::NUMBER;
            $part = $number ? strtr($part, 'E', 'e') : $part;
            $this->take($number ? (string) preg_replace('/e(?=[0-9])/', 'e+', $part) : $part);
        }
    }

    private function take(string $part): void
    {
        $at = count($this->open) - 1;
        if ($at < 0) {
            $this->whole = $part;
        } elseif ($this->keys[$at] === null) {
            $this->open[$at][] = $part;
        } else {
            $this->open[$at][$this->keys[$at]] = $part;
        }
    }

    /** @param array<array-key, string> $parts */
    private function container(array $parts, bool $object): string
    {
        $depth = count($this->open);
        if ($parts === []) {
            return $object ? '{}' : '[]';
        }
        $break = "\n" . str_repeat('  ', $depth + 1);
        $lines = [];
        foreach ($parts as $key => $part) {
            $lines[] = $object ? self::text((string) $key) . ": $part" : $part;
        }
        $inner = $break . implode(",$break", $lines) . "\n" . str_repeat('  ', $depth);
        return $object ? '{' . $inner . '}' : "[$inner]";
    }
}
