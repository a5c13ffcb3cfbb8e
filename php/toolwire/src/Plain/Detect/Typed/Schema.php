<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect\Typed;

use stdClass;
use Toolwire\Plain\Values;

/**
 * What a tool's schema says of the types at one place of its arguments.
 *
 * References within the schema are followed. Alternatives are joined. Parts that apply together
 * allow what all of them allow. Circular references end after a few steps.
 */
final class Schema
{
    /** The most references and combinations that are followed inside each other. */
    private const DEEPEST = 16;
    /** The most parts of a schema that are looked at for one argument. */
    private const MOST_PARTS = 1024;

    /** @var mixed the whole schema, as PHP's values */
    private $root;

    /** @var list<mixed> the parts that say what may stand here */
    private $found;

    /** @var int how many more parts may be looked at */
    private $parts = 0;

    /**
     * @param mixed $root
     * @param list<mixed> $found
     */
    private function __construct($root, array $found)
    {
        [$this->root, $this->found] = [$root, $found];
    }

    /** @param mixed $root */
    public static function of($root): self
    {
        return new self($root, [$root]);
    }

    /** Whether it names an argument; null where it names none, so that any may be given. */
    public function names(string $name): ?bool
    {
        if ($this->property($name)->found !== []) {
            return true;
        }
        $properties = self::members(self::get($this->root, 'properties')[0] ?? null);
        return $properties === null || $properties === [] ? null : false;
    }

    /** What the property of this name may be. */
    public function property(string $name): self
    {
        return $this->inner($name);
    }

    /** What the items may be. */
    public function items(): self
    {
        return $this->inner(null);
    }

    /** The kinds of values that are allowed here. */
    public function kinds(): ValueKinds
    {
        $this->parts = self::MOST_PARTS;
        $kinds = new ValueKinds();
        foreach ($this->found as $schema) {
            $kinds->join($this->kindsOf($schema, self::DEEPEST));
        }
        return $kinds;
    }

    private function inner(?string $name): self
    {
        $this->parts = self::MOST_PARTS;
        $found = [];
        foreach ($this->found as $schema) {
            $this->addInner($schema, $name, self::DEEPEST, $found);
        }
        return new self($this->root, array_slice($found, 0, self::DEEPEST));
    }

    /**
     * Adds what a schema says of a property, or of the items.
     *
     * @param mixed $schema
     * @param list<mixed> $found
     */
    private function addInner($schema, ?string $name, int $depth, array &$found): void
    {
        if ($depth-- === 0 || $this->parts-- <= 0) {
            return;
        }
        $target = $this->target($schema);
        if ($target !== null) {
            $this->addInner($target[0], $name, $depth, $found);
            return;
        }
        $own = $name === null
            ? self::get($schema, 'items')
            : self::get(self::get($schema, 'properties')[0] ?? null, $name);
        if ($own !== null) {
            $found[] = $own[0];
            return;
        }
        $known = count($found);
        foreach (['allOf', 'anyOf', 'oneOf'] as $key) {
            foreach (self::listed($schema, $key) ?? [] as $part) {
                $this->addInner($part, $name, $depth, $found);
            }
        }
        $others = self::get($schema, 'additionalProperties')[0] ?? null;
        if ($known === count($found) && $name !== null && self::members($others) !== null) {
            $found[] = $others;
        }
    }

    /** @param mixed $schema */
    private function kindsOf($schema, int $depth): ValueKinds
    {
        $kinds = new ValueKinds();
        if ($depth-- === 0 || $this->parts-- <= 0) {
            return $kinds;
        }
        $type = self::get($schema, 'type')[0] ?? null;
        if (is_string($type) || (is_array($type) && Values::isList($type))) {
            array_map([$kinds, 'add'], (array) $type);
        } elseif (self::get($schema, 'properties') !== null) {
            $kinds->add('object');
        } elseif (self::get($schema, 'items') !== null) {
            $kinds->add('array');
        }
        if ((self::get($schema, 'nullable')[0] ?? null) === true && !$kinds->unknown()) {
            $kinds->add('null');
        }
        $target = $this->target($schema);
        if ($target !== null) {
            $kinds->meet($this->kindsOf($target[0], $depth));
        }
        $listed = self::listed($schema, 'enum');
        $listed = $listed === null ? null : array_slice($listed, 0, ValueKinds::MOST_WORDS);
        foreach ([$listed, self::get($schema, 'const')] as $words) {
            if ($words !== null) {
                $allowed = new ValueKinds();
                foreach ($words as $word) {
                    $allowed->join(ValueKinds::ofValue($word));
                }
                $kinds->meet($allowed);
            }
        }
        $this->meetParts($kinds, $schema, $depth);
        return $kinds;
    }

    /** @param mixed $schema */
    private function meetParts(ValueKinds $kinds, $schema, int $depth): void
    {
        foreach (['anyOf', 'oneOf'] as $key) {
            $parts = self::listed($schema, $key);
            if ($parts !== null) {
                $any = new ValueKinds();
                foreach ($parts as $part) {
                    $any->join($this->kindsOf($part, $depth));
                }
                $kinds->meet($any);
            }
        }
        foreach (self::listed($schema, 'allOf') ?? [] as $part) {
            $kinds->meet($this->kindsOf($part, $depth));
        }
    }

    /**
     * What a reference within the schema refers to, in a one-element list.
     *
     * @param mixed $schema
     * @return array{mixed}|null
     */
    private function target($schema): ?array
    {
        $reference = self::get($schema, '$ref')[0] ?? null;
        if (!is_string($reference) || ($reference[0] ?? '') !== '#') {
            return null;
        }
        $at = [$this->root];
        $names = explode('/', substr($reference, 1));
        if (array_shift($names) !== '') {
            return null;
        }
        foreach ($names as $name) {
            $name = str_replace(['~1', '~0'], ['/', '~'], $name);
            $list = is_array($at[0]) && Values::isList($at[0]);
            $known = $list && preg_match('/^(0|[1-9][0-9]*)$/D', $name) === 1
                && array_key_exists((int) $name, $at[0]);
            $at = $list ? ($known ? [$at[0][(int) $name]] : null) : self::get($at[0], $name);
            if ($at === null) {
                return null;
            }
        }
        return $at;
    }

    /**
     * The members of an object; null for any other value.
     *
     * @param mixed $value
     * @return array<array-key, mixed>|null
     */
    private static function members($value): ?array
    {
        if ($value instanceof stdClass) {
            return (array) $value;
        }
        return is_array($value) && !Values::isList($value) ? $value : null;
    }

    /**
     * A member of an object, in a one-element list.
     *
     * @param mixed $value
     * @return array{mixed}|null
     */
    private static function get($value, string $key): ?array
    {
        $members = self::members($value);
        return $members !== null && array_key_exists($key, $members) ? [$members[$key]] : null;
    }

    /**
     * A member that is a list.
     *
     * @param mixed $schema
     * @return list<mixed>|null
     */
    private static function listed($schema, string $key): ?array
    {
        $list = self::get($schema, $key)[0] ?? null;
        return is_array($list) && Values::isList($list) ? $list : null;
    }
}
