<?php

declare(strict_types=1);

namespace Toolwire\Plain;

use Toolwire\Exception\ToolwireThrowable;

/** Reads the fields of an object that was saved; whatever cannot be is `invalid_record`. */
final class Fields
{
    /** @var string */
    private $class;

    /** @var array<array-key, mixed> */
    private $fields;

    /** @var bool whether fields have the names of properties, as in the code of `var_export()` */
    private $named;

    /** @param array<array-key, mixed> $fields */
    public function __construct(string $class, array $fields, bool $named = false)
    {
        $this->class = $class;
        $this->fields = $fields;
        $this->named = $named;
    }

    public function areProperties(): bool
    {
        return $this->named;
    }

    /** The exception for a field that is not what it must be. */
    public function error(string $name, string $wanted): ToolwireThrowable
    {
        $message = "{$this->class}: {$this->name($name)} must be $wanted";
        return Misuse::of('invalid_record', $message);
    }

    /** @return mixed */
    public function value(string $name)
    {
        $key = $this->name($name);
        if (!array_key_exists($key, $this->fields)) {
            throw $this->error($name, 'there');
        }
        return $this->fields[$key];
    }

    public function bytes(string $name): string
    {
        $value = $this->value($name);
        if (!is_string($value)) {
            throw $this->error($name, 'a string');
        }
        return $value;
    }

    public function text(string $name): string
    {
        $text = $this->bytes($name);
        if (!Utf8::isValid($text)) {
            throw $this->error($name, 'UTF-8');
        }
        return $text;
    }

    public function bytesOrNull(string $name): ?string
    {
        return $this->value($name) === null ? null : $this->bytes($name);
    }

    public function textOrNull(string $name): ?string
    {
        return $this->value($name) === null ? null : $this->text($name);
    }

    /** Like `textOrNull()`; null for a field that records of older versions do not have. */
    public function laterText(string $name): ?string
    {
        $isGiven = array_key_exists($this->name($name), $this->fields);
        return $isGiven ? $this->textOrNull($name) : null;
    }

    /** Like `flag()`; false for a field that records of older versions do not have. */
    public function laterFlag(string $name): bool
    {
        return array_key_exists($this->name($name), $this->fields) && $this->flag($name);
    }

    public function flag(string $name): bool
    {
        $value = $this->value($name);
        if (!is_bool($value)) {
            throw $this->error($name, 'a boolean');
        }
        return $value;
    }

    public function whole(string $name): int
    {
        $value = $this->value($name);
        if (!is_int($value) || $value < 0) {
            throw $this->error($name, 'an integer of at least 0');
        }
        return $value;
    }

    public function real(string $name): float
    {
        $value = $this->value($name);
        if (!is_float($value) && !is_int($value)) {
            throw $this->error($name, 'a float');
        }
        return (float) $value;
    }

    /** @param list<string> $words */
    public function word(string $name, array $words): string
    {
        $value = $this->bytes($name);
        if (!in_array($value, $words, true)) {
            throw $this->error($name, 'one of the known words');
        }
        return $value;
    }

    /** The slug of a format; null where there may be none. */
    public function slug(string $name, bool $nullable = false): ?string
    {
        $slug = $nullable ? $this->textOrNull($name) : $this->text($name);
        $allowed = 'abcdefghijklmnopqrstuvwxyz0123456789_';
        if ($slug !== null && (strlen($slug) > 64 || strspn($slug, $allowed) < strlen($slug))) {
            throw $this->error($name, 'the slug of a format');
        }
        return $slug;
    }

    public function span(string $name): Span
    {
        return $this->spanIn($name, $this->value($name));
    }

    /** @return list<Span> */
    public function spans(string $name): array
    {
        $spans = [];
        foreach ($this->items($name) as $span) {
            $spans[] = $this->spanIn($name, $span);
        }
        return $spans;
    }

    /** @return array<array-key, mixed> */
    public function items(string $name): array
    {
        $value = $this->value($name);
        if (!is_array($value)) {
            throw $this->error($name, 'a list');
        }
        return $value;
    }

    /** @param mixed $value */
    public function within(string $name, $value): self
    {
        if (!is_array($value)) {
            throw $this->error($name, 'an array');
        }
        return new self($this->class, $value, $this->named);
    }

    /**
     * An object of a class, given as itself or by its fields.
     *
     * @param mixed $value
     */
    public function object(string $name, string $class, $value): object
    {
        if ($value instanceof $class) {
            return $value;
        }
        if (!is_array($value)) {
            throw $this->error($name, "$class or an array of its fields");
        }
        return $this->named ? $class::__set_state($value) : $class::fromArray($value);
    }

    /** @return list<object> */
    public function objects(string $name, string $class): array
    {
        $objects = [];
        foreach ($this->items($name) as $value) {
            $objects[] = $this->object($name, $class, $value);
        }
        return $objects;
    }

    /** @param mixed $value */
    private function spanIn(string $name, $value): Span
    {
        $start = is_array($value) ? $value['start'] ?? null : null;
        $end = is_array($value) ? $value['end'] ?? null : null;
        if (!is_int($start) || !is_int($end) || $start < 0 || $start > $end) {
            throw $this->error($name, 'an array of start and end, the end not before the start');
        }
        return new Span($start, $end);
    }

    private function name(string $name): string
    {
        return $this->named ? lcfirst(str_replace('_', '', ucwords($name, '_'))) : $name;
    }
}
