<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use PHPUnit\Framework\TestCase;
use RuntimeException;
use Toolwire\Exception\WrongType;
use Toolwire\Tools\Exception\ApprovalException;
use Toolwire\Tools\Execution;
use Toolwire\Tools\Executor;
use Toolwire\Tools\Registry;
use Toolwire\Tools\Store\Memory;
use Toolwire\Tools\ToolDefinition;
use Toolwire\Tools\ToolOutput;

/** Approvals with other arguments than those of the call: what PHP alone can get wrong. */
final class ChangedArgumentsTest extends TestCase
{
    private bool $throws = false;
    /** @var list<int> */
    private array $disk = [1, 2];
    private Executor $executor;

    protected function setUp(): void
    {
        $registry = new Registry();
        $wipe = static fn ($input): ToolOutput => ToolOutput::ok($input->payload);
        $registry->register(new ToolDefinition('wipe', 'WIPE', $wipe, requiresApproval: true));
        $this->executor = new Executor($registry, new Memory(), changes: function (): array {
            return $this->throws ? throw new RuntimeException('no changes') : ['disk' => $this->disk];
        });
    }

    private function waiting(string $id): Execution
    {
        $call = ['id' => $id, 'type' => 'WIPE', 'payload' => ['disk' => 7]];
        return $this->executor->start($call);
    }

    /** @param array<mixed> $arguments */
    private function refused(Execution $run, array $arguments): string
    {
        try {
            $this->executor->approve((string) $run->approvalId, $arguments);
        } catch (ApprovalException $refused) {
            return $refused->getKind();
        } finally {
            self::assertSame('waiting', $this->executor->run($run->id)?->state);
        }
        self::fail('it was approved');
    }

    public function testAListIsNoArguments(): void
    {
        $run = $this->waiting('a');
        self::assertSame('arguments_refused', $this->refused($run, [1, 2]));
        self::assertSame('arguments_refused', $this->refused($run, ['disk' => INF]));
        $this->executor->approve((string) $run->approvalId, []);
        self::assertSame([], $this->executor->resume($run->id)?->output?->data);
    }

    public function testWhatIsNoJsonDecidesNothing(): void
    {
        $run = $this->waiting('a');
        try {
            $this->executor->approve((string) $run->approvalId, ['disk' => STDIN]);
            self::fail('it was approved');
        } catch (WrongType $refused) {
            self::assertStringContainsString('a resource', $refused->getMessage());
        }
        self::assertSame('waiting', $this->executor->run($run->id)?->state);
    }

    public function testWhatIsCheckedIsWhatRuns(): void
    {
        $disk = 9;
        $registry = new Registry();
        $wipe = static fn ($input): ToolOutput => ToolOutput::ok($input->payload);
        $schema = ['type' => 'object', 'properties' => ['disk' => ['type' => 'integer']]];
        $definition = ['wipe', 'WIPE', $wipe, 'inputSchema' => $schema, 'requiresApproval' => true];
        $registry->register(new ToolDefinition(...$definition));
        $policy = static function () use (&$disk): bool {
            $disk = 'another';
            return true;
        };
        $executor = new Executor($registry, new Memory(), permission: $policy);
        $call = ['id' => 'a', 'type' => 'WIPE', 'payload' => ['disk' => 7]];
        $run = $executor->start($call);
        $disk = 9;
        $executor->approve((string) $run->approvalId, ['disk' => &$disk]);
        self::assertSame(['disk' => 9], $executor->resume($run->id)?->output?->data);
    }

    public function testThePresentFingerprintIsTakenAsThatOfTheRequest(): void
    {
        $run = $this->waiting('a');
        $this->disk = [1, 3];
        $seen = $this->executor->fingerprint($run->id);
        self::assertNotSame($seen, $this->executor->fingerprint('b'));
        $approve = fn (?string $seen) => $this->executor->approve(
            (string) $run->approvalId,
            ['disk' => 9],
            fingerprint: $seen
        );
        try {
            $approve('f');
            self::fail('it was approved');
        } catch (ApprovalException $refused) {
            self::assertSame('changed_since', $refused->getKind());
        }
        self::assertSame('approved', $approve($seen)->status);
        self::assertSame(['disk' => 9], $this->executor->resume($run->id)?->output?->data);
    }

    public function testCodeThatThrowsDecidesNothing(): void
    {
        $run = $this->waiting('a');
        $this->throws = true;
        self::assertSame('arguments_refused', $this->refused($run, ['disk' => 9]));
        $this->throws = false;
        $decided = $this->executor->approve(
            (string) $run->approvalId,
            ['disk' => 9],
            decidedBy: 'ann',
            reason: '7 is in use'
        );
        self::assertSame(['approved', 'ann'], [$decided->status, $decided->decidedBy]);
        self::assertSame(['disk' => 9], $this->executor->resume($run->id)?->output?->data);
    }

    public function testNothingIsKeptOfArguments(): void
    {
        $pass = function (string $id): void {
            $run = $this->waiting($id);
            $this->executor->approve((string) $run->approvalId, ['disk' => str_repeat('x', 1000)]);
            $this->executor->resume($run->id);
            $this->executor->forget($run->id);
        };
        array_map($pass, array_map(static fn (int $at): string => "warm $at", range(1, 50)));
        $before = memory_get_usage();
        array_map($pass, array_map(static fn (int $at): string => "call $at", range(1, 50)));
        self::assertLessThan(20000, memory_get_usage() - $before);
    }
}
