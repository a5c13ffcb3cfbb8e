<?php

declare(strict_types=1);

namespace Toolwire\Tools\Store;

use SensitiveParameter;
use Toolwire\Tools\Store;

/**
 * A store in a table of PostgreSQL, MySQL, MariaDB or SQLite, for any number of processes. It needs
 * PDO with the driver of the database.
 *
 * Each method is one statement, or two of which at most one changes anything. A change is sent
 * once; after an error of the kind `io` or `locked` it may have been made or not, and the next call
 * connects again.
 */
final class Pdo implements Store
{
    private PdoDialect $dialect;
    private PdoConnection $connection;

    /**
     * Connects, and makes the table if it is missing. The connection is the store's own.
     *
     * @param string $dsn as PDO takes it: `pgsql:host=…;dbname=…`, `mysql:host=…;dbname=…` (also
     *     for MariaDB) or `sqlite:/path/of/file`
     * @param string $table the table's name
     * @param float $timeout the seconds to wait for the server, and for others who write
     * @param array<int, mixed> $options more attributes of PDO, as for TLS
     */
    public function __construct(
        #[SensitiveParameter]
        string $dsn,
        ?string $user = null,
        #[SensitiveParameter]
        ?string $password = null,
        string $table = 'toolwire',
        float $timeout = 5.0,
        array $options = [],
    ) {
        $this->dialect = new PdoDialect(explode(':', $dsn, 2)[0], $table);
        $this->connection =
            new PdoConnection($dsn, $user, $password, $this->dialect, $timeout, $options);
        $this->connection->create();
    }

    public function get(string $key, int $now): ?array
    {
        $sql = $this->dialect->get();
        [$rows] = $this->connection->run($sql, [Key::check($key), $now], reads: true);
        return $rows === [] ? null : $this->entry(...$rows[0]);
    }

    public function put(string $key, string $value, ?int $expected, ?int $expiresAt, int $now): ?int
    {
        Key::check($key);
        // A random version does not repeat: two of 2^63 are the same too rarely to matter.
        $made = $this->dialect->givesVersions() ? [] : [random_int(1, PHP_INT_MAX)];
        if ($expected === null || $expected === 0) {
            $sql = $expected === null ? $this->dialect->putAny() : $this->dialect->putAbsent();
            $values = [$key, $value, ...$made, $expiresAt];
            $times = substr_count($sql, '?') - count($values);
            $values = [...$values, ...array_fill(0, $times, $now)];
            [$rows, $changed] = $this->connection->run($sql, $values, [1]);
        } else {
            $sql = $this->dialect->putVersion();
            $values = [$value, ...$made, $expiresAt, $key, $expected, $now];
            [$rows, $changed] = $this->connection->run($sql, $values, [0]);
        }
        if ($this->dialect->givesVersions()) {
            return $rows === [] ? null : (int) $rows[0][0];
        }
        return $changed > 0 ? $made[0] : null;
    }

    public function delete(string $key, ?int $expected, int $now): bool
    {
        Key::check($key);
        if ($expected === 0) {
            return false;
        }
        if ($expected !== null) {
            $sql = $this->dialect->deleteVersion();
            return $this->connection->run($sql, [$key, $now, $expected])[1] > 0;
        }
        if ($this->dialect->givesVersions()) {
            [$rows] = $this->connection->run($this->dialect->deleteAny(), [$key, $now]);
            return $rows !== [] && (int) $rows[0][0] === 1;
        }
        if ($this->connection->run($this->dialect->deleteLive(), [$key, $now])[1] > 0) {
            return true;
        }
        $this->connection->run($this->dialect->deleteExpired(), [$key, $now]);
        return false;
    }

    public function scan(string $prefix, ?string $after, int $limit, int $now): array
    {
        $values = [
            Key::check($prefix), Key::end($prefix), Key::check($after ?? ''), $now, max(0, $limit),
        ];
        [$rows] = $this->connection->run($this->dialect->scan(), $values, reads: true);
        return array_map(
            fn (array $row): array =>
                ['key' => $this->key($row[0])] + $this->entry($row[1], $row[2], $row[3]),
            $rows
        );
    }

    public function purge(string $prefix, int $now): int
    {
        $values = [$now, Key::check($prefix), Key::end($prefix)];
        return $this->connection->run($this->dialect->purge(), $values)[1];
    }

    public function shared(): bool
    {
        return true;
    }

    /** Closes the connection. Every later call fails with `closed`. */
    public function close(): void
    {
        $this->connection->close();
    }

    /** @return array<string, string> what a dump shows: no password */
    public function __debugInfo(): array
    {
        return ['driver' => $this->dialect->driver];
    }

    /** @return array{value: string, version: int, expires_at: ?int} */
    private function entry(mixed $value, mixed $version, mixed $until): array
    {
        // PostgreSQL's driver hands bytes out as a stream.
        $bytes = is_resource($value) ? stream_get_contents($value) : $value;
        $version = self::number($version);
        $expiresAt = self::number($until);
        $isWhole = is_string($bytes) && $version > 0 && ($until === null || $expiresAt !== null);
        return $isWhole
            ? ['value' => $bytes, 'version' => $version, 'expires_at' => $expiresAt]
            : throw $this->connection->spoiled();
    }

    private function key(mixed $name): string
    {
        return is_string($name) && Key::fits($name) ? $name : throw $this->connection->spoiled();
    }

    /** Reads a number, which some drivers give as a text. SQLite keeps anything in any column. */
    private static function number(mixed $column): ?int
    {
        $number = is_string($column) ? (int) $column : $column;
        return is_int($number) && (string) $number === (string) $column ? $number : null;
    }
}
