<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use Toolwire\Exception\InvalidArgument;
use Toolwire\Tools\ApprovalService;
use Toolwire\Tools\Exception\ToolApprovalDenied;
use Toolwire\Tools\Exception\ToolApprovalTimeout;
use Toolwire\Tools\Executor;
use Toolwire\Tools\Registry;
use Toolwire\Tools\Store\Memory;

/** A run that waits for a person: granted, denied, too late. */
final class ToolsWaitTest extends ToolsRunTestCase
{
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
        self::assertSame('waiting', $waiting->state);
        self::assertNull($waiting->output);
        self::assertNull($waiting->error);
        self::assertSame($waiting->approvalId, $this->told[1][1]['request_id']);
        self::assertSame('Really edit?', $this->told[1][1]['approval_message']);

        $again = $executor->resume('a1');
        self::assertSame(
            ['waiting', $waiting->approvalId, []],
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
            self::assertSame("Tool 'edit' was not approved: $reason", $denied->error->getMessage());
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
        self::assertSame(['waiting', 'failed'], [$first->state, $second->state]);
        self::assertStringContainsString(
            'the store has another run with the id',
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
        $execution = $this->runTool(
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

    public function testAToolThatIsGoneCannotBeGoneOnWith(): void
    {
        $this->runTool(self::tool(null, requiresApproval: true));
        $this->expectException(InvalidArgument::class);
        $this->expectExceptionMessage('"EDIT" is not registered');
        (new Executor(new Registry(), $this->store))->resume('a1');
    }
}
