<?php

declare(strict_types=1);

namespace Toolwire\Tools\Store;

use SensitiveParameter;

/**
 * A connection to a Redis server, over a stream of PHP.
 *
 * An answer is whole, or it is an error: the extension `redis` takes one that was cut for null or
 * for a shorter one, or ends the process. Nothing is sent twice. See
 * https://redis.io/docs/latest/develop/reference/protocol-spec/ (RESP2).
 */
final class RedisConnection
{
    /** The longest line of an answer, and the longest text that Redis keeps. */
    private const LONGEST_LINE = 1 << 16;
    private const LONGEST_TEXT = 1 << 29;
    private const PIECE = 1 << 20;
    private const DEEPEST = 4;

    /** @var resource|null */
    private $stream;

    /**
     * Connects, and logs in.
     *
     * @param array{at: string, user: ?string, password: ?string, database: int} $server
     * @throws RedisFault
     */
    public function __construct(#[SensitiveParameter] array $server, float $timeout)
    {
        $stream = @stream_socket_client($server['at'], $code, $said, $timeout);
        if ($stream === false) {
            throw new RedisFault($said === '' ? 'there is no connection' : $said);
        }
        $this->stream = $stream;
        stream_set_timeout($stream, (int) $timeout, (int) (fmod($timeout, 1.0) * 1e6));
        ['user' => $user, 'password' => $password, 'database' => $database] = $server;
        if ($password !== null) {
            $this->ask($user === null ? ['AUTH', $password] : ['AUTH', $user, $password]);
        }
        if ($database !== 0) {
            $this->ask(['SELECT', (string) $database]);
        }
    }

    /**
     * Sends a command, and returns its answer.
     *
     * @param list<string> $command
     * @return string|int|list<mixed>|null
     * @throws RedisFault
     */
    public function ask(#[SensitiveParameter] array $command): string|int|array|null
    {
        $text = '*' . count($command) . "\r\n";
        foreach ($command as $word) {
            $text .= '$' . strlen($word) . "\r\n$word\r\n";
        }
        $this->write($text);
        return $this->answer(0);
    }

    /** Whether a command may be sent: the server has neither closed the connection nor spoken. */
    public function isReady(): bool
    {
        if ($this->stream === null) {
            return false;
        }
        [$read, $write, $except] = [[$this->stream], null, null];
        return @stream_select($read, $write, $except, 0) === 0;
    }

    public function close(): void
    {
        if ($this->stream !== null) {
            @fclose($this->stream);
            $this->stream = null;
        }
    }

    private function write(#[SensitiveParameter] string $text): void
    {
        for ($sent = 0; $sent < strlen($text); $sent += $count) {
            $count = $this->stream === null
                ? false
                : @fwrite($this->stream, substr($text, $sent, self::PIECE));
            if ($count === false || $count === 0) {
                throw $this->broken('the connection broke');
            }
        }
    }

    /** @return string|int|list<mixed>|null */
    private function answer(int $depth): string|int|array|null
    {
        $line = $this->line();
        $rest = substr($line, 1);
        switch ($line[0] ?? '') {
            case '+':
                return $rest;
            case '-':
                // The parts of a list that was begun are not read any more.
                throw $depth === 0 ? new RedisFault($rest, true) : $this->broken($rest);
            case ':':
                return $this->number($rest);
            case '$':
                $length = $this->number($rest);
                return $length === -1 ? null : $this->text($length);
            case '*':
                $count = $this->number($rest);
                if ($count === -1) {
                    return null;
                }
                if ($count < 0 || $depth >= self::DEEPEST) {
                    throw $this->broken('the answer is none of Redis');
                }
                $parts = [];
                while (count($parts) < $count) {
                    $parts[] = $this->answer($depth + 1);
                }
                return $parts;
            default:
                throw $this->broken('the answer is none of Redis');
        }
    }

    private function line(): string
    {
        $line = @fgets($this->stream, self::LONGEST_LINE);
        if ($line === false || !str_ends_with($line, "\r\n")) {
            throw $this->broken('the answer did not come whole');
        }
        return substr($line, 0, -2);
    }

    private function text(int $length): string
    {
        if ($length < 0 || $length > self::LONGEST_TEXT) {
            throw $this->broken('the answer is none of Redis');
        }
        $text = '';
        while (strlen($text) < $length + 2) {
            $piece = @fread($this->stream, min(self::PIECE, $length + 2 - strlen($text)));
            if ($piece === false || $piece === '') {
                throw $this->broken('the answer did not come whole');
            }
            $text .= $piece;
        }
        if (!str_ends_with($text, "\r\n")) {
            throw $this->broken('the answer is none of Redis');
        }
        return substr($text, 0, -2);
    }

    private function number(string $digits): int
    {
        if (preg_match('/^-?\d{1,18}$/D', $digits) !== 1) {
            throw $this->broken('the answer is none of Redis');
        }
        return (int) $digits;
    }

    /** Closes the connection, since nobody knows what comes next on it. */
    private function broken(string $message): RedisFault
    {
        $this->close();
        return new RedisFault($message);
    }
}
