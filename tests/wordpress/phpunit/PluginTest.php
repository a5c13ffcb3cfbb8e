<?php

declare(strict_types=1);

namespace Toolwire\Tests\WordPress;

use Toolwire\ToolResultFinder;

use function Toolwire\WordPress\plugin;

/** The plugin as WordPress sees it. */
final class PluginTest extends SiteTestCase
{
    public function testTheRoutesAreThere(): void
    {
        $routes = array_keys(rest_get_server()->get_routes('toolwire/v1'));
        self::assertCount(17, $routes);
        foreach ($routes as $route) {
            foreach (rest_get_server()->get_routes()[$route] as $handler) {
                self::assertTrue(
                    $route === '/toolwire/v1' || is_callable($handler['permission_callback']),
                    $route
                );
            }
        }
    }

    public function testRoutesRunInsideWordPressToo(): void
    {
        $answer = self::rest(
            'POST',
            '/calls',
            ['name' => 'test_count', 'arguments' => ['text' => 'a']]
        );
        self::assertSame([200, 'completed'], [$answer->get_status(), $answer->get_data()['state']]);
        $this->as('subscriber');
        self::assertSame(403, self::rest('POST', '/calls', ['name' => 'test_count'])->get_status());
        self::assertSame(1, self::counted());
    }

    public function testWhatASearchFoundCanBeChanged(): void
    {
        $packet = ['type' => 'ai_handler_complete', 'metadata' => ['handler_tool' => 'blog']];
        self::assertSame($packet, ToolResultFinder::findHandlerResult([$packet], 'blog'));
        $change = static fn ($found, $packets, $handler) => [
            'changed' => $handler, 'of' => count($packets), 'found' => $found !== null,
        ];
        add_filter('datamachine_tool_result_finder', $change, 10, 3);
        $found = ToolResultFinder::findHandlerResult([$packet], 'blog');
        remove_filter('datamachine_tool_result_finder', $change);
        self::assertSame(['changed' => 'blog', 'of' => 1, 'found' => true], $found);
    }

    public function testTheChatBoxIsForThoseWhoMayUseIt(): void
    {
        self::assertStringContainsString('data-toolwire-chat', do_shortcode('[toolwire_chat]'));
        foreach (['subscriber', null] as $name) {
            $name === null ? wp_set_current_user(0) : $this->as($name);
            self::assertSame('', do_shortcode('[toolwire_chat]'));
        }
    }

    public function testCapabilitiesCanBeChosen(): void
    {
        $choose = static fn ($capability, $what) =>
            $what === 'approve' ? 'edit_posts' : $capability;
        add_filter('toolwire_capability', $choose, 10, 2);
        $this->as('editor');
        self::assertSame(200, self::rest('GET', '/approvals')->get_status());
        self::assertSame(403, self::rest('GET', '/log')->get_status());
        remove_filter('toolwire_capability', $choose);
        self::assertSame(403, self::rest('GET', '/approvals')->get_status());
    }

    public function testSettingsAreSanitized(): void
    {
        self::assertSame([], plugin()->settings()->sanitize('nonsense'));
        $kept = plugin()->settings()->sanitize([
            'undo_hours' => '3', 'retention_days' => 0, 'approval' => '<b>', 'formats' => 'auto',
            'x' => 1, 'model' => " qwen3\n<b>", 'reasoning' => 'shown',
        ]);
        self::assertSame(
            ['undo_hours' => 3, 'retention_days' => 1, 'formats' => 'auto', 'model' => 'qwen3'],
            $kept
        );
        self::assertSame(
            ['retention_days' => 3650],
            plugin()->settings()->sanitize(['retention_days' => '1e300', 'undo_hours' => ['1']])
        );
    }

    public function testTheTablesAreMadeOnce(): void
    {
        global $wpdb;
        $wpdb->queries = [];
        plugin()->schema()->install();
        $changes = preg_grep('/^\s*(ALTER|CREATE)/i', array_column($wpdb->queries, 0));
        self::assertSame([], $changes, 'the tables are as dbDelta() reads them');
    }

    public function testAnAssistantThatThrowsIsNoRawException(): void
    {
        $throw = static fn () => throw new \RuntimeException('the key of the model');
        add_filter('toolwire_assistant_reply', $throw);
        $answer = self::rest('POST', '/assistant', ['message' => 'hello']);
        remove_filter('toolwire_assistant_reply', $throw);
        self::assertSame(502, $answer->get_status());
        self::assertStringNotContainsString('key', (string) wp_json_encode($answer->get_data()));
        self::assertStringContainsString(
            'I follow a script',
            self::rest('POST', '/assistant', ['message' => 'hello'])->get_data()['reply']
        );
    }

    public function testAMissingTableIsMadeAgain(): void
    {
        global $wpdb;
        // SQLite drops one table at a time.
        foreach ([plugin()->schema()->calls_table(), plugin()->schema()->store_table()] as $table) {
            self::assertNotFalse($wpdb->query("DROP TABLE $table"));
        }
        update_option('toolwire_schema', 0);
        self::assertSame('completed', self::call('site_info')['state']);
    }

    public function testUninstallLeavesNothing(): void
    {
        global $wpdb;
        self::call('test_ask');
        set_transient('toolwire_model_failure', 'the reason', HOUR_IN_SECONDS);
        self::assertNotEmpty($wpdb->get_col("SHOW TABLES LIKE '%toolwire%'"));
        $code = '$_SERVER += ["REQUEST_URI" => "/"]; '
            . 'require getenv("TOOLWIRE_SITE") . "/wp-load.php";'
            . 'define("WP_UNINSTALL_PLUGIN", "toolwire/toolwire.php");'
            . 'require WP_PLUGIN_DIR . "/toolwire/uninstall.php";'
            . 'echo "done";';
        // The extension may be removed before the plugin.
        exec(escapeshellarg(PHP_BINARY) . ' -r ' . escapeshellarg($code) . ' 2>/dev/null', $said);
        self::assertSame('done', end($said));
        self::assertSame([], $wpdb->get_col("SHOW TABLES LIKE '%toolwire%'"));
        self::assertSame(
            [],
            $wpdb->get_col(
                "SELECT option_name FROM $wpdb->options "
                    . "WHERE option_name LIKE '%toolwire%' AND option_name NOT LIKE '%session%'"
            )
        );
        self::assertStringNotContainsString(
            'toolwire_daily',
            (string) $wpdb->get_var(
                "SELECT option_value FROM $wpdb->options WHERE option_name = 'cron'"
            )
        );
        wp_cache_flush();
    }
}
