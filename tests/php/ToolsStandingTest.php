<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use PHPUnit\Framework\TestCase;
use Toolwire\Tools\ApprovalService;
use Toolwire\Tools\Exception\RunException;
use Toolwire\Tools\Exception\ToolApprovalDenied;
use Toolwire\Tools\Exception\ToolApprovalTimeout;
use Toolwire\Tools\Executor;
use Toolwire\Tools\Registry;
use Toolwire\Tools\Store\Memory;
use Toolwire\Tools\ToolDefinition;
use Toolwire\Tools\ToolOutput;

/** How runs stand that a person decides on, and which of them begin again. */
final class ToolsStandingTest extends TestCase
{
    private const CALL = ['id' => 'call_1', 'type' => 'WIPE', 'payload' => ['disk' => 7]];

    private Memory $store;

    protected function setUp(): void
    {
        $this->store = new Memory();
    }

    public function testAnApprovedRunIsTakenUpAndUndone(): void
    {
        $executor = $this->executor();
        $run = $executor->start(self::CALL);
        self::assertSame($run->approvalId, $executor->start(self::CALL, again: true)->approvalId);
        $this->approvals()->decide($run->approvalId, true);
        $states = array_map(static fn ($one) => $one->state, $executor->waiting());
        self::assertSame(['approved', ['approved']], [$executor->start(self::CALL)->state, $states]);
        self::assertSame('completed', $executor->resume($run->id)->state);
        $this->assertAlreadyRan($executor);
        self::assertTrue($executor->undo($run->id));
        $undone = $executor->run($run->id);
        self::assertSame(['undone', 'wiped'], [$undone->state, $undone->output->data]);
        $this->assertAlreadyRan($executor);
    }

    public function testAStoreThatKeepsNoOutputsKnowsHowARunEnded(): void
    {
        $registry = new Registry();
        $registry->register(new ToolDefinition('say', 'SAY', static fn ($input) => match (true) {
            isset($input->payload['throw']) => throw new \RuntimeException('the secret'),
            default => ToolOutput::ok('the secret'),
        }));
        $executor = new Executor($registry, $this->store, keepOutputs: false);
        $said = $executor->start(['id' => 'a', 'type' => 'SAY', 'payload' => []]);
        self::assertSame(['completed', 'the secret', 'withheld'], [
            $said->state, $said->output->data, $said->outputGap,
        ]);
        $again = $executor->start(['id' => 'a', 'type' => 'SAY', 'payload' => []]);
        self::assertSame(['completed', null, 'withheld'], [
            $again->state, $again->output, $again->outputGap,
        ]);
        $threw = $executor->start(['id' => 'b', 'type' => 'SAY', 'payload' => ['throw' => 1]]);
        self::assertStringContainsString('the secret', $threw->error->getMessage());
        $stands = $executor->run($threw->id);
        self::assertSame('failed', $stands->state);
        self::assertStringNotContainsString('the secret', $stands->error->getMessage());
        foreach ($this->store->scan('', null, 100, 0) as $entry) {
            self::assertStringNotContainsString('the secret', $entry['value']);
        }
    }

    public function testARunIsKeptForAsLongAsTheProgramSays(): void
    {
        $registry = new Registry();
        $ran = 0;
        $registry->register(new ToolDefinition('say', 'SAY', static function () use (&$ran) {
            return ToolOutput::ok(++$ran);
        }));
        $executor = new Executor($registry, $this->store, runRetention: 0.05);
        $call = ['id' => 'a', 'type' => 'SAY', 'payload' => []];
        $executor->start($call);
        self::assertSame(1, $executor->start($call)->output->data);
        usleep(60000);
        self::assertSame(2, $executor->start($call)->output->data);
    }

    public function testADeniedRunSaysWhyAtOnceAndBeginsAgain(): void
    {
        $executor = $this->executor();
        $run = $executor->start(self::CALL);
        $this->approvals()->decide($run->approvalId, false, reason: 'not now');
        $stands = $executor->run($run->id);
        self::assertSame('denied', $stands->state);
        self::assertInstanceOf(ToolApprovalDenied::class, $stands->error);
        self::assertStringContainsString('not now', $stands->error->getMessage());
        $again = $executor->start(self::CALL, again: true);
        self::assertSame([$run->id, 'waiting'], [$again->id, $again->state]);
        self::assertNotSame($run->approvalId, $again->approvalId);
        $this->approvals()->decide($again->approvalId, true);
        self::assertSame('completed', $executor->resume($run->id)->state);
    }

    public function testARunThatNobodyDecidedOnHasExpired(): void
    {
        $executor = $this->executor(0.001);
        $run = $executor->start(self::CALL);
        usleep(20_000);
        foreach ([$executor->run($run->id), $executor->resume($run->id)] as $stands) {
            self::assertSame('expired', $stands->state);
            self::assertInstanceOf(ToolApprovalTimeout::class, $stands->error);
        }
        self::assertSame('waiting', $this->executor()->start(self::CALL, again: true)->state);
    }

    private function assertAlreadyRan(Executor $executor): void
    {
        try {
            $executor->start(self::CALL, again: true);
            self::fail('it began again');
        } catch (RunException $refusal) {
            self::assertSame('already_ran', $refusal->getKind());
        }
    }

    private function approvals(): ApprovalService
    {
        return new ApprovalService($this->store);
    }

    private function executor(float $seconds = 60.0): Executor
    {
        $registry = new Registry();
        $registry->register(new ToolDefinition(
            'wipe',
            'WIPE',
            static fn () => ToolOutput::ok('wiped', undoMetadata: ['disk' => 7]),
            requiresApproval: true,
            undoable: true,
            undoHandler: static fn () => null
        ));
        return new Executor($registry, $this->store, approvalTimeout: $seconds);
    }
}
