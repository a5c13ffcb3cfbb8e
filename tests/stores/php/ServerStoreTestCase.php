<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use Toolwire\Tools\Store;

/** Tests of stores on servers, each with a name of its own. */
abstract class ServerStoreTestCase extends ToolsStoreTestCase
{
    private static int $number = 0;
    protected string $name;

    protected function setUp(): void
    {
        parent::setUp();
        $this->name = 'p' . getmypid() . '_' . ++self::$number;
    }

    /** @return iterable<string, array{string}> the stores whose code is in PHP */
    public static function stores(): iterable
    {
        foreach (array_keys(Stores::SERVERS) as $store) {
            if ($store !== 'sqlite') {
                yield $store => [$store];
            }
        }
    }

    /** @return iterable<string, array{string}> */
    public static function onServers(): iterable
    {
        foreach (array_filter(Stores::SERVERS) as $store => $server) {
            yield $store => [$store];
        }
    }

    /** @return iterable<string, array{string}> */
    public static function everyStore(): iterable
    {
        foreach (array_keys(Stores::SERVERS) as $store) {
            yield $store => [$store];
        }
    }

    protected function open(string $store, ?string $name = null, string $port = 'port'): Store
    {
        return Stores::open(Stores::place($store, $this->folder, $name ?? $this->name, $port));
    }
}
