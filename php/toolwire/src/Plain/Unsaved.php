<?php

declare(strict_types=1);

namespace Toolwire\Plain;

use Error;
use Exception;

/** Objects that are neither copied nor saved, and that get no other properties. */
trait Unsaved
{
    public function __clone()
    {
        throw new Error('Trying to clone an uncloneable object of class ' . self::class);
    }

    /** @return never */
    public function __serialize(): array
    {
        throw new Exception("Serialization of '" . self::class . "' is not allowed");
    }

    /** @param array<array-key, mixed> $fields */
    public function __unserialize(array $fields): void
    {
        throw new Exception("Unserialization of '" . self::class . "' is not allowed");
    }

    /** @param mixed $value */
    public function __set(string $name, $value): void
    {
        throw new Error('Cannot create dynamic property ' . self::class . "::\$$name");
    }
}
