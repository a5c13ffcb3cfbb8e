<?php

declare(strict_types=1);

namespace Toolwire\Tools\Store;

use Toolwire\Plain\Unsaved;
use Toolwire\Tools\Store;

/** A store that lives as long as the object. */
final class Memory implements Store
{
    use Unsaved;

    /** @var array<string, array{value: string, version: int, expires_at: ?int}> */
    private $entries = [];

    /** @var int */
    private $version = 0;

    public function __construct()
    {
    }

    public function get(string $key, int $now): ?array
    {
        $entry = $this->entries["\0$key"] ?? null;
        return $entry === null || self::isOver($entry, $now) ? null : $entry;
    }

    public function put(
        string $key,
        string $value,
        ?int $expected,
        ?int $expiresAt,
        int $now
    ): ?int {
        $present = $this->get($key, $now)['version'] ?? 0;
        if ($expected !== null && $expected !== $present) {
            return null;
        }
        $version = ++$this->version;
        $entry = ['value' => $value, 'version' => $version, 'expires_at' => $expiresAt];
        $this->entries["\0$key"] = $entry;
        return $version;
    }

    public function delete(string $key, ?int $expected, int $now): bool
    {
        $entry = $this->get($key, $now);
        if ($entry === null || ($expected !== null && $expected !== $entry['version'])) {
            return false;
        }
        unset($this->entries["\0$key"]);
        return true;
    }

    public function scan(string $prefix, ?string $after, int $limit, int $now): array
    {
        ksort($this->entries, SORT_STRING);
        $found = [];
        foreach ($this->entries as $key => $entry) {
            $key = substr((string) $key, 1);
            if (count($found) >= $limit) {
                break;
            }
            $isBehind = $after === null || strcmp($key, $after) > 0;
            if ($isBehind && strncmp($key, $prefix, strlen($prefix)) === 0) {
                if (!self::isOver($entry, $now)) {
                    $found[] = ['key' => $key] + $entry;
                }
            }
        }
        return $found;
    }

    public function purge(string $prefix, int $now): int
    {
        $count = count($this->entries);
        foreach ($this->entries as $key => $entry) {
            $isThere = strncmp(substr((string) $key, 1), $prefix, strlen($prefix)) === 0;
            if ($isThere && self::isOver($entry, $now)) {
                unset($this->entries[$key]);
            }
        }
        return $count - count($this->entries);
    }

    public function shared(): bool
    {
        return false;
    }

    /** @param array{value: string, version: int, expires_at: ?int} $entry */
    private static function isOver(array $entry, int $now): bool
    {
        return $entry['expires_at'] !== null && $entry['expires_at'] < $now;
    }
}
