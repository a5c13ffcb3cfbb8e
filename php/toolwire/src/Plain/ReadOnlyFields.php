<?php

declare(strict_types=1);

namespace Toolwire\Plain;

use Error;

/**
 * Properties that can be read and not changed, in the syntax of PHP 7.4.
 *
 * The class gives the value of each in `field()`, and their names in the constant `FIELDS`.
 */
trait ReadOnlyFields
{
    /** @return mixed */
    public function __get(string $name)
    {
        if (!in_array($name, self::FIELDS, true)) {
            trigger_error('Undefined property: ' . self::class . "::\$$name", E_USER_WARNING);
            return null;
        }
        return $this->field($name);
    }

    public function __isset(string $name): bool
    {
        return in_array($name, self::FIELDS, true) && $this->field($name) !== null;
    }

    /** @param mixed $value */
    public function __set(string $name, $value): void
    {
        if (in_array($name, self::FIELDS, true)) {
            throw new Error('Cannot modify readonly property ' . self::class . "::\$$name");
        }
        throw new Error('Cannot create dynamic property ' . self::class . "::\$$name");
    }

    public function __unset(string $name): void
    {
        if (in_array($name, self::FIELDS, true)) {
            throw new Error('Cannot unset readonly property ' . self::class . "::\$$name");
        }
    }

    public function __clone()
    {
        throw new Error('Trying to clone an uncloneable object of class ' . self::class);
    }

    /** @return array<string, mixed> */
    public function __debugInfo(): array
    {
        return $this->fieldsByName();
    }

    /** @return array<string, mixed> */
    private function fieldsByName(): array
    {
        $fields = [];
        foreach (self::FIELDS as $name) {
            $fields[$name] = $this->field($name);
        }
        return $fields;
    }
}
