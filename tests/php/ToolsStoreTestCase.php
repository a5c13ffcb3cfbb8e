<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use PHPUnit\Framework\TestCase;
use Toolwire\Tools\Exception\StoreException;

/** A folder for the files of a store, and an assertion for stores that fail. */
abstract class ToolsStoreTestCase extends TestCase
{
    protected string $folder;

    protected function setUp(): void
    {
        $this->folder = sys_get_temp_dir() . '/toolwire-' . bin2hex(random_bytes(6));
        mkdir($this->folder);
    }

    protected function tearDown(): void
    {
        exec('rm -r ' . escapeshellarg($this->folder));
    }

    protected function assertStoreFails(string $kind, callable $work): StoreException
    {
        try {
            $work();
        } catch (StoreException $error) {
            self::assertSame($kind, $error->getKind(), $error->getMessage());
            return $error;
        }
        self::fail("nothing was thrown, $kind was expected");
    }
}
