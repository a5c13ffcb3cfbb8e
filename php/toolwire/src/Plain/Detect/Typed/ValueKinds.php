<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect\Typed;

use stdClass;
use Toolwire\Plain\Json\Pretty;
use Toolwire\Plain\Result\Numbers;
use Toolwire\Plain\Values;

/** The kinds of values that a schema allows at one place. */
final class ValueKinds
{
    /** The most members of enumerations that are compared. */
    public const MOST_WORDS = 1024;

    private const TYPES = [
        'null' => true, 'boolean' => true, 'integer' => true, 'number' => true, 'string' => true,
        'array' => true, 'object' => true,
    ];

    /** @var array<string, true> the names of JSON Schema's types */
    public $types = [];

    /** @var list<mixed> the members of an enumeration */
    public $words = [];

    /** Whether nothing is known. */
    public function unknown(): bool
    {
        return $this->types === [] && $this->words === [];
    }

    public function has(string $type): bool
    {
        return isset($this->types[$type]);
    }

    /** @param mixed $type */
    public function add($type): void
    {
        if (is_string($type) && isset(self::TYPES[$type])) {
            $this->types[$type] = true;
        }
    }

    public function join(self $other): void
    {
        $this->types += $other->types;
        $room = max(0, self::MOST_WORDS - count($this->words));
        $this->words = array_merge($this->words, array_slice($other->words, 0, $room));
    }

    /** Keeps only what the other kinds allow too; unknown kinds allow everything. */
    public function meet(self $other): void
    {
        if ($other->unknown()) {
            return;
        }
        if ($this->unknown()) {
            [$this->types, $this->words] = [$other->types, $other->words];
            return;
        }
        $number = static function (self $kinds): bool {
            return $kinds->has('integer') || $kinds->has('number');
        };
        $integer = $number($this) && $number($other);
        $this->types = array_intersect_key($this->types, $other->types);
        unset($this->types['integer']);
        $this->types += $integer ? ['integer' => true] : [];
        $this->words = $this->words === [] ? $other->words : $this->words;
    }

    /** @param mixed $value */
    public static function ofValue($value): self
    {
        $kinds = new self();
        $types = [
            'NULL' => 'null', 'boolean' => 'boolean', 'integer' => 'integer',
            'double' => 'number', 'string' => 'string',
        ];
        $list = is_array($value) && Values::isList($value);
        $kinds->add($types[gettype($value)] ?? ($list ? 'array' : 'object'));
        $kinds->words[] = $value;
        return $kinds;
    }

    /** The JSON of the enumeration's member that a text is; null for none. */
    public function word(string $text): ?string
    {
        foreach ($this->words as $word) {
            $json = self::json($word);
            if ((is_string($word) ? $word : $json) === $text) {
                return $json;
            }
        }
        return null;
    }

    /** @param mixed $value */
    private static function json($value): string
    {
        if (is_string($value)) {
            return Pretty::text($value);
        }
        if (is_float($value)) {
            return Numbers::float($value);
        }
        if (!is_array($value) && !$value instanceof stdClass) {
            return (string) json_encode($value);
        }
        $list = is_array($value) && Values::isList($value);
        $parts = [];
        foreach ((array) $value as $key => $part) {
            $parts[] = ($list ? '' : Pretty::text((string) $key) . ':') . self::json($part);
        }
        return ($list ? '[' : '{') . implode(',', $parts) . ($list ? ']' : '}');
    }
}
