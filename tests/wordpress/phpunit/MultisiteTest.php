<?php

declare(strict_types=1);

namespace Toolwire\Tests\WordPress;

use Toolwire\WordPress\Network;

use function Toolwire\WordPress\plugin;

/**
 * The plugin on the sites of a network.
 *
 * @group multisite
 */
final class MultisiteTest extends SiteTestCase
{
    private int $second;

    protected function setUp(): void
    {
        parent::setUp();
        require_once ABSPATH . 'wp-admin/includes/plugin.php';
        [$this->second] = array_map('intval', get_sites(['path' => '/second/', 'fields' => 'ids']));
        switch_to_blog($this->second);
        parent::setUp();
        restore_current_blog();
    }

    protected function tearDown(): void
    {
        while (ms_is_switched()) {
            restore_current_blog();
        }
        parent::tearDown();
    }

    private static function aSite(string $path): int
    {
        $site = wp_insert_site([
            'domain' => DOMAIN_CURRENT_SITE, 'path' => $path, 'title' => 'A site',
            'user_id' => get_current_user_id(),
        ]);
        self::assertIsInt($site);
        return $site;
    }

    /** @return list<string> */
    private static function tables(int $site): array
    {
        global $wpdb;
        return $wpdb->get_col(
            $wpdb->prepare(
                'SHOW TABLES LIKE %s',
                $wpdb->esc_like($wpdb->get_blog_prefix($site) . 'toolwire') . '%'
            )
        );
    }

    public function testEachSiteHasTablesOfItsOwn(): void
    {
        self::assertCount(3, self::tables($this->second));
        self::call('test_count');
        self::assertSame(1, plugin()->log_search()->query([])['total']);
        switch_to_blog($this->second);
        self::assertSame(0, plugin()->log_search()->query([])['total']);
    }

    public function testWhatWaitsOnOneSiteIsNotSeenOnAnother(): void
    {
        $row = self::call('test_ask', '{"text":"here"}');
        self::assertSame('waiting', $row['state']);
        switch_to_blog($this->second);
        self::assertSame('toolwire_unknown_approval', self::decide($row, true)->get_error_code());
        self::assertNull(plugin()->call_log()->find($row['action_id']));
        self::assertSame([], self::rest('GET', '/approvals')->get_data());
        self::assertSame(404, self::rest('GET', "/calls/{$row['action_id']}")->get_status());
        // The same request switches to another site, which records and keeps what runs there.
        $other = self::call('test_ask', '{"text":"there"}');
        self::assertSame('waiting', $other['state']);
        restore_current_blog();
        self::assertNull(plugin()->call_log()->find($other['action_id']));
        self::assertSame('completed', self::approve($row)['state']);
        switch_to_blog($this->second);
        self::assertSame('completed', self::approve($other)['state']);
    }

    public function testASiteThatIsMadeLaterWorks(): void
    {
        $site = self::aSite('/later/');
        try {
            switch_to_blog($site);
            self::assertSame([], self::tables($site));
            do_action('admin_menu');
            self::assertCount(3, self::tables($site), 'a screen does not meet a missing table');
            self::assertNotFalse(wp_next_scheduled('toolwire_daily'));
            self::assertSame('completed', self::call('test_count')['state']);
        } finally {
            restore_current_blog();
            wp_delete_site($site);
        }
    }

    public function testASiteThatIsDeletedLeavesNoTables(): void
    {
        $site = self::aSite('/short/');
        switch_to_blog($site);
        self::assertSame('completed', self::call('test_count')['state']);
        restore_current_blog();
        self::assertCount(3, self::tables($site));
        wp_delete_site($site);
        self::assertSame([], self::tables($site));
        self::assertCount(3, self::tables($this->second), 'other sites keep theirs');
    }

    public function testAPersonOfOneSiteHasNoRightOnAnother(): void
    {
        $this->as('owner');
        self::assertSame(403, self::rest('GET', '/approvals')->get_status());
        self::assertSame(403, self::rest('POST', '/calls', ['name' => 'test_count'])->get_status());
        switch_to_blog($this->second);
        self::assertSame(200, self::rest('GET', '/approvals')->get_status());
        // A super admin decides everywhere, without being a member.
        remove_user_from_blog($this->as('admin'), $this->second);
        self::assertSame(200, self::rest('GET', '/approvals')->get_status());
        $row = self::call('test_ask');
        self::assertSame('completed', self::approve($row)['state']);
        add_user_to_blog($this->second, get_current_user_id(), 'administrator');
    }

    public function testACallOfSomebodyWhoLeftTheSiteDoesNotRun(): void
    {
        switch_to_blog($this->second);
        $editor = $this->as('editor');
        $row = self::call('test_ask');
        $this->as('admin');
        remove_user_from_blog($editor, $this->second);
        try {
            self::approve($row);
            self::assertSame('denied', plugin()->call_log()->find($row['action_id'])['state']);
            self::assertSame(0, self::counted());
        } finally {
            add_user_to_blog($this->second, $editor, 'editor');
        }
    }

    public function testEachSiteHasADailyEventThatSurvivesANetworkDeactivation(): void
    {
        global $wpdb;
        self::call('test_count');
        switch_to_blog($this->second);
        self::call('test_count');
        $wpdb->query(
            'UPDATE ' . plugin()->schema()->calls_table()
                . " SET created_at = '2001-01-01 00:00:00'"
        );
        restore_current_blog();
        $wpdb->query(
            'UPDATE ' . plugin()->schema()->calls_table()
                . " SET created_at = '2001-01-01 00:00:00'"
        );
        switch_to_blog($this->second);
        do_action('toolwire_daily');
        self::assertSame(0, plugin()->log_search()->query([])['total']);
        restore_current_blog();
        self::assertSame(1, plugin()->log_search()->query([])['total']);

        deactivate_plugins('toolwire/toolwire.php', false, true);
        foreach ([get_main_site_id(), $this->second] as $site) {
            switch_to_blog($site);
            self::assertFalse(wp_next_scheduled('toolwire_daily'));
            restore_current_blog();
        }
        self::assertNull(activate_plugin('toolwire/toolwire.php', '', true));
        switch_to_blog($this->second);
        self::assertFalse(wp_next_scheduled('toolwire_daily'));
        plugin()->schema()->ensure();
        self::assertNotFalse(
            wp_next_scheduled('toolwire_daily'),
            'the next use of the site starts it'
        );
    }

    public function testUninstallGoesThroughAllSitesInBatches(): void
    {
        global $wpdb;
        $many = [];
        for ($made = 0; $made < Network::BATCH + 5; $made++) {
            // This does as wp_insert_site(), but in only one table of WordPress: the others take
            // most of the time.
            $wpdb->insert(
                $wpdb->blogs,
                ['site_id' => 1, 'domain' => DOMAIN_CURRENT_SITE, 'path' => "/many-$made/"]
            );
            $many[] = $wpdb->insert_id;
            $wpdb->query(
                'CREATE TABLE ' . $wpdb->get_blog_prefix($wpdb->insert_id)
                    . "options LIKE $wpdb->options"
            );
        }
        $last = end($many);
        $gone = $last + 1000;
        try {
            $main = $wpdb->get_blog_prefix(1);
            foreach ([$many[0], $last] as $site) {
                switch_to_blog($site);
                plugin()->schema()->install();
                restore_current_blog();
            }
            // The site was deleted while the plugin was off.
            $wpdb->query(
                'CREATE TABLE ' . $wpdb->get_blog_prefix($gone)
                    . "toolwire_calls LIKE {$main}toolwire_calls"
            );
            wp_cache_flush();
            $code = 'define("WP_UNINSTALL_PLUGIN", "toolwire/toolwire.php"); '
                . '$_SERVER += ["REQUEST_URI" => "/"];'
                . 'require getenv("TOOLWIRE_SITE") . "/wp-load.php";'
                . 'require WP_PLUGIN_DIR . "/toolwire/uninstall.php"; echo "done";';
            exec(
                escapeshellarg(PHP_BINARY) . ' -r ' . escapeshellarg($code) . ' 2>/dev/null',
                $said
            );
            self::assertSame('done', end($said));
            self::assertSame([], $wpdb->get_col("SHOW TABLES LIKE '%toolwire%'"));
            foreach ([
                $main,
                $wpdb->get_blog_prefix($this->second),
                $wpdb->get_blog_prefix($last),
            ] as $prefix) {
                self::assertSame(
                    [],
                    $wpdb->get_col(
                        "SELECT option_name FROM {$prefix}options "
                            . "WHERE option_name LIKE '%toolwire%' "
                            . "AND option_name NOT LIKE '%session%'"
                    )
                );
                self::assertStringNotContainsString(
                    'toolwire',
                    (string) $wpdb->get_var(
                        "SELECT option_value FROM {$prefix}options WHERE option_name = 'cron'"
                    )
                );
            }
        } finally {
            foreach ($many as $site) {
                $wpdb->query('DROP TABLE IF EXISTS ' . $wpdb->get_blog_prefix($site) . 'options');
            }
            $wpdb->query("DELETE FROM $wpdb->blogs WHERE path LIKE '/many-%'");
            wp_cache_flush();
            plugin()->engines()->reset();
        }
    }

    /** @return array<string, ?string>|\WP_Error */
    private static function approve(array $row)
    {
        return self::decide($row, true);
    }
}
