<?php

declare(strict_types=1);

namespace Toolwire\Plain\Schema;

/** The patterns of schemas. */
final class Patterns
{
    /** Whether a pattern is one. */
    public static function isUsable(string $pattern): bool
    {
        return self::isIn($pattern, '') !== null;
    }

    /** Whether a text has a pattern; null for no pattern, and where the search takes too long. */
    public static function isIn(string $pattern, string $text): ?bool
    {
        // What PHP warns of is the schema's fault.
        set_error_handler(static function (): bool {
            return true;
        });
        $found = preg_match(self::expression($pattern), $text);
        restore_error_handler();
        return $found === false ? null : $found === 1;
    }

    private static function expression(string $pattern): string
    {
        // In a schema, $ is the end of the text alone, and \d has the digits of ASCII.
        $pattern = (string) preg_replace('/\\\\u([0-9A-Fa-f]{4})/', '\\x{$1}', $pattern);
        return "\x01$pattern\x01uD";
    }
}
