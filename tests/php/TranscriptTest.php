<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use PHPUnit\Framework\TestCase;
use Toolwire\Exception\InvalidArgument;
use Toolwire\Exception\WrongType;
use Toolwire\Reader;
use Toolwire\Report;
use Toolwire\Transcript;

/** Transcripts as only PHP has them. */
final class TranscriptTest extends TestCase
{
    private static function call(string $id, string $name, mixed $parameters): string
    {
        return json_encode([
            'type' => 'tool_call', 'id' => $id, 'messageId' => 'm', 'toolId' => $name,
            'toolName' => $name, 'parameters' => $parameters, 'timestamp' => 1000,
            'session_id' => 's',
        ]) . "\n";
    }

    private static function resultLine(string $id, mixed $value, bool $isError = false): string
    {
        return json_encode([
            'type' => 'tool_result', 'id' => $id, 'messageId' => 'm', 'toolId' => '',
            'isError' => $isError, 'value' => $value, 'timestamp' => 1500, 'session_id' => 's',
        ]) . "\n";
    }

    public function testACallHasAllThatTheLogSays(): void
    {
        $log = self::call('a', 'Read', ['file_path' => '/w/x'])
            . self::resultLine('a', 'gone', true);
        $transcript = Transcript::normalize($log, worktree: '/w');
        self::assertCount(1, $transcript);
        [$call] = $transcript->calls;
        self::assertSame(['tool_use', 'x', 'read', 'Read', 'a'], [
            $call->type, $call->content, $call->toolName, $call->name, $call->id,
        ]);
        self::assertSame(['failed', ['file_path' => '/w/x'], '{"file_path":"\/w\/x"}'], [
            $call->status, $call->arguments, $call->argumentsRaw,
        ]);
        self::assertSame(['kind' => 'tool_error', 'message' => 'gone'], $call->error);
        self::assertSame([1000, 500], [$call->started, $call->duration]);
        self::assertSame('gone', $call->result->errorMessage);
        $report = new Report();
        array_map($report->add(...), $transcript->toResults());
        self::assertSame(1, $report->failed());
    }

    public function testAMessageHasNothingOfACall(): void
    {
        [$entry] = Transcript::normalize('plain')->entries;
        self::assertSame(['system_message', 'plain'], [$entry->type, $entry->content]);
        foreach ([
            'toolName', 'name', 'id', 'status', 'arguments', 'argumentsRaw', 'action', 'error',
            'started', 'duration', 'result',
        ] as $property) {
            self::assertNull($entry->$property, $property);
        }
    }

    public function testPiecesMayEndAnywhere(): void
    {
        $log = self::call('é', 'Execute', ['command' => 'ls'])
            . self::resultLine('é', "a\n[Process exited with code 3]");
        $whole = array_map(
            static fn ($patch) => $patch->toArray(),
            Transcript::normalize($log)->patches
        );
        foreach (range(0, strlen($log), 7) as $cut) {
            $reader = new Reader();
            $patches = [
                ...$reader->feedPiece(substr($log, 0, $cut)),
                ...$reader->feedPiece(substr($log, $cut)),
            ];
            self::assertSame([], $reader->finish());
            self::assertSame($whole, array_map(static fn ($patch) => $patch->toArray(), $patches));
            self::assertSame(['s', 'droid', [], 0], [
                $reader->sessionId, $reader->dialect, $reader->pending, $reader->givenUp,
            ]);
        }
    }

    public function testAnyBytesGiveEntries(): void
    {
        mt_srand(5);
        $log = self::call('a', 'Edit', ['path' => 'p', 'old_str' => "a\nb", 'new_str' => 'b'])
            . self::resultLine('a', null);
        for ($round = 0; $round < 300; $round++) {
            $damaged = $log;
            for ($times = mt_rand(0, 5); $times > 0; $times--) {
                $damaged[mt_rand(0, strlen($log) - 1)] = chr(mt_rand(0, 255));
            }
            $transcript = Transcript::normalize($damaged);
            self::assertNotEmpty($transcript->entries);
            foreach ($transcript->entries as $entry) {
                json_encode($entry->toArray(), JSON_THROW_ON_ERROR);
            }
            self::assertStringStartsWith('<!DOCTYPE html>', $transcript->toHtml());
        }
    }

    public function testMemoryDoesNotGrowWithTheLog(): void
    {
        $reader = new Reader();
        $run = static function (int $lines) use ($reader): int {
            for ($line = 0; $line < $lines; $line++) {
                $reader->feed(self::call("c$line", 'Execute', ['command' => 'ls']));
                $reader->feed(self::resultLine("c$line", str_repeat('x', 1000)));
            }
            return memory_get_usage();
        };
        $before = $run(100);
        self::assertLessThan(10_000, $run(2000) - $before);
    }

    public function testAnIndexLinksThePagesOfSessions(): void
    {
        $log = json_encode(['role' => 'user', 'content' => '<b>How late is it?</b>']);
        $index = Transcript::indexHtml(['a b.html' => Transcript::normalize($log)]);
        self::assertStringContainsString('<a href="./a%20b.html">', $index);
        self::assertStringContainsString('&lt;b&gt;How late is it?', $index);
        $this->expectException(WrongType::class);
        Transcript::indexHtml(['a.html' => $log]);
    }

    public function testAnUnknownDialectIsRefused(): void
    {
        $this->expectException(InvalidArgument::class);
        new Reader(dialect: 'nobody');
    }

    public function testTheExampleOfTheDocumentationDoesWhatItSays(): void
    {
        $page = (string) file_get_contents(Cases::ROOT . '/docs/transcripts.md');
        self::assertSame(1, preg_match('/```php\n(.*?)```/s', $page, $example));
        ob_start();
        eval($example[1]);
        self::assertSame("replace /entries/0 noon\n", ob_get_clean());
    }
}
