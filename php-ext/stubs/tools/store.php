<?php

/** Stubs of stores: where state that outlives a process is kept. */

namespace Toolwire\Tools {
    /**
     * Keeps state that must outlive a request: bytes under keys, each with a version.
     *
     * A program may implement it over its own database. Keys are printable ASCII of at most 255
     * bytes and compared byte by byte: a table needs a binary collation. Each method is one atomic
     * step. Times are microseconds since 1970 in UTC. An entry whose time `expires_at` is before
     * `$now` counts as absent. An exception of a method becomes the previous one of a {@see
     * Exception\StoreException} of the kind `host`; one that is a StoreException itself, with a kind
     * of its own, passes unchanged.
     */
    interface Store
    {
        /**
         * @return ?array{value: string, version: int, expires_at: ?int} the entry, if there is one
         */
        public function get(string $key, int $now): ?array;

        /**
         * Puts an entry if the present version is the expected one. Null accepts any entry or none,
         * 0 expects none. Versions are above 0 and never repeat for a key, not even after a delete.
         *
         * @return ?int the new version; null when the present version was not the expected one and
         *     nothing was changed
         */
        public function put(
            string $key,
            string $value,
            ?int $expected,
            ?int $expiresAt,
            int $now,
        ): ?int;

        /**
         * Deletes the entry if its version is the expected one. Returns whether there was an entry
         * that had not expired.
         */
        public function delete(string $key, ?int $expected, int $now): bool;

        /**
         * Up to `$limit` entries whose keys begin with the prefix and come after `$after`, in the
         * order of the keys.
         *
         * @return list<array{key: string, value: string, version: int, expires_at: ?int}>
         */
        public function scan(string $prefix, ?string $after, int $limit, int $now): array;

        /** Removes the expired entries whose keys begin with the prefix. Returns their number. */
        public function purge(string $prefix, int $now): int;

        /** Whether other processes may write to the store. */
        public function shared(): bool;
    }

    /**
     * A store that makes several changes at once, such as one on a server, in one trip. A store
     * without this gets them one by one.
     */
    interface BatchStore extends Store
    {
        /**
         * Makes changes in their order, up to the first put whose condition is not met. A change
         * is a list of its name and the arguments of the method without `$now`: `put` with key,
         * value, expected and expiresAt; `delete` with key and expected; `purge_some` with a prefix
         * and how many expired entries are removed at most.
         *
         * @param list<array{0: string, 1: string, 2: string|int|null, 3?: ?int, 4?: ?int}> $changes
         * @return list<int|bool|null> an answer to each change that was tried: the version of a put,
         *     or null, which is then the last answer; whether there was an entry for a delete, which
         *     never ends a batch; a number for a purge
         */
        public function batch(array $changes, int $now): array;
    }

    /**
     * A store whose batches are one atomic step, such as a transaction: nobody sees a part of one,
     * and a process that is killed leaves all of it or nothing. A request for approval is then made
     * together with the run that waits for it.
     */
    interface WholeBatchStore extends BatchStore
    {
    }
}

namespace Toolwire\Tools\Store {
    use Toolwire\Tools\Store;

    /** A store that lives as long as the object. */
    final class Memory implements Store
    {
        public function __construct()
        {
        }

        public function get(string $key, int $now): ?array
        {
        }

        public function put(
            string $key,
            string $value,
            ?int $expected,
            ?int $expiresAt,
            int $now,
        ): ?int {
        }

        public function delete(string $key, ?int $expected, int $now): bool
        {
        }

        public function scan(string $prefix, ?string $after, int $limit, int $now): array
        {
        }

        public function purge(string $prefix, int $now): int
        {
        }

        public function shared(): bool
        {
        }
    }

    /** A store in an SQLite file, which any number of processes may have open at once. */
    final class Sqlite implements Store
    {
        /** The file's absolute path. */
        public readonly string $path;

        /**
         * Opens a file; a new or empty one becomes a store. It must not be on a network file
         * system. Only its owner may read it and the files beside it, whatever the umask; wider
         * modes are removed.
         *
         * @param float $busyTimeout the seconds to wait for others who write
         * @param string $durability what a change survives: a loss of `power`, or, faster, only the
         *     end of the `process`
         * @throws \Toolwire\Tools\Exception\StoreException `read_only`, `locked`, `corrupt`,
         *     `newer_version`, `exposed` (a symbolic link, a file that another user owns or whose
         *     mode cannot be changed, a folder in which anybody may replace files), `io`
         * @throws \Toolwire\Exception\InvalidArgument `path_not_allowed` for a file outside of
         *     `open_basedir`; `invalid_option`
         */
        public function __construct(
            string $path,
            float $busyTimeout = 10.0,
            string $durability = 'power',
        ) {
        }

        /** Closes the file. All other methods then fail with `closed`. */
        public function close(): void
        {
        }

        public function get(string $key, int $now): ?array
        {
        }

        public function put(
            string $key,
            string $value,
            ?int $expected,
            ?int $expiresAt,
            int $now,
        ): ?int {
        }

        public function delete(string $key, ?int $expected, int $now): bool
        {
        }

        public function scan(string $prefix, ?string $after, int $limit, int $now): array
        {
        }

        public function purge(string $prefix, int $now): int
        {
        }

        public function shared(): bool
        {
        }
    }
}
