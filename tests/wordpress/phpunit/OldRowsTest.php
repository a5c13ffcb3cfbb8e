<?php

declare(strict_types=1);

namespace Toolwire\Tests\WordPress;

use Toolwire\WordPress\Housekeeping;

use function Toolwire\WordPress\plugin;

/** A log and a store with very many old entries, which are removed in pieces. */
final class OldRowsTest extends SiteTestCase
{
    private const ROWS = 90000;

    /** Fills the log and the store by few statements. */
    private static function fill(int $rows): void
    {
        global $wpdb;
        [$calls, $store] = [plugin()->schema()->calls_table(), plugin()->schema()->store_table()];
        $digits = '(SELECT 0 AS d UNION SELECT 1 UNION SELECT 2 UNION SELECT 3 UNION SELECT 4 '
            . 'UNION SELECT 5 UNION SELECT 6 UNION SELECT 7 UNION SELECT 8 UNION SELECT 9)';
        $numbers = 'SELECT a.d + 10 * b.d + 100 * c.d + 1000 * e.d + 10000 * f.d AS n '
            . "FROM $digits a, $digits b, $digits c, $digits e, $digits f";
        $wpdb->query(
            "INSERT INTO $calls (action_id, user_id, tool, state, created_at) SELECT "
                . "CONCAT('old-', n), 1, 'test_count', 'completed', '2020-01-01 00:00:00' "
                . "FROM ($numbers) AS numbers WHERE n < $rows"
        );
        $wpdb->query(
            "INSERT INTO $store (name, value, version, expires_at) SELECT "
                . "CONCAT('wordpress/call/old-', n), '{}', 1, 1000 + n FROM ($numbers) AS numbers "
                . "WHERE n < $rows"
        );
    }

    private static function left(string $table): int
    {
        global $wpdb;
        return (int) $wpdb->get_var("SELECT COUNT(*) FROM $table");
    }

    /** @return list<int> how many rows each statement that deletes removes, and what is done */
    private static function deletions(callable $act): array
    {
        global $wpdb;
        $removed = [];
        $before = 0;
        $watch = static function (string $query) use (&$removed, &$before, $wpdb): string {
            if ($before) {
                $removed[] = $wpdb->rows_affected;
            }
            $before = str_starts_with($query, 'DELETE');
            return $query;
        };
        add_filter('query', $watch);
        $act();
        $wpdb->query('SELECT 1');
        remove_filter('query', $watch);
        return $removed;
    }

    public function testOldRowsAreRemovedInPieces(): void
    {
        global $wpdb;
        self::fill(self::ROWS);
        [$calls, $store] = [plugin()->schema()->calls_table(), plugin()->schema()->store_table()];
        self::assertSame([self::ROWS, self::ROWS], [self::left($calls), self::left($store)]);
        $kept = self::call('test_count')['action_id'];
        $waits = self::call('test_ask')['action_id'];
        $wpdb->update($calls, ['created_at' => '2020-01-01 00:00:00'], ['action_id' => $waits]);
        $removed = self::deletions(static fn () => plugin()->housekeeping()->run());
        self::assertLessThanOrEqual(1000, max($removed), 'no statement removes more');
        self::assertSame(self::ROWS + 2 - Housekeeping::PIECE, self::left($calls));
        self::assertLessThan(100, self::left($store), 'those that have expired are gone');
        self::assertNotFalse(wp_next_scheduled('toolwire_prune'), 'the others are removed later');

        $wpdb->query("DELETE FROM $calls WHERE action_id LIKE 'old-%' LIMIT 82500");
        wp_clear_scheduled_hook('toolwire_prune');
        do_action('toolwire_prune');
        self::assertSame([2, false], [self::left($calls), wp_next_scheduled('toolwire_prune')]);
        self::assertNotNull(plugin()->call_log()->find($kept));
        self::assertSame('waiting', plugin()->call_log()->find($waits)['state']);
    }
}
