<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use PHPUnit\Framework\Attributes\DataProvider;
use Toolwire\Tools\Exception\RunException;
use Toolwire\Tools\Executor;
use Toolwire\Tools\Registry;
use Toolwire\Tools\Store;
use Toolwire\Tools\ToolDefinition;
use Toolwire\Tools\ToolInput;
use Toolwire\Tools\ToolOutput;

/**
 * Handlers that end their processes, and handlers that outlive their leases, over each store. Every
 * process is a real one. With `make test-stores KILLS=200` the endings are repeated, and the test
 * waits until a lease has ended, for a minute. Otherwise the test writes an earlier end of the
 * lease into the record: PHP binds the extension to the C library, so `faketime` turns no clock of it.
 */
final class EndsTest extends ServerStoreTestCase
{
    private const ENDINGS = [
        'exit', 'exit in a nested call', 'a fatal error', 'too much memory', 'the time limit',
        'the time of the tool', 'a later function that throws', 'an earlier function that throws',
    ];
    /** The endings that PHP calls a fatal error. */
    private const FATAL = [
        'a fatal error', 'too much memory', 'the time limit', 'the time of the tool',
    ];
    private const PAYLOAD = ['to' => 'ann', 'of' => []];
    /** Seconds: the shortest lease, and a little more. */
    private const LEASE = 62;

    /** @var list<string> the keys with which this process ran the handler */
    private array $ran = [];

    private static function kills(): int
    {
        return (int) (getenv('TOOLWIRE_KILLS') ?: 10);
    }

    /** @dataProvider everyStore */
    #[DataProvider('everyStore')]
    public function testARunWhoseHandlerEndsItsProcessIsInterruptedAtOnceAndRunsOnceMore(
        string $name
    ): void {
        $place = Stores::place($name, $this->folder, $this->name);
        $store = Stores::open($place);
        for ($round = 0; $round < max(1, intdiv(self::kills(), 40)); $round++) {
            $started = [];
            foreach (self::ENDINGS as $ending) {
                $id = self::uuid();
                $started[$ending] = [$id, ...$this->start($place, $ending, $id)];
            }
            foreach ($started as $ending => [$id, $process, , $output]) {
                $said = (string) stream_get_contents($output);
                proc_close($process);
                $ran = preg_match('/^ran (\S+) \S+\n/', $said, $found);
                self::assertSame(1, $ran, "$ending: $said");
                self::assertStringNotContainsString('after', $said, $ending);
                $code = in_array($ending, self::FATAL, true) ? 'fatal' : 'exit';
                self::assertSame(1, substr_count($said, "told $id $code\n"), "$ending: $said");
                $this->checkThatItRunsOnceMore($store, $id, $found[1], $ending, $code);
            }
        }
    }

    /** Checks a run that was left in the handler, as a process that comes later sees it. */
    private function checkThatItRunsOnceMore(
        Store $store,
        string $id,
        string $key,
        string $why,
        string $code,
    ): void {
        $this->ran = $told = [];
        $executor = $this->executor($store);
        $executor->listen(static function (string $type) use (&$told): void {
            $told[] = $type;
        });
        $run = $executor->run($id);
        self::assertSame(['interrupted', $code], [$run->state, $run->interruption['code']], $why);
        self::assertContains($id, array_column($executor->waiting(), 'id'), $why);
        // Neither the call again nor a resumption runs it.
        self::assertSame('interrupted', $executor->start(self::call($id))->state, $why);
        self::assertSame('interrupted', $executor->resume($id)?->state, $why);
        self::assertSame([], $this->ran, $why);
        self::assertSame('approved', $executor->retry($id)->state, $why);
        self::assertSame([], $told, "$why: its own process told it");
        $again = $executor->resume($id);
        self::assertSame(['completed', self::PAYLOAD], [$again->state, $again->output->data], $why);
        self::assertSame('completed', $executor->resume($id)->state, $why);
        self::assertSame([$key], $this->ran, "$why: once, with the key of the first attempt");
        $this->expectNoRetry($executor, $id);
    }

    /** @dataProvider everyStore */
    #[DataProvider('everyStore')]
    public function testAHandlerThatOutlivesItsLeaseHasLostItsRun(string $name): void
    {
        $place = Stores::place($name, $this->folder, $this->name);
        $store = Stores::open($place);
        $executor = $this->executor($store);
        $id = self::uuid();
        [$process, $input, $output] = $this->start($place, 'work', $id);
        self::assertSame(1, preg_match('/^ran (\S+) \S+\n/', (string) fgets($output), $found));
        self::assertSame('running', $executor->start(self::call($id))->state);
        self::assertSame('running', $executor->resume($id)?->state);
        $this->expectNoRetry($executor, $id);
        if (self::kills() > 10) {
            sleep(self::LEASE);
        } else {
            $this->endLease($store, $id);
        }
        self::assertSame('interrupted', $executor->start(self::call($id))->state);
        self::assertSame('interrupted', $executor->resume($id)?->state);
        self::assertSame([], $this->ran, 'the first handler works still, so nothing runs');
        // A person says that it runs once more.
        $executor->retry($id);
        self::assertSame('completed', $executor->resume($id)?->state);
        self::assertSame([$found[1]], $this->ran);
        // The handler that has lost its run comes to its end, which changes nothing.
        fwrite($input, "end\n");
        self::assertSame("after completed lost\n", stream_get_contents($output));
        proc_close($process);
        $stands = $executor->run($id);
        self::assertSame(['completed', self::PAYLOAD], [$stands->state, $stands->output->data]);
    }

    /** @dataProvider everyStore */
    #[DataProvider('everyStore')]
    public function testOfTwoProcessesThatResumeAtOneMomentOneRuns(string $name): void
    {
        $place = Stores::place($name, $this->folder, $this->name);
        $executor = $this->executor(Stores::open($place));
        $ids = [];
        for ($number = 0; $number < max(4, intdiv(self::kills(), 4)); $number++) {
            [$process, , $output] = $this->start($place, 'exit', $ids[] = self::uuid());
            stream_get_contents($output);
            proc_close($process);
        }
        foreach ($ids as $id) {
            $executor->retry($id);
        }
        $said = $this->resumeInTwo($place, $ids);
        $ran = array_column(array_filter($said, static fn ($line) => $line[0] === 'ran'), 2);
        sort($ran);
        sort($ids);
        self::assertSame($ids, $ran);
        $saw = array_column(array_filter($said, static fn ($line) => $line[0] === 'saw'), 2);
        self::assertCount(2 * count($ids), $saw);
        self::assertSame([], array_diff($saw, ['completed', 'running', 'approved']));
    }

    /**
     * Lets two processes go on with the same runs at the same moment.
     *
     * @param list<string> $ids
     * @return list<list<string>> the words that they print
     */
    private function resumeInTwo(array $place, array $ids): array
    {
        $both = [];
        foreach ([1, 2] as $ignored) {
            $both[] = $one = $this->start($place, 'resume', implode(',', $ids));
            self::assertSame("ready\n", fgets($one[2]));
        }
        foreach ($both as [, $input]) {
            fwrite($input, "go\n");
        }
        $said = '';
        foreach ($both as [$process, , $output]) {
            $said .= stream_get_contents($output);
            self::assertSame(0, proc_close($process));
        }
        return array_map(static fn ($line) => explode(' ', $line), explode("\n", trim($said)));
    }

    /** Writes into the record of a run that its lease has ended a moment ago. */
    private function endLease(Store $store, string $id): void
    {
        $now = (int) (microtime(true) * 1_000_000);
        ['value' => $value, 'version' => $version] = $store->get("run/id/$id", $now);
        $past = gmdate('Y-m-d\TH:i:s', intdiv($now, 1_000_000) - 1);
        $until = '/("lease":\{[^}]*"until":)"[^"]+"/';
        $over = preg_replace($until, "\$1\"$past.000000+00:00\"", $value);
        self::assertNotSame($value, $over);
        self::assertNotNull($store->put("run/id/$id", $over, $version, null, $now));
    }

    private function expectNoRetry(Executor $executor, string $id): void
    {
        try {
            $executor->retry($id);
            self::fail('a run that is not interrupted was retried');
        } catch (RunException $refused) {
            self::assertSame('not_interrupted', $refused->getKind());
        }
    }

    /** Makes an executor whose handler gives the arguments that it got. */
    private function executor(Store $store): Executor
    {
        $registry = new Registry();
        $handler = function (ToolInput $input): ToolOutput {
            $this->ran[] = $input->idempotencyKey;
            return ToolOutput::ok($input->payload);
        };
        $registry->register(new ToolDefinition('mail', 'MAIL', $handler));
        return new Executor($registry, $store);
    }

    /** @return array<string, mixed> */
    private static function call(string $id): array
    {
        return ['id' => $id, 'type' => 'MAIL', 'payload' => self::PAYLOAD];
    }

    private static function uuid(): string
    {
        $hex = bin2hex(random_bytes(15));
        $parts = [substr($hex, 0, 8), substr($hex, 8, 4), substr($hex, 12, 3), substr($hex, 15, 3)];
        return vsprintf('%s-%s-4%s-8%s-', $parts) . substr($hex, 18, 12);
    }

    /** @return array{resource, resource, resource} a process, its input, and what it prints */
    private function start(array $place, string $ending, string $id): array
    {
        $command = [
            PHP_BINARY, '-d', 'extension=' . realpath(Cases::ROOT . '/build/toolwire.so'),
            '-d', 'display_errors=0', '-d', 'log_errors=0', __DIR__ . '/ender.php',
            (string) json_encode($place), $ending, $id,
        ];
        $process = proc_open($command, [['pipe', 'r'], ['pipe', 'w'], STDERR], $pipes);
        self::assertIsResource($process);
        return [$process, ...$pipes];
    }
}
