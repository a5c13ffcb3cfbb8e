<?php

declare(strict_types=1);

namespace Toolwire\Tools;

/**
 * Keeps state that must outlive a request: bytes under keys, each with a version.
 *
 * Keys are printable ASCII of at most 255 bytes and compared byte by byte. Each method is one
 * atomic step. Times are microseconds since 1970 in UTC. An entry whose time `expires_at` is before
 * `$now` counts as absent.
 */
interface Store
{
    /** @return ?array{value: string, version: int, expires_at: ?int} */
    public function get(string $key, int $now): ?array;

    /**
     * Puts an entry if the present version is the expected one. Null accepts any entry or none, 0
     * expects none. Versions are above 0 and never repeat for a key.
     *
     * @return ?int the new version; null when nothing was changed
     */
    public function put(
        string $key,
        string $value,
        ?int $expected,
        ?int $expiresAt,
        int $now
    ): ?int;

    /** Deletes the entry if its version is the expected one, and says whether there was one. */
    public function delete(string $key, ?int $expected, int $now): bool;

    /**
     * Up to `$limit` entries whose keys begin with the prefix and come after `$after`, in the order
     * of the keys.
     *
     * @return list<array{key: string, value: string, version: int, expires_at: ?int}>
     */
    public function scan(string $prefix, ?string $after, int $limit, int $now): array;

    /** Removes the expired entries whose keys begin with the prefix. Returns their number. */
    public function purge(string $prefix, int $now): int;

    /** Whether other processes may write to the store. */
    public function shared(): bool;
}
