<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use Toolwire\Tools\ApprovalService;
use Toolwire\Tools\Store\Sqlite;

/** Files of a store that are damaged, exposed, locked or of another version. */
final class ToolsStoreFileTest extends ToolsStoreTestCase
{
    public function testAFileThatIsNoStoreSaysWhy(): void
    {
        file_put_contents("{$this->folder}/text", str_repeat('this is no database ', 100));
        $this->assertStoreFails('corrupt', fn () => new Sqlite("{$this->folder}/text"));
        $this->assertStoreFails('io', fn () => new Sqlite("{$this->folder}/no/such/folder.db"));
        $this->assertStoreFails('io', fn () => new Sqlite($this->folder));
    }

    public function testAFileOutsideOfOpenBasedirIsRefused(): void
    {
        mkdir("{$this->folder}/open");
        symlink($this->folder, "{$this->folder}/open/out");
        symlink("{$this->folder}/new.db", "{$this->folder}/open/link.db");
        $program = <<<'PHP'
            ini_set('open_basedir', $argv[1] . '/open');
            chdir($argv[1] . '/open');
            $paths = ['outside.db', 'open/../outside.db', 'open/out/outside.db', 'open/link.db', 'opening.db'];
            array_push($paths, 'open/inside.db');
            foreach ([...array_map(fn ($path) => "$argv[1]/$path", $paths), '../outside.db', 'near.db'] as $path) {
                try {
                    $opened = (new Toolwire\Tools\Store\Sqlite($path))->path;
                    echo substr($opened, strlen($argv[1])), ' ';
                } catch (Toolwire\Exception\InvalidArgument $error) {
                    echo $error->getKind(), $error->getCode(), ' ';
                }
            }
            PHP;
        $refused = str_repeat('path_not_allowed22 ', 5);
        $expected = "$refused/open/inside.db path_not_allowed22 /open/near.db ";
        self::assertSame([trim($expected), 0], array_map(
            static fn ($part) => is_string($part) ? trim($part) : $part,
            ToolsSafetyTest::php($program, $this->folder)
        ));
        self::assertSame([], glob("{$this->folder}/*.db"));
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
        // Bytes 60 to 63 hold the version that a program gives its file.
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
        // Root may write to every file.
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
}
