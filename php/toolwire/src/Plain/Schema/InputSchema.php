<?php

declare(strict_types=1);

namespace Toolwire\Plain\Schema;

use stdClass;
use Toolwire\Plain\Json\Plain;
use Toolwire\Plain\LeftOut;
use Toolwire\Plain\Misuse;
use Toolwire\Text;

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

    /** @var string the name of the tool, for messages */
    private $tool;

    /** @param array<string, mixed> $schema */
    private function __construct(array $schema, string $tool)
    {
        $this->tool = $tool;
        $this->schema = UsualForm::of($this->object($schema));
        $this->checkPart($this->schema, 0, '');
    }

    /**
     * @param array<string, mixed> $schema
     * @throws \Toolwire\Exception\ToolwireThrowable for what is no schema
     */
    public static function of(array $schema, string $tool): self
    {
        return new self($schema, $tool);
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
    private function object(array $schema): stdClass
    {
        $json = json_encode($schema, JSON_PRESERVE_ZERO_FRACTION);
        $read = $json === false ? null : json_decode($json, false, 512, JSON_BIGINT_AS_STRING);
        if ($schema === []) {
            return new stdClass();
        }
        if (!$read instanceof stdClass) {
            throw $this->invalid('', 'it must be an object of JSON');
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
            throw $this->invalid($path, 'a schema is an object, true or false');
        }
        if ($depth > self::DEEPEST || ++$this->parts > self::MOST_PARTS) {
            throw Misuse::of('schema_limit', "the schema of \"$this->tool\" is too large");
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
        $wanted = null;
        if (in_array($keyword, ['type', 'enum', 'required', 'anyOf', 'oneOf', 'allOf'], true)) {
            $wanted = self::wantedList($keyword, $value);
        } elseif (in_array($keyword, UsualForm::MAPS, true)) {
            $wanted = $value instanceof stdClass ? null : 'an object';
        } elseif (in_array($keyword, self::COUNTS, true)) {
            $fits = (is_int($value) || is_float($value)) && $value >= 0;
            $wanted = $fits ? null : 'a number that is not below 0';
        } elseif (in_array($keyword, self::NUMBERS, true)) {
            $wanted = is_int($value) || is_float($value) ? null : 'a number';
        } elseif ($keyword === 'pattern') {
            $fits = is_string($value) && Patterns::isUsable($value);
            $wanted = $fits ? null : 'a regular expression';
        } elseif ($keyword === '$ref') {
            $fits = is_string($value) && Checks::target($this->schema, $value) !== null;
            $wanted = $fits ? null : 'the place of a schema in this one, as "#/$defs/name"';
        }
        if ($wanted !== null) {
            throw $this->invalid($path, "must be $wanted, got " . Plain::line($value));
        }
        foreach ($keyword === 'patternProperties' ? get_object_vars($value) : [] as $name => $_) {
            if (!Patterns::isUsable((string) $name)) {
                throw $this->invalid("$path/$name", 'the name must be a regular expression');
            }
        }
    }

    /**
     * What a keyword must be that has a list, or a word; null if it is that.
     *
     * @param mixed $value
     */
    private static function wantedList(string $keyword, $value): ?string
    {
        if ($keyword === 'type') {
            $others = array_filter(is_array($value) ? $value : [$value], static function ($type) {
                return !in_array($type, self::TYPES, true);
            });
            return $others === [] ? null : 'one or more of ' . implode(', ', self::TYPES);
        }
        if ($keyword === 'enum' || $keyword === 'required') {
            return is_array($value) ? null : 'a list';
        }
        return is_array($value) && $value !== [] ? null : 'a list of one schema or more';
    }

    private function invalid(string $path, string $why): \Throwable
    {
        $message = "the schema of \"$this->tool\" is not usable: at "
            . ($path === '' ? '/' : $path) . ": $why";
        return Misuse::of('invalid_schema', Told::bounded(Text::visible($message)));
    }
}
