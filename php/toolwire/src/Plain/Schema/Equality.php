<?php

declare(strict_types=1);

namespace Toolwire\Plain\Schema;

use stdClass;

/**
 * Which values of JSON are equal: also those whose members have another order, and numbers that are
 * written otherwise.
 */
final class Equality
{
    /**
     * @param mixed $one
     * @param mixed $other
     */
    public static function of($one, $other): bool
    {
        if (Decimal::isNumber($one) && Decimal::isNumber($other)) {
            return (new Decimal($one))->compare(new Decimal($other)) === 0;
        }
        if (is_scalar($one) || $one === null || is_scalar($other) || $other === null) {
            return $one === $other;
        }
        return self::key($one) === self::key($other);
    }

    /**
     * A text that is the same for equal values alone.
     *
     * @param mixed $value
     */
    public static function key($value): string
    {
        return (string) json_encode(self::sorted($value), JSON_PARTIAL_OUTPUT_ON_ERROR);
    }

    /**
     * @param mixed $value
     * @return mixed
     */
    private static function sorted($value)
    {
        if ($value instanceof stdClass) {
            $members = get_object_vars($value);
            ksort($members, SORT_STRING);
            return (object) array_map([self::class, 'sorted'], $members);
        }
        if (Decimal::isNumber($value)) {
            return 'n' . (new Decimal($value))->key();
        }
        if (is_string($value)) {
            return "s$value";
        }
        return is_array($value) ? array_map([self::class, 'sorted'], $value) : $value;
    }
}
