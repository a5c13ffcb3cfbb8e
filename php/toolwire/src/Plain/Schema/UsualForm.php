<?php

declare(strict_types=1);

namespace Toolwire\Plain\Schema;

use stdClass;

/**
 * What programs write for JSON Schema, in the form of JSON Schema.
 *
 * PHP has one kind of array, so a list with a gap becomes an object with numbers for keys, and an
 * empty object a list. Draft 3 of JSON Schema says of each property whether it is required.
 */
final class UsualForm
{
    /** The keywords whose value is a map of schemas. */
    public const MAPS = [
        'properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas',
    ];

    /** The keywords whose value is a schema. */
    public const SCHEMAS = [
        'items', 'additionalProperties', 'contains', 'propertyNames', 'not', 'if', 'then', 'else',
        'unevaluatedProperties',
    ];

    /** The keywords whose value is a list of schemas. */
    public const LISTS_OF_SCHEMAS = ['anyOf', 'oneOf', 'allOf', 'prefixItems', 'items'];

    /** The keywords whose value is a list. */
    private const LISTS = ['enum', 'required', 'type', 'anyOf', 'oneOf', 'allOf', 'prefixItems'];

    /** How deep schemas are looked into; one that nests deeper is refused anyway. */
    private const DEEPEST = 128;

    /** Writes a schema, whose objects are `stdClass`, in that form. */
    public static function of(stdClass $schema, int $depth = self::DEEPEST): stdClass
    {
        $members = [];
        foreach (get_object_vars($schema) as $keyword => $value) {
            $keyword = (string) $keyword;
            if (in_array($keyword, self::LISTS, true)) {
                $value = self::asList($value, $keyword === 'enum' || $keyword === 'required');
            } elseif (in_array($keyword, array_merge(self::MAPS, self::SCHEMAS), true)) {
                $value = $value === [] ? new stdClass() : $value;
            }
            $members[$keyword] = $value;
        }
        $members = self::required($members);
        if ($depth > 1) {
            foreach ($members as $keyword => $value) {
                $members[$keyword] = self::part((string) $keyword, $value, $depth - 1);
            }
        }
        return (object) $members;
    }

    /**
     * @param mixed $value
     * @return mixed
     */
    private static function part(string $keyword, $value, int $depth)
    {
        $each = static function ($part) use ($depth) {
            return $part instanceof stdClass ? self::of($part, $depth) : $part;
        };
        if ($value instanceof stdClass && in_array($keyword, self::MAPS, true)) {
            return (object) array_map($each, get_object_vars($value));
        }
        if (is_array($value) && in_array($keyword, self::LISTS_OF_SCHEMAS, true)) {
            return array_map($each, $value);
        }
        return in_array($keyword, self::SCHEMAS, true) ? $each($value) : $value;
    }

    /**
     * Makes a list of an object whose keys are numbers, or of plain values under any names.
     *
     * @param mixed $value
     * @return mixed
     */
    private static function asList($value, bool $plain)
    {
        $entries = $value instanceof stdClass ? get_object_vars($value) : [];
        $isNumbered = $entries !== [];
        $isPlain = $plain && $entries !== [];
        foreach ($entries as $key => $entry) {
            $isNumbered = $isNumbered && preg_match('/^[0-9]+$/D', (string) $key) === 1;
            $isPlain = $isPlain && !is_array($entry) && !is_object($entry);
        }
        return $isNumbered || $isPlain ? array_values($entries) : $value;
    }

    /**
     * Collects the properties that say of themselves that they are required.
     *
     * @param array<string, mixed> $members
     * @return array<string, mixed>
     */
    private static function required(array $members): array
    {
        $properties = $members['properties'] ?? null;
        if (!$properties instanceof stdClass) {
            return $members;
        }
        [$required, $written] = [[], []];
        foreach (get_object_vars($properties) as $name => $property) {
            if ($property instanceof stdClass && is_bool($property->required ?? null)) {
                if ($property->required) {
                    $required[] = (string) $name;
                }
                $property = clone $property;
                unset($property->required);
            }
            $written[$name] = $property;
        }
        $members['properties'] = (object) $written;
        $listed = is_array($members['required'] ?? null) ? $members['required'] : [];
        if ($required !== []) {
            $members['required'] = array_values(array_unique(array_merge($listed, $required)));
        }
        return $members;
    }
}
