<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use DomainException;
use Error;
use ErrorException;
use Exception;
use Fiber;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Toolwire\Exception\InvalidArgument;
use Toolwire\Exception\InvalidState;
use Toolwire\Exception\WrongType;
use Toolwire\Tools\ApprovalRequest;
use Toolwire\Tools\ApprovalService;
use Toolwire\Tools\Exception\ApprovalException;
use Toolwire\Tools\Executor;
use Toolwire\Tools\RateLimiter;
use Toolwire\Tools\Registry;
use Toolwire\Tools\Store\Memory;
use Toolwire\Tools\ToolDefinition;
use Toolwire\Tools\ToolInput;
use Toolwire\Tools\ToolOutput;
use Toolwire\Tools\UndoStore;

/** PHP code that a run calls may do anything that PHP code can do. */
final class ToolsSafetyTest extends TestCase
{
    private static function tool(string $name, callable $handler, mixed ...$more): ToolDefinition
    {
        return new ToolDefinition(
            ...['name' => $name, 'id' => strtoupper($name), 'handler' => $handler, ...$more]
        );
    }

    public function testAHandlerMayRunTheExecutorAgain(): void
    {
        $registry = new Registry();
        $executor = new Executor($registry);
        $deep = static function (ToolInput $input) use ($executor): ToolOutput {
            $left = $input->payload['left'];
            $inner = $left > 0
                ? $executor->execute(['type' => 'DEEP', 'payload' => ['left' => $left - 1]])
                : null;
            return ToolOutput::ok([
                'depth' => $inner === null ? 0 : $inner->output->data['depth'] + 1,
            ]);
        };
        $registry->register(self::tool('deep', $deep));
        $told = 0;
        $executor->listen(static function () use (&$told): void {
            $told++;
        });
        $execution = $executor->execute(['type' => 'DEEP', 'payload' => ['left' => 50]]);
        self::assertSame(50, $execution->output->data['depth']);
        self::assertSame(51 * 3, $told);
        self::assertCount(3, $execution->events);
    }

    public function testAThousandRunsInsideEachOtherAreAnErrorAndNoCrash(): void
    {
        $registry = new Registry();
        [$executor, $depth, $kinds] = [new Executor($registry, new Memory()), 0, []];
        $deep = static function () use ($executor, &$depth, &$kinds): ToolOutput {
            $how = ['execute', 'start'][++$depth % 2];
            try {
                return $depth < 1000
                    ? $executor->$how(['type' => 'DEEP'])->output
                    : ToolOutput::ok(['deep' => true]);
            } catch (InvalidState $error) {
                $kinds[] = $error->getKind();
                return ToolOutput::fail($error->getMessage());
            }
        };
        $registry->register(self::tool('deep', $deep));
        $run = static fn (): string => $executor->execute(['type' => 'DEEP'])->output->error;
        self::assertStringContainsString('100 runs go on inside each other', $run());
        self::assertSame([100, ['nested_too_deep']], [$depth, $kinds]);
        // Each fiber has a stack of its own, and what a fiber suspends counts there alone.
        $depth = 0;
        $fibers = [];
        $registry->register(self::tool('wait', static function () {
            Fiber::suspend();
            return ToolOutput::ok();
        }));
        for ($i = 0; $i < 150; $i++) {
            $fibers[$i] = new Fiber(static fn () => $executor->execute(['type' => 'WAIT'])->state);
            $fibers[$i]->start();
        }
        $fiber = new Fiber($run);
        $fiber->start();
        self::assertStringContainsString('100 runs go on inside each other', $fiber->getReturn());
        self::assertSame([100, 2], [$depth, count($kinds)]);
        array_map(static fn (Fiber $fiber) => $fiber->resume(), $fibers);
        self::assertSame('completed', $fibers[149]->getReturn());
    }

    public function testUndoHandlersThatUndoWithoutEndAreAnError(): void
    {
        $registry = new Registry();
        $executor = new Executor($registry, new Memory());
        [$count, $kinds] = [0, []];
        $undo = static function () use ($executor, &$count, &$kinds): void {
            try {
                $executor->execute(['id' => 'a' . ++$count, 'type' => 'EDIT']);
                $executor->undo("a$count");
            } catch (InvalidState $error) {
                $kinds[] = $error->getKind();
            }
        };
        $made = static fn () => ToolOutput::ok(undoMetadata: ['x' => 1]);
        $registry->register(self::tool('edit', $made, undoable: true, undoHandler: $undo));
        $executor->execute(['id' => 'a0', 'type' => 'EDIT']);
        self::assertTrue($executor->undo('a0'));
        self::assertSame(['nested_too_deep'], $kinds);
    }

    public function testAHandlerMayTakeAwayWhatItRunsOn(): void
    {
        $registry = new Registry();
        $executor = new Executor($registry);
        $handler = static function (ToolInput $input) use (&$registry, &$executor): ToolOutput {
            $registry->register(self::tool('edit', static fn () => ToolOutput::fail('another')));
            $registry = $executor = null;
            gc_collect_cycles();
            $payload = $input->payload;
            unset($input);
            return ToolOutput::ok($payload);
        };
        $registry->register(self::tool('edit', $handler, aliases: ['e']));
        unset($handler);
        $action = ['id' => 'a', 'type' => 'e', 'payload' => ['x' => str_repeat('y', 3)]];
        self::assertSame(['x' => 'yyy'], $executor->execute($action)->output->data);
        self::assertNull($executor);
    }

    public function testADestructorMayLookIntoTheRegistry(): void
    {
        $registry = new Registry();
        $seen = [];
        $witness = new class (static function () use ($registry, &$seen): void {
            $seen[] = count($registry->list());
        }) {
            public function __construct(private \Closure $ending)
            {
            }

            public function __destruct()
            {
                ($this->ending)();
            }

            public function __invoke(): ToolOutput
            {
                return ToolOutput::ok();
            }
        };
        $registry->register(self::tool('edit', $witness));
        unset($witness);
        $registry->register(self::tool('edit', static fn () => ToolOutput::ok()));
        self::assertSame([1], $seen);
        self::assertCount(1, $registry);
    }

    public function testAListenerThatThrowsStopsNobody(): void
    {
        $registry = new Registry();
        $registry->register(self::tool('edit', static fn () => ToolOutput::ok()));
        $executor = new Executor($registry);
        $heard = [];
        $executor->listen(static fn () => throw new DomainException("no\0thanks"));
        $executor->listen(static function (string $type) use (&$heard, $executor): void {
            $heard[] = $type;
            if (count($heard) === 1) {
                $executor->listen(static function (string $type) use (&$heard): void {
                    $heard[] = "late $type";
                });
            }
        });
        $warnings = [];
        set_error_handler(static function (int $level, string $message) use (&$warnings): bool {
            $warnings[] = [$level, $message];
            return true;
        });
        $state = $executor->execute(['type' => 'EDIT'])->state;
        restore_error_handler();
        self::assertSame('completed', $state);
        $names = [
            'tool.invoked', 'tool.started', 'late tool.started', 'tool.completed',
            'late tool.completed',
        ];
        self::assertSame($names, $heard);
        self::assertCount(3, $warnings);
        self::assertSame(E_WARNING, $warnings[0][0]);
        self::assertStringEndsWith(
            'an event listener threw DomainException: no\0thanks',
            $warnings[0][1]
        );

        set_error_handler(
            static fn (int $level, string $message) => throw new ErrorException($message)
        );
        $state = $executor->execute(['type' => 'EDIT'])->state;
        restore_error_handler();
        self::assertSame(
            'completed',
            $state,
            'a warning that became an exception stops nobody either'
        );
    }

    public function testAnErrorOfPhpItselfIsACause(): void
    {
        $registry = new Registry();
        $registry->register(self::tool('edit', static fn (int $wrong) => 1));
        $execution = (new Executor($registry))->execute(['type' => 'EDIT']);
        self::assertInstanceOf(\TypeError::class, $execution->error->getPrevious());
        $mine = new class ('mine') extends Exception {
        };
        $registry->register(self::tool('edit', static fn () => throw $mine));
        $execution = (new Executor($registry))->execute(['type' => 'EDIT']);
        self::assertStringContainsString('@anonymous', $execution->error->toArray()['cause']);
    }

    /** @return iterable<string, array{string, string}> */
    public static function exits(): iterable
    {
        $handler = 'function () { try { echo "in "; exit(3); } finally { echo "never"; } }';
        yield 'a handler' => ["new ToolDefinition('t', 'T', $handler)", ''];
        $tool = "new ToolDefinition('t', 'T', function () { return ToolOutput::ok(); })";
        yield 'a listener' => [$tool, '$executor->listen(function () { echo "in "; exit(3); });'];
        $throws = '$executor->listen(function () { throw new Exception("x"); });';
        yield 'who hears a warning' => [
            $tool,
            'set_error_handler(function () { echo "in "; exit(3); });' . $throws,
        ];
    }

    /** @dataProvider exits */
    #[DataProvider('exits')]
    public function testWhoExitsEndsTheScript(string $tool, string $more): void
    {
        $code = 'use Toolwire\Tools\{Executor, Registry, ToolDefinition, ToolOutput};'
            . 'register_shutdown_function(function () { echo "down"; });'
            . "\$registry = new Registry(); \$registry->register($tool);"
            . "\$executor = new Executor(\$registry); $more"
            . '$executor->listen(function () { }); $executor->execute(["type" => "T"]);'
            . 'echo "after";';
        [$output, $status] = self::php($code);
        self::assertSame(['in down', 3], [$output, $status]);
    }

    /**
     * @param list<string> $before the command that runs the command
     * @param list<string> $options more options of PHP
     * @return array{string, int} what a script prints, and its status
     */
    public static function php(
        string $code,
        string $argument = '',
        array $before = [],
        array $options = [],
    ): array {
        $extension = (string) realpath(
            (string) (getenv('TOOLWIRE_SO') ?: Cases::ROOT . '/build/toolwire.so')
        );
        $command = [
            ...$before, PHP_BINARY, '-n', '-d', "extension=$extension", ...$options, '-r', $code,
            '--', $argument,
        ];
        exec(implode(' ', array_map('escapeshellarg', $command)) . ' 2>&1', $lines, $status);
        return [implode("\n", $lines), $status];
    }

    public function testAHandlerThatIsNoneIsRefused(): void
    {
        $this->expectException(WrongType::class);
        $this->expectExceptionMessage('handler must be callable, got string');
        new ToolDefinition('edit', 'EDIT', 'no_such_function');
    }

    /** @return iterable<string, array{array<string, mixed>, string}> */
    public static function wrongDefinitions(): iterable
    {
        yield 'no name' => [['name' => ''], 'invalid_tool'];
        yield 'no type' => [['id' => ''], 'invalid_tool'];
        yield 'an alias that comes twice' => [['aliases' => ['a', 'a']], 'invalid_tool'];
        yield 'an alias that is no text' => [['aliases' => [5]], 'wrong_type'];
        yield 'a schema that is none' => [
            ['inputSchema' => ['type' => 'nonsense']],
            'invalid_schema',
        ];
        yield 'a limit of nothing' => [['rateLimit' => [0, 1.0]], 'invalid_option'];
        yield 'half a limit' => [['rateLimit' => [1]], 'invalid_option'];
        yield 'a limit of texts' => [['rateLimit' => ['1', '2']], 'wrong_type'];
        yield 'an undo handler that is none' => [
            ['undoHandler' => 'no_such_function'],
            'wrong_type',
        ];
    }

    /**
     * @dataProvider wrongDefinitions
     * @param array<string, mixed> $wrong
     */
    #[DataProvider('wrongDefinitions')]
    public function testAWrongDefinitionIsRefused(array $wrong, string $kind): void
    {
        $right = [
            'name' => 'edit',
            'id' => 'EDIT',
            'handler' => static fn () => ToolOutput::ok(),
        ];
        try {
            new ToolDefinition(...[...$right, ...$wrong]);
            self::fail('nothing was thrown');
        } catch (InvalidArgument | WrongType $error) {
            self::assertSame($kind, $error->getKind());
        }
    }

    public function testOptionsHaveRanges(): void
    {
        $store = new Memory();
        foreach ([
            static fn () => new Executor(new Registry(), approvalTimeout: -1.0),
            static fn () => new Executor(new Registry(), undoTtl: NAN),
            static fn () => new ApprovalService($store, INF),
            static fn () => new UndoStore($store, -0.5),
            static fn () => new RateLimiter($store, 0, 1.0),
            static fn () => new RateLimiter($store, 1, 0.0),
            static fn () => $store->get("\n", 0),
            static fn () => $store->get(str_repeat('k', 256), 0),
        ] as $place => $make) {
            try {
                $make();
                self::fail("nothing was thrown: $place");
            } catch (InvalidArgument $error) {
                self::assertSame('invalid_option', $error->getKind());
            }
        }
    }

    public function testDefinitionsShowWhatTheyWereGiven(): void
    {
        $handler = static fn () => ToolOutput::ok();
        $tool = new ToolDefinition(
            'edit',
            'EDIT',
            $handler,
            'Edits.',
            inputSchema: ['type' => 'object', 'properties' => []],
            allowedModes: ['chat'],
            requiresApproval: true,
            approvalMessage: 'Really?',
            undoable: true,
            undoHandler: 'strlen',
            artifactType: 'page',
            aliases: ['e'],
            capability: 'edit_posts',
            rateLimit: [5, 60],
        );
        self::assertSame($handler, $tool->handler);
        self::assertSame('strlen', $tool->undoHandler);
        self::assertTrue($tool->runsIn('chat'));
        self::assertFalse($tool->runsIn());
        self::assertSame([
            'name' => 'edit', 'id' => 'EDIT', 'description' => 'Edits.',
            'input_schema' => ['type' => 'object', 'properties' => []],
            'allowed_modes' => ['chat'],
            'requires_approval' => true, 'approval_message' => 'Really?', 'undoable' => true,
            'artifact_type' => 'page',
            'aliases' => ['e'], 'capability' => 'edit_posts', 'rate_limit' => [5, 60],
            'read_only' => null, 'destructive' => null, 'timeout_seconds' => null,
        ], $tool->toArray());
        $this->expectException(Error::class);
        $this->expectExceptionMessage('readonly');
        $tool->name = 'other';
    }

    public function testADecisionIsFinal(): void
    {
        $approvals = new ApprovalService(new Memory());
        $request = $approvals->request(
            new ApprovalRequest('a1', 'edit', payload: ['x' => 1], id: 'mine')
        );
        self::assertSame(['mine', 'pending'], [$request->id, $request->status]);
        self::assertSame('pending', $approvals->status('a1'));
        self::assertTrue($approvals->cancel('mine'));
        self::assertFalse($approvals->cancel('mine'));
        $again = $approvals->request($request);
        self::assertNotSame('mine', $again->id);
        $approvals->decide('a1', false, 'ann', 'no');
        self::assertSame(['denied', 'ann', 'no'], [
            $approvals->get($again->id)->status, $approvals->get($again->id)->decidedBy,
            $approvals->get($again->id)->reason,
        ]);
        foreach ([
            'mine' => 'approval_cancelled', 'a1' => 'already_decided',
            'nobody' => 'unknown_approval',
        ] as $id => $kind) {
            try {
                $approvals->decide($id, true);
                self::fail("$id was decided");
            } catch (ApprovalException $error) {
                self::assertSame($kind, $error->getKind());
            }
        }
        self::assertNull($approvals->status('nobody'));
        self::assertNull($approvals->get('nobody'));
    }
}
