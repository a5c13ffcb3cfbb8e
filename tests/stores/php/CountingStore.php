<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use Toolwire\Tools\Store;

/** A store of the six methods that counts its calls, and the operations in them. */
class CountingStore implements Store
{
    public int $calls = 0;
    public int $operations = 0;

    public function __construct(protected readonly Store $store)
    {
    }

    /** Counts a call, and gives what came of it. */
    protected function count(mixed $made, int $operations = 1): mixed
    {
        $this->calls++;
        $this->operations += $operations;
        return $made;
    }

    public function get(string $key, int $now): ?array
    {
        return $this->count($this->store->get($key, $now));
    }

    public function put(string $key, string $value, ?int $expected, ?int $expiresAt, int $now): ?int
    {
        return $this->count($this->store->put($key, $value, $expected, $expiresAt, $now));
    }

    public function delete(string $key, ?int $expected, int $now): bool
    {
        return $this->count($this->store->delete($key, $expected, $now));
    }

    public function scan(string $prefix, ?string $after, int $limit, int $now): array
    {
        return $this->count($this->store->scan($prefix, $after, $limit, $now));
    }

    public function purge(string $prefix, int $now): int
    {
        return $this->count($this->store->purge($prefix, $now));
    }

    public function shared(): bool
    {
        return $this->store->shared();
    }
}
