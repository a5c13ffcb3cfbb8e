<?php

declare(strict_types=1);

namespace Toolwire\Plain\Schema;

/** The patterns of schemas. */
final class Patterns
{
    /** Whether a pattern is one. */
    public static function isUsable(string $pattern): bool
    {
        return @preg_match(self::expression($pattern), '') !== false;
    }

    /** Whether a text has a pattern; null where that takes too long to find out. */
    public static function isIn(string $pattern, string $text): ?bool
    {
        $found = @preg_match(self::expression($pattern), $text);
        return $found === false ? null : $found === 1;
    }

    private static function expression(string $pattern): string
    {
        // In a schema, $ is the end of the text alone, and \d has the digits of ASCII.
        $pattern = (string) preg_replace('/\\\\u([0-9A-Fa-f]{4})/', '\\x{$1}', $pattern);
        return "\x01$pattern\x01uD";
    }
}
