<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use Toolwire\Tools\Store;
use Toolwire\Tools\Store\Pdo;
use Toolwire\Tools\Store\Redis;
use Toolwire\Tools\Store\Sqlite;

/** Opens the stores of the tests, in their process and in those that they start. */
final class Stores
{
    /** Each store, and the server that it is on. */
    public const SERVERS = [
        'sqlite' => null, 'pdo_sqlite' => null, 'pdo_pgsql' => 'postgres', 'pdo_mysql' => 'mariadb',
        'redis' => 'redis',
    ];

    /**
     * Says where a store is.
     *
     * @return array{store: string, at: string, password: string, name: string}
     */
    public static function place(
        string $store,
        string $folder,
        string $name,
        string $port = 'port',
    ): array {
        $server = self::SERVERS[$store];
        if ($server === null) {
            $at = "$folder/$name.db";
            return ['store' => $store, 'at' => $at, 'password' => '', 'name' => $name];
        }
        ['password' => $password, $port => $number] = Servers::of($server);
        $at = match ($store) {
            'redis' => 'redis://:' . rawurlencode($password) . "@127.0.0.1:$number/0",
            'pdo_pgsql' => "pgsql:host=127.0.0.1;port=$number;dbname=shop",
            'pdo_mysql' => "mysql:host=127.0.0.1;port=$number;dbname=shop",
        };
        return ['store' => $store, 'at' => $at, 'password' => $password, 'name' => $name];
    }

    /** @param array{store: string, at: string, password: string, name: string} $place */
    public static function open(array $place): Store
    {
        ['store' => $store, 'at' => $at, 'password' => $password, 'name' => $name] = $place;
        return match ($store) {
            'sqlite' => new Sqlite($at, 60.0),
            'pdo_sqlite' => new Pdo("sqlite:$at", table: $name, timeout: 60.0),
            'pdo_pgsql', 'pdo_mysql' => new Pdo($at, 'shop', $password, $name),
            'redis' => new Redis($at, $name),
        };
    }
}
