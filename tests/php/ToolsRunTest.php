<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use DomainException;
use PHPUnit\Framework\TestCase;
use Toolwire\Detector;
use Toolwire\Exception\InvalidArgument;
use Toolwire\Exception\WrongType;
use Toolwire\Redaction;
use Toolwire\Tools\ApprovalService;
use Toolwire\Tools\Exception\InvalidToolInput;
use Toolwire\Tools\Exception\StoreException;
use Toolwire\Tools\Exception\ToolApprovalDenied;
use Toolwire\Tools\Exception\ToolApprovalTimeout;
use Toolwire\Tools\Exception\ToolDenied;
use Toolwire\Tools\Exception\ToolException;
use Toolwire\Tools\Exception\ToolExecutionFailed;
use Toolwire\Tools\Exception\ToolNotFound;
use Toolwire\Tools\Exception\ToolRateLimited;
use Toolwire\Tools\Exception\ToolUndoFailed;
use Toolwire\Tools\Execution;
use Toolwire\Tools\Executor;
use Toolwire\Tools\Registry;
use Toolwire\Tools\Store\Memory;
use Toolwire\Tools\ToolDefinition;
use Toolwire\Tools\ToolInput;
use Toolwire\Tools\ToolOutput;
use Toolwire\Tools\UndoMetadata;
use Toolwire\Tools\UndoStore;

/** Every path of a run: what is told, with which keys in which order, and how it ends. */
final class ToolsRunTest extends TestCase
{
    private const BASE = ['tool_name', 'action_id', 'pipeline_run_id', 'request_id', 'timestamp'];
    private const KEYS = [
        'tool.invoked' => [...self::BASE, 'payload_summary', 'behavior'],
        'tool.started' => self::BASE,
        'tool.completed' => [...self::BASE, 'duration_ms', 'output_summary', 'artifacts_count'],
        'tool.undone' => [...self::BASE, 'duration_ms', 'original_action_timestamp'],
        'tool.undo_failed' => [...self::BASE, 'error_message', 'reason'],
        'tool.undo_store_failed' => [...self::BASE, 'error_code', 'error_message'],
        'approval.requested' => [
            'request_id', 'tool_name', 'action_id', 'pipeline_run_id', 'approval_message',
            'timestamp',
        ],
        'approval.decided' => [
            'request_id', 'tool_name', 'action_id', 'decision', 'decided_by', 'pipeline_run_id',
            'timestamp',
        ],
    ];
    private const FAILED = [...self::BASE, 'duration_ms', 'error_code', 'error_message'];
    private const DENIED = [...self::BASE, 'reason', 'behavior', 'allowed_behaviors'];

    private Memory $store;
    /** @var list<array{string, array<string, mixed>}> */
    private array $told = [];

    protected function setUp(): void
    {
        $this->store = new Memory();
        $this->told = [];
    }

    /** @param array<string, mixed> $definition */
    private static function tool(callable $handler = null, mixed ...$definition): ToolDefinition
    {
        $handler ??= static fn (ToolInput $input): ToolOutput => ToolOutput::ok([
            'got' => $input->payload,
        ]);
        return new ToolDefinition(
            ...['name' => 'edit', 'actionType' => 'EDIT', 'handler' => $handler, ...$definition]
        );
    }

    private function executor(ToolDefinition $tool, mixed ...$options): Executor
    {
        $registry = new Registry();
        $registry->register($tool);
        $executor = new Executor($registry, ...['store' => $this->store, ...$options]);
        $executor->listen(function (string $type, array $data): void {
            $this->told[] = [$type, $data];
        });
        return $executor;
    }

    private const CONTEXT = [
        'execution_mode' => 'chat', 'pipeline_run_id' => 'p1', 'request_id' => 5, 'other' => [],
    ];

    private function run1(ToolDefinition $tool, array $payload = [], mixed ...$options): Execution
    {
        $action = ['id' => 'a1', 'type' => 'EDIT', 'payload' => $payload];
        return $this->executor($tool, ...$options)->execute($action, self::CONTEXT);
    }

    /** @param list<string> $names */
    private function assertTold(array $names, ?Execution $execution = null): void
    {
        self::assertSame($names, array_column($this->told, 0));
        foreach ($this->told as [$type, $data]) {
            if (isset(self::KEYS[$type])) {
                self::assertSame(self::KEYS[$type], array_keys($data), $type);
            }
            self::assertMatchesRegularExpression(
                '/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?\+00:00$/',
                $data['timestamp']
            );
            self::assertSame(
                ['edit', 'a1', 'p1'],
                [$data['tool_name'], $data['action_id'], $data['pipeline_run_id']]
            );
        }
        if ($execution !== null) {
            $events = array_map(
                static fn (array $event): array => [$event['type'], $event['data']],
                $execution->events
            );
            self::assertSame($this->told, $events);
        }
    }

    public function testSuccess(): void
    {
        $execution = $this->run1(self::tool(), ['n' => 1]);
        $this->assertTold(['tool.invoked', 'tool.started', 'tool.completed'], $execution);
        self::assertSame(
            ['completed', 'a1', 'edit'],
            [$execution->state, $execution->id, $execution->tool]
        );
        self::assertTrue($execution->succeeded());
        self::assertSame(['got' => ['n' => 1]], $execution->output->data);
        self::assertNull($execution->error);
        [, $invoked] = $this->told[0];
        self::assertSame(['n' => 1], $invoked['payload_summary']);
        self::assertSame(['chat', '5'], [$invoked['behavior'], $invoked['request_id']]);
        [, $completed] = $this->told[2];
        self::assertIsFloat($completed['duration_ms']);
        self::assertSame(0, $completed['artifacts_count']);
        self::assertSame(
            ['success' => true, 'has_data' => true, 'has_error' => false, 'has_artifacts' => false,
                'has_undo_metadata' => false],
            $completed['output_summary']
        );
    }

    public function testAHandlerSeesTheWholeInput(): void
    {
        $seen = null;
        $this->run1(self::tool(static function (ToolInput $input) use (&$seen): ToolOutput {
            $seen = $input->toArray();
            return ToolOutput::ok();
        }), ['x' => [1, ['y' => null]]]);
        self::assertSame([
            'action_id' => 'a1', 'tool_name' => 'edit', 'payload' => ['x' => [1, ['y' => null]]],
            'behavior' => 'chat', 'pipeline_run_id' => 'p1', 'request_id' => '5',
        ], $seen);
    }

    public function testAnOutputOfFailureCompletes(): void
    {
        $handler = static fn (): ToolOutput => ToolOutput::fail('no such page', ['id' => 3]);
        $execution = $this->run1(self::tool($handler, undoable: true));
        $this->assertTold(['tool.invoked', 'tool.started', 'tool.completed'], $execution);
        self::assertSame('completed', $execution->state);
        self::assertFalse($execution->succeeded());
        self::assertFalse($this->told[2][1]['output_summary']['success']);
        self::assertSame(
            ['success' => false, 'data' => ['id' => 3], 'error' => 'no such page'],
            $execution->output->toArray()
        );
    }

    public function testAnUnknownTypeTellsNothing(): void
    {
        $execution = $this->executor(self::tool())->execute(['type' => 'NOPE']);
        $this->assertTold([]);
        self::assertSame('failed', $execution->state);
        self::assertInstanceOf(ToolNotFound::class, $execution->error);
        self::assertSame(
            'No tool registered for action type: NOPE',
            $execution->error->getMessage()
        );
        self::assertSame('tool_not_found', $execution->error->getKind());
        self::assertSame('NOPE', $execution->error->getTool());
    }

    public function testWhatAHandlerThrowsIsTheCause(): void
    {
        $line = __LINE__ + 1;
        $execution = $this->run1(self::tool(static fn () => throw new DomainException('boom', 7)));
        $this->assertTold(['tool.invoked', 'tool.started', 'tool.failed'], $execution);
        [, $failed] = $this->told[2];
        self::assertSame(self::FAILED, array_keys($failed));
        self::assertSame(
            ['DomainException', 'boom'],
            [$failed['error_code'], $failed['error_message']]
        );
        self::assertSame('failed', $execution->state);
        self::assertNull($execution->output);
        $error = $execution->error;
        self::assertInstanceOf(ToolExecutionFailed::class, $error);
        self::assertInstanceOf(ToolException::class, $error);
        self::assertSame("Tool 'edit' execution failed: boom", $error->getMessage());
        self::assertSame('raised', $error->getKind());
        self::assertSame(__FILE__, $error->getFile());
        self::assertNotSame([], $error->getTrace());
        $cause = $error->getPrevious();
        self::assertInstanceOf(DomainException::class, $cause);
        self::assertSame(
            [7, __FILE__, $line],
            [$cause->getCode(), $cause->getFile(), $cause->getLine()]
        );
        self::assertSame([
            'kind' => 'raised', 'message' => $error->getMessage(), 'tool' => 'edit',
            'action_id' => 'a1',
            'cause' => 'DomainException', 'cause_message' => 'boom',
        ], $error->toArray());
    }

    /** @return iterable<string, array{mixed}> */
    public static function nonsense(): iterable
    {
        yield 'null' => [null];
        yield 'an array' => [['success' => true]];
        yield 'another object' => [new Memory()];
    }

    /** @dataProvider nonsense */
    public function testAHandlerThatReturnsNonsenseFails(mixed $nonsense): void
    {
        $execution = $this->run1(self::tool(static fn () => $nonsense));
        $this->assertTold(['tool.invoked', 'tool.started', 'tool.failed'], $execution);
        self::assertInstanceOf(WrongType::class, $execution->error->getPrevious());
        self::assertStringContainsString(
            'must return a Toolwire\Tools\ToolOutput',
            $execution->error->getMessage()
        );
        self::assertSame('Toolwire\Exception\WrongType', $this->told[2][1]['error_code']);
    }

    public function testTheBehaviourIsCheckedBeforeApproval(): void
    {
        $execution = $this->run1(
            self::tool(null, allowedBehaviors: ['doc_edit'], requiresApproval: true)
        );
        $this->assertTold(['tool.invoked', 'tool.denied'], $execution);
        [, $denied] = $this->told[1];
        self::assertSame(self::DENIED, array_keys($denied));
        self::assertSame(
            ['behavior_not_allowed', 'chat', ['doc_edit']],
            array_slice(array_values($denied), 5)
        );
        self::assertSame('denied', $execution->state);
        self::assertInstanceOf(ToolDenied::class, $execution->error);
        self::assertSame(
            "Tool 'edit' denied: current behavior 'chat' not in allowed behaviors ('doc_edit',)",
            $execution->error->getMessage()
        );
        self::assertSame(['doc_edit'], $execution->error->toArray()['allowed_behaviors']);
    }

    public function testPermissionIsAskedWithTheInputAndTheTool(): void
    {
        $asked = [];
        $tool = self::tool(null, capability: 'edit_posts');
        $permission = static function (
            ToolInput $input,
            ToolDefinition $asking,
        ) use (&$asked): bool {
            $asked[] = [$input->payload, $asking->capability];
            return true;
        };
        self::assertSame(
            'completed',
            $this->run1($tool, ['a' => 1], permission: $permission)->state
        );
        self::assertSame([[['a' => 1], 'edit_posts']], $asked);
        foreach ([
            [static fn () => false, 'the caller may not run it'],
            [static fn () => 'not yours', 'not yours'],
            [null, "there is no check for the capability 'edit_posts'"],
        ] as [$permission, $reason]) {
            $this->told = [];
            $execution = $this->run1($tool, [], permission: $permission);
            $this->assertTold(['tool.invoked', 'tool.denied'], $execution);
            self::assertSame([...self::DENIED, 'detail'], array_keys($this->told[1][1]));
            self::assertSame(
                ['permission_denied', $reason],
                [$this->told[1][1]['reason'], $this->told[1][1]['detail']]
            );
            self::assertSame('permission_denied', $execution->error->getKind());
            self::assertSame("Tool 'edit' denied: $reason", $execution->error->getMessage());
        }
        foreach ([
            static fn () => throw new DomainException('x'),
            static fn () => 5,
        ] as $permission) {
            $execution = $this->run1($tool, [], permission: $permission);
            self::assertSame('failed', $execution->state);
            self::assertNotNull($execution->error->getPrevious());
        }
    }

    public function testThePayloadIsCheckedAgainstTheSchema(): void
    {
        $schema = [
            'type' => 'object',
            'required' => ['id'],
            'properties' => ['id' => ['type' => 'integer']],
        ];
        $tool = self::tool(null, inputSchema: $schema, requiresApproval: true);
        $execution = $this->run1($tool, ['id' => 'seven']);
        $this->assertTold(['tool.invoked', 'tool.denied'], $execution);
        self::assertSame([...self::DENIED, 'problems'], array_keys($this->told[1][1]));
        self::assertInstanceOf(InvalidToolInput::class, $execution->error);
        self::assertSame('/id', $execution->error->toArray()['problems'][0]['path']);
        self::assertStringNotContainsString('seven', $execution->error->getMessage());
        self::assertSame(
            'invalid_input',
            $this->run1($tool)->error->getKind(),
            'an empty payload is an object'
        );
        self::assertSame('pendingApproval', $this->run1($tool, ['id' => 7])->state);
        $bad = $this->run1($tool, ['id' => "\xff"]);
        self::assertSame(['failed', 'raised'], [$bad->state, $bad->error->getKind()]);
        self::assertInstanceOf(InvalidArgument::class, $bad->error->getPrevious());
    }

    public function testRateLimitsAreByCaller(): void
    {
        $executor = $this->executor(self::tool(null, rateLimit: [2, 60]));
        $run = static fn (string $caller): string => $executor->execute(
            ['type' => 'EDIT'],
            ['caller' => $caller]
        )->state;
        self::assertSame(
            ['completed', 'completed', 'denied', 'completed'],
            array_map($run, ['a', 'a', 'a', 'b'])
        );
        $error = $executor->execute(['type' => 'EDIT'], ['caller' => 'a'])->error;
        self::assertInstanceOf(ToolRateLimited::class, $error);
        self::assertGreaterThan(20.0, $error->toArray()['retry_after']);
        self::assertMatchesRegularExpression(
            '/rate limited, try again in (2|30)\d*\.\d{3} s$/',
            $error->getMessage()
        );
        self::assertSame('rate_limited', end($this->told)[1]['reason']);
        $other = $this->executor(self::tool(null, rateLimit: [2, 60]));
        self::assertSame(
            'denied',
            $other->execute(['type' => 'EDIT'], ['caller' => 'a'])->state,
            'the store counts'
        );
    }

    public function testApprovalGranted(): void
    {
        $executor = $this->executor(
            self::tool(null, requiresApproval: true, approvalMessage: 'Really edit?')
        );
        $action = [
            'id' => 'a1',
            'type' => 'EDIT',
            'payload' => ['token' => 's3cret', 'n' => [1.0, 2, []]],
        ];
        $waiting = $executor->execute($action, self::CONTEXT);
        $this->assertTold(['tool.invoked', 'approval.requested'], $waiting);
        self::assertSame('pendingApproval', $waiting->state);
        self::assertNull($waiting->output);
        self::assertNull($waiting->error);
        self::assertSame($waiting->approvalId, $this->told[1][1]['request_id']);
        self::assertSame('Really edit?', $this->told[1][1]['approval_message']);

        $again = $executor->resume('a1');
        self::assertSame(
            ['pendingApproval', $waiting->approvalId, []],
            [$again->state, $again->approvalId, $again->events]
        );
        $approvals = new ApprovalService($this->store);
        [$request] = $approvals->pending('p1');
        self::assertSame([], $approvals->pending('other'));
        self::assertSame(['token' => '[redacted]', 'n' => [1.0, 2, []]], $request->payload);
        self::assertSame(
            'approved',
            $approvals->decide($request->id, true, decidedBy: 'ann')->status
        );

        $this->told = [];
        $done = $executor->resume('a1');
        $this->assertTold(['approval.decided', 'tool.started', 'tool.completed'], $done);
        self::assertSame('approved', $this->told[0][1]['decision']);
        self::assertNull($this->told[0][1]['decided_by']);
        self::assertSame('completed', $done->state);
        self::assertSame(
            $action['payload'],
            $done->output->data['got'],
            'the handler is given the payload itself'
        );
        self::assertNull($executor->resume('a1'), 'nothing waits any more');
    }

    public function testApprovalDeniedAndCancelled(): void
    {
        $executor = $this->executor(self::tool(null, requiresApproval: true));
        $approvals = new ApprovalService($this->store);
        $endings = [
            ['user_denied', static fn (string $id) => $approvals->decide($id, false)],
            [
                'too risky',
                static fn (string $id) => $approvals->decide($id, false, reason: 'too risky'),
            ],
            ['cancelled', static fn (string $id) => $approvals->cancel($id)],
            ['cancelled', static fn (string $id) => $approvals->forget($id)],
        ];
        foreach ($endings as [$reason, $end]) {
            $waiting = $executor->execute(['id' => 'a1', 'type' => 'EDIT'], self::CONTEXT);
            $end($waiting->approvalId);
            $this->told = [];
            $denied = $executor->resume('a1');
            $this->assertTold(['approval.decided'], $denied);
            self::assertSame('denied', $this->told[0][1]['decision']);
            self::assertSame('denied', $denied->state);
            self::assertInstanceOf(ToolApprovalDenied::class, $denied->error);
            self::assertSame("Tool 'edit' approval denied: $reason", $denied->error->getMessage());
            self::assertSame(
                ['request_id' => $waiting->approvalId, 'reason' => $reason],
                array_slice($denied->error->toArray(), 3)
            );
        }
    }

    public function testApprovalTimesOut(): void
    {
        $executor = $this->executor(
            self::tool(null, requiresApproval: true),
            approvalTimeout: 0.01
        );
        $waiting = $executor->execute(['id' => 'a1', 'type' => 'EDIT'], self::CONTEXT);
        usleep(15_000);
        $this->told = [];
        $late = $executor->resume('a1');
        $this->assertTold(['tool.denied'], $late);
        self::assertSame('approval_timeout', $this->told[0][1]['reason']);
        self::assertInstanceOf(ToolApprovalTimeout::class, $late->error);
        self::assertInstanceOf(ToolApprovalDenied::class, $late->error);
        self::assertSame(0.01, $late->error->toArray()['timeout_seconds']);
        self::assertSame(
            'expired',
            (new ApprovalService($this->store))->status($waiting->approvalId)
        );
    }

    public function testAnActionWaitsOnce(): void
    {
        $executor = $this->executor(self::tool(null, requiresApproval: true));
        $first = $executor->execute(['id' => 'a1', 'type' => 'EDIT'], self::CONTEXT);
        $second = $executor->execute(['id' => 'a1', 'type' => 'EDIT'], self::CONTEXT);
        self::assertSame(['pendingApproval', 'failed'], [$first->state, $second->state]);
        self::assertStringContainsString(
            'waits for approval already',
            $second->error->getMessage()
        );
        $pending = (new ApprovalService($this->store))->pending();
        self::assertSame(
            [$first->approvalId],
            array_map(static fn ($request) => $request->id, $pending)
        );
    }

    public function testAPayloadThatNobodyCanKeepIsNotAskedFor(): void
    {
        $execution = $this->run1(
            self::tool(null, requiresApproval: true),
            ['stream' => new Memory()]
        );
        self::assertSame(['failed', 'raised'], [$execution->state, $execution->error->getKind()]);
        self::assertSame(
            '<Toolwire\Tools\Store\Memory>',
            $this->told[0][1]['payload_summary']['stream']
        );
        self::assertSame([], (new ApprovalService($this->store))->pending());
    }

    public function testUndo(): void
    {
        $undone = [];
        $tool = self::tool(
            static fn () =>
                ToolOutput::ok(artifacts: [['id' => 1]], undoMetadata: ['before' => ['x' => 1.5]]),
            undoable: true,
            undoHandler: static function (UndoMetadata $metadata) use (&$undone): void {
                $undone[] = [$metadata->actionId, $metadata->toolName, $metadata->undoData];
            },
        );
        $executor = $this->executor($tool);
        self::assertFalse($executor->undo('a1'));
        $execution = $executor->execute(['id' => 'a1', 'type' => 'EDIT'], self::CONTEXT);
        $this->assertTold(['tool.invoked', 'tool.started', 'tool.completed'], $execution);
        self::assertTrue($this->told[2][1]['output_summary']['has_undo_metadata']);
        self::assertSame(1, $this->told[2][1]['artifacts_count']);
        self::assertCount(1, new UndoStore($this->store));
        $this->told = [];
        self::assertTrue($executor->undo('a1', self::CONTEXT));
        $this->assertTold(['tool.undone']);
        self::assertSame([['a1', 'edit', ['before' => ['x' => 1.5]]]], $undone);
        self::assertFalse($executor->undo('a1'));
    }

    public function testAnUndoThatThrowsMayBeTriedAgain(): void
    {
        $tries = 0;
        $undo = static function () use (&$tries): void {
            ++$tries > 1 || throw new DomainException('not now');
        };
        $tool = self::tool(
            static fn () => ToolOutput::ok(undoMetadata: ['x' => 1]),
            undoable: true,
            undoHandler: $undo
        );
        $executor = $this->executor($tool);
        $executor->execute(['id' => 'a1', 'type' => 'EDIT'], self::CONTEXT);
        $this->told = [];
        try {
            $executor->undo('a1', self::CONTEXT);
            self::fail('nothing was thrown');
        } catch (ToolUndoFailed $error) {
            self::assertSame(
                "Failed to undo action 'a1' for tool 'edit': not now",
                $error->getMessage()
            );
            self::assertInstanceOf(DomainException::class, $error->getPrevious());
        }
        $this->assertTold(['tool.undo_failed']);
        self::assertSame(
            ['not now', 'DomainException'],
            array_slice(array_values($this->told[0][1]), 5)
        );
        self::assertTrue($executor->undo('a1'));
    }

    public function testUndoDataExpire(): void
    {
        $tool = self::tool(
            static fn () => ToolOutput::ok(undoMetadata: ['x' => 1]),
            undoable: true,
            undoHandler: static fn () => 1
        );
        $executor = $this->executor($tool, undoTtl: 0.01);
        $executor->execute(['id' => 'a1', 'type' => 'EDIT']);
        usleep(15_000);
        self::assertFalse($executor->undo('a1'));
        self::assertSame(1, (new UndoStore($this->store))->cleanupExpired());
    }

    public function testUndoDataThatCannotBeKeptAreTold(): void
    {
        $tool = self::tool(
            static fn () => ToolOutput::ok(undoMetadata: ['x' => NAN]),
            undoable: true
        );
        $execution = $this->run1($tool);
        $this->assertTold(
            ['tool.invoked', 'tool.started', 'tool.completed', 'tool.undo_store_failed'],
            $execution
        );
        self::assertSame('completed', $execution->state);
        self::assertTrue($execution->succeeded());
        self::assertNull($execution->error);
    }

    public function testOptionsTurnThingsOff(): void
    {
        $tool = self::tool(
            static fn () => ToolOutput::ok(undoMetadata: ['x' => 1]),
            undoable: true,
            requiresApproval: true
        );
        $execution = $this->run1(
            $tool,
            [],
            emitEvents: false,
            storeUndoData: false,
            requireApprovalForRisky: false
        );
        self::assertSame(['completed', []], [$execution->state, $execution->events]);
        $this->assertTold([]);
        self::assertCount(0, new UndoStore($this->store));
    }

    public function testSecretsAreLeftOut(): void
    {
        $payload = [
            'password' => 'a', 'deep' => [['apiKey' => 'b', 'ok' => 1]],
            'text' => str_repeat('ä', 300), 'pins' => 4,
        ];
        $this->run1(self::tool(), $payload + ['list' => range(1, 100)]);
        self::assertSame([
            'password' => '[redacted]', 'deep' => [['apiKey' => '[redacted]', 'ok' => 1]],
            'text' => str_repeat('ä', 200) . '...', 'pins' => 4, 'list' => '<list with 100 items>',
        ], $this->told[0][1]['payload_summary']);
        $this->told = [];
        $this->run1(self::tool(), ['password' => 'a', 'pins' => 4], redact: ['pins']);
        self::assertSame(
            ['password' => 'a', 'pins' => '[redacted]'],
            $this->told[0][1]['payload_summary']
        );
        foreach ([
            [Redaction::withDefaults(['pins']), '[redacted]'],
            [Redaction::only(['pins']), 'a'],
        ] as [$redact, $shown]) {
            $this->told = [];
            $this->run1(self::tool(), ['password' => 'a', 'pins' => 4], redact: $redact);
            self::assertSame(
                ['password' => $shown, 'pins' => '[redacted]'],
                $this->told[0][1]['payload_summary']
            );
        }
    }

    public function testAnArrayThatHoldsItselfIsCounted(): void
    {
        $payload = [];
        $payload['self'] = &$payload;
        self::assertSame(
            'completed',
            $this->run1(self::tool(static fn () => ToolOutput::ok()), $payload)->state
        );
        self::assertSame('<dict with 1 items>', $this->told[0][1]['payload_summary']['self']);
    }

    public function testDetectedAndResolvedCallsAreActions(): void
    {
        $executor = $this->executor(self::tool());
        [$call] = (new Detector())->detect('<tool:edit>{"n":1}</tool>')->calls;
        self::assertSame(['n' => 1], $executor->execute($call)->output->data['got']);
        $registry = new Registry();
        $registry->register(self::tool());
        [[$resolved, $detected]] = $registry->parseAndResolve([
            ['id' => 'c9', 'name' => 'edit'],
            $call,
        ]);
        $execution = $executor->execute($resolved);
        self::assertSame(['c9', ['got' => []]], [$execution->id, $execution->output->data]);
        self::assertSame(['n' => 1], $detected->arguments);
        self::assertSame($call, $detected->raw);
    }

    public function testArgumentsThatAreTextAreJson(): void
    {
        $registry = new Registry();
        $registry->register(self::tool());
        $calls = array_map(
            static fn (string $text): array =>
                ['id' => 'c', 'name' => 'edit', 'arguments' => $text],
            [
                '{"a":"x\ud800","l":[{},-0,1e999]}',
                '{"a":-}',
                '{"a":01}',
                "{\"a\":\"\t\"}",
                "{\"a\":\"\xff\"}",
            ],
        );
        [$resolved, $unresolved] = $registry->parseAndResolve($calls);
        // Half of a surrogate pair stands for a character that no text holds.
        self::assertSame(
            [['a' => "x\u{fffd}", 'l' => [[], 0, INF]]],
            array_column($resolved, 'arguments')
        );
        self::assertCount(4, $unresolved);
        self::assertStringContainsString('not a number at byte 5', $unresolved[0]->error);
    }

    public function testTheSchemaSeesADetectedCallAsItWasWritten(): void
    {
        $schema = [
            'type' => 'object',
            'properties' => ['options' => ['type' => 'object'], 'big' => ['type' => 'integer']],
        ];
        $executor = $this->executor(self::tool(inputSchema: $schema));
        foreach ([
            '{"options":{},"big":12345678901234567890}' => 'completed',
            '{"options":[]}' => 'denied',
        ] as $json => $state) {
            [$call] = (new Detector())->detect("<tool:edit>$json</tool>")->calls;
            self::assertSame($state, $executor->execute($call)->state, $json);
        }
    }

    /** @return iterable<string, array{mixed, class-string}> */
    public static function misuse(): iterable
    {
        yield 'no type' => [['payload' => []], InvalidArgument::class];
        yield 'a text' => ['EDIT', WrongType::class];
        yield 'an object' => [new Memory(), WrongType::class];
        yield 'a payload that is none' => [['type' => 'EDIT', 'payload' => 'x'], WrongType::class];
        yield 'an id that is none' => [['type' => 'EDIT', 'id' => []], WrongType::class];
    }

    /** @dataProvider misuse */
    public function testMisuseThrows(mixed $action, string $class): void
    {
        $this->expectException($class);
        $this->executor(self::tool())->execute($action);
    }

    public function testAToolThatIsGoneCannotBeGoneOnWith(): void
    {
        $this->run1(self::tool(null, requiresApproval: true));
        $this->expectException(InvalidArgument::class);
        $this->expectExceptionMessage('"EDIT" is not registered');
        (new Executor(new Registry(), $this->store))->resume('a1');
    }

    public function testAClosedStoreFailsTheRunAndNothingIsAsked(): void
    {
        $path = sys_get_temp_dir() . '/toolwire-' . getmypid() . '-closed.db';
        $sqlite = new \Toolwire\Tools\Store\Sqlite($path);
        $sqlite->close();
        $execution = $this->run1(self::tool(null, requiresApproval: true), [], store: $sqlite);
        array_map('unlink', glob("$path*") ?: []);
        $this->assertTold(['tool.invoked', 'tool.failed'], $execution);
        self::assertSame('failed', $execution->state);
        $cause = $execution->error->getPrevious();
        self::assertInstanceOf(StoreException::class, $cause);
        self::assertSame('closed', $cause->getKind());
    }
}
