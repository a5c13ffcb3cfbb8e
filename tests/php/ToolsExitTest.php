<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use Fiber;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Toolwire\Exception\InvalidArgument;
use Toolwire\Tools\Executor;
use Toolwire\Tools\RateLimiter;
use Toolwire\Tools\Registry;
use Toolwire\Tools\Store\Sqlite;
use Toolwire\Tools\ToolDefinition;
use Toolwire\Tools\ToolOutput;

require_once __DIR__ . '/ToolsSafetyTest.php';

/** Runs whose handler ends the request are interrupted at once, and can be retried. */
final class ToolsExitTest extends TestCase
{
    /** A store in PHP code, whose entries are in a file. */
    private const STORE = <<<'PHP'
        final class Forwarding implements Toolwire\Tools\Store {
            private $to;
            function __construct(string $path) { $this->to = new Toolwire\Tools\Store\Sqlite($path); }
            function get(string $key, int $now): ?array { return $this->to->get($key, $now); }
            function put(string $key, string $value, ?int $expected, ?int $until, int $now): ?int {
                return $this->to->put($key, $value, $expected, $until, $now);
            }
            function delete(string $key, ?int $expected, int $now): bool {
                return $this->to->delete($key, $expected, $now);
            }
            function scan(string $prefix, ?string $after, int $limit, int $now): array {
                return $this->to->scan($prefix, $after, $limit, $now);
            }
            function purge(string $prefix, int $now): int { return $this->to->purge($prefix, $now); }
            function shared(): bool { return true; }
        }
        PHP;

    private const CALL = ['id' => 'call_1', 'type' => 'MAIL', 'payload' => ['to' => 'ann']];
    private string $path;

    protected function setUp(): void
    {
        $this->path = sys_get_temp_dir() . '/toolwire-exit-' . bin2hex(random_bytes(8)) . '.db';
    }

    protected function tearDown(): void
    {
        array_map('unlink', glob("{$this->path}*"));
    }

    public function testListenersLiveAsLongAsTheRunsThatTheyAreToldOf(): void
    {
        [$told, $status] = ToolsSafetyTest::php(<<<'PHP'
            use Toolwire\Tools\{Executor, Registry, ToolDefinition};
            register_shutdown_function(function () {
                gc_collect_cycles();
                $GLOBALS['over'] = array_map(fn ($n) => str_repeat('x', $n), range(1, 500));
            });
            // The executor and its listener hold each other, and nobody else holds them.
            (function () {
                $registry = new Registry();
                $leave = static function () { exit; };
                $registry->register(new ToolDefinition('leave', 'LEAVE', $leave));
                $executor = new Executor($registry);
                $executor->listen(function (string $type) use ($executor) { echo "$type "; });
                $executor->start(['type' => 'LEAVE', 'payload' => []]);
            })();
            PHP);
        self::assertSame([0, 'tool.invoked tool.started tool.interrupted'], [$status, $told]);
    }

    public function testTheReasonHasNoArgumentsOfATrace(): void
    {
        [$told] = ToolsSafetyTest::php(<<<'PHP'
            use Toolwire\Tools\{Executor, Registry, ToolDefinition};
            $registry = new Registry();
            $wait = static function () { Fiber::suspend(); };
            $registry->register(new ToolDefinition('wait', 'WAIT', $wait));
            $executor = new Executor($registry);
            $executor->listen(function (string $type, array $data): void {
                echo isset($data['detail']) ? "detail: $data[detail]\n" : '';
            });
            $fiber = new Fiber(fn () => $executor->start(['type' => 'WAIT', 'payload' => []]));
            $fiber->start();
            function login($user, $word) { throw new LogicException('no such user'); }
            login('root', 'hunter2');
            PHP, '', [], ['-d', 'zend.exception_ignore_args=0', '-d', 'display_errors=0',
                '-d', 'zend.exception_string_param_max_len=15', '-d', 'log_errors=0']);
        self::assertStringContainsString('detail: Uncaught LogicException: no such user', $told);
        self::assertStringNotContainsString('hunter2', $told);
    }

    /** @return iterable<string, array{string, string}> */
    public static function ends(): iterable
    {
        $ends = [
            'exit' => 'exit("gone");',
            'exit in a nested call' => '(function () { array_map(fn () => exit(1), [1]); })();',
            'a fatal error' => 'eval("class Late implements Serializable, Iterator {}");',
            'too much memory' => 'ini_set("memory_limit", "16M"); str_repeat("x", 1 << 26);',
            'the time limit' => 'set_time_limit(1); while (true) { }',
        ];
        foreach ($ends as $name => $code) {
            yield "$name, a native store" => [$code, 'new Toolwire\Tools\Store\Sqlite($argv[1])'];
            yield "$name, a store in PHP" => [$code, 'new Forwarding($argv[1])'];
        }
    }

    /** @dataProvider ends */
    #[DataProvider('ends')]
    public function testTheNextRequestSeesAnInterruptedRun(string $ending, string $store): void
    {
        $code = self::STORE . <<<PHP
            \$registry = new Toolwire\Tools\Registry();
            \$registry->register(new Toolwire\Tools\ToolDefinition('mail', 'MAIL', function () {
                $ending
            }));
            \$executor = new Toolwire\Tools\Executor(\$registry, $store);
            \$done = ['id' => 'done', 'type' => 'NONE', 'payload' => []];
            \$call = ['id' => 'call_1', 'type' => 'MAIL', 'payload' => ['to' => 'ann']];
            \$executor->start(\$done);
            \$executor->start(\$call);
            echo 'after';
            PHP;
        [$output] = ToolsSafetyTest::php($code, $this->path);
        self::assertStringNotContainsString('after', $output);
        $ran = [];
        $executor = $this->executor(static function ($input) use (&$ran): ToolOutput {
            $ran[] = $input->idempotencyKey;
            return ToolOutput::ok($input->payload);
        });
        $run = $executor->start(self::CALL);
        self::assertSame(['interrupted', []], [$run->state, $ran], $output);
        self::assertSame('approved', $executor->retry($run->id)->state);
        $again = $executor->resume($run->id);
        self::assertSame(['completed', ['to' => 'ann']], [$again->state, $again->output->data]);
        self::assertCount(1, $ran);
    }

    public function testARunStartsWhereTheEndOfARequestCannotBeWatched(): void
    {
        $code = '$r = new Toolwire\Tools\Registry(); $r->register(new Toolwire\Tools\ToolDefinition('
            . '"mail", "MAIL", function () { echo "ran "; }));'
            . '$e = new Toolwire\Tools\Executor($r, new Toolwire\Tools\Store\Sqlite($argv[1]));'
            . 'echo $e->start(["id" => "a", "type" => "MAIL"])->state;';
        [$output, $status] = ToolsSafetyTest::php(
            $code,
            $this->path,
            options: ['-d', 'disable_functions=register_shutdown_function']
        );
        self::assertSame(['ran completed', 0], [$output, $status]);
    }

    public function testBytesThatAreNoTextNameNoCall(): void
    {
        $executor = $this->executor(static fn () => ToolOutput::ok());
        foreach (
            [
                ['bad_id', ['id' => "\xff", 'type' => 'MAIL', 'payload' => []]],
                ['invalid_utf8', ['type' => 'MAIL', 'payload' => "{\"a\":\"\xff\"}"]],
                ['bad_id', ['id' => "c\xff", 'name' => 'mail', 'arguments' => []]],
                ['bad_id', (object) ['id' => "c\xff", 'name' => 'mail', 'arguments' => '{}']],
                ['invalid_utf8', ['name' => 'mail', 'arguments' => "{\"a\":\"x\xffy\"}"]],
                ['invalid_utf8', ['name' => 'mail', 'arguments' => ['a' => ["x\xffy"]]]],
                ['invalid_utf8', ['name' => 'mail', 'arguments' => ["x\xffy" => 1]]],
            ] as [$code, $action]
        ) {
            $run = $executor->start($action);
            self::assertSame(['failed', $code], [$run->state, $run->error->getKind()]);
        }
    }

    public function testBytesThatAreNoTextNameNoCaller(): void
    {
        $executor = $this->executor(static fn () => ToolOutput::ok());
        $limiter = new RateLimiter(new ArrayStore(), 1, 1.0);
        $refused = [
            'caller' => static fn () => $executor->start(self::CALL, ['caller' => "M\xfcller"]),
            'parent_id' => static fn () => $executor->start(self::CALL, ['parent_id' => "\xff"]),
            'tool' => static fn () => $limiter->check("\xff"),
        ];
        foreach ($refused as $what => $call) {
            try {
                $call();
                self::fail("no error for $what");
            } catch (InvalidArgument $error) {
                self::assertSame("$what must be UTF-8", $error->getMessage());
            }
        }
        $this->expectExceptionMessage('caller must be UTF-8');
        $limiter->check('mail', "M\xf6ller");
    }

    public function testAProcessThatWasForkedInterruptsNothing(): void
    {
        if (!function_exists('pcntl_fork')) {
            self::markTestSkipped('this PHP cannot fork');
        }
        $executor = $this->executor(static function (): ToolOutput {
            $child = pcntl_fork();
            if ($child === 0) {
                Executor::interruptOpenRuns();
                posix_kill(getmypid(), SIGKILL);
            }
            pcntl_waitpid($child, $status);
            return ToolOutput::ok('done');
        });
        $run = $executor->start(self::CALL);
        self::assertSame(['completed', 'completed'], [$run->state, $executor->run($run->id)->state]);
    }

    public function testAJobOfALongLivedServerIsEndedByTheServer(): void
    {
        $executor = $this->executor(static function (): ToolOutput {
            Fiber::suspend();
            return ToolOutput::ok();
        });
        $job = new Fiber(static fn () => $executor->start(self::CALL));
        $job->start();
        self::assertSame(1, Executor::interruptOpenRuns());
        self::assertSame('interrupted', $executor->start(self::CALL)->state);
        set_error_handler(static fn (int $level, string $message): bool =>
            str_contains($message, 'was not kept'));
        $job->resume();
        restore_error_handler();
        self::assertSame('interrupted', $executor->run($job->getReturn()->id)->state);
    }

    private function executor(callable $handler): Executor
    {
        $registry = new Registry();
        $registry->register(new ToolDefinition('mail', 'MAIL', $handler));
        return new Executor($registry, new Sqlite($this->path));
    }
}
