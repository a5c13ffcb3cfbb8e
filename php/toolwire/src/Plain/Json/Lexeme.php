<?php

declare(strict_types=1);

namespace Toolwire\Plain\Json;

use Toolwire\Plain\Utf8;

/** The parts of a token: the escapes of a string, and the grammar of a number. */
final class Lexeme
{
    /** What ends a run of plain characters in a string. */
    public const SPECIAL = "\"\\\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0A\x0B\x0C\x0D\x0E\x0F"
        . "\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1A\x1B\x1C\x1D\x1E\x1F";

    public const OF_NUMBERS = '0123456789+-.eE';

    private const DIGITS = '0123456789';

    private const SHORT = [
        '"' => '"', '\\' => '\\', '/' => '/', 'b' => "\x08", 'f' => "\f", 'n' => "\n", 'r' => "\r",
        't' => "\t",
    ];

    /**
     * The length of the escape at a place; null where the text ends in it; or what is wrong.
     *
     * @return int|string|null
     */
    public static function escape(string $text, int $at, int $limit)
    {
        if ($at + 1 >= $limit) {
            return null;
        }
        if (isset(self::SHORT[$text[$at + 1]])) {
            return 2;
        }
        if ($text[$at + 1] !== 'u') {
            return 'not an escape';
        }
        if ($at + 6 > $limit) {
            return null;
        }
        $unit = self::unit($text, $at);
        if ($unit === null) {
            return 'not four hexadecimal digits';
        }
        if ($unit < 0xD800 || $unit > 0xDFFF) {
            return 6;
        }
        return $unit < 0xDC00
            ? self::secondHalf($text, $at + 6, $limit)
            : 'half of a surrogate pair';
    }

    /** @return int|string|null as {@see escape()}, for the escape behind a first half */
    private static function secondHalf(string $text, int $at, int $limit)
    {
        $lone = 'half of a surrogate pair';
        if ($at >= $limit) {
            return null;
        }
        if ($text[$at] !== '\\') {
            return $lone;
        }
        if ($at + 1 >= $limit) {
            return null;
        }
        if ($text[$at + 1] !== 'u') {
            return $lone;
        }
        if ($at + 6 > $limit) {
            return null;
        }
        $unit = self::unit($text, $at);
        if ($unit === null) {
            return 'not four hexadecimal digits';
        }
        return $unit >= 0xDC00 && $unit <= 0xDFFF ? 12 : $lone;
    }

    /** Whether an escape stands at a place that is half of a surrogate pair. */
    public static function isHalf(string $text, int $at): bool
    {
        $unit = substr($text, $at, 2) === '\\u' ? self::unit($text, $at) : null;
        return $unit !== null && $unit >= 0xD800 && $unit <= 0xDFFF;
    }

    private static function unit(string $text, int $at): ?int
    {
        $digits = substr($text, $at + 2, 4);
        return strspn($digits, '0123456789abcdefABCDEF') === 4 ? (int) hexdec($digits) : null;
    }

    public static function isNumber(string $text): bool
    {
        $at = strncmp($text, '-', 1) === 0 ? 1 : 0;
        $whole = strspn($text, self::DIGITS, $at);
        if ($whole === 0 || ($whole > 1 && $text[$at] === '0')) {
            return false;
        }
        $at += $whole;
        if (($text[$at] ?? '') === '.') {
            $length = strspn($text, self::DIGITS, $at + 1);
            if ($length === 0) {
                return false;
            }
            $at += 1 + $length;
        }
        if (($text[$at] ?? '') === 'e' || ($text[$at] ?? '') === 'E') {
            $sign = $text[$at + 1] ?? '';
            $at += $sign === '+' || $sign === '-' ? 2 : 1;
            $length = strspn($text, self::DIGITS, $at);
            return $length > 0 && $at + $length === strlen($text);
        }
        return $at === strlen($text);
    }

    /** The text that a string with its quotes stands for. */
    public static function decode(string $text, int $start, int $end, bool $escaped): string
    {
        $inner = substr($text, $start + 1, $end - $start - 2);
        if (!$escaped) {
            return $inner;
        }
        $decoded = '';
        for ($at = 0; ($next = strpos($inner, '\\', $at)) !== false; $at = $next) {
            $decoded .= substr($inner, $at, $next - $at);
            $kind = $inner[$next + 1];
            if ($kind !== 'u') {
                $decoded .= self::SHORT[$kind] ?? $kind;
                $next += 2;
                continue;
            }
            $unit = (int) self::unit($inner, $next);
            $length = self::escape($inner, $next, strlen($inner));
            if ($length === 12) {
                $low = (int) self::unit($inner, $next + 6);
                $unit = 0x10000 + (($unit & 0x3FF) << 10 | $low & 0x3FF);
            }
            $half = $length !== 12 && $unit >= 0xD800 && $unit <= 0xDFFF;
            $decoded .= $half ? Utf8::REPLACEMENT : Utf8::encode($unit);
            $next += $length === 12 ? 12 : 6;
        }
        return $decoded . substr($inner, $at);
    }
}
