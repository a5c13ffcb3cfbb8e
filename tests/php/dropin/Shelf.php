<?php

declare(strict_types=1);

namespace Toolwire\Tests\Dropin;

use ArrayAccess;
use LogicException;

/** An object with offsets that reports every read, and may overwrite a variable or throw. */
final class Shelf implements ArrayAccess
{
    /** The variable that a read overwrites. */
    private mixed $victim = null;

    /** @param array<array-key, mixed> $entries */
    public function __construct(private array $entries, private string $manner, private int $number)
    {
    }

    /** Lets the next read overwrite a variable. */
    public function aimAt(mixed &$victim): void
    {
        $this->victim = &$victim;
    }

    public function offsetExists(mixed $offset): bool
    {
        Listener::hear('exists', $this->number, $offset);
        if ($this->manner === 'throws early') {
            throw new LogicException("no $offset");
        }
        return isset($this->entries[$offset]);
    }

    public function offsetGet(mixed $offset): mixed
    {
        Listener::hear('get', $this->number, $offset);
        if ($this->manner === 'throws late') {
            throw new LogicException("not $offset");
        }
        $this->victim = $this->manner === 'overwrites'
            ? ['overwritten' => str_repeat('x', 40)]
            : null;
        return $this->entries[$offset];
    }

    public function offsetSet(mixed $offset, mixed $value): void
    {
        throw new LogicException('a shelf is only read');
    }

    public function offsetUnset(mixed $offset): void
    {
        throw new LogicException('a shelf is only read');
    }
}
