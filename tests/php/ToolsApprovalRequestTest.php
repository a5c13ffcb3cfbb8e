<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use Toolwire\Exception\InvalidArgument;
use Toolwire\Tools\ApprovalService;
use Toolwire\Tools\Exception\ApprovalException;
use Toolwire\Tools\Exception\ToolApprovalTimeout;
use Toolwire\Tools\Store\Sqlite;

/** Requests in the store: their end, what they leave there, and lists of them. */
final class ToolsApprovalRequestTest extends ToolsApprovalTestCase
{
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

    /** Everything that the store holds, now or some seconds later. */
    private function held(float $later = 0.0): string
    {
        $now = (int) ((microtime(true) + $later) * 1e6);
        return implode("\n", array_column($this->store->scan('', null, 1000, $now), 'value'));
    }

    public function testArgumentsLeaveTheStore(): void
    {
        // The word stands behind the part that a summary shows.
        $payload = ['content' => str_repeat('x', 300) . ' in a diary'];
        $held = null;
        $this->whenRun = function () use (&$held): void {
            $held = $this->held();
        };
        $executor = $this->executor(permission: static fn (): bool => true);
        $id = $this->ask($executor, $payload)->approvalId;
        self::assertStringContainsString('diary', $this->held());
        // The arguments are removed when the handler starts, so a process that dies in it leaves
        // none.
        $this->approvals->decide($id, true);
        self::assertStringContainsString('diary', $this->held());
        self::assertSame('completed', $executor->resume('a1')->state);
        self::assertStringNotContainsString('diary', $held);
        self::assertStringNotContainsString('diary', $this->held());

        $id = $this->ask($executor, $payload)->approvalId;
        $this->approvals->decide($id, false);
        self::assertSame('denied', $executor->resume('a1')->state);
        self::assertStringNotContainsString('diary', $this->held());

        // A run that nobody takes up is removed after it has expired: its request first.
        $this->ask($executor, $payload);
        self::assertStringContainsString('diary', $this->held(86_400.0 * 2 - 10));
        self::assertStringNotContainsString('diary', $this->held(86_400.0 * 2 + 10));
    }

    /** The files of a store that hold the secret. */
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
                self::assertNull($executor->input($end));
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
            // A decision between two pages does not hide a request.
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

    /** The calls are as many and as large as a hostile model can make them. */
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
