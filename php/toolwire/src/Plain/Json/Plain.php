<?php

declare(strict_types=1);

namespace Toolwire\Plain\Json;

use stdClass;

/** JSON whose objects are `stdClass`, as values and in one line. */
final class Plain
{
    public const DEEPEST = 512;

    private const FLAGS = JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE
        | JSON_PRESERVE_ZERO_FRACTION | JSON_INVALID_UTF8_SUBSTITUTE;

    /**
     * The value of a text in a list; null for what is no JSON.
     *
     * @return array{mixed}|null
     */
    public static function read(string $text): ?array
    {
        $value = json_decode($text, false, self::DEEPEST, JSON_BIGINT_AS_STRING);
        return json_last_error() === JSON_ERROR_NONE ? [$value] : null;
    }

    /**
     * A value in one line; what JSON cannot hold is null.
     *
     * @param mixed $value
     */
    public static function line($value): string
    {
        return (string) json_encode($value, self::FLAGS | JSON_PARTIAL_OUTPUT_ON_ERROR);
    }

    /**
     * A value with arrays for objects; an empty object stays one.
     *
     * @param mixed $value
     * @return mixed
     */
    public static function arrays($value)
    {
        if ($value instanceof stdClass) {
            $members = get_object_vars($value);
            return $members === [] ? $value : array_map([self::class, 'arrays'], $members);
        }
        return is_array($value) ? array_map([self::class, 'arrays'], $value) : $value;
    }

    /**
     * A value of PHP as JSON has it, with objects; null in place of the list for what is none.
     *
     * @param mixed $value
     * @return array{mixed}|null
     */
    public static function objects($value): ?array
    {
        $json = json_encode($value, self::FLAGS);
        return $json === false ? null : self::read($json);
    }
}
