<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use PHPUnit\Framework\Attributes\DataProvider;
use Toolwire\Tools\ApprovalService;
use Toolwire\Tools\Executor;
use Toolwire\Tools\Registry;
use Toolwire\Tools\ToolDefinition;
use Toolwire\Tools\ToolOutput;

/** Many processes on one store, and processes that are killed at any moment. */
final class StoreProcessesTest extends ServerStoreTestCase
{
    private const PROCESSES = 16;
    private const AT_ONCE = 4;

    /** @dataProvider everyStore */
    #[DataProvider('everyStore')]
    public function testOfManyProcessesEachCountsOnce(string $store): void
    {
        $times = 10;
        $place = Stores::place($store, $this->folder, $this->name);
        $said = $this->runAll('count', $place, array_fill(0, self::PROCESSES, $times));
        $numbers = array_map(static fn (array $line): int => (int) $line[1], $said);
        sort($numbers);
        self::assertSame(range(1, self::PROCESSES * $times), $numbers);
        self::assertCount(count($said), array_unique(array_column($said, 2)));
        $last = Stores::open($place)->get('counter', 0)['value'];
        self::assertSame((string) (self::PROCESSES * $times), $last);
    }

    public function testOfTwoProcessesOneMakesEachBatch(): void
    {
        $place = Stores::place('redis', $this->folder, $this->name);
        $won = [];
        foreach ($this->runAll('batches', $place, [1, 2]) as [$how, $turn, $who]) {
            if ($how === 'won') {
                self::assertArrayNotHasKey("owner/$turn", $won);
                $won["owner/$turn"] = $who;
            }
        }
        ksort($won);
        self::assertCount(100, $won);
        // What stands behind the condition is the winner's, and the loser has left nothing.
        $store = Stores::open($place);
        $owners = array_column($store->scan('owner/', null, 999, 0), 'value', 'key');
        self::assertSame($won, $owners);
        self::assertCount(200, $store->scan('tried/', null, 999, 0));
        self::assertSame([], $store->scan('stays/', null, 9, 0));
    }

    /** @dataProvider everyStore */
    #[DataProvider('everyStore')]
    public function testOfManyProcessesOneTakesEachDecision(string $store): void
    {
        $place = Stores::place($store, $this->folder, $this->name);
        $this->ask($place, 15);
        $said = $this->runAll('decide', $place, range(1, self::PROCESSES));
        $decided = array_filter($said, static fn (array $line): bool => $line[0] === 'decided');
        self::assertCount(15, $decided);
        self::assertCount(15 * (self::PROCESSES - 1), array_diff_key($said, $decided));
        self::assertCount(15, array_unique(array_column($decided, 1)));
        $approvals = new ApprovalService(Stores::open($place));
        foreach ($decided as [, $id, $number]) {
            $request = $approvals->get($id);
            self::assertSame($number, $request->decidedBy);
            self::assertSame((int) $number % 2 === 0 ? 'approved' : 'denied', $request->status);
        }
    }

    /** @dataProvider everyStore */
    #[DataProvider('everyStore')]
    public function testOfManyProcessesOneGoesOnWithEachRun(string $store): void
    {
        $place = Stores::place($store, $this->folder, $this->name);
        $runs = $this->ask($place, 15);
        $approvals = new ApprovalService(Stores::open($place));
        foreach ($runs as $run) {
            $approvals->decide($run, true);
        }
        $said = $this->runAll('resume', $place, range(1, self::PROCESSES));
        $ran = array_column(array_filter($said, static fn (array $line) => $line[0] === 'ran'), 1);
        sort($ran);
        sort($runs);
        self::assertSame($runs, $ran);
        $saw = array_filter($said, static fn (array $line): bool => $line[0] === 'saw');
        self::assertSame([], array_diff(array_column($saw, 2), ['completed', 'running', 'approved']));
    }

    /** @dataProvider everyStore */
    #[DataProvider('everyStore')]
    public function testWhatWasAcknowledgedSurvivesEveryKill(string $store): void
    {
        mt_srand(7);
        $wanted = (int) (getenv('TOOLWIRE_KILLS') ?: 10);
        $counts = [];
        for ($kills = 0; $kills < $wanted;) {
            // Each batch has a store of its own, so that no list in it gets long.
            $place = Stores::place($store, $this->folder, "{$this->name}_$kills");
            $said = array_map(static fn (string $id) => ['asked', $id], $this->ask($place, 10));
            for ($until = min($wanted, $kills + 40); $kills < $until; $kills += self::AT_ONCE) {
                array_push($said, ...$this->killSome($place));
                $this->check($place, $said);
            }
            foreach (array_count_values(array_column($said, 0)) as $what => $count) {
                $counts[$what] = ($counts[$what] ?? 0) + $count;
            }
        }
        if ($wanted > 10) {
            fwrite(STDERR, "\n$store: $kills processes killed, " . json_encode($counts) . "\n");
        }
        // A few processes may all be killed before the later steps.
        $steps = ['asked', 'approved', 'denied', 'ran', 'completed'];
        foreach ($wanted > 100 ? $steps : ['asked'] as $what) {
            self::assertGreaterThan(0, $counts[$what] ?? 0, $what);
        }
    }

    /** Checks that the store holds each step that was acknowledged, and that none came twice. */
    private function check(array $place, array $said): void
    {
        $of = static fn (string ...$whats): array => array_column(
            array_filter($said, static fn (array $line) => in_array($line[0], $whats, true)),
            1
        );
        foreach ([['asked'], ['approved', 'denied'], ['ran'], ['completed']] as $whats) {
            $ids = $of(...$whats);
            self::assertCount(count($ids), array_unique($ids), implode(' ', $whats) . ' twice');
        }
        self::assertSame([], array_diff($of('completed'), $of('ran')));
        self::assertSame([], array_intersect($of('ran'), $of('denied')), 'denied, and ran');
        $store = Stores::open($place);
        $approvals = new ApprovalService($store);
        $executor = new Executor(self::registry(), $store);
        foreach ($said as [$what, $id]) {
            if ($what === 'asked') {
                self::assertNotNull($approvals->status($id), 'a request was lost');
            } elseif ($what === 'approved' || $what === 'denied') {
                self::assertSame($what, $approvals->status($id), 'a decision was lost');
            }
        }
        $completed = $of('completed');
        foreach ($of('ran') as $id) {
            // It ended with its process, or was completed: it does not run again.
            $states = in_array($id, $completed, true)
                ? ['completed']
                : ['completed', 'running', 'interrupted'];
            self::assertContains($executor->resume($id)?->state, $states);
        }
    }

    /** @return list<string> the ids of the actions that wait for a person now */
    private function ask(array $place, int $requests): array
    {
        $executor = new Executor(self::registry(), Stores::open($place));
        $ask = static function (int $number) use ($executor): string {
            $execution = $executor->start(['type' => 'EDIT']);
            self::assertSame('waiting', $execution->state);
            return $execution->id;
        };
        return array_map($ask, range(1, $requests));
    }

    private static function registry(): Registry
    {
        $never = static fn () => throw new \LogicException('only a worker may run it');
        $registry = new Registry();
        $registry->register(new ToolDefinition('edit', 'EDIT', $never, requiresApproval: true));
        return $registry;
    }

    /**
     * Starts processes that end by themselves, and returns what they print.
     *
     * @param list<int> $numbers
     * @return list<list<string>>
     */
    private function runAll(string $work, array $place, array $numbers): array
    {
        $started = array_map(fn (int $number) => $this->start($work, $place, $number), $numbers);
        $said = [];
        self::go($started);
        foreach ($started as [$process, , $output]) {
            array_push($said, ...self::lines((string) stream_get_contents($output)));
            self::assertSame(0, proc_close($process));
        }
        return $said;
    }

    /** @return list<list<string>> what processes printed that were killed at some moment */
    private function killSome(array $place): array
    {
        $started = [];
        for ($number = 0; $number < self::AT_ONCE; $number++) {
            $started[] = $this->start('live', $place, mt_rand());
        }
        shuffle($started);
        self::go($started);
        foreach ($started as [$process]) {
            usleep(mt_rand(0, 150_000));
            proc_terminate($process, 9);
        }
        $said = [];
        foreach ($started as [$process, , $output]) {
            array_push($said, ...self::lines((string) stream_get_contents($output)));
            proc_close($process);
        }
        return $said;
    }

    /**
     * Waits until all processes are ready, and lets them begin.
     *
     * @param list<array{resource, resource, resource}> $started
     */
    private static function go(array $started): void
    {
        foreach ($started as [, , $output]) {
            self::assertSame("ready \n", fgets($output));
        }
        foreach ($started as [, $input]) {
            fwrite($input, "go\n");
        }
    }

    /** @return array{resource, resource, resource} a process, its input, and what it prints */
    private function start(string $work, array $place, int $number): array
    {
        $extension = (string) realpath(Cases::ROOT . '/build/toolwire.so');
        $command = [
            PHP_BINARY, '-d', "extension=$extension", __DIR__ . '/worker.php', $work,
            (string) json_encode($place), (string) $number,
        ];
        $process = proc_open($command, [['pipe', 'r'], ['pipe', 'w'], STDERR], $pipes);
        self::assertIsResource($process);
        return [$process, ...$pipes];
    }

    /** @return list<list<string>> the words of the whole lines */
    private static function lines(string $output): array
    {
        $lines = explode("\n", $output);
        array_pop($lines);
        return array_map(static fn (string $line): array => explode(' ', $line), $lines);
    }
}
