<?php

declare(strict_types=1);

namespace Toolwire\Tests\WordPress;

use function Toolwire\WordPress\plugin;

/** What a search of the log finds. */
final class LogSearchTest extends SiteTestCase
{
    public function testEachCharacterOfASearchIsText(): void
    {
        global $wpdb;
        $reasons = ['C:\\temp\\', 'C:\\temp\\\\', '100 % of a_b', "it's !% \"so\"", 'plain'];
        foreach ($reasons as $number => $reason) {
            plugin()->call_log()->start("id-$number", "c$number", 'test_count', $reason, 'rest');
        }
        $found = [
            'temp\\' => [0, 1], '\\' => [0, 1], 'temp\\\\' => [1], 'p\\t' => [], '%' => [2, 3],
            '_' => [2], 'a_b' => [2], 'axb' => [], '!%' => [3], "it's" => [3],
            "' OR 1=1 -- \\" => [], 'PLAIN' => [4], '100 %' => [2], 'it%' => [],
        ];
        foreach ($found as $search => $expected) {
            $wpdb->last_error = '';
            $told = self::rest('GET', '/log', ['search' => (string) $search])->get_data();
            self::assertSame('', $wpdb->last_error, (string) $search);
            $names = array_map(static fn (int $number): string => "id-$number", $expected);
            self::assertEqualsCanonicalizing($names, array_column($told, 'id'), (string) $search);
        }
    }
}
