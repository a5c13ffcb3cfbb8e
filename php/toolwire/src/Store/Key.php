<?php

declare(strict_types=1);

namespace Toolwire\Tools\Store;

use InvalidArgumentException;

/** What can be a key of a store. */
final class Key
{
    /** Returns a key or a prefix of keys; refuses what no key can be. */
    public static function check(string $text): string
    {
        if (!self::fits($text)) {
            throw new InvalidArgumentException(
                'a key must be printable ASCII of at most 255 bytes'
            );
        }
        return $text;
    }

    /** Says whether a text can be a key or a prefix of keys. */
    public static function fits(string $text): bool
    {
        return preg_match('/^[ -~]{0,255}$/D', $text) === 1;
    }

    /** Returns a text behind every key that begins with a prefix: no key has a byte above `~`. */
    public static function end(string $prefix): string
    {
        return "$prefix\x7f";
    }
}
