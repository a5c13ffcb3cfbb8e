<?php

declare(strict_types=1);

namespace Toolwire\Plain;

use stdClass;

/** PHP's values as summaries and reports see them. */
final class Values
{
    /** @param array<array-key, mixed> $array */
    public static function isList(array $array): bool
    {
        $place = 0;
        foreach ($array as $key => $_) {
            if ($key !== $place++) {
                return false;
            }
        }
        return true;
    }

    /**
     * The entries of an array or a plain object; null for any other value.
     *
     * @param mixed $value
     * @return array<array-key, mixed>|null
     */
    public static function entries($value): ?array
    {
        if (is_array($value)) {
            return $value;
        }
        return $value instanceof stdClass ? (array) $value : null;
    }

    /**
     * Whether PHP takes a value for true. From 8.5 on, PHP warns where it is asked for NAN, and the
     * extension does not.
     *
     * @param mixed $value
     */
    public static function truthy($value): bool
    {
        return is_float($value) ? $value !== 0.0 : (bool) $value;
    }

    /**
     * What a value is, in words.
     *
     * @param mixed $value
     */
    public static function kind($value): string
    {
        if (is_array($value)) {
            return self::isList($value) ? 'a list' : 'a map';
        }
        $kinds = [
            'NULL' => 'null', 'boolean' => 'a boolean', 'integer' => 'an integer',
            'double' => 'a number', 'string' => 'a text',
        ];
        return $kinds[gettype($value)] ?? ($value instanceof stdClass ? 'a map' : 'an object');
    }

    /**
     * A value that is neither a scalar nor a container: as it shows itself, or its class's name.
     *
     * @param mixed $value
     */
    public static function display($value): string
    {
        return is_object($value) && method_exists($value, '__toString')
            ? (string) $value
            : Misuse::typeName($value);
    }
}
