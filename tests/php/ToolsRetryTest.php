<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use PHPUnit\Framework\TestCase;
use Toolwire\Exception\InvalidArgument;
use Toolwire\Tools\ApprovalService;
use Toolwire\Tools\Exception\RunException;
use Toolwire\Tools\Executor;
use Toolwire\Tools\Registry;
use Toolwire\Tools\Store\Sqlite;
use Toolwire\Tools\ToolDefinition;
use Toolwire\Tools\ToolInput;
use Toolwire\Tools\ToolOutput;

/** Interrupted runs that somebody retries, pages of runs, and what a run would change. */
final class ToolsRetryTest extends TestCase
{
    private const CALL = ['id' => 'call_1', 'type' => 'MAIL', 'payload' => ['to' => 'ann']];

    private string $folder;
    private string $path;

    protected function setUp(): void
    {
        $this->folder = sys_get_temp_dir() . '/toolwire-retry-' . bin2hex(random_bytes(8));
        mkdir($this->folder, 0700);
        $this->path = "{$this->folder}/state.db";
    }

    protected function tearDown(): void
    {
        array_map('unlink', glob("{$this->folder}/*"));
        rmdir($this->folder);
    }

    private function executor(bool $asks = false, ?callable $changes = null): Executor
    {
        $handler = static fn (ToolInput $input): ToolOutput =>
            ToolOutput::ok(['to' => $input->payload['to'], 'key' => $input->idempotencyKey]);
        $registry = new Registry();
        $registry->register(new ToolDefinition('mail', 'MAIL', $handler, requiresApproval: $asks));
        return new Executor($registry, new Sqlite($this->path), changes: $changes);
    }

    /** Lets a process end in its handler; gives the id of the run. */
    private function interrupted(string $begin = 'start'): string
    {
        $program = 'use Toolwire\Tools\{Executor, Registry, ToolDefinition};'
            . '$registry = new Registry(); $registry->register(new ToolDefinition("mail", "MAIL",'
            . ' function ($input) { echo $input->runId; exit(9); }));'
            . '$store = new Toolwire\Tools\Store\Sqlite($argv[1]);'
            . '$call = ["id" => "call_1", "type" => "MAIL", "payload" => ["to" => "ann"]];'
            . "(new Executor(\$registry, \$store))->$begin(\$call);";
        [$id, $status] = ToolsSafetyTest::php($program, $this->path);
        self::assertSame(9, $status);
        return $id;
    }

    /** The idempotency key that the store keeps with a run. */
    private function key(string $id): string
    {
        $entry = (new Sqlite($this->path))->get("run/id/$id", 0);
        return json_decode($entry['value'], true)['input']['run']['key'];
    }

    private static function code(callable $step): string
    {
        try {
            $step();
        } catch (RunException $refusal) {
            return $refusal->getKind();
        }
        self::fail('nothing was refused');
    }

    public function testAnInterruptedRunIsRetriedOnce(): void
    {
        $id = $this->interrupted();
        self::assertSame('interrupted', $this->executor()->start(self::CALL)->state);
        self::assertSame('approved', $this->executor()->retry($id)->state);
        self::assertSame('not_interrupted', self::code(fn () => $this->executor()->retry($id)));
        self::assertSame($id, $this->executor()->waiting()[0]->id);
        $key = $this->key($id);
        $done = $this->executor()->resume($id);
        self::assertSame(['to' => 'ann', 'key' => $key], $done->output->data);
        self::assertNotSame($id, $key);
        self::assertSame($key, $this->key($id), 'each attempt has the key that the first one had');
        self::assertSame('completed', $this->executor()->start(self::CALL)->state);
        self::assertSame('not_interrupted', self::code(fn () => $this->executor()->retry($id)));
        self::assertSame('unknown_run', self::code(fn () => $this->executor()->retry('none')));
    }

    public function testTheWaitingRunsComeInPages(): void
    {
        $ids = [];
        foreach (range(1, 5) as $number) {
            $ids[] = $this->executor(true)->start(['id' => "c$number"] + self::CALL)->id;
        }
        $executor = $this->executor(true);
        $page = static fn (?int $limit = null, ?string $after = null): array =>
            array_map(static fn ($run) => $run->id, $executor->waiting($limit, $after));
        self::assertSame($ids, $page());
        self::assertSame([$ids[0], $ids[1]], $page(2));
        self::assertSame([$ids[2], $ids[3]], $page(2, $ids[1]));
        self::assertSame([$ids[4]], $page(2, $ids[3]));
        self::assertSame([], $page(after: $ids[4]));
        self::assertSame('unknown_run', self::code(static fn () => $page(2, 'none')));
        $this->expectException(InvalidArgument::class);
        $page(0);
    }

    public function testTheChangesOfARunAreKeptWithItsRequest(): void
    {
        $changes = static fn (): array => [
            ['label' => 'title', 'old' => "Old\n", 'new' => "New\n"],
            ['label' => 'user_pass', 'old' => 'hunter2', 'new' => 'hunter3'],
        ];
        $run = $this->executor(true, $changes)->start(self::CALL);
        $approvals = new ApprovalService(new Sqlite($this->path));
        $change = [
            'label' => 'title', 'kind' => 'diff', 'text' => "@@ -1 +1 @@\n-Old\n+New\n",
            'additions' => 1, 'deletions' => 1, 'has_secrets' => false, 'left_out' => 0,
        ];
        [$title, $pass] = $approvals->changes($run->approvalId);
        self::assertSame($change, $title);
        self::assertSame(['', true], [$pass['text'], $pass['has_secrets']]);
        self::assertStringNotContainsString('hunter', json_encode($approvals->changes($run->approvalId)));
        $approvals->decide($run->approvalId, true);
        self::assertNull($approvals->changes($run->approvalId));
        self::assertSame('completed', $this->executor(true, $changes)->resume($run->id)->state);

        $none = $this->executor(true, static fn () => null)->start(['id' => 'b'] + self::CALL);
        self::assertSame([], $approvals->changes($none->approvalId));
        $unsaid = $this->executor(true)->start(['id' => 'c'] + self::CALL);
        self::assertNull($approvals->changes($unsaid->approvalId));
    }
}
