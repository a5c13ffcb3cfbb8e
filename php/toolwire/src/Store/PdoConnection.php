<?php

declare(strict_types=1);

namespace Toolwire\Tools\Store;

use PDO as Driver;
use PDOException;
use PDOStatement;
use SensitiveParameter;

/** A connection of PDO that is made when it is needed, and made anew when it breaks. */
final class PdoConnection
{
    /** How often a statement is tried that lost against another one and changed nothing. */
    private const TRIES = 20;
    /** After so many seconds without use, the server is asked whether it is still there. */
    private const IDLE = 0.5;

    private ?Driver $open = null;
    /** @var array<string, PDOStatement> */
    private array $prepared = [];
    private float $used = 0.0;
    private bool $closed = false;
    private string $place;

    /** @param array<int, mixed> $options more attributes of PDO */
    public function __construct(
        #[SensitiveParameter]
        private string $dsn,
        private ?string $user,
        #[SensitiveParameter]
        private ?string $password,
        private PdoDialect $dialect,
        private float $timeout,
        private array $options,
    ) {
        // A DSN may hold a password too.
        $host = preg_match('/\bhost=([A-Za-z0-9_.:\/-]+)/', $dsn, $found) === 1 ? $found[1] : '';
        $this->place = trim("{$dialect->driver} $host");
    }

    /**
     * Runs a statement, and returns its rows, or how many it changed if it gives none.
     *
     * It is run again if the database says that it changed nothing, and if it only reads.
     *
     * @param list<string|int|null> $values
     * @param list<int> $bytes the places of values that are bytes, from 0
     * @return array{list<list<mixed>>, int}
     */
    public function run(string $sql, array $values, array $bytes = [], bool $reads = false): array
    {
        for ($try = 1;; $try++) {
            try {
                return $this->once($sql, $values, $bytes);
            } catch (PDOException $error) {
                $kind = $this->kind($error);
                $again = $kind === 'lost' ? $try < self::TRIES : $reads && $kind === 'io';
                if (!$again || ($kind === 'io' && $try > 1)) {
                    throw $this->failure($error, $kind);
                }
            }
        }
    }

    /** Makes the table, unless it is there: who may not make tables can use one that is. */
    public function create(): void
    {
        try {
            $this->once($this->dialect->look(), [], []);
            return;
        } catch (PDOException $error) {
            $kind = $this->kind($error);
            if ($kind !== 'corrupt' || in_array($error->errorInfo[1] ?? 0, [11, 26], true)) {
                throw $this->failure($error, $kind);
            }
        }
        try {
            $pdo = $this->open();
            $inOne = $this->dialect->driver === 'pgsql' && $pdo->beginTransaction();
            foreach ($this->dialect->create() as $statement) {
                $pdo->exec($statement);
            }
            if ($inOne) {
                $pdo->commit();
            }
        } catch (PDOException $error) {
            throw $this->failure($error, $this->kind($error));
        }
    }

    /** Makes the error for a row that no store has written. */
    public function spoiled(): Failure
    {
        $message = "the store at {$this->place}: a row is not as it was written; delete it or "
            . 'restore a backup';
        return new Failure('corrupt', $message);
    }

    public function close(): void
    {
        $this->closed = true;
        $this->forget();
    }

    /**
     * @param list<string|int|null> $values
     * @param list<int> $bytes
     * @return array{list<list<mixed>>, int}
     */
    private function once(string $sql, array $values, array $bytes): array
    {
        $pdo = $this->open();
        $statement = $this->prepared[$sql] ??= $pdo->prepare($sql);
        foreach ($values as $place => $value) {
            $type = match (true) {
                in_array($place, $bytes, true) => Driver::PARAM_LOB,
                is_int($value) => Driver::PARAM_INT,
                $value === null => Driver::PARAM_NULL,
                default => Driver::PARAM_STR,
            };
            $statement->bindValue($place + 1, $value, $type);
        }
        // A warning of the driver says the same as the exception.
        @$statement->execute();
        $rows = $statement->columnCount() > 0 ? $statement->fetchAll(Driver::FETCH_NUM) : [];
        $changed = $statement->rowCount();
        $statement->closeCursor();
        $this->used = microtime(true);
        return [$rows, $changed];
    }

    private function open(): Driver
    {
        if ($this->closed) {
            throw new Failure('closed', "the store at {$this->place} was closed; open it again");
        }
        $idle = $this->dialect->driver !== 'sqlite' && microtime(true) - $this->used > self::IDLE;
        if ($this->open !== null && $idle) {
            try {
                @$this->open->query('SELECT 1')->fetchAll();
            } catch (PDOException) {
                $this->forget();
            }
        }
        return $this->open ??= $this->connect();
    }

    private function connect(): Driver
    {
        $options = [
            Driver::ATTR_TIMEOUT => max(1, (int) ceil($this->timeout)),
        ] + $this->options + [Driver::ATTR_EMULATE_PREPARES => false];
        // What the store relies on is not an option.
        $options[Driver::ATTR_ERRMODE] = Driver::ERRMODE_EXCEPTION;
        $options[Driver::ATTR_PERSISTENT] = false;
        $options[Driver::ATTR_AUTOCOMMIT] = true;
        $options[Driver::ATTR_STRINGIFY_FETCHES] = false;
        if ($this->dialect->driver === 'mysql') {
            $options[Driver::MYSQL_ATTR_FOUND_ROWS] = false;
        } else {
            unset($options[Driver::ATTR_AUTOCOMMIT]);
        }
        $this->protect();
        $pdo = @new Driver($this->dsn, $this->user, $this->password, $options);
        foreach ($this->dialect->settings($this->timeout) as $statement) {
            $this->set($pdo, $statement);
        }
        return $pdo;
    }

    /** Tells a new connection a setting. SQLite does not wait when others change the same one. */
    private function set(Driver $pdo, string $statement): void
    {
        $end = microtime(true) + $this->timeout;
        for (;;) {
            try {
                $pdo->exec($statement);
                return;
            } catch (PDOException $error) {
                $code = (string) ($error->errorInfo[1] ?? '');
                if ($this->dialect->kind('', $code) !== 'locked' || microtime(true) > $end) {
                    throw $error;
                }
                usleep(10_000);
            }
        }
    }

    /** Makes a new file of SQLite for its owner alone; its side files get the same mode. */
    private function protect(): void
    {
        $path = substr($this->dsn, strlen('sqlite:'));
        if ($this->dialect->driver !== 'sqlite' || $path === '' || $path === ':memory:') {
            return;
        }
        $made = file_exists($path) ? false : @fopen($path, 'x');
        if ($made !== false) {
            fclose($made);
            chmod($path, 0600);
        }
    }

    private function forget(): void
    {
        $this->prepared = [];
        $this->open = null;
    }

    private function kind(PDOException $error): string
    {
        $state = (string) ($error->errorInfo[0] ?? $error->getCode());
        $kind = $this->dialect->kind($state, (string) ($error->errorInfo[1] ?? $error->getCode()));
        // After a failover, the name of the server may lead to the new one; after a change of the
        // table, PostgreSQL does not run what was prepared for the old one.
        if ($kind === 'io' || $kind === 'read_only' || $state === '0A000') {
            $this->forget();
        }
        return $kind;
    }

    private function failure(PDOException $error, string $kind): Failure
    {
        $says = match ($kind) {
            'read_only' => 'the database may only be read; after a failover, name the one that '
                . 'takes writes',
            'locked' => 'others kept the entries busy for longer than the timeout',
            'lost' => 'others changed the entries too often at the same time; try again later',
            'corrupt' => 'the table is missing or is no store; give another name',
            default => 'the database cannot be used now',
        };
        $message = "the store at {$this->place}: $says";
        // The error of a connection has the DSN among its arguments, and its text may have parts.
        $text = $error->getMessage();
        $password = (string) $this->password;
        $shows = str_contains($this->dsn, 'password')
            || ($password !== '' && str_contains($text, $password));
        $kind = $kind === 'lost' ? 'locked' : $kind;
        return $shows
            ? new Failure($kind, $message)
            : new Failure($kind, "$message: $text", $error);
    }
}
