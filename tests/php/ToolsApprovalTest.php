<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use DomainException;
use PHPUnit\Framework\Attributes\DataProvider;
use Toolwire\Detector;
use Toolwire\Tools\Exception\ToolChangedSince;
use Toolwire\Tools\Exception\ToolDenied;
use Toolwire\Tools\ToolDefinition;
use Toolwire\Tools\ToolInput;

/** What a person approves is what runs. */
final class ToolsApprovalTest extends ToolsApprovalTestCase
{
    /** @return iterable<string, array{mixed}> */
    public static function floats(): iterable
    {
        yield 'an array' => [
            ['id' => 'a1', 'type' => 'UPDATE_POST', 'payload' => ['post_id' => 5.0]],
        ];
        $found = (new Detector())->detect('<tool:UPDATE_POST>{"post_id":5.0}</tool>');
        yield 'a detected call' => [$found->calls[0]];
    }

    /** @dataProvider floats */
    #[DataProvider('floats')]
    public function testAnIntegralFloatIsAnIntegerForEverybody(mixed $action): void
    {
        $changes = function (ToolInput $input, ToolDefinition $tool): array {
            $this->seen[] = ['changes', $input->payload];
            return [$tool->name, $input->json()];
        };
        $executor = $this->executor(changes: $changes);
        $execution = $executor->execute($action);
        self::assertSame('waiting', $execution->state);
        self::assertSame('{"post_id":5}', $this->approvals->arguments($execution->approvalId));
        self::assertSame(['post_id' => 5], $this->approvals->get($execution->approvalId)->payload);
        $waiting = $executor->input($execution->id);
        self::assertSame(
            [['post_id' => 5], '{"post_id":5}'],
            [$waiting->payload, $waiting->json()]
        );
        self::assertSame($execution->id, $waiting->runId);
        $this->approvals->decide($execution->approvalId, true);
        self::assertSame('completed', $executor->resume($execution->id)->state);
        $steps = ['permission', 'changes', 'changes', 'permission', 'handler'];
        self::assertSame(
            array_map(static fn (string $step): array => [$step, ['post_id' => 5]], $steps),
            $this->seen
        );
    }

    public function testArgumentsThatDoNotFitAreRefusedBeforeTheCallerIsLookedAt(): void
    {
        $execution = $this->ask($this->executor(), ['post_id' => 5.5]);
        self::assertSame(
            ['denied', 'invalid_input'],
            [$execution->state, $execution->error->getKind()]
        );
        self::assertSame([], $this->seen);
    }

    /** @return iterable<string, array{callable, string, string}> */
    public static function permissions(): iterable
    {
        yield 'refuses' => [static fn () => false, 'denied', 'permission_denied'];
        yield 'says why not' => [static fn () => 'gone', 'denied', 'permission_denied'];
        yield 'throws' => [static fn () => throw new DomainException('no'), 'failed', 'raised'];
        yield 'says something odd' => [static fn () => 1, 'failed', 'raised'];
        yield 'says nothing' => [static fn () => null, 'failed', 'raised'];
    }

    /** @dataProvider permissions */
    #[DataProvider('permissions')]
    public function testPermissionIsAskedAgainWhenARunIsTakenUp(
        callable $again,
        string $state,
        string $kind,
    ): void {
        $asked = 0;
        $permission = static function (ToolInput $input) use ($again, &$asked): mixed {
            return $asked++ === 0 ? true : $again();
        };
        $executor = $this->executor(permission: $permission);
        $this->approvals->decide($this->ask($executor)->approvalId, true);
        $execution = $executor->resume('a1');
        self::assertSame([$state, $kind], [$execution->state, $execution->error->getKind()]);
        self::assertSame([2, []], [$asked, $this->seen]);
        self::assertNull($executor->input('a1'));
    }

    public function testTheApproverSeesTheWholeArguments(): void
    {
        $payload = [
            'post_id' => 5, 'content' => str_repeat('ä', 300), 'user_pass' => 'hunter2',
            'list' => range(1, 200),
        ];
        $request = $this->approvals->get($this->ask($this->executor(), $payload)->approvalId);
        $shown = json_decode($this->approvals->arguments($request->id), true);
        self::assertSame(
            ['user_pass' => '[redacted]'] + $payload,
            ['user_pass' => $shown['user_pass']] + $shown
        );
        self::assertSame(strlen(json_encode($payload, JSON_UNESCAPED_UNICODE)), $request->size);
        self::assertMatchesRegularExpression('/^[0-9a-f]{64}$/', $request->fingerprint);
        $this->approvals->decide($request->id, false);
        self::assertNull($this->approvals->arguments($request->id));
    }

    public function testACallWhoseChangesAreOthersIsNotRun(): void
    {
        $title = 'Old';
        $executor = $this->executor(changes: static function () use (&$title): array {
            return ['title' => [$title, 'New']];
        });
        $told = [];
        $executor->listen(static function (string $type, array $data) use (&$told): void {
            $told[] = [$type, $data['reason'] ?? null];
        });
        $execution = $this->ask($executor);
        $seen = $executor->fingerprint('a1');
        self::assertSame($this->approvals->get($execution->approvalId)->fingerprint, $seen);
        $this->approvals->decide($execution->approvalId, true, fingerprint: $seen, present: $seen);
        $title = 'Edited';
        self::assertNotSame($seen, $executor->fingerprint('a1'));
        $execution = $executor->resume('a1');
        self::assertSame('denied', $execution->state);
        self::assertInstanceOf(ToolChangedSince::class, $execution->error);
        self::assertInstanceOf(ToolDenied::class, $execution->error);
        self::assertSame('changed_since', $execution->error->getKind());
        self::assertSame(['tool.denied', 'changed_since'], end($told));
        self::assertNotContains('handler', array_column($this->seen, 0));
        self::assertNull($executor->resume('a1'));
        self::assertSame([null, null], [$executor->fingerprint('a1'), $executor->input('a1')]);
    }

    public function testADecisionBearsWhatWasSeen(): void
    {
        $title = 'Old';
        $executor = $this->executor(changes: static function () use (&$title): string {
            return $title;
        });
        $id = $this->ask($executor)->approvalId;
        $decide = fn (string $seen, ?string $present = null) => $this->approvals->decide(
            $id,
            true,
            decidedBy: 'ann',
            fingerprint: $seen,
            present: $present,
        );
        self::assertSame('changed_since', self::code(static fn () => $decide('0000')));
        self::assertSame('pending', $this->approvals->status($id));
        self::assertNotNull($this->approvals->arguments($id));
        // A person who looks later approves the present changes, not those of the request.
        $title = 'Edited';
        $present = $executor->fingerprint('a1');
        self::assertSame('changed_since', self::code(static fn () => $decide($present)));
        $request = $decide($present, $present);
        self::assertSame(['approved', $present], [$request->status, $request->decidedFingerprint]);
        self::assertSame($present, $request->toArray()['decided_fingerprint']);
        self::assertSame('completed', $executor->resume('a1')->state);
    }

    public function testChangesThatCannotBeSaidFailTheRun(): void
    {
        $says = static fn () => [];
        $executor = $this->executor(changes: static function () use (&$says): mixed {
            return $says();
        });
        $this->approvals->decide($this->ask($executor)->approvalId, true);
        $says = static fn () => throw new DomainException('no such post');
        $execution = $executor->resume('a1');
        self::assertSame('failed', $execution->state);
        self::assertInstanceOf(DomainException::class, $execution->error->getPrevious());
        $says = static fn () => fopen('php://memory', 'r');
        self::assertSame('failed', $this->ask($executor)->state);
        self::assertSame([], $this->approvals->pending());
    }
}
