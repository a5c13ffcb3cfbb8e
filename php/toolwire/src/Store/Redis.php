<?php

declare(strict_types=1);

namespace Toolwire\Tools\Store;

use InvalidArgumentException;
use SensitiveParameter;
use Toolwire\Tools\Exception\StoreException;
use Toolwire\Tools\WholeBatchStore;

/**
 * A store on a Redis or Valkey server, for any number of processes. It needs no extension of Redis.
 *
 * Every change, and every batch of changes, is one call of a script, so it happens as a whole or
 * not at all. It is sent once; after an error of the kind `io` it may have been made or not, and
 * the next call connects again. The script is the file `redis.lua` beside this one. Python's
 * `RedisStore` runs the same bytes, so that programs in both languages share a store.
 */
final class Redis implements WholeBatchStore
{
    private const ZERO_HIGH = 922337203;
    private const ZERO_LOW = 6854775808;
    /** Lua counts in floats, and from here on they leave numbers out. */
    private const LAST_VERSION = 9007199254740991;
    /** The latest time, as `time` writes it. */
    private const LAST = '18446744073709551615';

    private static ?string $script = null;

    private ?RedisConnection $open = null;
    private bool $closed = false;
    /** @var array{at: string, user: ?string, password: ?string, database: int} */
    private array $server;
    private string $place;
    /** @var list<string> */
    private array $names;

    /**
     * @param string $url `redis://user:password@host:6379/0`, `rediss://` with TLS, or
     *     `unix:///path?db=0`; special characters of the password as `%40`
     * @param string $prefix what all names on the server begin with
     * @param float $timeout the seconds to wait for the server
     * @param int $waitReplicas how many replicas must have a change before it is acknowledged
     */
    public function __construct(
        #[SensitiveParameter]
        string $url = 'redis://127.0.0.1:6379/0',
        string $prefix = 'toolwire',
        private float $timeout = 5.0,
        private int $waitReplicas = 0,
    ) {
        if (preg_match('/^[ -~]+$/D', $prefix) !== 1) {
            throw new InvalidArgumentException('prefix must be printable ASCII, and not empty');
        }
        $this->server = self::parse($url);
        $this->place = "{$this->server['at']}/{$this->server['database']}";
        // The braces keep the names on one node of a cluster.
        foreach (['entries', 'order', 'expiry', 'version'] as $name) {
            $this->names[] = "{{$prefix}}:$name";
        }
    }

    public function get(string $key, int $now): ?array
    {
        $held = $this->read('HGET', $this->names[0], Key::check($key));
        if ($held === null) {
            return null;
        }
        $entry = $this->entry($held);
        return $entry['expires_at'] !== null && $now > $entry['expires_at'] ? null : $entry;
    }

    public function put(string $key, string $value, ?int $expected, ?int $expiresAt, int $now): ?int
    {
        $words = self::putWords($key, $value, $expected, $expiresAt);
        [$version] = $this->change($words, $now);
        return $version === null ? null : (int) $version;
    }

    public function delete(string $key, ?int $expected, int $now): bool
    {
        $words = self::deleteWords($key, $expected);
        return $expected !== 0 && (int) $this->change($words, $now)[0] === 1;
    }

    public function batch(array $changes, int $now): array
    {
        if ($changes === []) {
            return [];
        }
        $words = array_map(static fn (array $change): array => match ($change[0]) {
            'put' => self::putWords(...array_slice($change, 1)),
            'delete' => self::deleteWords(...array_slice($change, 1)),
            'purge_some' => self::purgeWords(...array_slice($change, 1)),
        }, array_values($changes));
        $answers = $this->change(array_merge(...$words), $now);
        return array_map(static fn (array $change, mixed $answer): mixed => match (true) {
            $change[0] === 'delete' => (int) $answer === 1,
            $answer === null => null,
            default => (int) $answer,
        }, array_slice(array_values($changes), 0, count($answers)), $answers);
    }

    public function scan(string $prefix, ?string $after, int $limit, int $now): array
    {
        Key::check($prefix);
        if ($limit <= 0) {
            return [];
        }
        $start = "[$prefix";
        if ($after !== null && strcmp(Key::check($after), $prefix) >= 0) {
            $start = "($after";
        }
        $words = ['scan', $start, '(' . Key::end($prefix), (string) $limit];
        $found = $this->read(...$this->call($words, $now));
        return array_map(
            fn (array $pair): array => ['key' => $this->key($pair[0])] + $this->entry($pair[1]),
            array_chunk($found, 2)
        );
    }

    public function purge(string $prefix, int $now): int
    {
        return (int) $this->change(self::purgeWords($prefix, null), $now)[0];
    }

    public function shared(): bool
    {
        return true;
    }

    /** Closes the connection. Every later call fails with `closed`. */
    public function close(): void
    {
        $this->closed = true;
        $this->forget();
    }

    /** @return array<string, string> what a dump shows: no password */
    public function __debugInfo(): array
    {
        return ['place' => $this->place, 'names' => implode(' ', $this->names)];
    }

    /** Sends a command that changes nothing; once more, if the connection broke. */
    private function read(string ...$command): mixed
    {
        try {
            return $this->send($command);
        } catch (Failure $failure) {
            if ($failure->getKind() !== 'io') {
                throw $failure;
            }
            return $this->send($command);
        }
    }

    /** @return list<string> the words of a put, as the script takes them */
    private static function putWords(
        string $key,
        string $value,
        ?int $expected,
        ?int $expiresAt
    ): array {
        $expect = match ($expected) {
            null => 'any',
            0 => 'absent',
            default => (string) $expected,
        };
        $until = $expiresAt === null ? '' : self::time($expiresAt);
        return ['put', Key::check($key), $value, $expect, $until];
    }

    /** @return list<string> */
    private static function deleteWords(string $key, ?int $expected): array
    {
        $expect = $expected === 0 ? 'absent' : (string) ($expected ?? 'any');
        return ['delete', Key::check($key), $expect];
    }

    /** @return list<string> */
    private static function purgeWords(string $prefix, ?int $limit): array
    {
        return ['purge', Key::check($prefix), (string) $limit];
    }

    /**
     * Returns the command that runs the script.
     *
     * @param list<string> $words
     * @return list<string>
     */
    private function call(array $words, int $now): array
    {
        self::$script ??= (string) file_get_contents(__DIR__ . '/redis.lua');
        $names = [(string) count($this->names), ...$this->names];
        return ['EVAL', self::$script, ...$names, self::time($now), ...$words];
    }

    /**
     * Makes changes, once; then waits for replicas if that is asked for.
     *
     * @param list<string> $words
     * @return list<mixed> the answers of the script
     */
    private function change(array $words, int $now): array
    {
        $changed = $this->send($this->call($words, $now));
        if ($this->waitReplicas > 0) {
            $patience = (string) (int) ($this->timeout * 500);
            $replicas = (int) $this->send(['WAIT', (string) $this->waitReplicas, $patience]);
            if ($replicas < $this->waitReplicas) {
                throw new Failure(
                    'io',
                    "the change was made at {$this->place}, but only $replicas replicas of "
                        . "{$this->waitReplicas} have it; a failover may lose it"
                );
            }
        }
        return (array) $changed;
    }

    /** @param list<string> $command */
    private function send(array $command): mixed
    {
        if ($this->closed) {
            $message = "the store at {$this->place} was closed; open it again";
            throw new Failure('closed', $message);
        }
        if ($this->open?->isReady() === false) {
            // It broke while nobody used it, and nothing was sent.
            $this->forget();
        }
        try {
            $this->open ??= new RedisConnection($this->server, $this->timeout);
            return $this->open->ask($command);
        } catch (RedisFault $fault) {
            throw $this->failure($fault->getMessage(), $fault);
        }
    }

    private function forget(): void
    {
        $this->open?->close();
        $this->open = null;
    }

    private function failure(string $text, RedisFault $error): StoreException
    {
        if (str_starts_with($text, 'WRONGTYPE') || str_contains($text, 'CORRUPT')) {
            return new Failure('corrupt', $this->corrupt(), $error);
        }
        // After a failover, the name of the server may lead to the new one.
        $this->forget();
        if (str_starts_with($text, 'READONLY')) {
            $message = "the Redis server {$this->place} is a replica, which may only be read";
            return new Failure('read_only', $message, $error);
        }
        $message = "the Redis server {$this->place} cannot be used now";
        $password = $this->server['password'];
        if ($password !== null && $password !== '' && str_contains($text, $password)) {
            return new Failure('io', $message);
        }
        return new Failure('io', "$message: $text", $error);
    }

    private function corrupt(): string
    {
        $names = implode(', ', $this->names);
        return "what stands at {$this->place} under $names is no store; give another prefix";
    }

    private function key(string $name): string
    {
        return Key::fits($name) ? $name : throw new Failure('corrupt', $this->corrupt());
    }

    /** @return array{value: string, version: int, expires_at: ?int} */
    private function entry(string $held): array
    {
        $fits = preg_match('/^([1-9]\d{0,15}):(\d{20}|):/', $held, $parts) === 1;
        if (!$fits || (int) $parts[1] >= self::LAST_VERSION || strcmp($parts[2], self::LAST) > 0) {
            throw new Failure('corrupt', $this->corrupt());
        }
        return [
            'value' => substr($held, strlen($parts[0])),
            'version' => (int) $parts[1],
            'expires_at' => $parts[2] === '' ? null : self::read64($parts[2]),
        ];
    }

    /** Writes a time as 20 digits with its sign bit turned: texts compare as the times do. */
    private static function time(int $time): string
    {
        return sprintf('%020u', $time ^ PHP_INT_MIN);
    }

    /** Reads a time that was written as 20 digits. */
    private static function read64(string $digits): int
    {
        $high = (int) substr($digits, 0, 10);
        $low = (int) substr($digits, 10);
        // No step leaves the range of an integer.
        return $high > self::ZERO_HIGH
            ? ($high - self::ZERO_HIGH - 1) * 10 ** 10 + ($low - self::ZERO_LOW + 10 ** 10)
            : ($high - self::ZERO_HIGH) * 10 ** 10 + ($low - self::ZERO_LOW);
    }

    /** @return array{at: string, user: ?string, password: ?string, database: int} */
    private static function parse(#[SensitiveParameter] string $url): array
    {
        $login = '(?:([^:@/]*):([^@/]*)@)?';
        if (preg_match("~^unix://$login(/[^?]+)(?:\\?db=(\\d+))?$~D", $url, $parts) === 1) {
            $server = ['at' => "unix://{$parts[3]}", 'database' => (int) ($parts[4] ?? 0)];
            return $server + self::login($parts[1], $parts[2]);
        }
        $host = '([^:@/]+|\[[0-9a-f:]+\])(?::(\d{1,5}))?(?:/(\d*))?';
        if (preg_match("~^redis(s?)://$login$host$~Di", $url, $parts) !== 1) {
            throw new InvalidArgumentException(
                'the URL of the Redis server is not of the form '
                    . 'redis://user:password@host:6379/0, with %40 for an @ in the password'
            );
        }
        $port = (int) ($parts[5] ?? '') ?: 6379;
        return [
            'at' => ($parts[1] === '' ? 'tcp' : 'tls') . "://{$parts[4]}:$port",
            'database' => (int) ($parts[6] ?? ''),
        ] + self::login($parts[2], $parts[3]);
    }

    /** @return array{user: ?string, password: ?string} */
    private static function login(string $user, #[SensitiveParameter] string $password): array
    {
        return [
            'user' => $user === '' ? null : rawurldecode($user),
            'password' => $password === '' ? null : rawurldecode($password),
        ];
    }
}
