<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use PHPUnit\Framework\Attributes\DataProvider;
use Toolwire\Tools\ApprovalService;
use Toolwire\Tools\BatchStore;
use Toolwire\Tools\Exception\StoreException;
use Toolwire\Tools\Executor;
use Toolwire\Tools\Registry;
use Toolwire\Tools\Store;
use Toolwire\Tools\Store\Redis;
use Toolwire\Tools\ToolDefinition;
use Toolwire\Tools\ToolOutput;

/** Batches of changes on Redis: one trip each, in order, up to a put that finds something else. */
final class BatchTest extends ServerStoreTestCase
{
    private function redis(): Redis
    {
        $store = $this->open('redis', null, 'proxy');
        $store->get('a', 0);
        Servers::ask('trips', 'redis');
        return $store;
    }

    private static function trips(string $server): int
    {
        return (int) Servers::ask('trips', $server);
    }

    public function testABatchIsOneTrip(): void
    {
        $store = $this->redis();
        self::assertInstanceOf(BatchStore::class, $store);
        $made = $store->batch([
            ['purge_some', 'old/', 256],
            ['put', 'a', '1', 0, null],
            ['put', 'b', '2', null, 5],
            ['delete', 'none', null],
            ['delete', 'b', 0],
        ], 0);
        self::assertSame(1, self::trips('redis'));
        self::assertSame([0, false, false], [$made[0], $made[3], $made[4]]);
        self::assertSame(['1', $made[1], null], array_values($store->get('a', 0)));
        self::assertSame(['2', $made[2], 5], array_values($store->get('b', 0)));
        self::trips('redis');
        self::assertSame([], $store->batch([], 0));
        self::assertSame(0, self::trips('redis'));
        self::assertSame([1], $store->batch([['purge_some', 'b', 4]], 6));
    }

    public function testAPutInTheMiddleWhoseConditionIsNotMetEndsIt(): void
    {
        $store = $this->redis();
        $version = $store->put('mine', '1', 0, null, 0);
        self::trips('redis');
        foreach ([0, $version + 1, 1] as $number => $lost) {
            $made = $store->batch([
                ['put', "before/$number", '2', 0, null],
                ['put', 'mine', 'never', $lost, null],
                ['put', 'behind', 'never', null, null],
                ['delete', 'mine', null],
            ], 0);
            self::assertSame(1, self::trips('redis'));
            self::assertCount(2, $made);
            self::assertNull($made[1]);
            self::assertSame($made[0], $store->get("before/$number", 0)['version']);
            self::assertSame(['1', $version, null], array_values($store->get('mine', 0)));
            self::assertNull($store->get('behind', 0));
            self::trips('redis');
        }
    }

    /** @return iterable<string, array{string, string}> */
    public static function counted(): iterable
    {
        yield 'redis' => ['redis', 'redis'];
        yield 'pdo_pgsql' => ['pdo_pgsql', 'postgres'];
    }

    /** @dataProvider counted */
    #[DataProvider('counted')]
    public function testTripsAndOperationsOfARunAreThoseOfThePage(string $store, string $server): void
    {
        $page = (string) file_get_contents(Cases::ROOT . '/docs/stores.md');
        $row = '/^\| ([a-z, ]+) \| \d+ \| \d+ \| (\d+) \| (\d+) \|$/m';
        preg_match_all($row, $page, $rows, PREG_SET_ORDER);
        $wanted = [];
        foreach ($rows as [, $name, $trips, $operations]) {
            $wanted[$name] = [(int) $trips, (int) $operations];
        }
        $opened = $this->open($store, null, 'proxy');
        $counting = $opened instanceof BatchStore
            ? new CountingBatches($opened)
            : new CountingStore($opened);
        $counted = [];
        $this->live($counting, static function (string $name) use (&$counted, $counting, $server) {
            $counted[$name] = [self::trips($server), $counting->calls, $counting->operations];
            $counting->calls = $counting->operations = 0;
        });
        unset($counted['']);
        foreach ($counted as $name => [$trips, $calls, $operations]) {
            if ($opened instanceof BatchStore) {
                self::assertSame($calls, $trips, $name);
                self::assertSame($wanted[$name], [$trips, $operations], $name);
            } else {
                // A store of the six methods makes each operation by itself, and one that makes
                // changes one by one is asked whether somebody has decided meanwhile.
                $more = $name === 'start, waiting' ? 1 : 0;
                self::assertSame($operations, $calls, $name);
                self::assertSame($wanted[$name][1] + $more, $operations, $name);
            }
        }
        self::assertSame(array_keys($wanted), array_keys($counted));
    }

    public function testAnswersThatFitNoBatchFailTheRun(): void
    {
        $registry = self::tools();
        foreach ([[], [null, 1], [1, 2, 3, 4], ['1'], [1.5]] as $answers) {
            $store = new CountingBatches($this->open('redis'), static fn () => $answers);
            try {
                (new Executor($registry, $store))->start(['type' => 'PLAIN']);
                self::fail('it was taken');
            } catch (StoreException $thrown) {
                self::assertSame('host', $thrown->getKind());
                self::assertStringContainsString('batch()', $thrown->getMessage());
            }
        }
    }

    private static function tools(): Registry
    {
        $registry = new Registry();
        $edit = static fn () => ToolOutput::ok(['done' => 1], undoMetadata: ['was' => 0]);
        $registry->register(new ToolDefinition('plain', 'PLAIN', $edit));
        $registry->register(new ToolDefinition('asks', 'ASKS', $edit, requiresApproval: true));
        $ends = static function (): ToolOutput {
            Executor::interruptOpenRuns();
            return ToolOutput::ok([]);
        };
        $registry->register(new ToolDefinition('ends', 'ENDS', $ends));
        $undo = static fn () => null;
        $registry->register(
            new ToolDefinition('undone', 'UNDONE', $edit, undoable: true, undoHandler: $undo)
        );
        return $registry;
    }

    /** Does what runs go through, and tells each step when it is done. */
    private function live(Store $store, callable $step): void
    {
        $executor = new Executor(self::tools(), $store);
        $approvals = new ApprovalService($store);
        $number = 0;
        $call = static function (string $type) use (&$number): array {
            return ['id' => 'call_' . ++$number, 'type' => $type, 'payload' => ['n' => 1]];
        };
        // The first of each removes what has expired, whatever it is.
        foreach (['PLAIN', 'ASKS', 'UNDONE'] as $type) {
            $executor->start($call($type));
        }
        $approvals->decide($executor->start($call('ASKS'))->approvalId, true);
        $step('');
        $plain = $call('PLAIN');
        self::assertSame('completed', $executor->start($plain)->state);
        $step('start, completed');
        self::assertSame('completed', $executor->start($plain)->state);
        $step('the same call again');
        $run = $executor->start($call('ASKS'));
        self::assertSame('waiting', $run->state);
        $step('start, waiting');
        $approvals->decide($run->approvalId, true);
        $step('approve');
        self::assertSame('completed', $executor->resume($run->id)->state);
        $step('resume, completed');
        $run = $executor->start($call('UNDONE'));
        self::assertSame('completed', $run->state);
        $step('start, completed, can be undone');
        $executor->undo($run->id);
        $step('undo');
        // The output of a handler that gave its run up is not kept, which is a warning.
        $run = @$executor->start($call('ENDS'));
        $step('');
        self::assertSame('approved', $executor->retry($run->id)->state);
        $step('retry');
    }
}
