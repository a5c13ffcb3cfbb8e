<?php

declare(strict_types=1);

namespace Toolwire\Plain;

/** Texts by code point, including bytes that are not UTF-8. */
final class Utf8
{
    /** What stands for bytes that are not UTF-8. */
    public const REPLACEMENT = "\u{FFFD}";

    /** White space of Unicode, for a class of a pattern. */
    public const WHITE = '\x{9}-\x{D}\x{20}\x{85}\x{A0}\x{1680}\x{2000}-\x{200A}'
        . '\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}';

    /** White space between words: that of Unicode, and U+001C to U+001F. */
    public const SPACE = self::WHITE . '\x{1C}-\x{1F}';

    public static function isValid(string $text): bool
    {
        return preg_match('//u', $text) === 1;
    }

    /** The text, with U+FFFD in place of each part that is not UTF-8. */
    public static function lossy(string $text): string
    {
        if (self::isValid($text)) {
            return $text;
        }
        $made = '';
        for ($at = 0, $end = strlen($text); $at < $end;) {
            [$length, $whole] = self::sequence($text, $at);
            $made .= $whole ? substr($text, $at, $length) : self::REPLACEMENT;
            $at += $length;
        }
        return $made;
    }

    /**
     * The length of the sequence at a place, and whether it is a character. One that is cut off is
     * as long as what could have become a character.
     *
     * @return array{int, bool}
     */
    private static function sequence(string $text, int $at): array
    {
        $lead = ord($text[$at]);
        if ($lead < 0x80) {
            return [max(1, strcspn($text, self::highBytes(), $at)), true];
        }
        if ($lead < 0xC2 || $lead > 0xF4) {
            return [1, false];
        }
        $length = $lead < 0xE0 ? 2 : ($lead < 0xF0 ? 3 : 4);
        $least = $lead === 0xE0 ? 0xA0 : ($lead === 0xF0 ? 0x90 : 0x80);
        $most = $lead === 0xED ? 0x9F : ($lead === 0xF4 ? 0x8F : 0xBF);
        for ($place = 1; $place < $length; $place++) {
            $byte = ord($text[$at + $place] ?? "\0");
            if ($byte < $least || $byte > $most) {
                return [$place, false];
            }
            [$least, $most] = [0x80, 0xBF];
        }
        return [$length, true];
    }

    /** The longest prefix with at most `$limit` code points; an odd byte counts as one. */
    public static function prefix(string $text, int $limit): string
    {
        if (strlen($text) <= $limit) {
            return $text;
        }
        for ($end = 0; $limit > 0 && $end < strlen($text); $limit--) {
            $end += self::pointLength($text, $end);
        }
        return substr($text, 0, $end);
    }

    /**
     * The length of the code point at a place, by its form alone: a lone surrogate has three bytes,
     * and a byte of no code point has one.
     */
    public static function pointLength(string $text, int $at): int
    {
        $lead = ord($text[$at]);
        $length = $lead < 0xC2 || $lead > 0xF4 ? 1 : ($lead < 0xE0 ? 2 : ($lead < 0xF0 ? 3 : 4));
        for ($place = 1; $place < $length; $place++) {
            if ((ord($text[$at + $place] ?? "\0") & 0xC0) !== 0x80) {
                return 1;
            }
        }
        return $length;
    }

    /** The number of a code point that is given by its bytes; null for bytes that are none. */
    public static function codePoint(string $point): ?int
    {
        if (!self::isValid($point)) {
            return null;
        }
        $lead = ord($point[0]);
        $number = $lead < 0x80 ? $lead : $lead & (0xFF >> (strlen($point) + 1));
        for ($place = 1; $place < strlen($point); $place++) {
            $number = ($number << 6) | (ord($point[$place]) & 0x3F);
        }
        return $number;
    }

    /** The bytes of a code point. */
    public static function encode(int $number): string
    {
        if ($number < 0x80) {
            return chr($number);
        }
        if ($number < 0x800) {
            return chr(0xC0 | $number >> 6) . chr(0x80 | $number & 0x3F);
        }
        $end = chr(0x80 | $number >> 6 & 0x3F) . chr(0x80 | $number & 0x3F);
        if ($number < 0x10000) {
            return chr(0xE0 | $number >> 12) . $end;
        }
        return chr(0xF0 | $number >> 18) . chr(0x80 | $number >> 12 & 0x3F) . $end;
    }

    /** The text with its first letter in upper case. */
    public static function capitalised(string $text): string
    {
        if ($text === '' || !function_exists('mb_strtoupper')) {
            return ucfirst($text);
        }
        $first = substr($text, 0, self::pointLength($text, 0));
        return mb_strtoupper($first, 'UTF-8') . substr($text, strlen($first));
    }

    /** The text as it stands in messages: quotes, backslashes and control characters escaped. */
    public static function shown(string $text, bool $single = true): string
    {
        $escapes = ['\\' => '\\\\', '"' => '\\"', "\n" => '\\n', "\r" => '\\r', "\t" => '\\t'];
        $escapes += ["\0" => '\\0'] + ($single ? ["'" => "\\'"] : []);
        $shown = strtr(self::lossy($text), $escapes);
        $hex = static function (array $found): string {
            return sprintf('\\u{%x}', self::codePoint($found[0]));
        };
        return (string) preg_replace_callback('/[\x{1}-\x{1F}\x{7F}-\x{9F}]/u', $hex, $shown);
    }

    /** Every byte beyond ASCII. */
    private static function highBytes(): string
    {
        static $bytes = null;
        return $bytes ?? ($bytes = implode('', array_map('chr', range(0x80, 0xFF))));
    }
}
