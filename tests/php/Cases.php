<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use RuntimeException;
use stdClass;

/**
 * The shared cases of tests/cases, read strictly: an unknown field or form is an exception.
 *
 * The syntax is that of PHP 7.4, since the tests of the library in plain PHP read the cases too.
 */
final class Cases
{
    public const ROOT = __DIR__ . '/../..';

    /** @return array<string, list<stdClass>> the cases of each topic, objects as objects */
    public static function all(): array
    {
        $files = glob(self::ROOT . '/tests/cases/*.json') ?: [];
        if ($files === []) {
            throw new RuntimeException('there are no cases');
        }
        $topics = [];
        foreach ($files as $file) {
            $topics[basename($file, '.json')] = self::read((string) file_get_contents($file));
        }
        return $topics;
    }

    /** @return list<stdClass> */
    public static function read(string $json): array
    {
        $cases = json_decode($json, false, 512, JSON_THROW_ON_ERROR | JSON_BIGINT_AS_STRING);
        if (!is_array($cases) || $cases === []) {
            throw new RuntimeException('a file of cases is a list that is not empty');
        }
        $cases = self::expand($cases);
        $names = [];
        foreach ($cases as $case) {
            self::fields($case, ['name', 'input'], ['output', 'error']);
            if (isset($case->output) === isset($case->error)) {
                throw new RuntimeException(
                    "{$case->name}: a case has either an output or an error"
                );
            }
            if (isset($case->error)) {
                self::fields($case->error, ['kind'], []);
            }
            if (isset($names[$case->name])) {
                throw new RuntimeException("{$case->name}: the name comes twice");
            }
            $names[$case->name] = true;
        }
        return $cases;
    }

    /**
     * Replaces each `{"$concat": […]}` by the text that it stands for. A part is a text, or
     * `[text, count]` for a text that is repeated.
     *
     * @param mixed $value
     * @return mixed
     */
    private static function expand($value)
    {
        if ($value instanceof stdClass && array_keys(get_object_vars($value)) === ['$concat']) {
            $text = static fn ($part): string =>
                is_array($part) ? str_repeat($part[0], $part[1]) : $part;
            return implode('', array_map($text, $value->{'$concat'}));
        }
        if (is_array($value)) {
            return array_map([self::class, 'expand'], $value);
        }
        if ($value instanceof stdClass) {
            foreach (get_object_vars($value) as $field => $inner) {
                $value->{$field} = self::expand($inner);
            }
        }
        return $value;
    }

    /**
     * Refuses an object that lacks a required field or has an unknown one.
     *
     * @param mixed $object
     * @param list<string> $required
     * @param list<string> $optional
     */
    public static function fields($object, array $required, array $optional): void
    {
        if (!$object instanceof stdClass) {
            throw new RuntimeException('expected an object, got ' . gettype($object));
        }
        foreach ($required as $field) {
            if (!property_exists($object, $field)) {
                throw new RuntimeException(
                    "the field \"$field\" is missing in " . json_encode($object)
                );
            }
        }
        foreach (array_keys(get_object_vars($object)) as $field) {
            if (!in_array($field, $required, true) && !in_array($field, $optional, true)) {
                throw new RuntimeException("unknown field \"$field\"");
            }
        }
    }

    /**
     * A text, or bytes written as base64.
     *
     * @param mixed $text
     */
    public static function text($text): string
    {
        if ($text instanceof stdClass) {
            self::fields($text, ['$base64'], []);
            $bytes = base64_decode($text->{'$base64'}, true);
            if ($bytes === false) {
                throw new RuntimeException('base64 that is not');
            }
            return $bytes;
        }
        if (!is_string($text)) {
            throw new RuntimeException('expected a text, got ' . gettype($text));
        }
        return $text;
    }

    /**
     * A value whose objects are arrays, as in PHP code.
     *
     * @param mixed $value
     * @return mixed
     */
    public static function arrays($value)
    {
        if ($value instanceof stdClass) {
            // A cast keeps the key "7" a string; in an array of PHP code it is an integer.
            $entries = [];
            foreach (get_object_vars($value) as $key => $entry) {
                $entries[$key] = $entry;
            }
            $value = $entries;
        }
        return is_array($value) ? array_map([self::class, 'arrays'], $value) : $value;
    }

    /**
     * Whether two values are the same, whatever the order of keys; types count.
     *
     * @param mixed $one
     * @param mixed $other
     */
    public static function same($one, $other): bool
    {
        if ($one instanceof stdClass && $other instanceof stdClass) {
            return self::same(get_object_vars($one), get_object_vars($other));
        }
        if (!is_array($one) || !is_array($other)) {
            return $one === $other;
        }
        if (count($one) !== count($other)) {
            return false;
        }
        foreach ($one as $key => $value) {
            if (!array_key_exists($key, $other) || !self::same($value, $other[$key])) {
                return false;
            }
        }
        return true;
    }
}
