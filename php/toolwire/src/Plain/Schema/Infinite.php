<?php

declare(strict_types=1);

namespace Toolwire\Plain\Schema;

use stdClass;
use Toolwire\Plain\Json\Digits;

/** Numbers that are too large for a float: a tool must not be run with one. */
final class Infinite
{
    /**
     * The first of them in a value, as a problem of its place; null if there is none.
     *
     * @param mixed $value
     * @return array{path: string, message: string}|null
     */
    public static function in($value): ?array
    {
        $path = self::path($value);
        return $path === null
            ? null
            : ['path' => Told::bounded($path), 'message' => 'must be a finite number'];
    }

    /** @param mixed $value */
    private static function path($value): ?string
    {
        if ($value instanceof Digits) {
            return $value->isInfinite() ? '' : null;
        }
        foreach (is_array($value) || $value instanceof stdClass ? $value : [] as $name => $part) {
            $path = self::path($part);
            if ($path !== null) {
                return '/' . str_replace(['~', '/'], ['~0', '~1'], (string) $name) . $path;
            }
        }
        return null;
    }
}
