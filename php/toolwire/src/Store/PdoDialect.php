<?php

declare(strict_types=1);

namespace Toolwire\Tools\Store;

use InvalidArgumentException;

/**
 * The statements of one kind of database, and what its errors mean.
 *
 * Keys compare by their bytes: they have a binary type or collation.
 */
final class PdoDialect
{
    private const LIVE = '(expires_at IS NULL OR expires_at >= ?)';
    private const IN_PREFIX = 'name >= ? AND name < ?';

    /** What error codes mean: SQLSTATEs of PostgreSQL, numbers of MySQL and SQLite. */
    private const KINDS = [
        'pgsql' => [
            '25006' => 'read_only', '57014' => 'locked', '55P03' => 'locked', '40001' => 'lost',
            '40P01' => 'lost', '42P01' => 'corrupt', '42703' => 'corrupt', '42804' => 'corrupt',
            '42P10' => 'corrupt', '22P02' => 'corrupt', '42883' => 'corrupt',
            '23502' => 'corrupt', '0A000' => 'corrupt',
        ],
        'mysql' => [
            '1205' => 'locked', '1213' => 'lost', '1290' => 'read_only', '1792' => 'read_only',
            '1836' => 'read_only', '1146' => 'corrupt', '1054' => 'corrupt', '1048' => 'corrupt',
            '1264' => 'corrupt', '1364' => 'corrupt', '1366' => 'corrupt',
            '1292' => 'corrupt', '1406' => 'corrupt',
        ],
        'sqlite' => [
            '1' => 'corrupt', '5' => 'locked', '6' => 'locked', '8' => 'read_only',
            '11' => 'corrupt', '19' => 'corrupt', '20' => 'corrupt', '26' => 'corrupt',
        ],
    ];

    /**
     * @param string $driver `pgsql`, `mysql` (also for MariaDB) or `sqlite`
     * @param string $table the table's name
     */
    public function __construct(public readonly string $driver, private string $table)
    {
        if (!isset(self::KINDS[$driver])) {
            throw new InvalidArgumentException("the driver $driver is not known to this store");
        }
        if (preg_match('/^[A-Za-z0-9_]{1,48}$/D', $table) !== 1) {
            throw new InvalidArgumentException('table must have 1 to 48 letters, digits or _');
        }
    }

    /** Whether the database gives versions, and its statements return them; else the store does. */
    public function givesVersions(): bool
    {
        return $this->driver === 'pgsql';
    }

    /** Returns what an error means: `lost` against another change, or the kind of a failure. */
    public function kind(string $state, string $code): string
    {
        return self::KINDS[$this->driver][$this->driver === 'pgsql' ? $state : $code] ?? 'io';
    }

    /** @return list<string> what a new connection is told */
    public function settings(float $timeout): array
    {
        $milliseconds = max(1, (int) ($timeout * 1000));
        return match ($this->driver) {
            'pgsql' => ["SET statement_timeout = $milliseconds"],
            'mysql' => [
                // The server, or a command of the options, may have turned it off: PDO never asks.
                'SET SESSION autocommit = 1',
                "SET SESSION sql_mode = 'STRICT_ALL_TABLES'",
                'SET SESSION innodb_lock_wait_timeout = ' . max(1, (int) round($timeout)),
            ],
            default => [
                "PRAGMA busy_timeout = $milliseconds",
                'PRAGMA journal_mode = WAL',
                'PRAGMA synchronous = FULL',
            ],
        };
    }

    /** @return list<string> what makes the table, if it is missing */
    public function create(): array
    {
        $table = $this->quoted();
        $expiry = $this->quoted('_expiry');
        if ($this->driver === 'mysql') {
            return ["CREATE TABLE IF NOT EXISTS $table (name VARBINARY(255) NOT NULL PRIMARY KEY, "
                . 'value LONGBLOB NOT NULL, version BIGINT NOT NULL, expires_at BIGINT NULL, '
                . "KEY $expiry (expires_at)) ENGINE=InnoDB"];
        }
        $index = "CREATE INDEX IF NOT EXISTS $expiry ON $table (expires_at) "
            . 'WHERE expires_at IS NOT NULL';
        if ($this->driver === 'sqlite') {
            return [
                "CREATE TABLE IF NOT EXISTS $table (name TEXT COLLATE BINARY PRIMARY KEY, "
                    . 'value BLOB NOT NULL, version INTEGER NOT NULL, expires_at INTEGER)',
                $index,
            ];
        }
        // Python's PostgresStore makes the same table. A version is a millisecond and the next
        // number of a sequence: it does not repeat even if a failover loses the last numbers.
        $version = $this->quoted('_version');
        return [
            // Of several processes that make the table at once, one does.
            'SELECT pg_advisory_xact_lock(7305876211437)',
            "CREATE SEQUENCE IF NOT EXISTS $version",
            "CREATE TABLE IF NOT EXISTS $table (name text COLLATE \"C\" PRIMARY KEY, "
                . 'value bytea NOT NULL, version bigint NOT NULL DEFAULT ('
                . '(floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint << 20) '
                . "| (nextval('$version') & 1048575)), expires_at bigint)",
            $index,
        ];
    }

    /** Reads an entry: key, now. */
    public function get(): string
    {
        return "SELECT value, version, expires_at FROM {$this->quoted()} "
            . 'WHERE name = ? AND ' . self::LIVE;
    }

    /** Finds out whether the table is there. */
    public function look(): string
    {
        return "SELECT name FROM {$this->quoted()} WHERE name = ''";
    }

    /** Puts an entry whatever is there: key, value, the version if the store makes it, expiry. */
    public function putAny(): string
    {
        if ($this->driver === 'mysql') {
            return $this->insert() . ' ON DUPLICATE KEY UPDATE value = VALUES(value), '
                . 'version = VALUES(version), expires_at = VALUES(expires_at)';
        }
        return $this->upsert() . $this->returning();
    }

    /** Puts an entry where there is none: as `putAny`, and then the time, three times in MySQL. */
    public function putAbsent(): string
    {
        if ($this->driver === 'mysql') {
            // The assignments are made in this order.
            $keep = static fn (string $column): string =>
                "$column = IF(expires_at < ?, VALUES($column), $column)";
            $columns = array_map($keep, ['value', 'version', 'expires_at']);
            return $this->insert() . ' ON DUPLICATE KEY UPDATE ' . implode(', ', $columns);
        }
        return "{$this->upsert()} WHERE entry.expires_at < ?" . $this->returning();
    }

    /** Changes an entry: value, the version if the store makes it, expiry, key, version, now. */
    public function putVersion(): string
    {
        $version = $this->givesVersions() ? 'DEFAULT' : '?';
        return "UPDATE {$this->quoted()} SET value = ?, version = $version, expires_at = ? "
            . 'WHERE name = ? AND version = ? AND ' . self::LIVE . $this->returning();
    }

    /** Deletes an entry that has not expired: key, now. */
    public function deleteLive(): string
    {
        return "DELETE FROM {$this->quoted()} WHERE name = ? AND " . self::LIVE;
    }

    /** Deletes an entry that has not expired and is of a version: key, now, version. */
    public function deleteVersion(): string
    {
        return "{$this->deleteLive()} AND version = ?";
    }

    /** Deletes an entry that has expired: key, now. */
    public function deleteExpired(): string
    {
        return "DELETE FROM {$this->quoted()} WHERE name = ? AND expires_at < ?";
    }

    /** Deletes an entry, and says whether it had not expired: key, now. */
    public function deleteAny(): string
    {
        $live = 'CASE WHEN ' . self::LIVE . ' THEN 1 ELSE 0 END';
        return "DELETE FROM {$this->quoted()} WHERE name = ? RETURNING $live";
    }

    /** Lists entries: prefix, its end, the key before, now, the limit. */
    public function scan(): string
    {
        return "SELECT name, value, version, expires_at FROM {$this->quoted()} WHERE "
            . self::IN_PREFIX . ' AND name > ? AND ' . self::LIVE . ' ORDER BY name LIMIT ?';
    }

    /** Removes what has expired: now, prefix, its end. */
    public function purge(): string
    {
        $expired = 'expires_at < ? AND ' . self::IN_PREFIX;
        if ($this->driver !== 'pgsql') {
            return "DELETE FROM {$this->quoted()} WHERE $expired";
        }
        // What another process changes now is left: purges do not wait for each other.
        return "DELETE FROM {$this->quoted()} WHERE name IN (SELECT name FROM {$this->quoted()} "
            . "WHERE $expired FOR UPDATE SKIP LOCKED)";
    }

    private function returning(): string
    {
        return $this->givesVersions() ? ' RETURNING version' : '';
    }

    private function insert(): string
    {
        [$column, $mark] = $this->givesVersions() ? ['', ''] : ['version, ', '?, '];
        $alias = $this->driver === 'mysql' ? '' : ' AS entry';
        return "INSERT INTO {$this->quoted()}$alias (name, value, {$column}expires_at) "
            . "VALUES (?, ?, $mark?)";
    }

    private function upsert(): string
    {
        $version = $this->givesVersions() ? 'DEFAULT' : 'excluded.version';
        return $this->insert() . ' ON CONFLICT (name) DO UPDATE SET value = excluded.value, '
            . "version = $version, expires_at = excluded.expires_at";
    }

    private function quoted(string $suffix = ''): string
    {
        $quote = $this->driver === 'mysql' ? '`' : '"';
        return $quote . $this->table . $suffix . $quote;
    }
}
