<?php

declare(strict_types=1);

namespace Toolwire\Plain\Schema;

use stdClass;
use Toolwire\Plain\LeftOut;
use Toolwire\Plain\Misuse;

/**
 * The JSON Schema of a tool's arguments, checked when the tool is made.
 *
 * It has the keywords that tools use. A schema with another keyword of JSON Schema that would
 * forbid something needs the extension, since nothing that is not checked may run.
 */
final class InputSchema
{
    /** Keywords that forbid something and are not checked here. */
    private const LEFT_OUT = [
        'dependentSchemas', 'dependentRequired', 'dependencies', 'unevaluatedProperties',
        'unevaluatedItems', 'additionalItems', 'minContains', 'maxContains', '$dynamicRef',
        '$recursiveRef', '$anchor', '$dynamicAnchor', '$id', 'extends', 'disallow', 'divisibleBy',
    ];

    private const TYPES = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object'];

    private const COUNTS = [
        'minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties',
    ];

    private const NUMBERS = [
        'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf',
    ];

    private const DEEPEST = 128;

    private const MOST_PARTS = 50000;

    /** @var stdClass */
    private $schema;

    /** @var int */
    private $parts = 0;

    private function __construct(stdClass $schema)
    {
        $this->schema = $schema;
        $this->checkPart($schema, 0, '');
    }

    /**
     * @param array<string, mixed> $schema
     * @throws \Toolwire\Exception\ToolwireThrowable for what is no schema
     */
    public static function of(array $schema): self
    {
        return new self(UsualForm::of(self::object($schema)));
    }

    /** The schema with objects as `stdClass`, in its usual form. */
    public function json(): stdClass
    {
        return $this->schema;
    }

    /**
     * Checks arguments. Where they fit, a number that an integer is asked for is written as one.
     *
     * @param mixed $value JSON's objects are `stdClass`
     * @return list<array{path: string, message: string}>|null the places that do not fit, five at
     *     most; null where it cannot be found out within the limits
     */
    public function problems($value): ?array
    {
        return (new Checks($this->schema))->problems($value);
    }

    /**
     * @param mixed $value
     * @return mixed the value with `5.0` as `5` where the schema names integers
     */
    public function withIntegers($value)
    {
        return (new Integers($this->schema))->written($value);
    }

    /**
     * A schema of PHP, whose maps are arrays, with objects.
     *
     * @param array<string, mixed> $schema
     */
    private static function object(array $schema): stdClass
    {
        $json = json_encode($schema, JSON_PRESERVE_ZERO_FRACTION);
        $read = $json === false ? null : json_decode($json, false, 512, JSON_BIGINT_AS_STRING);
        if ($schema === []) {
            return new stdClass();
        }
        if (!$read instanceof stdClass) {
            throw self::invalid('', 'it must be an object of JSON');
        }
        return $read;
    }

    /** @param mixed $part */
    private function checkPart($part, int $depth, string $path): void
    {
        if (is_bool($part)) {
            return;
        }
        if (!$part instanceof stdClass) {
            throw self::invalid($path, 'a schema is an object, true or false');
        }
        if ($depth > self::DEEPEST || ++$this->parts > self::MOST_PARTS) {
            throw Misuse::of('schema_limit', 'the schema of the tool is too large');
        }
        foreach (get_object_vars($part) as $keyword => $value) {
            $keyword = (string) $keyword;
            LeftOut::refuse(
                in_array($keyword, self::LEFT_OUT, true),
                "the keyword $keyword of a schema"
            );
            $this->checkKeyword($keyword, $value, "$path/$keyword");
            foreach ($this->partsOf($keyword, $value) as $name => $inner) {
                $this->checkPart($inner, $depth + 1, "$path/$keyword$name");
            }
        }
    }

    /**
     * @param mixed $value
     * @return array<string, mixed> the schemas in it, by their places
     */
    private function partsOf(string $keyword, $value): array
    {
        $inner = [];
        if (in_array($keyword, UsualForm::MAPS, true) && $value instanceof stdClass) {
            foreach (get_object_vars($value) as $name => $part) {
                $inner["/$name"] = $part;
            }
        } elseif (in_array($keyword, UsualForm::LISTS_OF_SCHEMAS, true) && is_array($value)) {
            foreach ($value as $number => $part) {
                $inner["/$number"] = $part;
            }
        } elseif (in_array($keyword, UsualForm::SCHEMAS, true)) {
            $inner[''] = $value;
        }
        return $inner;
    }

    /** @param mixed $value */
    private function checkKeyword(string $keyword, $value, string $path): void
    {
        $isList = is_array($value);
        $fits = true;
        if ($keyword === 'type') {
            $fits = array_diff($isList ? $value : [$value], self::TYPES) === [];
        } elseif (in_array($keyword, ['enum', 'required'], true)) {
            $fits = $isList;
        } elseif (in_array($keyword, ['anyOf', 'oneOf', 'allOf'], true)) {
            $fits = $isList && $value !== [];
        } elseif (in_array($keyword, UsualForm::MAPS, true)) {
            $fits = $value instanceof stdClass;
        } elseif (in_array($keyword, self::COUNTS, true)) {
            $fits = (is_int($value) && $value >= 0) || (is_float($value) && $value >= 0);
        } elseif (in_array($keyword, self::NUMBERS, true)) {
            $fits = is_int($value) || is_float($value);
        } elseif ($keyword === 'pattern') {
            $fits = is_string($value) && Patterns::isUsable($value);
        } elseif ($keyword === '$ref') {
            $fits = is_string($value) && Checks::target($this->schema, $value) !== null;
        }
        if ($keyword === 'patternProperties' && $value instanceof stdClass) {
            foreach (array_keys(get_object_vars($value)) as $pattern) {
                $fits = $fits && Patterns::isUsable((string) $pattern);
            }
        }
        if (!$fits) {
            throw self::invalid($path, "$keyword is not what JSON Schema wants");
        }
    }

    private static function invalid(string $path, string $why): \Throwable
    {
        $path = $path === '' ? '/' : $path;
        return Misuse::of('invalid_schema', "the schema of the tool at $path: $why");
    }
}
