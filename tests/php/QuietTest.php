<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use PHPUnit\Framework\TestCase;
use ReflectionClass;
use stdClass;
use Toolwire\Provider;
use Toolwire\Redaction;
use Toolwire\ToolResult;
use Toolwire\ToolResultFinder;

/** Values are read in place, so reading them must not run code of the program. */
final class QuietTest extends TestCase
{
    /** From PHP 8.5 on, PHP warns when NAN is taken as a boolean. */
    public function testNanIsTrueWithoutAWarning(): void
    {
        $heard = [];
        $packets = [];
        for ($i = 0; $i < 20; $i++) {
            $metadata = ['handler_tool' => 'a', 'tool_result_data' => ["x$i"]];
            $metadata['tool_success'] = NAN;
            $packets[] = ['type' => 'tool_result', 'metadata' => $metadata];
        }
        $kept = $packets;
        set_error_handler(static function (int $level, string $message) use (&$heard, &$packets) {
            $heard[] = $message;
            // What is being read would be freed here.
            $packets = [];
            return true;
        });
        try {
            foreach (array_keys($kept) as $i) {
                $packet = &$packets[$i];
                self::assertTrue(ToolResultFinder::projectResultSuccess($packet));
                self::assertSame(
                    ['success' => true, 'result' => ["x$i"]],
                    ToolResultFinder::projectResultEnvelope($packet)
                );
                unset($packet);
            }
            $found = ToolResultFinder::findAllHandlerResults($packets, 'a', successOnly: true);
            self::assertCount(20, $found);
            $returned = ['success' => NAN, 'error' => NAN, 'data' => [1]];
            self::assertTrue(ToolResult::fromReturned('a', $returned)->toArray()['success']);
            $failed = ToolResult::fromReturned('a', ['error' => NAN]);
            self::assertFalse($failed->toArray()['success']);
        } finally {
            restore_error_handler();
        }
        self::assertSame([], $heard);
    }

    /** @return array{stdClass, callable(): int} an object, and how often its code has run */
    private static function lazy(string $how): array
    {
        if (PHP_VERSION_ID < 80400) {
            self::markTestSkipped('objects are lazy from PHP 8.4 on');
        }
        $class = new class extends stdClass {
            public mixed $error = 1;
            public mixed $name = 'n';
        };
        $ran = 0;
        $object = (new ReflectionClass($class))->{"newLazy$how"}(
            static function () use (&$ran, $class): mixed {
                $ran++;
                return new $class();
            }
        );
        return [$object, static function () use (&$ran): int {
            return $ran;
        }];
    }

    public function testALazyObjectIsNotMadeByReading(): void
    {
        foreach (['Ghost', 'Proxy'] as $how) {
            [$object, $ran] = self::lazy($how);
            (new ToolResult('a', true, ['o' => $object]))->toArray();
            ToolResult::fromReturned('a', $object);
            Redaction::withDefaults([])->mask(['o' => $object]);
            try {
                Provider::parse(['content' => $object]);
                self::fail('an object of another class is refused');
            } catch (\Toolwire\Exception\WrongType $error) {
                self::assertStringContainsString('cannot hold a', $error->getMessage());
            }
            self::assertSame(0, $ran(), $how);
        }
    }

    public function testALazyProxyThatWasMadeIsRead(): void
    {
        [$object, $ran] = self::lazy('Proxy');
        self::assertSame('n', $object->name);
        self::assertFalse(ToolResult::fromReturned('a', $object)->toArray()['success']);
        self::assertSame(1, $ran());
    }
}
