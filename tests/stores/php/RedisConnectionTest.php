<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use PHPUnit\Framework\TestCase;
use Toolwire\Tools\Store\RedisConnection;
use Toolwire\Tools\Store\RedisFault;

/** Answers of a Redis server that are cut at any byte, or are none. */
final class RedisConnectionTest extends TestCase
{
    /** Whole answers, and what they say. */
    private const ANSWERS = [
        "+OK\r\n" => 'OK', "\$-1\r\n" => null, "*-1\r\n" => null, ":15\r\n" => 15, ":-1\r\n" => -1,
        "\$0\r\n\r\n" => '', "\$16\r\n1234567890123456\r\n" => '1234567890123456',
        "\$4\r\n\r\n\0\xff\r\n" => "\r\n\0\xff", "*0\r\n" => [],
        "*3\r\n\$1\r\na\r\n:7\r\n\$-1\r\n" => ['a', 7, null],
    ];
    private const NONE = [
        "x\r\n", "\r\n", "HTTP/1.1 400 Bad Request\r\n\r\n", ":\r\n", ":1a\r\n", ": 1\r\n", "\$\r\n",
        "\$-2\r\n", "\$1\r\nabc\r\n", "\$99999999999999999999\r\n", "\$9999999999\r\n", "*-2\r\n",
        "*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n:1\r\n", "*2\r\n:1\r\n-ERR in it\r\n", "+OK\n",
    ];

    public function testAWholeAnswerIsRead(): void
    {
        foreach (self::ANSWERS as $answer => $says) {
            self::assertSame($says, self::ask($answer), json_encode($answer) ?: '');
        }
    }

    public function testAnAnswerThatIsCutAtAnyByteIsAnError(): void
    {
        $answers = [...array_keys(self::ANSWERS), "-ERR no\r\n"];
        foreach ($answers as $answer) {
            for ($size = 0; $size < strlen($answer); $size++) {
                self::assertBreaks(substr($answer, 0, $size));
            }
        }
    }

    public function testWhatIsNoAnswerIsAnError(): void
    {
        foreach (self::NONE as $answer) {
            self::assertBreaks($answer);
        }
    }

    public function testARefusalLeavesTheConnectionWhole(): void
    {
        [$connection, $server] = self::connected("-ERR no\r\n+OK\r\n");
        try {
            $connection->ask(['GET', 'a']);
            self::fail('nothing was thrown');
        } catch (RedisFault $fault) {
            self::assertSame(['ERR no', true], [$fault->getMessage(), $fault->refused]);
        }
        self::assertSame('OK', $connection->ask(['PING']));
        self::assertTrue($connection->isReady());
        fclose($server);
        self::assertFalse($connection->isReady());
    }

    private static function assertBreaks(string $answer): void
    {
        try {
            $said = self::ask($answer);
            self::fail(json_encode($answer) . ' was read as ' . json_encode($said));
        } catch (RedisFault $fault) {
            self::assertFalse($fault->refused, json_encode($answer) ?: '');
        }
    }

    private static function ask(string $answer): mixed
    {
        [$connection, $server] = self::connected($answer);
        stream_socket_shutdown($server, STREAM_SHUT_WR);
        return $connection->ask(['HGET', 'a', "b\0"]);
    }

    /** @return array{RedisConnection, resource} a connection, and the server's end of it */
    private static function connected(string $answer): array
    {
        $listener = stream_socket_server('tcp://127.0.0.1:0');
        $at = 'tcp://' . stream_socket_get_name($listener, false);
        $server = ['at' => $at, 'user' => null, 'password' => null, 'database' => 0];
        $connection = new RedisConnection($server, 5.0);
        $accepted = stream_socket_accept($listener);
        fwrite($accepted, $answer);
        return [$connection, $accepted];
    }
}
