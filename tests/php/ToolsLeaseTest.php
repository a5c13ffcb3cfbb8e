<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Toolwire\Exception\InvalidArgument;
use Toolwire\Tools\Executor;
use Toolwire\Tools\Registry;
use Toolwire\Tools\Store\Sqlite;
use Toolwire\Tools\ToolDefinition;
use Toolwire\Tools\ToolInput;
use Toolwire\Tools\ToolOutput;

require_once __DIR__ . '/ToolsSafetyTest.php';

/** For how long a handler works: it says that it works, and it has a limit. */
final class ToolsLeaseTest extends TestCase
{
    private const CALL = ['id' => 'call_1', 'type' => 'COPY', 'payload' => []];
    private string $path;

    protected function setUp(): void
    {
        $this->path = sys_get_temp_dir() . '/toolwire-lease-' . bin2hex(random_bytes(8)) . '.db';
    }

    protected function tearDown(): void
    {
        array_map('unlink', glob("{$this->path}*"));
    }

    public function testAHandlerTellsHowFarItHasCome(): void
    {
        $input = null;
        $executor = $this->executor(static function (ToolInput $given) use (&$input): array {
            $input = $given;
            return [$given->progress(1, 2, 'half'), $given->progress(2.5)];
        });
        $told = [];
        $executor->listen(static function (string $type, array $data) use (&$told): void {
            if ($type === 'tool.progress') {
                $told[] = [$data['tool_name'], $data['progress'], $data['total'], $data['message']];
            }
        });
        $both = [['copy', 1.0, 2.0, 'half'], ['copy', 2.5, null, null]];
        foreach (['start', 'execute'] as $method) {
            $told = [];
            $run = $executor->$method(self::CALL);
            self::assertSame(['completed', [true, true]], [$run->state, $run->output->data]);
            self::assertSame($both, $told, 'a listener is told, and nothing after the handler');
            self::assertFalse($input->progress(3), 'the handler has ended');
            self::assertCount(2, $told);
        }
    }

    public function testAHandlerThatOutlivesItsExecutorTellsNobody(): void
    {
        $input = null;
        $executor = $this->executor(static function (ToolInput $given) use (&$input): void {
            $input = $given;
        });
        $executor->listen(static fn () => null);
        $executor->start(self::CALL);
        unset($executor);
        gc_collect_cycles();
        self::assertFalse($input->progress(1));
    }

    public function testAHandlerThatHasLostItsRunIsTold(): void
    {
        $executor = $this->executor(static function (ToolInput $input): array {
            $had = $input->progress(1);
            Executor::interruptOpenRuns();
            usleep(1_100_000);
            return [$had, $input->progress(2)];
        });
        $warned = [];
        set_error_handler(static function (int $level, string $message) use (&$warned): bool {
            $warned[] = $message;
            return true;
        });
        $run = $executor->start(self::CALL);
        restore_error_handler();
        self::assertSame(['completed', [true, false]], [$run->state, $run->output->data]);
        self::assertCount(1, $warned);
        self::assertStringContainsString("the end of the run '{$run->id}' was not kept", $warned[0]);
        self::assertStringContainsString($run->id, $run->notKept);
        self::assertNull($executor->run($run->id)->notKept);
        self::assertSame('interrupted', $executor->run($run->id)->state);
        self::assertSame('approved', $executor->retry($run->id)->state);
    }

    public function testATimeOutEndsAHandlerAndTheLimitBeforeIsPutBack(): void
    {
        $code = <<<'PHP'
            $registry = new Toolwire\Tools\Registry();
            $add = fn (string $name, callable $handler, float $seconds) => $registry->register(
                new Toolwire\Tools\ToolDefinition($name, $name, $handler, timeoutSeconds: $seconds)
            );
            $limit = fn () => ini_get('max_execution_time');
            $add('look', $limit, 7.2);
            $add('throw', fn () => throw new Exception('no'), 9);
            $add('hang', function () { while (true) { } }, 0.4);
            $executor = new Toolwire\Tools\Executor($registry, new Toolwire\Tools\Store\Sqlite($argv[1]));
            $start = fn (string $name) => $executor->start(['id' => $name, 'type' => $name]);
            set_time_limit(50);
            echo $start('look')->output->data, ' ', $limit(), ' ';
            echo $start('throw')->state, ' ', $limit(), ' ';
            $start('hang');
            echo 'after';
            PHP;
        [$output] = ToolsSafetyTest::php($code, $this->path);
        self::assertStringStartsWith('8 50 failed 50', $output);
        self::assertStringNotContainsString('after', $output);
        $states = array_map(
            fn (string $name) => $this->executor(null, $name)->start(['id' => $name, 'type' => $name])->state,
            ['look', 'throw', 'hang']
        );
        self::assertSame(['completed', 'failed', 'interrupted'], $states);
    }

    /** @return iterable<string, array{float}> */
    public static function noTimes(): iterable
    {
        yield 'nothing' => [0.0];
        yield 'less' => [-1.0];
        yield 'no number' => [NAN];
        yield 'forever' => [INF];
    }

    /** @dataProvider noTimes */
    #[DataProvider('noTimes')]
    public function testATimeOutIsATime(float $seconds): void
    {
        $this->expectException(InvalidArgument::class);
        $this->expectExceptionMessage('timeoutSeconds');
        new ToolDefinition('copy', 'COPY', static fn () => null, timeoutSeconds: $seconds);
    }

    public function testATimeOutIsAFieldOfTheTool(): void
    {
        $tool = new ToolDefinition('copy', 'COPY', static fn () => null, timeoutSeconds: 1.5);
        self::assertSame([1.5, 1.5], [$tool->timeoutSeconds, $tool->toArray()['timeout_seconds']]);
        $tool = new ToolDefinition('copy', 'COPY', static fn () => null);
        self::assertNull($tool->timeoutSeconds);
    }

    private function executor(?callable $handler, string $type = 'COPY'): Executor
    {
        $registry = new Registry();
        $handler ??= static fn () => ToolOutput::ok();
        $registry->register(new ToolDefinition(strtolower($type), $type, $handler));
        return new Executor($registry, new Sqlite($this->path));
    }
}
