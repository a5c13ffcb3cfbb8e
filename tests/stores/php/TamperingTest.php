<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use PHPUnit\Framework\Attributes\DataProvider;
use Throwable;
use Toolwire\Exception\ToolwireThrowable;
use Toolwire\Tools\ApprovalService;
use Toolwire\Tools\Executor;
use Toolwire\Tools\Registry;
use Toolwire\Tools\Store;
use Toolwire\Tools\Store\Memory;
use Toolwire\Tools\ToolDefinition;
use Toolwire\Tools\ToolOutput;

/**
 * Entries that are not as they were written: nothing runs for them, and each error has a kind. By
 * default a part of the changes is tried; `TOOLWIRE_TAMPERINGS=all` tries each of them.
 */
final class TamperingTest extends ServerStoreTestCase
{
    private const WAITS = '00000000-0000-4000-8000-000000000001';
    private const DENIED = '00000000-0000-4000-8000-000000000002';
    private const APPROVED = '00000000-0000-4000-8000-000000000003';
    private const DONE = '00000000-0000-4000-8000-000000000004';
    private const CUT_OFF = '00000000-0000-4000-8000-000000000005';
    /** Each run, and the one whose parts are put into its entries. */
    private const RUNS = [
        self::WAITS => self::APPROVED, self::DENIED => self::APPROVED,
        self::APPROVED => self::DONE, self::DONE => self::APPROVED, self::CUT_OFF => self::DONE,
    ];

    /** @var array<string, int> how often each handler ran */
    private array $ran = [];
    /** @var list<string> */
    private array $wrong = [];
    private ?\Closure $snapshot = null;

    /** @dataProvider everyStore */
    #[DataProvider('everyStore')]
    public function testNoEntryThatWasChangedRunsAnything(string $name): void
    {
        $entries = $this->scene();
        $tried = [];
        foreach ($entries as $key => $value) {
            foreach (Tampering::changes($value, $this->other($key, $entries)) as $what => $changed) {
                $tried[] = [$key, $what, $changed];
            }
        }
        $part = getenv('TOOLWIRE_TAMPERINGS') ?: '60';
        $step = $part === 'all' ? 1 : max(1, intdiv(count($tried), (int) $part));
        $store = $this->open($name);
        $faults = [];
        for ($at = 0; $at < count($tried); $at += $step) {
            [$key, $what, $changed] = $tried[$at];
            self::putBack($store, $entries);
            [$this->ran, $this->wrong] = [[], []];
            $changed === null
                ? $store->delete($key, null, 0)
                : $store->put($key, $changed, null, null, 0);
            $deleted = $changed === null && str_starts_with($key, 'run/id/') ? $key : '';
            $this->workWith($store, $deleted);
            foreach ($this->ran as $run => $times) {
                $may = in_array($run, [self::APPROVED, 'undo ' . self::DONE, 'undo ' . self::APPROVED]);
                if ($times > (int) $may) {
                    $this->wrong[] = "$run ran $times times";
                }
            }
            foreach ($this->wrong as $fault) {
                $faults[] = "$key: $what: $fault";
            }
        }
        self::assertSame([], array_slice($faults, 0, 40), count($faults) . ' of ' . count($tried));
    }

    /** Does everything that people and agents do with the runs, except decide. */
    private function workWith(Store $store, string $deleted): void
    {
        $executor = $this->executor($store);
        $approvals = new ApprovalService($store);
        $steps = [
            static fn () => $executor->waiting(),
            static fn () => $approvals->pending(),
            static fn () => $executor->undo(self::DONE),
            static fn () => $executor->undo(self::APPROVED),
            static fn () => $executor->start(['type' => 'EDIT', 'payload' => ['of' => '']]),
        ];
        foreach (array_keys(self::RUNS) as $run) {
            array_push(
                $steps,
                static fn () => $executor->input($run),
                static fn () => $executor->fingerprint($run),
                static fn () => $executor->resume($run)?->toArray(),
                static fn () => $approvals->status($run),
                static fn () => $approvals->get($run),
                static fn () => $approvals->arguments($run),
                static fn () => $approvals->changes($run),
            );
            if (!str_contains($deleted, $run)) {
                $steps[] = static fn () => $executor->start(self::call($run))->toArray();
            }
        }
        foreach ($steps as $step) {
            try {
                $step();
            } catch (ToolwireThrowable) {
                // It has a kind.
            } catch (Throwable $error) {
                $this->wrong[] = get_class($error) . ": {$error->getMessage()}";
            }
        }
    }

    /** @return array<string, string> the entries of runs in every state */
    private function scene(): array
    {
        $store = new Memory();
        $executor = $this->executor($store);
        $approvals = new ApprovalService($store);
        $cutOff = [];
        foreach (array_keys(self::RUNS) as $run) {
            $waiting = $executor->start(self::call($run));
            self::assertSame('waiting', $waiting->state);
            if ($run !== self::WAITS) {
                $approvals->decide($waiting->approvalId, $run !== self::DENIED);
            }
            if ($run === self::CUT_OFF) {
                $this->snapshot = static function () use ($store, &$cutOff): void {
                    $cutOff = array_column($store->scan('', null, PHP_INT_MAX, 0), 'value', 'key');
                };
            }
            if ($run === self::DONE || $run === self::CUT_OFF) {
                self::assertSame('completed', $executor->resume($run)?->state);
            }
        }
        $this->snapshot = null;
        $entries = array_column($store->scan('', null, PHP_INT_MAX, 0), 'value', 'key');
        foreach ($cutOff as $key => $value) {
            if (str_starts_with($key, 'run/') && str_ends_with($key, self::CUT_OFF)) {
                $over = '"until":"2001-01-01T00:00:00+00:00"';
                $entries[$key] = preg_replace('/"until":"[^"]*"/', $over, $value);
            }
        }
        return $entries;
    }

    private function executor(Store $store): Executor
    {
        $edit = function ($given): ToolOutput {
            $run = $given->runId;
            $this->ran[$run] = ($this->ran[$run] ?? 0) + 1;
            if ($given->payload !== ['of' => $run]) {
                $this->wrong[] = "$run got " . json_encode($given->payload);
            }
            if ($this->snapshot !== null) {
                ($this->snapshot)();
            }
            return ToolOutput::ok(['of' => $run], undoMetadata: ['of' => $run]);
        };
        $undo = function ($metadata): void {
            $run = "undo {$metadata->runId}";
            $this->ran[$run] = ($this->ran[$run] ?? 0) + 1;
        };
        $registry = new Registry();
        $registry->register(new ToolDefinition(
            'edit',
            'EDIT',
            $edit,
            requiresApproval: true,
            undoable: true,
            undoHandler: $undo,
            rateLimit: [1000, 3600.0],
        ));
        $wipe = fn () => $this->wrong[] = 'a tool ran that nobody called';
        $registry->register(new ToolDefinition('wipe', 'WIPE', $wipe));
        return new Executor($registry, $store);
    }

    /** @return array<string, mixed> */
    private static function call(string $run): array
    {
        return ['id' => $run, 'type' => 'EDIT', 'payload' => ['of' => $run]];
    }

    /** @param array<string, string> $entries */
    private static function putBack(Store $store, array $entries): void
    {
        $now = array_column($store->scan('', null, 10_000, 0), 'value', 'key');
        foreach (array_diff_key($now, $entries) as $key => $value) {
            $store->delete($key, null, 0);
        }
        foreach (array_diff_assoc($entries, $now) as $key => $value) {
            $store->put($key, $value, null, null, 0);
        }
    }

    /**
     * Gives the value of the same kind that belongs to another run, else the value itself.
     *
     * @param array<string, string> $entries
     */
    private function other(string $key, array $entries): string
    {
        $kind = implode('/', array_slice(explode('/', $key), 0, 2));
        $theirs = self::RUNS[$this->runOf($key, $entries)];
        foreach ($entries as $other => $value) {
            if (str_starts_with($other, "$kind/") && $this->runOf($other, $entries) === $theirs) {
                return $value;
            }
        }
        return $entries[$key];
    }

    /** @param array<string, string> $entries */
    private function runOf(string $key, array $entries): string
    {
        foreach (array_reverse(explode('/', $key)) as $word) {
            if (isset(self::RUNS[$word])) {
                return $word;
            }
            if (isset($entries["approval/request/$word"])) {
                return json_decode($entries["approval/request/$word"])->run_id;
            }
        }
        return self::DONE;
    }
}
