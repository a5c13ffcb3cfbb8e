<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use RuntimeException;

/** The servers of these tests: `servers.py` runs them as long as this process lives. */
final class Servers
{
    /** @var array<string, array{port: int, proxy: int, password: string}> */
    private static array $told = [];
    /** @var list<resource> what the servers read, and what they print */
    private static array $pipes = [];

    /** @return array{port: int, proxy: int, password: string} the address of a server */
    public static function of(string $name): array
    {
        self::run();
        return self::$told[$name];
    }

    /** Gives the servers a command: `kill`, `start`, `cut`, `plan`, `read_only`. */
    public static function tell(string ...$words): void
    {
        if (self::ask(...$words) !== 'done') {
            throw new RuntimeException(implode(' ', $words) . ' failed');
        }
    }

    /** Gives the servers a command, and returns their answer. */
    public static function ask(string ...$words): string
    {
        self::run();
        [$input, $output] = self::$pipes;
        fwrite($input, implode(' ', $words) . "\n");
        fflush($input);
        return trim((string) fgets($output));
    }

    private static function run(): void
    {
        if (self::$told !== []) {
            return;
        }
        $command = ['python3', __DIR__ . '/../servers.py', 'redis', 'postgres', 'mariadb'];
        $process = proc_open($command, [['pipe', 'r'], ['pipe', 'w'], STDERR], self::$pipes);
        self::$told = json_decode((string) fgets(self::$pipes[1]), true, 8, JSON_THROW_ON_ERROR);
        register_shutdown_function(static function () use ($process): void {
            fclose(self::$pipes[0]);
            proc_close($process);
        });
    }
}
