<?php

declare(strict_types=1);

namespace Toolwire\Plain\Json;

use stdClass;
use Toolwire\Plain\Values;

/** JSON whose objects are `stdClass`, as values and in one line. */
final class Plain
{
    public const DEEPEST = 512;

    private const FLAGS = JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE
        | JSON_UNESCAPED_LINE_TERMINATORS | JSON_PRESERVE_ZERO_FRACTION
        | JSON_INVALID_UTF8_SUBSTITUTE;

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
     * The same, with {@see Digits} for numbers that PHP's own would change.
     *
     * @return array{mixed}|null
     */
    public static function exact(string $text): ?array
    {
        $isKept = preg_match('/[0-9][.eE]|[0-9]{19}|-0/', $text) === 0;
        return $isKept ? self::read($text) : Builder::read($text, Builder::EXACT, self::DEEPEST);
    }

    /**
     * A value in one line; what JSON cannot hold is null.
     *
     * @param mixed $value
     */
    public static function line($value): string
    {
        Digits::$written = 0;
        $line = (string) json_encode($value, self::FLAGS | JSON_PARTIAL_OUTPUT_ON_ERROR);
        return Digits::$written === 0 ? $line : self::lineWithDigits($value);
    }

    /** @param mixed $value */
    private static function lineWithDigits($value): string
    {
        if ($value instanceof Digits) {
            return $value->text;
        }
        if (!is_array($value) && !$value instanceof stdClass) {
            return (string) json_encode($value, self::FLAGS | JSON_PARTIAL_OUTPUT_ON_ERROR);
        }
        $isList = is_array($value) && Values::isList($value);
        $parts = [];
        foreach ($value as $name => $member) {
            $key = $isList ? '' : json_encode((string) $name, self::FLAGS) . ':';
            $parts[] = $key . self::lineWithDigits($member);
        }
        $inner = implode(',', $parts);
        return $isList ? "[$inner]" : '{' . $inner . '}';
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
        if ($value instanceof Digits) {
            return $value->plain();
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
