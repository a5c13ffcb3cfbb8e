<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use DomainException;
use PHPUnit\Framework\TestCase;
use Throwable;
use Toolwire\Tools\ApprovalRequest;
use Toolwire\Tools\ApprovalService;
use Toolwire\Tools\Exception\StoreException;
use Toolwire\Tools\Executor;
use Toolwire\Tools\RateLimiter;
use Toolwire\Tools\Registry;
use Toolwire\Tools\Store;
use Toolwire\Tools\Store\Memory;
use Toolwire\Tools\Store\Sqlite;
use Toolwire\Tools\ToolDefinition;
use Toolwire\Tools\ToolOutput;
use Toolwire\Tools\UndoStore;
use TypeError;

/**
 * Stores: those of the extension, files that are not as they should be, and one that is written in
 * PHP.
 */
final class ToolsStoreTest extends TestCase
{
    private string $folder;

    protected function setUp(): void
    {
        $this->folder = sys_get_temp_dir() . '/toolwire-' . bin2hex(random_bytes(6));
        mkdir($this->folder);
    }

    protected function tearDown(): void
    {
        exec('rm -r ' . escapeshellarg($this->folder));
    }

    /** @return iterable<string, array{callable(string): Store}> */
    public static function stores(): iterable
    {
        yield 'memory' => [static fn (string $folder): Store => new Memory()];
        yield 'sqlite' => [static fn (string $folder): Store => new Sqlite("$folder/state.db")];
        yield 'php' => [static fn (string $folder): Store => new ArrayStore()];
    }

    /** @dataProvider stores */
    public function testAStoreKeepsItsPromises(callable $make): void
    {
        $store = $make($this->folder);
        self::assertNull($store->get('a/1', 0));
        $first = $store->put('a/1', "\0\xff", 0, null, 0);
        self::assertIsInt($first);
        self::assertNull($store->put('a/1', 'x', 0, null, 0), 'it is there already');
        self::assertNull($store->put('a/1', 'x', $first + 1000, null, 0), 'it has another version');
        self::assertSame(
            ['value' => "\0\xff", 'version' => $first, 'expires_at' => null],
            $store->get('a/1', 0)
        );
        $second = $store->put('a/1', 'y', $first, 100, 0);
        self::assertGreaterThan($first, $second);
        self::assertNotNull($store->get('a/1', 100));
        self::assertNull($store->get('a/1', 101), 'it has expired');
        self::assertIsInt(
            $store->put('a/1', 'z', 0, null, 101),
            'what has expired counts as absent'
        );
        self::assertIsInt($store->put('a/2', 'w', null, 50, 0));
        self::assertIsInt($store->put('b', 'v', null, null, 0));
        self::assertSame(['a/1', 'a/2'], array_column($store->scan('a/', null, 10, 0), 'key'));
        self::assertSame(['a/1'], array_column($store->scan('a/', null, 10, 51), 'key'));
        self::assertSame(['a/2'], array_column($store->scan('a/', 'a/1', 10, 0), 'key'));
        self::assertSame(['a/1'], array_column($store->scan('', null, 1, 0), 'key'));
        self::assertSame(1, $store->purge('a/', 51));
        self::assertFalse($store->delete('b', 0, 0));
        self::assertTrue($store->delete('b', null, 0));
        self::assertFalse($store->delete('b', null, 0));
        self::assertSame($store instanceof Sqlite, $store->shared());
    }

    /** @dataProvider stores */
    public function testEverythingWorksOverAnyStore(callable $make): void
    {
        $store = $make($this->folder);
        $undone = [];
        $registry = new Registry();
        $registry->register(new ToolDefinition(
            'edit',
            'EDIT',
            static fn ($input) => ToolOutput::ok($input->payload, undoMetadata: ['was' => 'x']),
            requiresApproval: true,
            undoable: true,
            undoHandler: static function ($metadata) use (&$undone): void {
                $undone[] = $metadata->undoData;
            },
            rateLimit: [3, 60.0],
        ));
        $executor = new Executor($registry, store: $store);
        $approvals = new ApprovalService($store);
        foreach (['a1', 'a2', 'a3'] as $id) {
            self::assertSame(
                'pendingApproval',
                $executor->execute(['id' => $id, 'type' => 'EDIT'])->state
            );
        }
        self::assertSame(
            'rate_limited',
            $executor->execute(['id' => 'a4', 'type' => 'EDIT'])->error->getKind()
        );
        $pending = array_map(
            static fn (ApprovalRequest $request) => $request->actionId,
            $approvals->pending()
        );
        self::assertSame(['a1', 'a2', 'a3'], $pending);
        $approvals->decide('a2', true);
        $approvals->decide('a3', false);
        $states = array_map(
            static fn (string $id) => $executor->resume($id)->state,
            ['a1', 'a2', 'a3']
        );
        self::assertSame(['pendingApproval', 'completed', 'denied'], $states);
        $undo = new UndoStore($store);
        self::assertSame(
            ['a2'],
            array_map(static fn ($metadata) => $metadata->actionId, $undo->all())
        );
        self::assertTrue($executor->undo('a2'));
        self::assertSame([['was' => 'x']], $undone);
        self::assertCount(0, $undo);
        self::assertFalse($undo->delete('a2'));
        self::assertSame('b', $undo->store('b', 'edit', [], 5.0)->actionId);
        self::assertSame([], $undo->get('b')->undoData);
        $permit = (new RateLimiter($store, 1, 60.0))->check('other', 'me');
        self::assertSame(['allowed' => true, 'remaining' => 0, 'retry_after' => 0.0], $permit);
    }

    public function testARunIsGoneOnWithInAnotherProcess(): void
    {
        $path = "{$this->folder}/state.db";
        $setUp = 'use Toolwire\Tools\{ApprovalService, Executor, Registry, ToolDefinition, '
            . 'ToolOutput};'
            . 'use Toolwire\Tools\Store\Sqlite;'
            . '$store = new Sqlite($argv[1]); $registry = new Registry();'
            . '$registry->register(new ToolDefinition("send", "SEND", fn ($input) =>'
            . '    ToolOutput::ok('
            . '        ["sent" => $input->payload, "mode" => $input->behavior],'
            . '        undoMetadata: ["id" => 9]'
            . '    ), requiresApproval: true, undoable: true,'
            . '    undoHandler: function ($m) { echo "undo ", $m->undoData["id"]; }));'
            . '$executor = new Executor($registry, $store);';
        $names = ' echo " ", implode(" ", array_column($run->events, "type"));';
        $php = static function (string $code) use ($setUp, $path): string {
            [$output, $status] = ToolsSafetyTest::php($setUp . $code, $path);
            self::assertSame(0, $status, $output);
            return $output;
        };
        $action = '["id" => "m1", "type" => "SEND",'
            . ' "payload" => ["to" => "Ünal", "n" => 1.0, "big" => 9007199254740993]]';
        $execute = "\$run = \$executor->execute($action, ['execution_mode' => 'chat']);"
            . "echo \$run->state;$names";
        self::assertSame('pendingApproval tool.invoked approval.requested', $php($execute));
        $resume = "\$run = \$executor->resume('m1'); echo \$run?->state ?? 'none';";
        self::assertSame('pendingApproval', $php($resume));
        self::assertSame(
            'approved',
            $php('echo (new ApprovalService($store))->decide("m1", true)->status;')
        );
        $done = $php(
            $resume . $names
                . ' echo " ", json_encode($run->output->data, JSON_PRESERVE_ZERO_FRACTION);'
        );
        self::assertSame(
            'completed approval.decided tool.started tool.completed '
            . '{"sent":{"to":"\u00dcnal","n":1.0,"big":9007199254740993},"mode":"chat"}',
            $done
        );
        self::assertSame('none', $php($resume));
        self::assertSame('undo 91', $php('echo $executor->undo("m1");'));
    }

    public function testAHandlerThatDiesIsNotRunAgain(): void
    {
        $path = "{$this->folder}/state.db";
        $setUp = 'use Toolwire\Tools\{ApprovalService, Executor, Registry, ToolDefinition};'
            . '$store = new Toolwire\Tools\Store\Sqlite($argv[1]); $registry = new Registry();'
            . '$registry->register(new ToolDefinition("send", "SEND", function () { echo "ran"; '
            . 'posix_kill(getmypid(), SIGKILL); }, requiresApproval: true));'
            . '$executor = new Executor($registry, $store);';
        $setUp = str_replace('posix_kill(getmypid(), SIGKILL)', 'exit(9)', $setUp);
        ToolsSafetyTest::php(
            $setUp . '$executor->execute(["id" => "m1", "type" => "SEND"]);',
            $path
        );
        ToolsSafetyTest::php($setUp . '(new ApprovalService($store))->decide("m1", true);', $path);
        self::assertSame(
            ['ran', 9],
            ToolsSafetyTest::php($setUp . '$executor->resume("m1");', $path)
        );
        self::assertSame(
            ['running', 0],
            ToolsSafetyTest::php($setUp . 'echo $executor->resume("m1")->state;', $path)
        );
    }

    private function assertStoreFails(string $kind, callable $work): StoreException
    {
        try {
            $work();
        } catch (StoreException $error) {
            self::assertSame($kind, $error->getKind(), $error->getMessage());
            return $error;
        }
        self::fail("nothing was thrown, $kind was expected");
    }

    public function testAFileThatIsNoStoreSaysWhy(): void
    {
        file_put_contents("{$this->folder}/text", str_repeat('this is no database ', 100));
        $this->assertStoreFails('corrupt', fn () => new Sqlite("{$this->folder}/text"));
        $this->assertStoreFails('io', fn () => new Sqlite("{$this->folder}/no/such/folder.db"));
        $this->assertStoreFails('io', fn () => new Sqlite($this->folder));
    }

    public function testAFileThatIsCutOffIsCorrupt(): void
    {
        $path = "{$this->folder}/state.db";
        $store = new Sqlite($path);
        for ($i = 0; $i < 200; $i++) {
            $store->put("k$i", str_repeat('x', 500), null, null, 0);
        }
        $store->close();
        $bytes = (string) file_get_contents($path);
        file_put_contents(
            $path,
            substr_replace(
                $bytes,
                str_repeat("\xa5", strlen($bytes) - 8192),
                4096,
                strlen($bytes) - 8192
            )
        );
        $this->assertStoreFails(
            'corrupt',
            static fn () => (new Sqlite($path))->scan('', null, 1000, 0)
        );
    }

    public function testAFileOfANewerVersionIsLeftAlone(): void
    {
        $path = "{$this->folder}/state.db";
        (new Sqlite($path))->close();
        $bytes = (string) file_get_contents($path);
        // The version that a program gives its file stands in bytes 60 to 63.
        file_put_contents($path, substr_replace($bytes, pack('N', 1000), 60, 4));
        $this->assertStoreFails('newer_version', static fn () => new Sqlite($path));
    }

    public function testNobodyElseMayReadTheFilesWhateverTheUmask(): void
    {
        $path = "{$this->folder}/state.db";
        $modes = static fn (): array => array_map(
            static fn (string $file): string => decoct(fileperms($file) & 0777),
            (array) glob("$path*")
        );
        chmod($this->folder, 0700);
        $before = umask(0);
        try {
            $store = new Sqlite($path);
            $store->put('k', 'v', null, null, 0);
            clearstatcache();
            self::assertSame(['600', '600', '600'], $modes());
            $store->close();
            clearstatcache();
            self::assertSame(['600'], $modes());
        } finally {
            umask($before);
        }
        symlink($path, "{$this->folder}/link.db");
        $this->assertStoreFails('exposed', fn () => new Sqlite("{$this->folder}/link.db"));
        chmod($this->folder, 0777);
        $this->assertStoreFails('exposed', static fn () => new Sqlite($path));
    }

    public function testAFileOfAnotherUserIsRefused(): void
    {
        if (posix_geteuid() !== 0) {
            self::markTestSkipped('only root may give a file to another user');
        }
        $path = "{$this->folder}/state.db";
        chmod($this->folder, 01777);
        touch($path);
        chown($path, 65534);
        $this->assertStoreFails('exposed', static fn () => new Sqlite($path));
        self::assertSame([65534, 0], [fileowner($path), filesize($path)]);
    }

    public function testAFileThatOthersHoldIsLocked(): void
    {
        $path = "{$this->folder}/state.db";
        $store = new Sqlite($path, busyTimeout: 0.05);
        $hold = 'import sqlite3,sys; c = sqlite3.connect(sys.argv[1], isolation_level=None); '
            . 'c.execute("BEGIN IMMEDIATE"); print("held", flush=True); sys.stdin.readline(); '
            . 'c.execute("ROLLBACK")';
        $other = proc_open(['python3', '-c', $hold, $path], [['pipe', 'r'], ['pipe', 'w']], $pipes);
        self::assertIsResource($other);
        self::assertSame("held\n", fgets($pipes[1]));
        $this->assertStoreFails('locked', static fn () => $store->put('k', 'v', null, null, 0));
        fclose($pipes[0]);
        proc_close($other);
        self::assertIsInt($store->put('k', 'v', null, null, 0));
    }

    public function testAFileThatMayNotBeWrittenIsReadOnly(): void
    {
        $path = "{$this->folder}/state.db";
        (new Sqlite($path))->close();
        chmod($path, 0o444);
        chmod($this->folder, 0o555);
        $code = 'try { (new Toolwire\Tools\Store\Sqlite($argv[1]))->put("k", "v", null, null, 0); }'
            . 'catch (Toolwire\Tools\Exception\StoreException $error) { echo $error->getKind(); }';
        // Root writes what it likes.
        $user = is_writable('/')
            ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups']
            : [];
        [$output, $status] = ToolsSafetyTest::php($code, $path, $user);
        chmod($this->folder, 0o755);
        self::assertSame(['read_only', 0], [$output, $status]);
    }

    public function testAClosedStoreSaysSo(): void
    {
        $store = new Sqlite("{$this->folder}/state.db");
        self::assertSame(realpath($this->folder) . '/state.db', realpath($store->path));
        $store->close();
        $store->close();
        $this->assertStoreFails('closed', static fn () => $store->get('k', 0));
        $this->assertStoreFails('closed', static fn () => (new ApprovalService($store))->pending());
    }

    public function testWhatAStoreOfPhpThrowsIsTheCause(): void
    {
        $store = new ArrayStore(static fn () => throw new DomainException('no database'));
        foreach ([
            static fn () => (new ApprovalService($store))->request(new ApprovalRequest('a', 't')),
            static fn () => (new ApprovalService($store))->decide('a', true),
            static fn () => (new UndoStore($store))->all(),
            static fn () => (new RateLimiter($store, 1, 1.0))->check('t'),
            static fn () => (new Executor(new Registry(), $store))->resume('a'),
            static fn () => (new Executor(new Registry(), $store))->undo('a'),
        ] as $work) {
            $previous = $this->assertStoreFails('host', $work)->getPrevious();
            self::assertInstanceOf(DomainException::class, $previous);
            self::assertSame('no database', $previous->getMessage());
        }
    }

    public function testARunWhoseStoreThrowsFails(): void
    {
        foreach (['get', 'put', 'scan'] as $bad) {
            foreach ([
                ['requiresApproval' => true], ['rateLimit' => [1, 1.0]], ['undoable' => true],
            ] as $needs) {
                $store = new ArrayStore(static fn (string $method) => $method === $bad
                    ? throw new DomainException('no database') : null);
                $registry = new Registry();
                $handler = static fn () => ToolOutput::ok(undoMetadata: ['x' => 1]);
                $registry->register(
                    new ToolDefinition(
                        ...['name' => 't', 'actionType' => 'T', 'handler' => $handler, ...$needs]
                    )
                );
                $execution = (new Executor($registry, $store))->execute(['type' => 'T']);
                $failed = $execution->error?->getPrevious();
                if ($failed !== null) {
                    self::assertInstanceOf(StoreException::class, $failed);
                    self::assertInstanceOf(DomainException::class, $failed->getPrevious());
                    self::assertSame('tool.failed', array_slice($execution->events, -1)[0]['type']);
                } elseif (isset($needs['undoable']) && $bad !== 'scan') {
                    self::assertSame('completed', $execution->state);
                    self::assertSame('tool.undo_store_failed', $execution->events[3]['type']);
                    self::assertSame(
                        StoreException::class,
                        $execution->events[3]['data']['error_code']
                    );
                } else {
                    self::assertContains($execution->state, ['completed', 'pendingApproval']);
                }
                self::assertSame(
                    $bad === 'put' && !isset($needs['undoable']),
                    $failed !== null && $bad === 'put'
                );
            }
        }
    }

    public function testWhatAStoreOfPhpAnswersIsChecked(): void
    {
        foreach ([
            ['value' => 'x'], ['value' => 1, 'version' => 1, 'expires_at' => null],
            ['value' => 'x', 'version' => -1, 'expires_at' => null], [],
        ] as $wrong) {
            $store = new ArrayStore(
                static fn (string $method) => $method === 'get' ? $wrong : null
            );
            $error = $this->assertStoreFails(
                'host',
                static fn () => (new UndoStore($store))->get('a')
            );
            self::assertStringContainsString("the store's get() must return", $error->getMessage());
        }
        $store = new ArrayStore(static fn (string $method) => $method === 'get'
            ? ['value' => '{"half":', 'version' => 1, 'expires_at' => null] : null);
        $this->assertStoreFails('corrupt', static fn () => (new UndoStore($store))->get('a'));
    }

    public function testAStoreOfPhpMayExit(): void
    {
        $store = 'new class implements Toolwire\Tools\Store {'
            . 'function get(string $key, int $now): ?array { echo "in "; exit(3); }'
            . 'function put(string $key, string $v, ?int $expected, ?int $until, int $now): ?int'
            . '{ return 1; }'
            . 'function delete(string $key, ?int $expected, int $now): bool { return true; }'
            . 'function scan(string $prefix, ?string $after, int $limit, int $now): array'
            . '{ return []; }'
            . 'function purge(string $prefix, int $now): int { return 0; }'
            . 'function shared(): bool { return false; } }';
        $code = "\$store = $store; \$registry = new Toolwire\\Tools\\Registry();"
            . '$tool = new Toolwire\Tools\ToolDefinition("t", "T", fn () => print("ran"),'
            . ' rateLimit: [1, 1]); $registry->register($tool);'
            . '$executor = new Toolwire\Tools\Executor($registry, $store);'
            . '$executor->listen(function ($type) { echo "$type "; });'
            . 'try { $executor->execute(["type" => "T"]); } catch (Throwable $e) { echo "caught"; }'
            . 'echo "after";';
        self::assertSame(['tool.invoked in', 3], ToolsSafetyTest::php($code));
    }

    public function testWhatIsNoStoreIsRefused(): void
    {
        foreach ([new Registry(), 'memory', []] as $wrong) {
            try {
                new UndoStore($wrong);
                self::fail('nothing was thrown');
            } catch (Throwable $error) {
                self::assertInstanceOf(TypeError::class, $error);
                self::assertStringContainsString(
                    'must be of type Toolwire\Tools\Store',
                    $error->getMessage()
                );
            }
        }
        self::assertSame('completed', self::over(null), 'an executor makes a store of its own');
    }

    private static function over(?Store $store): string
    {
        $registry = new Registry();
        $registry->register(
            new ToolDefinition('t', 'T', static fn () => ToolOutput::ok(), rateLimit: [1, 1])
        );
        return (new Executor($registry, $store))->execute(['type' => 'T'])->state;
    }
}
