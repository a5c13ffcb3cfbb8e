<?php

declare(strict_types=1);

namespace Toolwire\Plain;

use Error;
use ReflectionClass;
use ReturnTypeWillChange;

/**
 * Objects that are made once, and that can be saved and restored.
 *
 * The class gives its fields by name in `toArray()`, and reads them in `read()`.
 */
trait Record
{
    /** @var array<string, mixed>|null null until the object is made */
    private $fields = null;

    /** @param array<string, mixed> $fields */
    private function fill(array $fields): void
    {
        if ($this->fields !== null) {
            throw new Error('Cannot construct an object of class ' . self::class . ' twice');
        }
        $this->fields = $fields;
    }

    /** @param array<string, mixed> $fields */
    private static function filled(array $fields): self
    {
        $made = (new ReflectionClass(self::class))->newInstanceWithoutConstructor();
        $made->fill($fields);
        return $made;
    }

    /** @return mixed */
    private function field(string $name)
    {
        return $this->fields[$name] ?? null;
    }

    /**
     * Makes an object from the result of `toArray()`.
     *
     * @param array<string, mixed> $fields
     */
    public static function fromArray(array $fields): self
    {
        return self::filled(self::read(new Fields(self::class, $fields)));
    }

    /**
     * The code that `var_export()` writes calls this method, with the object's state. The code that
     * the extension's objects write has their properties instead.
     *
     * @param array<string, mixed> $properties
     */
    public static function __set_state(array $properties): self
    {
        if (isset($properties['fields'])) {
            return self::filled($properties['fields']);
        }
        return self::filled(self::read(new Fields(self::class, $properties, true)));
    }

    /** @return array<string, mixed> */
    public function __serialize(): array
    {
        return $this->toArray();
    }

    /** @param array<string, mixed> $fields */
    public function __unserialize(array $fields): void
    {
        $this->fill(self::read(new Fields(self::class, $fields)));
    }

    /** @return mixed */
    #[ReturnTypeWillChange]
    public function jsonSerialize()
    {
        return $this->fieldsByName();
    }
}
