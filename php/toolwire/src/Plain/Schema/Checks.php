<?php

declare(strict_types=1);

namespace Toolwire\Plain\Schema;

use stdClass;

/** One look at a value by a schema, within a number of steps. */
final class Checks
{
    /** The steps for a value: so many, and so many for each value within it. */
    private const STEPS = 200000;

    private const MOST_PROBLEMS = 5;

    private const DEEPEST = 400;

    private const MOST_TEXT = 500;

    /** @var stdClass */
    private $root;

    /** @var int */
    private $steps = 0;

    /** @var int */
    private $depth = 0;

    /** @var bool */
    private $isSpent = false;

    public function __construct(stdClass $root)
    {
        $this->root = $root;
    }

    /**
     * @param mixed $value
     * @return list<array{path: string, message: string}>|null null where the limits are reached
     */
    public function problems($value): ?array
    {
        $problems = [];
        foreach ($this->look($value, $this->root, '') as [$path, $message]) {
            $found = ['path' => self::bounded($path), 'message' => self::bounded($message)];
            if (count($problems) < self::MOST_PROBLEMS) {
                $problems[] = $found;
            }
        }
        return $this->isSpent ? null : $problems;
    }

    /** The schema at a place of the same document; null for any other reference. */
    public static function target(stdClass $root, string $reference)
    {
        if ($reference === '#') {
            return $root;
        }
        if (strncmp($reference, '#/', 2) !== 0) {
            return null;
        }
        $at = $root;
        foreach (explode('/', substr(rawurldecode($reference), 2)) as $word) {
            $word = str_replace(['~1', '~0'], ['/', '~'], $word);
            $at = $at instanceof stdClass ? $at->$word ?? null : (((array) $at)[$word] ?? null);
            if ($at === null) {
                return null;
            }
        }
        return $at instanceof stdClass || is_bool($at) ? $at : null;
    }

    /**
     * @param mixed $value
     * @param mixed $schema
     * @return list<array{string, string}> path and message
     */
    private function look($value, $schema, string $path): array
    {
        $isOver = ++$this->steps > self::STEPS || $this->depth >= self::DEEPEST;
        $this->isSpent = $this->isSpent || $isOver;
        if ($this->isSpent || $schema === true || !is_object($schema)) {
            return $schema === false ? [[$path, 'False schema does not allow it']] : [];
        }
        $this->depth++;
        $found = array_merge(
            $this->ofAnything($value, $schema, $path),
            $this->ofCombinations($value, $schema, $path)
        );
        if (is_string($value)) {
            $found = array_merge($found, $this->ofText($value, $schema, $path));
        } elseif (is_int($value) || is_float($value)) {
            $found = array_merge($found, $this->ofNumber($value, $schema, $path));
        } elseif (is_array($value)) {
            $found = array_merge($found, $this->ofList($value, $schema, $path));
        } elseif ($value instanceof stdClass) {
            $found = array_merge($found, $this->ofObject($value, $schema, $path));
        }
        $this->depth--;
        return $found;
    }

    /**
     * @param mixed $value
     * @return list<array{string, string}>
     */
    private function ofAnything($value, stdClass $schema, string $path): array
    {
        $found = [];
        if (isset($schema->type) && !self::isOfType($value, (array) $schema->type)) {
            $types = implode('", "', (array) $schema->type);
            $one = is_array($schema->type) && count($schema->type) > 1 ? 'types' : 'type';
            $found[] = [$path, "value is not of $one \"$types\""];
        }
        if (property_exists($schema, 'const') && !$this->isSame($value, $schema->const)) {
            $found[] = [$path, 'value is not the constant that was expected'];
        }
        if (isset($schema->enum)) {
            foreach ($schema->enum as $one) {
                if ($this->isSame($value, $one)) {
                    return $found;
                }
            }
            $found[] = [$path, 'value is not one of ' . json_encode($schema->enum)];
        }
        return $found;
    }

    /**
     * @param mixed $value
     * @return list<array{string, string}>
     */
    private function ofCombinations($value, stdClass $schema, string $path): array
    {
        $found = [];
        $fits = function ($part) use ($value, $path): bool {
            return $this->look($value, $part, $path) === [];
        };
        if (isset($schema->{'$ref'})) {
            $target = self::target($this->root, $schema->{'$ref'});
            $found = $this->look($value, $target ?? false, $path);
        }
        foreach ($schema->allOf ?? [] as $part) {
            $found = array_merge($found, $this->look($value, $part, $path));
        }
        if (isset($schema->anyOf) && array_filter($schema->anyOf, $fits) === []) {
            $found[] = [$path, 'value is not valid under any of the schemas listed in anyOf'];
        }
        if (isset($schema->oneOf)) {
            $count = count(array_filter($schema->oneOf, $fits));
            if ($count !== 1) {
                $is = $count === 0 ? 'is not valid under any' : 'is valid under more than one';
                $found[] = [$path, "value $is of the schemas listed in oneOf"];
            }
        }
        if (isset($schema->not) && $fits($schema->not)) {
            $found[] = [$path, 'value is valid under a schema that forbids it'];
        }
        if (isset($schema->if)) {
            $next = $fits($schema->if) ? $schema->then ?? true : $schema->else ?? true;
            $found = array_merge($found, $this->look($value, $next, $path));
        }
        return $found;
    }

    /** @return list<array{string, string}> */
    private function ofText(string $value, stdClass $schema, string $path): array
    {
        $found = [];
        $length = preg_match_all('/./us', $value);
        if (isset($schema->minLength) && $length < $schema->minLength) {
            $found[] = [$path, "value is shorter than $schema->minLength characters"];
        }
        if (isset($schema->maxLength) && $length > $schema->maxLength) {
            $found[] = [$path, "value is longer than $schema->maxLength characters"];
        }
        if (isset($schema->pattern)) {
            $isIn = Patterns::isIn($schema->pattern, $value);
            $this->isSpent = $this->isSpent || $isIn === null;
            if ($isIn === false) {
                $found[] = [$path, "value does not match \"$schema->pattern\""];
            }
        }
        return $found;
    }

    /**
     * @param int|float $value
     * @return list<array{string, string}>
     */
    private function ofNumber($value, stdClass $schema, string $path): array
    {
        $found = [];
        if (isset($schema->minimum) && $value < $schema->minimum) {
            $found[] = [$path, "value is less than the minimum of $schema->minimum"];
        }
        if (isset($schema->maximum) && $value > $schema->maximum) {
            $found[] = [$path, "value is greater than the maximum of $schema->maximum"];
        }
        if (isset($schema->exclusiveMinimum) && $value <= $schema->exclusiveMinimum) {
            $least = $schema->exclusiveMinimum;
            $found[] = [$path, "value is less than or equal to the minimum of $least"];
        }
        if (isset($schema->exclusiveMaximum) && $value >= $schema->exclusiveMaximum) {
            $most = $schema->exclusiveMaximum;
            $found[] = [$path, "value is greater than or equal to the maximum of $most"];
        }
        if (isset($schema->multipleOf) && $schema->multipleOf > 0) {
            $rest = fmod((float) $value, (float) $schema->multipleOf);
            $parts = (float) $value / (float) $schema->multipleOf;
            if ($rest != 0 && abs($parts - round($parts)) > 1e-9) {
                $found[] = [$path, "value is not a multiple of $schema->multipleOf"];
            }
        }
        return $found;
    }

    /**
     * @param list<mixed> $value
     * @return list<array{string, string}>
     */
    private function ofList(array $value, stdClass $schema, string $path): array
    {
        $found = [];
        $count = count($value);
        if (isset($schema->minItems) && $count < $schema->minItems) {
            $found[] = [$path, "value has less than $schema->minItems items"];
        }
        if (isset($schema->maxItems) && $count > $schema->maxItems) {
            $found[] = [$path, "value has more than $schema->maxItems items"];
        }
        $first = $schema->prefixItems ?? [];
        $rest = $schema->items ?? true;
        if (is_array($rest)) {
            [$first, $rest] = [$rest, true];
        }
        foreach ($value as $number => $item) {
            $part = $first[$number] ?? $rest;
            $found = array_merge($found, $this->look($item, $part, "$path/$number"));
        }
        if (isset($schema->contains)) {
            $has = array_filter($value, function ($item) use ($schema, $path): bool {
                return $this->look($item, $schema->contains, $path) === [];
            });
            if ($has === []) {
                $found[] = [$path, 'none of the items is valid under the given schema'];
            }
        }
        if (($schema->uniqueItems ?? false) === true && $this->hasTwins($value)) {
            $found[] = [$path, 'value has non-unique elements'];
        }
        return $found;
    }

    /** @return list<array{string, string}> */
    private function ofObject(stdClass $value, stdClass $schema, string $path): array
    {
        [$found, $others] = [[], []];
        $members = get_object_vars($value);
        foreach ($schema->required ?? [] as $name) {
            if (is_string($name) && !array_key_exists($name, $members)) {
                $found[] = [$path, json_encode($name, JSON_UNESCAPED_UNICODE)
                    . ' is a required property'];
            }
        }
        if (isset($schema->minProperties) && count($members) < $schema->minProperties) {
            $found[] = [$path, "value has less than $schema->minProperties properties"];
        }
        if (isset($schema->maxProperties) && count($members) > $schema->maxProperties) {
            $found[] = [$path, "value has more than $schema->maxProperties properties"];
        }
        $properties = get_object_vars($schema->properties ?? new stdClass());
        foreach ($members as $name => $member) {
            $name = (string) $name;
            $place = $path . '/' . str_replace(['~', '/'], ['~0', '~1'], $name);
            $parts = $this->partsFor($name, $properties, $schema);
            $found = array_merge($found, $this->look($name, $schema->propertyNames ?? true, $path));
            if ($parts === [] && ($schema->additionalProperties ?? true) === false) {
                $others[] = $name;
                continue;
            }
            foreach ($parts !== [] ? $parts : [$schema->additionalProperties ?? true] as $part) {
                $found = array_merge($found, $this->look($member, $part, $place));
            }
        }
        if ($others !== []) {
            $names = "'" . implode("', '", $others) . "' "
                . (count($others) > 1 ? 'were' : 'was') . ' unexpected';
            $found[] = [$path, "Additional properties are not allowed ($names)"];
        }
        return $found;
    }

    /**
     * @param array<array-key, mixed> $properties
     * @return list<mixed> the schemas for a property
     */
    private function partsFor(string $name, array $properties, stdClass $schema): array
    {
        $parts = array_key_exists($name, $properties) ? [$properties[$name]] : [];
        $patterns = get_object_vars($schema->patternProperties ?? new stdClass());
        foreach ($patterns as $pattern => $part) {
            $isIn = Patterns::isIn((string) $pattern, $name);
            $this->isSpent = $this->isSpent || $isIn === null;
            if ($isIn) {
                $parts[] = $part;
            }
        }
        return $parts;
    }

    /** @param list<mixed> $items */
    private function hasTwins(array $items): bool
    {
        $seen = [];
        foreach ($items as $item) {
            $key = json_encode(self::sorted($item), JSON_PARTIAL_OUTPUT_ON_ERROR);
            if (isset($seen[$key])) {
                return true;
            }
            $seen[$key] = true;
        }
        return false;
    }

    /**
     * @param mixed $one
     * @param mixed $other
     */
    private function isSame($one, $other): bool
    {
        $this->steps++;
        if (is_scalar($one) || $one === null) {
            $isNumber = !is_string($one) && !is_bool($one) && is_numeric($one)
                && (is_int($other) || is_float($other));
            return $isNumber ? $one == $other : $one === $other;
        }
        return json_encode(self::sorted($one)) === json_encode(self::sorted($other));
    }

    /**
     * A value in which the order of members does not matter, nor whether a number is a float.
     *
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
        if (is_float($value) && floor($value) === $value && abs($value) < 2 ** 53) {
            return (int) $value;
        }
        return is_array($value) ? array_map([self::class, 'sorted'], $value) : $value;
    }

    /**
     * @param mixed $value
     * @param array<array-key, mixed> $types
     */
    private static function isOfType($value, array $types): bool
    {
        foreach ($types as $type) {
            $isWhole = is_int($value) || (is_float($value) && floor($value) === $value);
            $is = [
                'null' => $value === null,
                'boolean' => is_bool($value),
                'integer' => $isWhole,
                'number' => is_int($value) || is_float($value),
                'string' => is_string($value),
                'array' => is_array($value),
                'object' => $value instanceof stdClass,
            ];
            if ($is[$type] ?? false) {
                return true;
            }
        }
        return false;
    }

    /** A text without its middle, if it is long. */
    public static function bounded(string $text): string
    {
        $letters = preg_split('//u', $text, -1, PREG_SPLIT_NO_EMPTY) ?: [];
        if (count($letters) <= self::MOST_TEXT) {
            return $text;
        }
        $half = intdiv(self::MOST_TEXT, 2);
        return implode('', array_slice($letters, 0, $half)) . '…'
            . implode('', array_slice($letters, -$half));
    }
}
