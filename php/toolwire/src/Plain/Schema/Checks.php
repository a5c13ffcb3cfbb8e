<?php

declare(strict_types=1);

namespace Toolwire\Plain\Schema;

use stdClass;
use Toolwire\Plain\Json\Digits;

/** One look at a value by a schema, within a number of steps. */
final class Checks
{
    /** The steps for a value: so many, and so many for each value within it. */
    private const STEPS = 200000;

    private const MOST_PROBLEMS = 5;

    private const DEEPEST = 400;

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
        $found = array_slice($this->look($value, $this->root, ''), 0, self::MOST_PROBLEMS);
        foreach ($found as [$path, $message]) {
            $problems[] = ['path' => Told::bounded($path), 'message' => Told::bounded($message)];
        }
        return $this->isSpent ? null : $problems;
    }

    /**
     * What was found before and behind it; no more than is told, since a list of many wrong values
     * must not be copied for each of them.
     *
     * @param list<array{string, string}> $found
     * @param list<array{string, string}> $more
     * @return list<array{string, string}>
     */
    private static function more(array $found, array $more): array
    {
        if ($more === [] || count($found) >= self::MOST_PROBLEMS) {
            return $found;
        }
        return array_slice(array_merge($found, $more), 0, self::MOST_PROBLEMS);
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
        $found = self::more(
            $this->ofAnything($value, $schema, $path),
            $this->ofCombinations($value, $schema, $path)
        );
        if (is_string($value)) {
            $found = self::more($found, $this->ofText($value, $schema, $path));
        } elseif (Decimal::isNumber($value)) {
            $found = self::more($found, $this->ofNumber($value, $schema, $path));
        } elseif (is_array($value)) {
            $found = self::more($found, $this->ofList($value, $schema, $path));
        } elseif ($value instanceof stdClass) {
            $found = self::more($found, $this->ofObject($value, $schema, $path));
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
        if (property_exists($schema, 'const') && !$this->equals($value, $schema->const)) {
            $found[] = [$path, 'value is not the constant that was expected'];
        }
        if (isset($schema->enum)) {
            foreach ($schema->enum as $one) {
                if ($this->equals($value, $one)) {
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
            $found = self::more($found, $this->look($value, $part, $path));
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
            $found = self::more($found, $this->look($value, $next, $path));
        }
        return $found;
    }

    /** @return list<array{string, string}> */
    private function ofText(string $value, stdClass $schema, string $path): array
    {
        $found = [];
        $isCounted = isset($schema->minLength) || isset($schema->maxLength);
        $length = $isCounted ? preg_match_all('/./us', $value) : 0;
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
     * @param int|float|Digits $value
     * @return list<array{string, string}>
     */
    private function ofNumber($value, stdClass $schema, string $path): array
    {
        $found = [];
        $compared = static function (string $keyword) use ($value, $schema): ?int {
            $bound = $schema->$keyword ?? null;
            return $bound === null ? null : (new Decimal($value))->compare(new Decimal($bound));
        };
        if ($compared('minimum') < 0) {
            $found[] = [$path, "value is less than the minimum of $schema->minimum"];
        }
        if ($compared('maximum') > 0) {
            $found[] = [$path, "value is greater than the maximum of $schema->maximum"];
        }
        $least = $compared('exclusiveMinimum');
        if ($least !== null && $least <= 0) {
            $least = $schema->exclusiveMinimum;
            $found[] = [$path, "value is less than or equal to the minimum of $least"];
        }
        $most = $compared('exclusiveMaximum');
        if ($most !== null && $most >= 0) {
            $most = $schema->exclusiveMaximum;
            $found[] = [$path, "value is greater than or equal to the maximum of $most"];
        }
        if (isset($schema->multipleOf) && $schema->multipleOf > 0) {
            $by = new Decimal($schema->multipleOf);
            if (!(new Decimal($value))->isMultipleOf($by)) {
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
            $found = self::more($found, $this->look($item, $part, "$path/$number"));
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
            $found = self::more($found, $this->look($name, $schema->propertyNames ?? true, $path));
            if ($parts === [] && ($schema->additionalProperties ?? true) === false) {
                $others[] = $name;
                continue;
            }
            foreach ($parts !== [] ? $parts : [$schema->additionalProperties ?? true] as $part) {
                $found = self::more($found, $this->look($member, $part, $place));
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

    /**
     * @param mixed $one
     * @param mixed $other
     */
    private function equals($one, $other): bool
    {
        $this->steps++;
        return Equality::of($one, $other);
    }

    /** @param list<mixed> $items */
    private function hasTwins(array $items): bool
    {
        $seen = [];
        foreach ($items as $item) {
            $key = Equality::key($item);
            if (isset($seen[$key])) {
                return true;
            }
            $seen[$key] = true;
        }
        return false;
    }

    /**
     * @param mixed $value
     * @param array<array-key, mixed> $types
     */
    private static function isOfType($value, array $types): bool
    {
        $is = ['null' => $value === null, 'boolean' => is_bool($value)];
        $is += ['string' => is_string($value), 'array' => is_array($value)];
        $is += ['object' => $value instanceof stdClass, 'number' => Decimal::isNumber($value)];
        foreach ($types as $type) {
            if ($is[$type] ?? ($is['number'] && self::isInteger($value))) {
                return true;
            }
        }
        return false;
    }

    /** @param int|float|Digits $value */
    private static function isInteger($value): bool
    {
        return is_float($value)
            ? floor($value) === $value
            : is_int($value) || (new Decimal($value))->isInteger();
    }
}
