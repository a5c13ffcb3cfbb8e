<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use InvalidArgumentException;
use PHPUnit\Framework\Attributes\DataProvider;
use Throwable;
use Toolwire\Tools\ApprovalRequest;
use Toolwire\Tools\ApprovalService;
use Toolwire\Tools\Exception\StoreException;
use Toolwire\Tools\Executor;
use Toolwire\Tools\RateLimiter;
use Toolwire\Tools\Registry;
use Toolwire\Tools\Store\Pdo;
use Toolwire\Tools\Store\Redis;
use Toolwire\Tools\Store\RedisConnection;
use Toolwire\Tools\ToolDefinition;
use Toolwire\Tools\ToolOutput;

/** What every store promises, on real servers, and what happens when a server fails. */
final class ServerStoreTest extends ServerStoreTestCase
{
    /** @dataProvider stores */
    #[DataProvider('stores')]
    public function testEveryCaseHolds(string $store): void
    {
        foreach (Cases::all()['store'] as $number => $case) {
            (new StoreCase($this->open($store, "{$this->name}_$number")))->run($case);
        }
    }

    /** @dataProvider stores */
    #[DataProvider('stores')]
    public function testManyEntriesAreScannedInPages(string $store): void
    {
        $store = $this->open($store);
        $keys = [];
        foreach (str_split('aB/~ ') as $sign) {
            for ($number = 0; $number < 120; $number++) {
                $keys[] = sprintf('%s%03d', $sign, $number);
            }
        }
        sort($keys, SORT_STRING);
        foreach (array_reverse($keys) as $key) {
            $store->put($key, $key, null, (int) substr($key, 1) % 2 ? null : 5, 0);
        }
        $live = array_values(array_filter($keys, static fn ($key) => (int) substr($key, 1) % 2));
        foreach ([97, 300, PHP_INT_MAX] as $size) {
            $found = [];
            while (($page = $store->scan('', end($found) ?: null, $size, 6)) !== []) {
                array_push($found, ...array_column($page, 'key'));
            }
            self::assertSame($live, $found);
        }
        self::assertSame(count($keys) - count($live), $store->purge('', 6));
        self::assertTrue($store->shared());
    }

    /** @dataProvider stores */
    #[DataProvider('stores')]
    public function testALongValueIsKept(string $store): void
    {
        $store = $this->open($store);
        $value = str_repeat(implode('', array_map('chr', range(0, 255))), 8192);
        self::assertIsInt($store->put('k', $value, 0, null, 0));
        self::assertSame($value, $store->get('k', 0)['value']);
    }

    /** @dataProvider stores */
    #[DataProvider('stores')]
    public function testWhatNoKeyCanBeIsRefused(string $store): void
    {
        $store = $this->open($store);
        foreach (['é', str_repeat('k', 256), "a\n", "a\0", "\x7f"] as $key) {
            foreach ([
                static fn () => $store->get($key, 0),
                static fn () => $store->put($key, '', null, null, 0),
                static fn () => $store->delete($key, null, 0),
                static fn () => $store->scan($key, null, 1, 0),
                static fn () => $store->scan('', $key, 1, 0),
                static fn () => $store->purge($key, 0),
            ] as $work) {
                try {
                    $work();
                    self::fail('nothing was thrown');
                } catch (InvalidArgumentException $error) {
                    self::assertStringContainsString('printable ASCII', $error->getMessage());
                }
            }
        }
    }

    public function testAServerWithoutAutocommitKeepsEveryChange(): void
    {
        $place = Stores::place('pdo_mysql', $this->folder, $this->name);
        $open = fn (array $options): Pdo =>
            new Pdo($place['at'], 'shop', $place['password'], $this->name, options: $options);
        foreach (
            [
                'by the server' => [\PDO::MYSQL_ATTR_INIT_COMMAND => 'SET autocommit = 0'],
                'by an option' => [\PDO::ATTR_AUTOCOMMIT => false],
            ] as $how => $options
        ) {
            $store = $open($options);
            self::assertIsInt($store->put($how, 'kept', 0, null, 0));
            self::assertTrue($store->put("$how, too", 'gone', 0, null, 0) > 0);
            self::assertTrue($store->delete("$how, too", null, 0));
            $store->close();
            self::assertSame('kept', $open([])->get($how, 0)['value'] ?? null, $how);
            self::assertNull($open([])->get("$how, too", 0), $how);
        }
    }

    public function testANameOnRedisIsOnlyAName(): void
    {
        foreach (['a*', 'a%_\\', 'q"; DEL x', '{curly}', 'a b', '$1'] as $name) {
            $near = $this->open('redis', "{$this->name}a$name");
            $near->put('a', 'near', null, 5, 0);
            $store = $this->open('redis', $this->name . $name);
            $store->put('k', '1', 0, 5, 0);
            self::assertSame(['k'], array_column($store->scan('', null, 9, 0), 'key'));
            self::assertSame(1, $store->purge('', 6));
            self::assertSame('near', $near->get('a', 5)['value']);
        }
        foreach (['', 'a"b', 'é', str_repeat('x', 49), 'a;b'] as $table) {
            try {
                new Pdo('sqlite::memory:', table: $table);
                self::fail('nothing was thrown');
            } catch (InvalidArgumentException $error) {
                self::assertStringContainsString('table must have', $error->getMessage());
            }
        }
    }

    /** @dataProvider stores */
    #[DataProvider('stores')]
    public function testARunWaitsInItForAPerson(string $store): void
    {
        $ran = 0;
        $registry = new Registry();
        $registry->register(new ToolDefinition(
            'edit',
            'EDIT',
            static function ($input) use (&$ran) {
                $ran++;
                return ToolOutput::ok($input->payload, undoMetadata: ['was' => 'é']);
            },
            requiresApproval: true,
            undoable: true,
            undoHandler: static fn ($metadata) => null,
            rateLimit: [2, 60.0],
        ));
        $changes = static fn (): array => [['label' => "é\0", 'old' => '𝄞', 'new' => "\e[2J"]];
        $executor = new Executor($registry, store: $this->open($store), changes: $changes);
        $other = new Executor($registry, store: $this->open($store), changes: $changes);
        $approvals = new ApprovalService($this->open($store));
        $action = ['id' => 'a1', 'type' => 'EDIT', 'payload' => ['k' => '𝄞']];
        $execution = $executor->execute($action);
        self::assertSame('waiting', $execution->state);
        [$change] = $approvals->changes($execution->approvalId);
        self::assertSame(["é\0", 1, 1], [$change['label'], $change['additions'], $change['deletions']]);
        self::assertStringContainsString("+\e[2J", $change['text']);
        self::assertSame('approved', $approvals->decide('a1', true)->status);
        self::assertSame(['k' => '𝄞'], $other->resume('a1')->output->data);
        self::assertNull($executor->resume('a1'));
        self::assertSame(1, $ran);
        self::assertTrue($executor->undo('a1'));
        self::assertFalse($other->undo('a1'));
        $limiter = new RateLimiter($this->open($store), 1, 60.0);
        self::assertTrue($limiter->check('t')['allowed']);
        self::assertFalse($limiter->check('t')['allowed']);
    }

    /** @dataProvider onServers */
    #[DataProvider('onServers')]
    public function testAServerThatIsKilledLosesNothing(string $name): void
    {
        $store = $this->open($name);
        $idle = $this->open($name);
        for ($number = 0; $number < 20; $number++) {
            $versions["k$number"] = $store->put("k$number", '1', null, null, 0);
        }
        self::assertNotNull($idle->get('k1', 0));
        Servers::tell('kill', Stores::SERVERS[$name]);
        try {
            foreach ([
                static fn () => $store->put('k1', '2', $versions['k1'], null, 0),
                static fn () => $store->get('k1', 0),
                static fn () => $store->delete('k2', null, 0),
                static fn () => $store->scan('', null, 9, 0),
                static fn () => $store->purge('', 9),
                static fn () => (new ApprovalService($store))->decide('a', true),
            ] as $work) {
                $this->assertStoreFails('io', $work);
            }
        } finally {
            Servers::tell('start', Stores::SERVERS[$name]);
        }
        usleep(600_000);
        // One connection broke in use, the other one while nobody used it: both stores go on.
        $versions['k0'] = $idle->put('k0', '2', $versions['k0'], null, 0);
        self::assertIsInt($versions['k0']);
        $found = array_column($store->scan('', null, 99, 0), 'version', 'key');
        self::assertEquals($versions, $found);
    }

    /** @dataProvider onServers */
    #[DataProvider('onServers')]
    public function testACutConnectionIsAnErrorOnce(string $name): void
    {
        $direct = $this->open($name);
        $cut = $this->open($name, null, 'proxy');
        $first = $cut->put('k', '1', null, null, 0);
        $cut->put('warm', '1', $cut->put('warm', '1', null, null, 0), null, 0);
        Servers::tell('cut', Stores::SERVERS[$name]);
        // The server does what it was asked for, and the answer is lost.
        $this->assertStoreFails('io', static fn () => $cut->put('k', '2', $first, null, 0));
        ['value' => $value, 'version' => $version] = $direct->get('k', 0);
        self::assertSame('2', $value);
        self::assertNull($cut->put('k', '3', $first, null, 0));
        self::assertIsInt($cut->put('k', '3', $version, null, 0));
        Servers::tell('cut', Stores::SERVERS[$name]);
        self::assertSame('3', $cut->get('k', 0)['value'], 'what only reads is asked again');
    }

    /** @dataProvider onServers */
    #[DataProvider('onServers')]
    public function testAServerThatMayOnlyBeReadSaysSo(string $name): void
    {
        $store = $this->open($name);
        $store->put('k', '1', null, null, 0);
        Servers::tell('read_only', Stores::SERVERS[$name], 'on');
        try {
            self::assertSame('1', $store->get('k', 0)['value']);
            self::assertCount(1, $store->scan('', null, 9, 0));
            foreach ([
                static fn () => $store->put('k', '2', null, null, 0),
                static fn () => $store->delete('k', null, 0),
            ] as $work) {
                $this->assertStoreFails('read_only', $work);
            }
        } finally {
            Servers::tell('read_only', Stores::SERVERS[$name], 'off');
        }
        self::assertIsInt($store->put('k', '2', null, null, 0));
    }

    /** @dataProvider stores */
    #[DataProvider('stores')]
    public function testAClosedStoreSaysSo(string $store): void
    {
        $store = $this->open($store);
        $store->put('k', '1', null, null, 0);
        $store->close();
        $this->assertStoreFails('closed', static fn () => $store->get('k', 0));
        $this->assertStoreFails('closed', static fn () => $store->put('k', '1', null, null, 0));
    }

    public function testWhatIsNoStoreIsCorrupt(): void
    {
        ['at' => $at] = Stores::place('redis', '', '');
        ['port' => $port, 'password' => $password] = Servers::of('redis');
        $login = ['user' => null, 'password' => $password, 'database' => 0];
        $redis = new RedisConnection(['at' => "tcp://127.0.0.1:$port"] + $login, 5.0);
        $redis->ask(['SET', "{{$this->name}}:entries", 'x']);
        $store = new Redis($at, $this->name);
        $this->assertStoreFails('corrupt', static fn () => $store->get('k', 0));
        $this->assertStoreFails('corrupt', static fn () => $store->put('k', '1', null, null, 0));
        file_put_contents("{$this->folder}/x.db", str_repeat('no database', 1000));
        $this->assertStoreFails('corrupt', fn () => new Pdo("sqlite:{$this->folder}/x.db"));
    }

    public function testANewFileIsForItsOwnerAlone(): void
    {
        $before = umask(0);
        try {
            $store = $this->open('pdo_sqlite');
            $store->put('k', '1', null, null, 0);
            foreach ((array) glob("{$this->folder}/*") as $file) {
                self::assertSame(0600, fileperms((string) $file) & 0777, (string) $file);
            }
        } finally {
            umask($before);
        }
    }

    public function testAChangeWaitsForReplicasThatAreAskedFor(): void
    {
        ['at' => $at] = Stores::place('redis', '', '');
        $store = new Redis($at, $this->name, timeout: 0.4, waitReplicas: 1);
        $failure = $this->assertStoreFails('io', static fn () => $store->put('k', '1', 0, null, 0));
        self::assertStringContainsString('only 0 replicas of 1', $failure->getMessage());
        self::assertSame('1', (new Redis($at, $this->name))->get('k', 0)['value']);
    }

    public function testAPasswordIsInNoMessage(): void
    {
        ini_set('zend.exception_ignore_args', '0');
        foreach (['wrong', 'p@ss', 'p/ss@word', 'p:s?s#w', '100%zz', 'p;host=x'] as $password) {
            foreach ([
                static fn (int $port) => (new Redis("redis://shop:$password@127.0.0.1:$port/0"))
                    ->get('k', 0),
                static fn (int $port) => new Pdo(
                    "mysql:host=127.0.0.1;port=$port;dbname=shop",
                    'shop',
                    $password
                ),
                static fn (int $port) => new Pdo(
                    "pgsql:host=127.0.0.1;port=$port;dbname=shop",
                    'shop',
                    $password
                ),
                static fn (int $port) => new Pdo(
                    "pgsql:host=127.0.0.1;port=$port;dbname=shop;user=shop;password=$password"
                ),
            ] as $place => $open) {
                $servers = ['redis', 'mariadb', 'postgres', 'postgres'];
                foreach ([Servers::of($servers[$place])['port'], 1] as $port) {
                    try {
                        $open($port);
                        self::fail('it is not the password');
                    } catch (StoreException | InvalidArgumentException $error) {
                        self::assertPasswordIsHidden($password, $error);
                    }
                }
            }
        }
    }

    private static function assertPasswordIsHidden(string $password, Throwable $error): void
    {
        for ($one = $error; $one !== null; $one = $one->getPrevious()) {
            self::assertStringNotContainsString($password, $one->getMessage());
            foreach ($one->getTrace() as $frame) {
                if (str_starts_with($frame['class'] ?? '', 'PHPUnit')) {
                    break;
                }
                $texts = implode(' ', array_filter($frame['args'] ?? [], 'is_string'));
                self::assertStringNotContainsString($password, $texts, $frame['function']);
            }
        }
    }

    public function testTheExampleOfThePagePrintsWhatItSays(): void
    {
        $page = (string) file_get_contents(Cases::ROOT . '/docs/stores.md');
        self::assertSame(1, preg_match_all('/```php\n(.*?)```/s', $page, $found));
        preg_match_all('~^echo .*; // (.*)$~m', $found[1][0], $said);
        ['port' => $redis, 'password' => $password] = Servers::of('redis');
        $example = strtr($found[1][0], [
            'php/toolwire' => Cases::ROOT . '/php/toolwire',
            ':PASSWORD@localhost:6379' => ':' . rawurlencode($password) . "@127.0.0.1:$redis",
            'PASSWORD' => $password,
            'localhost' => '127.0.0.1',
            '5432' => (string) Servers::of('postgres')['port'],
            '3306' => (string) Servers::of('mariadb')['port'],
        ]);
        ob_start();
        eval($example);
        self::assertSame($said[1], explode("\n", trim((string) ob_get_clean())));
    }

    public function testPythonAndPhpShareAStore(): void
    {
        $python = <<<'PYTHON'
            import asyncio, sys
            from toolwire.tools import ApprovalService, PostgresStore, RedisStore
            store = {"redis": lambda: RedisStore(sys.argv[2], prefix=sys.argv[3]),
                "pgsql": lambda: PostgresStore(sys.argv[2], table=sys.argv[3])}[sys.argv[1]]()
            async def decide():
                service = ApprovalService(store=store)
                (request,) = await service.get_pending_requests()
                await service.record_decision(request.id, True, reason="from afar")
            asyncio.run(decide())
            version = store.put("k", b"\0python", "absent", 77, 0)
            print(version)
            PYTHON;
        foreach (['redis' => 'redis', 'pdo_pgsql' => 'pgsql'] as $store => $kind) {
            $place = Stores::place($store, '', $this->name);
            $url = $kind === 'redis' ? $place['at'] : 'postgresql://shop:'
                . rawurlencode($place['password']) . '@127.0.0.1:' . Servers::of('postgres')['port']
                . '/shop';
            $here = Stores::open($place);
            $approvals = new ApprovalService($here);
            $asked = $approvals->request(new ApprovalRequest('a1', 'tool', 'May I?'));
            $command = [Cases::ROOT . '/.venv/bin/python', '-c', $python, $kind, $url, $this->name];
            exec(implode(' ', array_map('escapeshellarg', $command)) . ' 2>&1', $said, $status);
            self::assertSame(0, $status, implode("\n", $said));
            self::assertSame('approved', $approvals->status($asked->id));
            $entry = $here->get('k', 77);
            self::assertSame(["\0python", (int) end($said), 77], array_values($entry));
            self::assertIsInt($here->put('k', 'php', $entry['version'], null, 0));
        }
    }
}
