<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use PDO as Driver;
use PHPUnit\Framework\Attributes\DataProvider;
use Toolwire\Tools\Exception\StoreException;
use Toolwire\Tools\Store;
use Toolwire\Tools\Store\RedisConnection;

/** Rows and fields that are not as a store wrote them: each step works or is `corrupt`. */
final class RowsTest extends ServerStoreTestCase
{
    private const SQLITE = [
        "UPDATE T SET version = 0", "UPDATE T SET version = -1", "UPDATE T SET version = 'abc'",
        "UPDATE T SET version = 1.5", "UPDATE T SET version = 9e99", "UPDATE T SET value = 'text'",
        "UPDATE T SET value = 7", "UPDATE T SET value = 1.5", "UPDATE T SET expires_at = 'abc'",
        "UPDATE T SET expires_at = 1.5", "UPDATE T SET expires_at = x'ff'",
        "UPDATE T SET name = 'k' || x'ff'", "UPDATE T SET name = CAST('k' || x'00' AS TEXT)",
        "UPDATE T SET name = x'6b'", "UPDATE T SET name = 'ké'",
        "UPDATE T SET version = x'01'", "DROP INDEX T_expiry", "ALTER TABLE T RENAME value TO was",
        "DROP TABLE T",
    ];
    private const MYSQL = [
        'UPDATE T SET version = 0', 'UPDATE T SET version = -1', "UPDATE T SET name = 'k\\0'",
        "UPDATE T SET name = 'ké'", 'ALTER TABLE T MODIFY version DOUBLE; UPDATE T SET version = 1.5',
        "ALTER TABLE T MODIFY version VARCHAR(30); UPDATE T SET version = 'abc'",
        'ALTER TABLE T MODIFY version BIGINT NULL; UPDATE T SET version = NULL',
        'ALTER TABLE T MODIFY value LONGBLOB NULL; UPDATE T SET value = NULL',
        "ALTER TABLE T MODIFY expires_at VARCHAR(9); UPDATE T SET expires_at = '9x'",
        'UPDATE T SET version = 1; ALTER TABLE T MODIFY version TINYINT', 'ALTER TABLE T DROP PRIMARY KEY',
        'ALTER TABLE T RENAME COLUMN value TO was', 'DROP TABLE T',
    ];
    private const PGSQL = [
        'UPDATE T SET version = 0', 'UPDATE T SET version = -1', "UPDATE T SET name = 'ké'",
        "UPDATE T SET name = E'a\\nb'",
        'ALTER TABLE T ALTER version DROP NOT NULL; UPDATE T SET version = NULL',
        'ALTER TABLE T ALTER value DROP NOT NULL; UPDATE T SET value = NULL',
        'ALTER TABLE T ALTER version DROP DEFAULT, ALTER version TYPE text',
        'ALTER TABLE T ALTER version DROP DEFAULT, ALTER version TYPE numeric; '
            . 'UPDATE T SET version = 1.5',
        "ALTER TABLE T ALTER value TYPE text USING encode(value, 'escape')",
        'DROP INDEX "p_expiry"; ALTER TABLE T ALTER expires_at TYPE text',
        'ALTER TABLE T RENAME value TO was', 'DROP TABLE T',
    ];
    private const FIELDS = [
        '', 'nonsense', ':', '1', '1:', '0::v', '-1::v', '007::v', '1.5::v', '9007199254740992::v',
        '99999999999999999999::v', '5:12:v', '5:99999999999999999999:v',
        '5:18446744073709551616:v', "\xff\xfe::v", "5\0::v",
    ];

    /** @return iterable<string, array{string, string}> */
    public static function changes(): iterable
    {
        $all = ['pdo_sqlite' => self::SQLITE, 'pdo_mysql' => self::MYSQL, 'pdo_pgsql' => self::PGSQL];
        foreach ($all as $store => $changes) {
            foreach ($changes as $change) {
                yield "$store: $change" => [$store, $change];
            }
        }
    }

    /** @dataProvider changes */
    #[DataProvider('changes')]
    public function testARowThatNoStoreWroteIsCorrupt(string $name, string $change): void
    {
        $store = $this->open($name);
        $store->put('k', 'v', null, null, 0);
        ['at' => $at, 'password' => $password] = Stores::place($name, $this->folder, $this->name);
        $at = $name === 'pdo_sqlite' ? "sqlite:$at" : $at;
        $other = new Driver($at, 'shop', $password, [Driver::ATTR_ERRMODE => Driver::ERRMODE_EXCEPTION]);
        $change = str_replace('"p_expiry"', "\"{$this->name}_expiry\"", $change);
        foreach (explode('; ', $change) as $statement) {
            $other->exec(preg_replace('/\bT(?=\b|_)/', $this->name, $statement, 1));
        }
        $other = null;
        $this->assertWorksOrIsCorrupt($store);
        self::assertContains($this->said(static fn () => $store->get('other', 0)), [null, 'corrupt']);
    }

    public function testAFieldOfRedisThatNoStoreWroteIsCorrupt(): void
    {
        ['port' => $port, 'password' => $password] = Servers::of('redis');
        $login = ['user' => null, 'password' => $password, 'database' => 0];
        $redis = new RedisConnection(['at' => "tcp://127.0.0.1:$port"] + $login, 5.0);
        $store = $this->open('redis');
        foreach (self::FIELDS as $field) {
            $store->put('k', 'v', null, null, 0);
            $redis->ask(['HSET', "{{$this->name}}:entries", 'k', $field]);
            self::assertSame('corrupt', $this->said(static fn () => $store->get('k', 0)), $field);
            $this->assertWorksOrIsCorrupt($store);
            $redis->ask(['HSET', "{{$this->name}}:entries", 'k', $field]);
            $store->delete('k', null, 0);
            self::assertNull($store->get('k', 0));
        }
        foreach (["k\xff", "k\0", 'ké'] as $key) {
            $redis->ask(['HSET', "{{$this->name}}:entries", $key, '5::v']);
            $redis->ask(['ZADD', "{{$this->name}}:order", '0', $key]);
            $this->assertStoreFails('corrupt', static fn () => $store->scan('', null, 9, 0));
            $redis->ask(['ZREM', "{{$this->name}}:order", $key]);
        }
        // A mark for the sweep that was written by hand removes nothing.
        $store->put('k', 'v', null, null, 0);
        $redis->ask(['ZADD', "{{$this->name}}:expiry", '0', str_repeat('0', 20) . ':k']);
        self::assertSame([0, 'v'], [$store->purge('', 9), $store->get('k', 9)['value']]);
        $redis->ask(['SET', "{{$this->name}}:version", 'nonsense']);
        $this->assertStoreFails('corrupt', static fn () => $store->put('k', 'w', null, null, 0));
    }

    private function assertWorksOrIsCorrupt(Store $store): void
    {
        foreach ([
            static fn () => $store->get('k', 0),
            static fn () => $store->put('k', '2', 7, null, 0),
            static fn () => $store->put('k', '2', 0, null, 0),
            static fn () => $store->scan('', null, 9, 0),
            static fn () => $store->purge('', 0),
            static fn () => $store->put('k', '2', null, null, 0),
        ] as $work) {
            $this->said($work);
        }
    }

    /** Returns what some work gives; `corrupt` if it says so. Another error fails the test. */
    private function said(callable $work): mixed
    {
        try {
            return $work();
        } catch (StoreException $error) {
            self::assertSame('corrupt', $error->getKind(), $error->getMessage());
            return 'corrupt';
        }
    }
}
