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
use Toolwire\Tools\ToolDefinition;
use Toolwire\Tools\ToolOutput;

/**
 * A connection that is cut at each request of a run, in front of it, in it and behind it. By
 * default every fifth request is cut; `TOOLWIRE_CUTS=all` cuts each of them.
 */
final class CutsTest extends ServerStoreTestCase
{
    private const MODES = ['before', 'half', 'behind', 'answer'];
    private const TRIES = 3;

    private int $ran = 0;
    private int $undone = 0;
    /** @var list<string> */
    private array $wrong = [];

    /** @return iterable<string, array{string, string, bool}> */
    public static function cuts(): iterable
    {
        foreach (self::onServers() as $store => [$name]) {
            foreach (self::MODES as $mode) {
                yield "$store $mode, approved" => [$name, $mode, true];
                yield "$store $mode, denied" => [$name, $mode, false];
            }
        }
    }

    /** @dataProvider cuts */
    #[DataProvider('cuts')]
    public function testACutAtAnyRequestRunsNothingTwice(string $name, string $mode, bool $granted): void
    {
        $server = Stores::SERVERS[$name];
        $direct = $this->open($name);
        [$faults, $completed] = [[], 0];
        $step = getenv('TOOLWIRE_CUTS') === 'all' ? 1 : 5;
        for ($request = 1;; $request += $step) {
            [$this->ran, $this->undone, $this->wrong] = [0, 0, []];
            $id = sprintf('00000000-0000-4000-8000-%012d', $request);
            $cut = $this->open($name, null, 'proxy');
            Servers::tell('plan', $server, (string) $request, $mode, (string) ($request % 7));
            $states = [$this->work($cut, $id, $granted)];
            $cut->close();
            $wasCut = Servers::ask('unplan', $server) === 'made';
            // Nobody cuts the one who comes later, and does everything again.
            $states[] = $this->work($direct, $id, $granted);
            $where = "request $request";
            array_push($faults, ...array_map(static fn ($fault) => "$where: $fault", $this->wrong));
            if ($this->ran > (int) $granted || $this->undone > $this->ran) {
                $faults[] = "$where: ran {$this->ran} times, and undone {$this->undone} times";
            }
            $isCompleted = in_array('completed', $states, true);
            if ($isCompleted && $this->ran === 0) {
                $faults[] = "$where: completed, and nothing ran";
            }
            $completed += (int) $isCompleted;
            if (!$wasCut) {
                break;
            }
        }
        self::assertSame([], array_slice($faults, 0, 40));
        self::assertGreaterThan(20, $request, 'each request was cut in turn');
        self::assertSame($granted, $completed > 0);
    }

    /** Starts a run, decides, goes on, and undoes it: each step again until it works. */
    private function work(Store $store, string $id, bool $granted): ?string
    {
        $call = ['id' => $id, 'type' => 'EDIT', 'payload' => ['n' => 1]];
        $executor = $this->executor($store);
        $approvals = new ApprovalService($store);
        $run = $this->attempt(static fn () => $executor->start($call));
        if ($run?->approvalId !== null) {
            $this->attempt(static fn () => $approvals->decide($run->approvalId, $granted));
        }
        $run = $this->attempt(static fn () => $executor->resume($id));
        $again = $this->attempt(static fn () => $executor->start($call));
        $this->attempt(static fn () => $executor->waiting());
        $this->attempt(static fn () => $approvals->pending());
        $this->attempt(static fn () => $executor->undo($id));
        return $run?->state ?? $again?->state;
    }

    private function attempt(callable $work): mixed
    {
        for ($try = 0; $try < self::TRIES; $try++) {
            try {
                return $work();
            } catch (ToolwireThrowable) {
                // It has a kind.
            } catch (Throwable $error) {
                $this->wrong[] = get_class($error) . ": {$error->getMessage()}";
            }
        }
        return null;
    }

    private function executor(Store $store): Executor
    {
        $registry = new Registry();
        $registry->register(new ToolDefinition(
            'edit',
            'EDIT',
            function ($given): ToolOutput {
                $this->ran++;
                if ($given->payload !== ['n' => 1]) {
                    $this->wrong[] = 'got ' . json_encode($given->payload);
                }
                return ToolOutput::ok(['done' => 1], undoMetadata: ['was' => 0]);
            },
            requiresApproval: true,
            undoable: true,
            undoHandler: function (): void {
                $this->undone++;
            },
            rateLimit: [1000, 3600.0],
        ));
        return new Executor($registry, $store);
    }
}
