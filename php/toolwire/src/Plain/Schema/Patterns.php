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
        $expression = Expression::of($pattern);
        if ($expression === null) {
            return null;
        }
        // What PHP warns of is the schema's fault.
        set_error_handler(static function (): bool {
            return true;
        });
        $found = preg_match($expression, $text);
        restore_error_handler();
        return $found === false ? null : $found === 1;
    }
}
