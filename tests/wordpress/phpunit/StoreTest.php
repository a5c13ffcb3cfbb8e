<?php

declare(strict_types=1);

namespace Toolwire\Tests\WordPress;

use RuntimeException;
use Toolwire\Tools\{ApprovalRequest, ApprovalService, RateLimiter, UndoStore};
use Toolwire\Tools\Exception\StoreException;
use Toolwire\WordPress\Store;

use function Toolwire\WordPress\plugin;

/** The store over $wpdb keeps the promises of the interface. */
final class StoreTest extends SiteTestCase
{
    private Store $store;

    protected function setUp(): void
    {
        parent::setUp();
        $this->store = new Store(plugin()->schema());
    }

    public function testAnEntryIsReadAsItWasWritten(): void
    {
        $bytes = "\0\xff%s%d'\"\\{}" . random_bytes(300) . "é😀";
        $version = $this->store->put('a/key', $bytes, null, 2000, 1000);
        self::assertSame(
            ['value' => $bytes, 'version' => $version, 'expires_at' => 2000],
            $this->store->get('a/key', 1000)
        );
        self::assertNull($this->store->get('a/KEY', 1000), 'keys are compared byte by byte');
        self::assertNull($this->store->get('a/key ', 1000), 'a space counts');
    }

    public function testPutComparesAndSwaps(): void
    {
        $first = $this->store->put('k', 'one', 0, null, 1);
        self::assertGreaterThan(0, $first);
        self::assertNull($this->store->put('k', 'two', 0, null, 1));
        self::assertNull($this->store->put('k', 'two', $first + 1, null, 1));
        self::assertSame('one', $this->store->get('k', 1)['value']);
        $second = $this->store->put('k', 'two', $first, null, 1);
        self::assertNotSame($first, $second);
        self::assertNull($this->store->put('k', 'three', $first, null, 1));
        self::assertNotNull($this->store->put('k', 'three', null, null, 1));
        self::assertSame('three', $this->store->get('k', 1)['value']);
    }

    public function testAnExpiredEntryIsNone(): void
    {
        $version = $this->store->put('k', 'old', null, 100, 1);
        self::assertNotNull($this->store->get('k', 100));
        self::assertNull($this->store->get('k', 101));
        self::assertNull($this->store->put('k', 'new', $version, null, 101));
        self::assertFalse($this->store->delete('k', null, 101));
        self::assertSame([], $this->store->scan('', null, 10, 101));
        self::assertNotNull($this->store->put('k', 'new', 0, null, 101));
        self::assertSame('new', $this->store->get('k', 101)['value']);
    }

    public function testDeleteComparesToo(): void
    {
        $version = $this->store->put('k', 'v', null, null, 1);
        self::assertFalse($this->store->delete('k', $version + 1, 1));
        self::assertFalse($this->store->delete('k', 0, 1));
        self::assertTrue($this->store->delete('k', $version, 1));
        self::assertFalse($this->store->delete('k', null, 1));
        self::assertNotSame(
            $version,
            $this->store->put('k', 'v', 0, null, 1),
            'no version comes twice'
        );
    }

    public function testScanGoesOnBehindAKeyInTheOrderOfBytes(): void
    {
        foreach (['p/b', 'p/B', 'p_x', 'p%x', 'p/a', 'q'] as $key) {
            $this->store->put($key, $key, null, null, 1);
        }
        self::assertSame(
            ['p/B', 'p/a', 'p/b'],
            array_column($this->store->scan('p/', null, 10, 1), 'key')
        );
        self::assertSame(['p/a'], array_column($this->store->scan('p/', 'p/B', 1, 1), 'key'));
        self::assertSame(['p_x'], array_column($this->store->scan('p_', null, 10, 1), 'key'));
        self::assertSame([], $this->store->scan('p/', null, 0, 1));
        self::assertCount(6, $this->store->scan('', null, 10, 1));
        $this->store->put("p\xff1", 'last', null, null, 1);
        $this->store->put("\xff\xff1", 'last', null, null, 1);
        $last = ["p\xff" => "p\xff1", "\xff\xff" => "\xff\xff1", "\xff" => "\xff\xff1"];
        foreach ($last as $prefix => $key) {
            self::assertSame([$key], array_column($this->store->scan($prefix, null, 9, 1), 'key'));
            self::assertSame($key, $this->store->newest($prefix));
        }
        self::assertSame('p/b', $this->store->newest('p/'));
        self::assertNull($this->store->newest('r'));
    }

    public function testPurgeRemovesWhatHasExpired(): void
    {
        $this->store->put('a/1', 'v', null, 10, 1);
        $this->store->put('a/2', 'v', null, null, 1);
        $this->store->put('b/1', 'v', null, 10, 1);
        self::assertSame(1, $this->store->purge('a/', 11));
        self::assertSame(
            1,
            (int) $GLOBALS['wpdb']->get_var(
                'SELECT COUNT(*) FROM ' . plugin()->schema()->store_table() . " WHERE name = 'b/1'"
            )
        );
        self::assertSame(1, $this->store->purge('', 11));
    }

    public function testTheExtensionLivesInIt(): void
    {
        $approvals = new ApprovalService($this->store);
        $request = $approvals->request(new ApprovalRequest('a1', 'tool', 'May I? 😀', ['x' => 'é']));
        self::assertSame(
            'pending',
            (new ApprovalService(new Store(plugin()->schema())))->status('a1')
        );
        self::assertSame('approved', $approvals->decide($request->id, true)->status);
        $undo = new UndoStore($this->store);
        $undo->store('a1', 'tool', ['before' => "\u{0}'x"]);
        self::assertSame(["before" => "\u{0}'x"], $undo->get('a1')->undoData);
        $limiter = new RateLimiter($this->store, 1, 60.0);
        self::assertTrue($limiter->check('t', 'u')['allowed']);
        self::assertFalse($limiter->check('t', 'u')['allowed']);
    }

    public function testADatabaseThatRefusesIsAStoreException(): void
    {
        global $wpdb;
        $wpdb->query('DROP TABLE ' . plugin()->schema()->store_table());
        try {
            $this->store->get('k', 1);
            self::fail('it must throw');
        } catch (RuntimeException $error) {
            self::assertStringContainsString('refused to read', $error->getMessage());
        }
        $this->expectException(StoreException::class);
        (new ApprovalService($this->store))->pending();
    }

    public function testOfManyProcessesOneHasTheKey(): void
    {
        $code = '$_SERVER += ["REQUEST_URI" => "/"]; '
            . 'require getenv("TOOLWIRE_SITE") . "/wp-load.php";'
            . '$store = new Toolwire\WordPress\Store(Toolwire\WordPress\plugin()->schema());'
            . 'time_sleep_until((float) $argv[1]); $won = "";'
            . 'for ($i = 0; $i < 20; $i++) {'
            . ' $won .= $store->put("race/$i", "v", 0, null, 1) ? "$i," : "";'
            . '} echo $won;';
        $start = (string) (microtime(true) + 2.5);
        $processes = $pipes = [];
        for ($i = 0; $i < 4; $i++) {
            $command = [
                PHP_BINARY, '-d', 'extension=' . getenv('TOOLWIRE_EXTENSION'), '-r', $code, '--',
                $start,
            ];
            $processes[] = proc_open(
                $command,
                [1 => ['pipe', 'w'], 2 => ['file', '/dev/null', 'w']],
                $pipes[$i]
            );
        }
        $won = [];
        foreach ($processes as $i => $process) {
            array_push(
                $won,
                ...array_filter(explode(',', (string) stream_get_contents($pipes[$i][1])), 'strlen')
            );
            proc_close($process);
        }
        sort($won, SORT_NUMERIC);
        self::assertSame(array_map('strval', range(0, 19)), $won);
    }
}
