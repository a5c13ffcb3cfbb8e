<?php

declare(strict_types=1);

namespace Toolwire\Tests\WordPress;

use DOMDocument;
use DOMXPath;
use Toolwire\WordPress\Settings;

use function Toolwire\WordPress\plugin;

/** Settings that are saved in part, and settings of sites that are older than a setting. */
final class SettingsTest extends SiteTestCase
{
    public function testSavingSomeSettingsLeavesTheOthers(): void
    {
        $this->settings(['undo_hours' => 7, 'approval' => 'all', 'built_in' => false]);
        update_option(Settings::OPTION, ['retention_days' => 3]);
        self::assertSame(
            [7, 'all', false, 3],
            array_map(
                [plugin()->settings(), 'get'],
                ['undo_hours', 'approval', 'built_in', 'retention_days']
            )
        );
        update_option(Settings::OPTION, 'nonsense');
        self::assertSame(7, plugin()->settings()->get('undo_hours'));
    }

    public function testASiteOfTheFirstVersionKeepsItsCallsFromText(): void
    {
        global $wpdb;
        $calls = plugin()->schema()->calls_table();
        self::call('test_count', '{}', 'old');
        $wpdb->query("ALTER TABLE $calls DROP COLUMN origin");
        $old = array_diff_key(
            ['undo_hours' => 7] + Settings::DEFAULTS,
            ['bound_calls' => 1, 'others_approve' => 1]
        );
        delete_option(Settings::OPTION);
        add_option(Settings::OPTION, $old);
        update_option('toolwire_schema', 1);
        plugin()->schema()->ensure();
        self::assertSame(
            [false, false, 7],
            array_map(
                [plugin()->settings(), 'get'],
                ['bound_calls', 'others_approve', 'undo_hours']
            )
        );
        self::assertSame(['completed', ''], array_values(array_intersect_key(
            plugin()->call_log()->find(
                plugin()->engines()->get()->ids->run_id(get_current_user_id(), '', 'old')
            ),
            ['state' => 1, 'origin' => 1]
        )));
        update_option(Settings::OPTION, ['bound_calls' => true]);
        update_option('toolwire_schema', 0);
        plugin()->schema()->ensure();
        self::assertTrue(plugin()->settings()->get('bound_calls'), 'what somebody chose stays');
    }

    public function testANewSiteTakesCallsFromTextOnlyWhenBound(): void
    {
        delete_option(Settings::OPTION);
        delete_option('toolwire_schema');
        plugin()->schema()->ensure();
        self::assertTrue(get_option(Settings::OPTION)['bound_calls']);
    }

    public function testDaysOfFiltersAreThoseOfTheSite(): void
    {
        global $wpdb;
        update_option('timezone_string', 'Pacific/Auckland');
        $row = self::call('test_count');
        // In Auckland this is the 2nd of March, 2 in the morning.
        $wpdb->update(
            plugin()->schema()->calls_table(),
            ['created_at' => '2026-03-01 13:00:00'],
            ['id' => $row['id']]
        );
        $found = static fn (string $from, string $to): int => plugin()->log_search()->query([
            'from' => $from, 'to' => $to,
        ])['total'];
        self::assertSame(
            [0, 1, 0],
            [
                $found('2026-03-01', '2026-03-01'),
                $found('2026-03-02', '2026-03-02'),
                $found('2026-03-03', '2026-03-03'),
            ]
        );
        // A day on which clocks are put back has 25 hours.
        $wpdb->update(
            plugin()->schema()->calls_table(),
            ['created_at' => '2026-04-05 11:30:00'],
            ['id' => $row['id']]
        );
        self::assertSame(
            [1, 0],
            [$found('2026-04-05', '2026-04-05'), $found('2026-04-06', '2026-04-06')]
        );
        delete_option('timezone_string');
        foreach ([
            '2026-02-30', '0000-00-00', '9999-12-31', '2026-1-1', "2026-01-01\n", '',
        ] as $none) {
            self::assertNull(plugin()->log_search()->day($none), $none);
        }
    }

    public function testEachSettingHasASentenceUnderItsField(): void
    {
        ob_start();
        plugin()->admin()->settings_screen()->show();
        $document = new DOMDocument();
        $document->loadHTML('<?xml encoding="UTF-8">' . ob_get_clean(), LIBXML_NOERROR);
        $screen = new DOMXPath($document);
        // Only WordPress 6.9 and later has abilities that programs could use.
        $without = function_exists('wp_register_ability') ? [] : ['served' => 1];
        foreach (array_keys(array_diff_key(Settings::DEFAULTS, $without)) as $name) {
            $hint = "toolwire-$name-hint";
            $sentence = $screen->evaluate("string(//p[@id='$hint'])");
            self::assertStringEndsWith('.', $sentence, $name);
            self::assertSame(1, $screen->query("//*[@aria-describedby='$hint']")->length, $name);
        }
    }
}
