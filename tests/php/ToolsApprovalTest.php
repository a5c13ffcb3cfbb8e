<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use DomainException;
use PHPUnit\Framework\TestCase;
use Toolwire\Detector;
use Toolwire\Exception\InvalidArgument;
use Toolwire\Tools\ApprovalService;
use Toolwire\Tools\Exception\ApprovalException;
use Toolwire\Tools\Exception\ToolApprovalTimeout;
use Toolwire\Tools\Exception\ToolChangedSince;
use Toolwire\Tools\Exception\ToolDenied;
use Toolwire\Tools\Execution;
use Toolwire\Tools\Executor;
use Toolwire\Tools\Registry;
use Toolwire\Tools\Store\Memory;
use Toolwire\Tools\Store\Sqlite;
use Toolwire\Tools\ToolDefinition;
use Toolwire\Tools\ToolInput;
use Toolwire\Tools\ToolOutput;

/** What a person approves is what runs. */
final class ToolsApprovalTest extends TestCase
{
    private const SCHEMA = [
        'type' => 'object',
        'properties' => ['post_id' => ['type' => 'integer']],
    ];

    private Memory $store;
    private ApprovalService $approvals;
    /** @var list<array{string, mixed}> what each callable was given */
    private array $seen = [];

    protected function setUp(): void
    {
        $this->store = new Memory();
        $this->approvals = new ApprovalService($this->store);
        $this->seen = [];
    }

    private function executor(mixed ...$options): Executor
    {
        $handler = function (ToolInput $input): ToolOutput {
            $this->seen[] = ['handler', $input->payload];
            return ToolOutput::ok();
        };
        $registry = new Registry();
        $registry->register(new ToolDefinition(
            'update_post',
            'UPDATE_POST',
            $handler,
            inputSchema: self::SCHEMA,
            requiresApproval: true,
            capability: 'edit_posts',
        ));
        $permission = function (ToolInput $input): bool {
            $this->seen[] = ['permission', $input->payload];
            return true;
        };
        return new Executor(
            $registry,
            ...['store' => $this->store, 'permission' => $permission, ...$options]
        );
    }

    /** @param array<string, mixed> $payload */
    private function ask(Executor $executor, array $payload = ['post_id' => 5]): Execution
    {
        return $executor->execute(['id' => 'a1', 'type' => 'UPDATE_POST', 'payload' => $payload]);
    }

    private static function code(callable $step): string
    {
        try {
            $step();
        } catch (ApprovalException $refusal) {
            return $refusal->getKind();
        }
        return 'none';
    }

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
    public function testAnIntegralFloatIsAnIntegerForEverybody(mixed $action): void
    {
        $changes = function (ToolInput $input, ToolDefinition $tool): array {
            $this->seen[] = ['changes', $input->payload];
            return [$tool->name, $input->json()];
        };
        $executor = $this->executor(changes: $changes);
        $execution = $executor->execute($action);
        self::assertSame('pendingApproval', $execution->state);
        self::assertSame('{"post_id":5}', $this->approvals->arguments($execution->approvalId));
        self::assertSame(['post_id' => 5], $this->approvals->get($execution->approvalId)->payload);
        $waiting = $executor->waiting($execution->id);
        self::assertSame(
            [['post_id' => 5], '{"post_id":5}'],
            [$waiting->payload, $waiting->json()]
        );
        self::assertSame($execution->id, $waiting->actionId);
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
        self::assertNull($executor->waiting('a1'));
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
        self::assertSame([null, null], [$executor->fingerprint('a1'), $executor->waiting('a1')]);
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
        // What is looked at later than it was asked is approved as it is then.
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

    public function testARequestWhoseTimeIsOverReadsAsExpiredEverywhere(): void
    {
        $executor = $this->executor(approvalTimeout: 0.01);
        $execution = $this->ask($executor);
        usleep(12000);
        self::assertSame('expired', $this->approvals->status($execution->approvalId));
        self::assertSame('expired', $this->approvals->status('a1'));
        self::assertSame('expired', $this->approvals->get($execution->approvalId)->status);
        self::assertSame([], $this->approvals->pending());
        self::assertNull($this->approvals->arguments($execution->approvalId));
        $decide = fn () => $this->approvals->decide($execution->approvalId, true);
        self::assertSame('approval_expired', self::code($decide));
        self::assertInstanceOf(ToolApprovalTimeout::class, $executor->resume('a1')->error);
    }

    /** Everything that the store holds, at a time. */
    private function held(float $later = 0.0): string
    {
        $now = (int) ((microtime(true) + $later) * 1e6);
        return implode("\n", array_column($this->store->scan('', null, 1000, $now), 'value'));
    }

    public function testArgumentsLeaveTheStore(): void
    {
        // Behind what a summary shows.
        $payload = ['content' => str_repeat('x', 300) . ' in a diary'];
        $held = null;
        $executor = $this->executor(permission: function () use (&$held): bool {
            $held = $this->held();
            return true;
        });
        $id = $this->ask($executor, $payload)->approvalId;
        self::assertStringContainsString('diary', $this->held());
        // One who dies while the handler runs leaves no arguments, for they went when the run was
        // claimed.
        $this->approvals->decide($id, true);
        self::assertStringContainsString('diary', $this->held());
        self::assertSame('completed', $executor->resume('a1')->state);
        self::assertStringNotContainsString('diary', $held);
        self::assertStringNotContainsString('diary', $this->held());

        $id = $this->ask($executor, $payload)->approvalId;
        $this->approvals->decide($id, false);
        self::assertSame('denied', $executor->resume('a1')->state);
        self::assertStringNotContainsString('diary', $this->held());

        // One that nobody takes up goes when it has expired: its request first, then the run.
        $this->ask($executor, $payload);
        self::assertStringContainsString('diary', $this->held(86_400.0 * 2 - 10));
        self::assertStringNotContainsString('diary', $this->held(86_400.0 * 2 + 10));
    }

    /** Which of a store's files hold the secret. */
    private static function filesWithSecret(string $path): array
    {
        $holds = static fn (string $file): bool => str_contains(
            (string) file_get_contents($file),
            'hunter2-raw-secret'
        );
        return array_map(basename(...), array_values(array_filter((array) glob("$path*"), $holds)));
    }

    public function testARunThatIsNotApprovedLeavesNoArgumentsInTheFiles(): void
    {
        $folder = sys_get_temp_dir() . '/toolwire-' . bin2hex(random_bytes(8));
        mkdir($folder, 0700);
        $path = "$folder/state.db";
        $store = new Sqlite($path);
        $approvals = new ApprovalService($store);
        $executor = $this->executor(store: $store);
        $ask = static fn (string $id): ?string => $executor->execute([
            'id' => $id,
            'type' => 'UPDATE_POST',
            'payload' => [
                'user_pass' => 'hunter2-raw-secret',
                'content' => str_repeat('x', 50_000),
            ],
        ])->approvalId;
        try {
            foreach (['denied', 'cancelled', 'forgotten'] as $end) {
                $id = $ask($end);
                self::assertNotSame([], self::filesWithSecret($path), 'it was never there');
                match ($end) {
                    'denied' => $approvals->decide($id, false),
                    'cancelled' => $approvals->cancel($id),
                    'forgotten' => $approvals->forget($id),
                };
                self::assertSame([], self::filesWithSecret($path), $end);
                self::assertNull($executor->waiting($end));
                self::assertNull($executor->fingerprint($end));
                self::assertSame('denied', $executor->resume($end)->state);
                self::assertNull($executor->resume($end));
            }
            $approvals->decide($ask('approved'), true);
            self::assertNotSame([], self::filesWithSecret($path));
            self::assertSame('completed', $executor->resume('approved')->state);
            self::assertSame([], self::filesWithSecret($path));
            $hurried = $this->executor(store: $store, approvalTimeout: 0.001);
            $hurried->execute([
                'id' => 'late',
                'type' => 'UPDATE_POST',
                'payload' => ['user_pass' => 'hunter2-raw-secret'],
            ]);
            usleep(5000);
            self::assertCount(0, $approvals->pending());
            self::assertSame([], self::filesWithSecret($path));
            self::assertInstanceOf(ToolApprovalTimeout::class, $hurried->resume('late')->error);
        } finally {
            $store->close();
            array_map(unlink(...), (array) glob("$path*"));
            rmdir($folder);
        }
    }

    public function testARequestIsForgottenWhenItsRetentionIsOver(): void
    {
        $approvals = new ApprovalService($this->store, retention: 0.001);
        $id = $this
            ->executor(approvalRetention: 0.001)
            ->execute(['type' => 'UPDATE_POST'])->approvalId;
        $approvals->decide($id, false);
        usleep(5000);
        self::assertNull($approvals->get($id));
        self::assertSame(
            'pending',
            $approvals->status($this->executor()->execute(['type' => 'UPDATE_POST'])->approvalId)
        );
        $this->expectException(InvalidArgument::class);
        new ApprovalService($this->store, retention: -1.0);
    }

    public function testPendingRequestsComeInPages(): void
    {
        $executor = $this->executor();
        $ids = array_map(
            static fn (int $n): ?string =>
                $executor->execute(['id' => "a$n", 'type' => 'UPDATE_POST'])->approvalId,
            range(1, 5)
        );
        $found = $sizes = [];
        do {
            $page = $this->approvals->pending(limit: 2, after: end($found) ?: null);
            $sizes[] = count($page);
            $found = [...$found, ...array_map(static fn ($request): string => $request->id, $page)];
            // Whoever decides while the pages are read loses none of them.
            $page === [] || $this->approvals->decide($page[0]->id, false);
        } while ($page !== []);
        self::assertSame([$ids, [2, 2, 1, 0]], [$found, $sizes]);
        self::assertCount(2, $this->approvals->pending());
        foreach ([0, -1] as $limit) {
            try {
                $this->approvals->pending(limit: $limit);
                self::fail('it took a limit of ' . $limit);
            } catch (InvalidArgument $error) {
                self::assertStringContainsString('limit must be at least 1', $error->getMessage());
            }
        }
        $this->expectException(ApprovalException::class);
        $this->approvals->pending(after: 'none');
    }

    /** As many and as large as a hostile model can make them. */
    public function testAListOfRequestsHasABound(): void
    {
        $executor = $this->executor();
        for ($n = 0; $n < 10; $n++) {
            $executor->execute([
                'type' => 'UPDATE_POST',
                'payload' => [str_repeat('k', 500_000) => 1],
            ]);
        }
        $many = [];
        for ($n = 0; $n < 20_000; $n++) {
            $many["k$n"] = str_repeat('v', 19);
        }
        $executor->execute(['type' => 'UPDATE_POST', 'payload' => $many]);
        $sizes = array_map(
            static fn ($request): int => strlen((string) json_encode($request->toArray())),
            $this->approvals->pending()
        );
        self::assertCount(11, $sizes);
        self::assertLessThan(20_000, max($sizes));
    }
}
