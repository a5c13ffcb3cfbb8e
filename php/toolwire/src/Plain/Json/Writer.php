<?php

declare(strict_types=1);

namespace Toolwire\Plain\Json;

use Toolwire\Plain\Misuse;
use Toolwire\Plain\Result\Numbers;
use Toolwire\Plain\Utf8;
use Toolwire\Plain\Values;

/** Writes a value as indented JSON in ASCII, as Python's `json.dumps(value, indent=2)` does. */
final class Writer
{
    /** The deepest nesting of lists and maps in a value that is written. */
    private const MAX_DEPTH = 512;

    private const SHORT = [
        '"' => '\\"', '\\' => '\\\\', "\n" => '\\n', "\r" => '\\r', "\t" => '\\t',
        "\x08" => '\\b', "\f" => '\\f',
    ];

    /** @param mixed $value */
    public static function pretty($value): string
    {
        return self::value($value, 0);
    }

    /** @param mixed $value */
    private static function value($value, int $depth): string
    {
        $entries = Values::entries($value);
        if ($entries !== null) {
            $list = is_array($value) && Values::isList($value);
            return self::container($entries, $list, $depth + 1);
        }
        if ($value === null || is_bool($value)) {
            return $value === null ? 'null' : ($value ? 'true' : 'false');
        }
        if (is_int($value)) {
            return (string) $value;
        }
        if (is_float($value)) {
            return is_finite($value) ? Numbers::float($value) : 'null';
        }
        return self::text(is_string($value) ? $value : Values::display($value));
    }

    /** @param array<array-key, mixed> $entries */
    private static function container(array $entries, bool $list, int $depth): string
    {
        if ($depth > self::MAX_DEPTH) {
            $message = 'a value that nests deeper than ' . self::MAX_DEPTH
                . ' levels cannot be written as JSON';
            throw Misuse::of('wrong_type', $message);
        }
        $parts = [];
        foreach ($entries as $name => $entry) {
            $key = $list ? '' : self::text((string) $name) . ': ';
            $parts[] = $key . self::value($entry, $depth);
        }
        if ($parts === []) {
            return $list ? '[]' : '{}';
        }
        $break = "\n" . str_repeat('  ', $depth);
        $inner = $break . implode(",$break", $parts) . "\n" . str_repeat('  ', $depth - 1);
        return $list ? "[$inner]" : '{' . $inner . '}';
    }

    /** A text in quotes; everything except printable ASCII is escaped. */
    private static function text(string $text): string
    {
        $escape = static function (array $found): string {
            $point = $found[0];
            if (isset(self::SHORT[$point])) {
                return self::SHORT[$point];
            }
            if (strlen($point) === 3 && $point[0] === "\xED" && ord($point[1]) >= 0xA0) {
                $unit = 0xD000 | (ord($point[1]) & 0x3F) << 6 | ord($point[2]) & 0x3F;
                return sprintf('\\u%04x', $unit);
            }
            $number = Utf8::codePoint($point) ?? 0xFFFD;
            return $number < 0x10000
                ? sprintf('\\u%04x', $number)
                : sprintf('\\u%04x\\u%04x', 0xD7C0 + ($number >> 10), 0xDC00 | $number & 0x3FF);
        };
        // A code point by its form alone, or an odd byte.
        $point = '/["\\\\\x00-\x1F\x7F]|[\xC2-\xDF][\x80-\xBF]|[\xE0-\xEF][\x80-\xBF]{2}'
            . '|[\xF0-\xF4][\x80-\xBF]{3}|[\x80-\xFF]/';
        return '"' . preg_replace_callback($point, $escape, $text) . '"';
    }
}
