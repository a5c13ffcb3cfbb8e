<?php

declare(strict_types=1);

namespace Toolwire\Tests\WordPress;

use Toolwire\WordPress\Locks;
use Toolwire\WordPress\Store;

use function Toolwire\WordPress\plugin;

/** Locks, where the database has named ones, and where it refuses or does not keep them. */
final class LocksTest extends SiteTestCase
{
    /** How databases answer that keep no named lock, by the function that is asked. */
    private const REFUSALS = [
        'not there' => ['GET_LOCK' => 'not_there()', 'IS_FREE' => 'not_there()'],
        'null' => ['GET_LOCK' => 'NULL', 'IS_FREE' => 'NULL'],
        'not kept' => ['GET_LOCK' => '1', 'IS_FREE' => '1'],
    ];

    /** @param array<string, string> $answers */
    private static function refuse(array $answers): callable
    {
        $refuse = static function (string $query) use ($answers): string {
            preg_match('/^SELECT (GET_LOCK|RELEASE_LOCK|IS_FREE|IS_USED)/', $query, $found);
            return match ($found[1] ?? '') {
                '' => $query,
                'IS_USED' => 'SELECT NULL',
                default => 'SELECT ' . ($answers[$found[1]] ?? 'not_there()'),
            };
        };
        add_filter('query', $refuse);
        return $refuse;
    }

    private static function locks(): Locks
    {
        return new Locks(plugin()->schema());
    }

    public function testALockIsHeldOnceWhateverTheDatabaseRefuses(): void
    {
        foreach (self::REFUSALS as $how => $answers) {
            $refuse = self::refuse($answers);
            [$one, $other] = [self::locks(), self::locks()];
            self::assertTrue($one->take('a'), $how);
            self::assertSame([false, false, true], [
                $other->take('a'), $one->take('a'), $other->take('b'),
            ], $how);
            self::assertSame([false, true], [$other->is_free('a'), $other->is_free('c')], $how);
            $other->release('a');
            self::assertFalse($one->is_free('a'), "$how: only its holder releases it");
            $one->release('a');
            self::assertTrue($other->take('a'), $how);
            $other->release_all();
            self::assertSame([true, true], [$one->is_free('a'), $one->is_free('b')], $how);
            remove_filter('query', $refuse);
        }
        $error = $GLOBALS['wpdb']->last_error;
        self::assertTrue(self::locks()->take('a'), $error);
    }

    public function testALockOfAKilledRequestExpires(): void
    {
        $refuse = self::refuse(self::REFUSALS['not there']);
        $seconds = static fn (): int => 0;
        add_filter('toolwire_lock_seconds', $seconds);
        self::assertTrue(self::locks()->take('killed'));
        remove_filter('toolwire_lock_seconds', $seconds);
        usleep(1000);
        [$one, $other] = [self::locks(), self::locks()];
        self::assertTrue($one->is_free('killed'));
        self::assertSame([true, false], [$one->take('killed'), $other->take('killed')]);
        $one->release('killed');
        remove_filter('query', $refuse);
    }

    public function testALockIsHeldLongerThanARequestMayRun(): void
    {
        $refuse = self::refuse(self::REFUSALS['not there']);
        $limit = ini_get('max_execution_time');
        foreach (['0' => 3600, '5' => 60, '300' => 310] as $most => $held) {
            ini_set('max_execution_time', (string) $most);
            $locks = self::locks();
            $locks->take('long');
            $store = new Store(plugin()->schema());
            $expires = $store->get('wordpress/lock/long', $store->now())['expires_at'];
            self::assertEqualsWithDelta($held, ($expires - $store->now()) / 1000000, 2);
            $locks->release('long');
        }
        ini_set('max_execution_time', $limit);
        remove_filter('query', $refuse);
    }

    public function testCallsRunWaitAndEndWithoutNamedLocks(): void
    {
        foreach (self::REFUSALS as $how => $answers) {
            $refuse = self::refuse($answers);
            // A request of its own does not know yet how the database answers.
            $plugin = new \Toolwire\WordPress\Plugin();
            $run = static fn (string $name, string $id) => $plugin->runner()->run(
                self::parsed($name, '{}', "$how $id"),
                $id,
                ''
            );
            self::assertSame('completed', $run('test_count', 'a')['state'], $how);
            $row = $run('test_ask', 'b');
            self::assertSame('waiting', $row['state'], $how);
            $id = (string) $row['approval_id'];
            $seen = $plugin->approvals()->look($id)['fingerprint'];
            self::assertSame('completed', $plugin->approvals()->decide($id, true, '', $seen)['state']);
            remove_filter('query', $refuse);
        }
    }
}
