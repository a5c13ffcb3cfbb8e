<?php

declare(strict_types=1);

namespace Toolwire\Plain\Schema;

use stdClass;
use Toolwire\Plain\Json\Digits;

/**
 * Writes a number with an integral value as an integer wherever a part of the schema that applies
 * to it names integers: JSON Schema accepts `5.0` there, but code that asks for an integer does
 * not.
 */
final class Integers
{
    private const DEEPEST = 64;

    private const COMBINATIONS = ['allOf', 'anyOf', 'oneOf'];

    /** @var stdClass */
    private $root;

    public function __construct(stdClass $root)
    {
        $this->root = $root;
    }

    /**
     * @param mixed $value
     * @return mixed
     */
    public function written($value)
    {
        return $this->by($value, [$this->root], 0);
    }

    /**
     * @param mixed $value
     * @param list<mixed> $schemas those that may apply
     * @return mixed
     */
    private function by($value, array $schemas, int $depth)
    {
        if ($depth > self::DEEPEST || is_string($value) || is_int($value) || is_bool($value)) {
            return $value;
        }
        $schemas = $this->applying($schemas);
        if (Decimal::isNumber($value)) {
            $whole = Digits::whole($value);
            return $whole !== null && $this->nameIntegers($schemas, $whole) ? $whole : $value;
        }
        if ($value instanceof stdClass) {
            $value = clone $value;
            foreach (get_object_vars($value) as $name => $member) {
                $parts = $this->ofMember($schemas, (string) $name);
                $value->$name = $this->by($member, $parts, $depth + 1);
            }
        } elseif (is_array($value)) {
            foreach ($value as $number => $item) {
                $value[$number] = $this->by($item, $this->ofItem($schemas, $number), $depth + 1);
            }
        }
        return $value;
    }

    /**
     * @param list<mixed> $schemas
     * @return list<stdClass> with those that they refer to and combine
     */
    private function applying(array $schemas): array
    {
        $found = [];
        for ($at = 0; $at < count($schemas) && count($found) < 1000; $at++) {
            $schema = $schemas[$at];
            if (!$schema instanceof stdClass || in_array($schema, $found, true)) {
                continue;
            }
            $found[] = $schema;
            if (is_string($schema->{'$ref'} ?? null)) {
                $schemas[] = Checks::target($this->root, $schema->{'$ref'});
            }
            foreach (self::COMBINATIONS as $keyword) {
                array_push($schemas, ...array_values((array) ($schema->$keyword ?? [])));
            }
            array_push($schemas, $schema->then ?? null, $schema->else ?? null);
        }
        return $found;
    }

    /**
     * @param list<stdClass> $schemas
     * @param int|Digits $value
     */
    private function nameIntegers(array $schemas, $value): bool
    {
        foreach ($schemas as $schema) {
            $named = (array) ($schema->enum ?? []);
            $named[] = $schema->const ?? null;
            $isInteger = in_array('integer', (array) ($schema->type ?? []), true);
            if ($isInteger || in_array($value, $named, true)) {
                return true;
            }
        }
        return false;
    }

    /**
     * @param list<stdClass> $schemas
     * @return list<mixed>
     */
    private function ofMember(array $schemas, string $name): array
    {
        $parts = [];
        foreach ($schemas as $schema) {
            $properties = $schema->properties ?? new stdClass();
            $parts[] = $properties->$name ?? $schema->additionalProperties ?? null;
            $patterns = get_object_vars($schema->patternProperties ?? new stdClass());
            foreach ($patterns as $one => $part) {
                $parts[] = Patterns::isIn((string) $one, $name) ? $part : null;
            }
        }
        return $parts;
    }

    /**
     * @param list<stdClass> $schemas
     * @return list<mixed>
     */
    private function ofItem(array $schemas, int $number): array
    {
        $parts = [];
        foreach ($schemas as $schema) {
            $items = $schema->items ?? null;
            $items = is_array($items) ? $items[$number] ?? null : $items;
            $parts[] = $schema->prefixItems[$number] ?? $items;
        }
        return $parts;
    }
}
