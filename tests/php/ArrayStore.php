<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use Closure;
use Toolwire\Tools\Store;

/** A store in PHP. It keeps its entries in an array; a real one would keep them in a database. */
final class ArrayStore implements Store
{
    /** @var array<string, array{value: string, version: int, expires_at: ?int}> */
    private array $entries = [];
    private int $version = 0;
    /** @var array<string, int> */
    public array $calls = [];

    /** @param ?Closure(string): mixed $before called with the name of each method */
    public function __construct(public ?Closure $before = null)
    {
    }

    private function live(string $key, int $now): ?array
    {
        $entry = $this->entries[$key] ?? null;
        return $entry === null || ($entry['expires_at'] !== null && $now > $entry['expires_at'])
            ? null
            : $entry;
    }

    private function called(string $method): mixed
    {
        $this->calls[$method] = ($this->calls[$method] ?? 0) + 1;
        return $this->before === null ? null : ($this->before)($method);
    }

    public function get(string $key, int $now): ?array
    {
        return $this->called('get') ?? $this->live($key, $now);
    }

    public function put(string $key, string $value, ?int $expected, ?int $expiresAt, int $now): ?int
    {
        $this->called('put');
        if ($expected !== null && $expected !== ($this->live($key, $now)['version'] ?? 0)) {
            return null;
        }
        $this->entries[$key] = [
            'value' => $value,
            'version' => ++$this->version,
            'expires_at' => $expiresAt,
        ];
        ksort($this->entries, SORT_STRING);
        return $this->version;
    }

    public function delete(string $key, ?int $expected, int $now): bool
    {
        $this->called('delete');
        $live = $this->live($key, $now);
        if ($expected !== null && ($expected === 0 || $expected !== ($live['version'] ?? 0))) {
            return false;
        }
        unset($this->entries[$key]);
        return $live !== null;
    }

    public function scan(string $prefix, ?string $after, int $limit, int $now): array
    {
        $this->called('scan');
        $found = [];
        foreach (array_keys($this->entries) as $key) {
            $key = (string) $key;
            $live = $this->live($key, $now);
            if (
                count($found) < $limit
                && $live !== null
                && str_starts_with($key, $prefix)
                && $key > (string) $after
            ) {
                $found[] = ['key' => $key] + $live;
            }
        }
        return $found;
    }

    public function purge(string $prefix, int $now): int
    {
        $this->called('purge');
        $before = count($this->entries);
        foreach (array_keys($this->entries) as $key) {
            if (
                str_starts_with((string) $key, $prefix) && $this->live((string) $key, $now) === null
            ) {
                unset($this->entries[$key]);
            }
        }
        return $before - count($this->entries);
    }

    public function shared(): bool
    {
        return (bool) ($this->called('shared') ?? false);
    }
}
