<?php

declare(strict_types=1);

namespace Toolwire\Tests\WordPress;

use function Toolwire\WordPress\plugin;

/** A call leaves only a masked entry in the log, for a limited number of days. */
final class RemainsTest extends SiteTestCase
{
    private const SECRETS = [
        'password', 'user_pass', 'pass1', 'pwd', 'cookie', 'apiKey', 'X-API-Key', 'auth_cookie',
        'wordpress_logged_in_' . self::HASH, 'wordpress_sec_' . self::HASH,
        'wp-resetpass-' . self::HASH, 'wp-postpass_' . self::HASH, 'rp_key', 'recovery_key',
        'passwd2', 'dbpass', 'user_activation_key', 'session_tokens',
    ];

    private const HASH = '5c016e8f0f95f039102cbe8366c5c7f3';

    /** Everything in the tables of the site but the log, as text. */
    private static function elsewhere(): string
    {
        global $wpdb;
        $all = [];
        foreach (
            array_diff($wpdb->get_col('SHOW TABLES'), [plugin()->schema()->calls_table()]) as $table
        ) {
            $all[] = implode(
                "\n",
                array_map(
                    static fn (array $row): string => implode("\t", array_map('strval', $row)),
                    $wpdb->get_results("SELECT * FROM `$table`", ARRAY_A)
                )
            );
        }
        return implode("\n", $all);
    }

    private static function store(): array
    {
        global $wpdb;
        return $wpdb->get_col(
            'SELECT name FROM ' . plugin()->schema()->store_table()
                . " WHERE name NOT LIKE 'limit/%' AND name NOT LIKE 'wordpress/waiting/%'"
        );
    }

    private static function age(int $days): void
    {
        global $wpdb;
        $wpdb->query(
            'UPDATE ' . plugin()->schema()->calls_table()
                . " SET created_at = created_at - INTERVAL $days DAY"
        );
    }

    public function testEverythingExpiresWithTheLog(): void
    {
        $this->settings(['retention_days' => 1, 'undo_hours' => 720]);
        self::call('test_count', '{"text":"a"}', 'x');
        self::decide(self::call('test_ask', '{"text":"b"}'), true);
        self::decide(self::call('test_ask', '{"text":"c"}'), false);
        self::call('test_throw');
        self::assertNotSame([], self::store());
        self::age(2);
        plugin()->housekeeping()->run();
        self::assertSame([[], 0], [self::store(), plugin()->log_search()->query([])['total']]);
    }

    public function testRequestsThatEarlierVersionsLeftAreForgotten(): void
    {
        $row = self::call('test_ask', '{"text":"left"}');
        $waits = self::call('test_ask', '{"text":"waits"}');
        plugin()->engines()->get()->approvals->decide($row['approval_id'], false);
        plugin()->call_log()->change($row['action_id'], ['state' => 'denied']);
        plugin()->housekeeping()->run();
        self::assertNull(plugin()->engines()->get()->approvals->get($row['approval_id']));
        self::assertSame(
            'pending',
            plugin()->engines()->get()->approvals->status($waits['approval_id'])
        );
    }

    public function testACallThatEndedLeavesNoArgumentsOutsideTheLog(): void
    {
        $log = dirname(ABSPATH) . '/debug.log';
        $before = is_file($log) ? filesize($log) : 0;
        $sent = '{"text":"the-argument-of-the-call"}';
        self::call('test_count', $sent);
        $granted = self::call('test_ask', $sent);
        self::assertStringContainsString('the-argument', self::elsewhere(), 'it waits');
        self::decide($granted, true);
        $denied = self::decide(self::call('test_ask', $sent), false);
        self::assertSame('denied', $denied['state']);
        self::call('test_throw', $sent);
        self::assertStringNotContainsString('the-argument', self::elsewhere());
        self::assertStringNotContainsString(
            'the-argument',
            is_file($log) ? (string) file_get_contents($log, false, null, $before) : ''
        );
        self::assertSame('toolwire_already_decided', self::decide($denied, true)->get_error_code());
        self::assertSame(
            'toolwire_already_decided',
            self::decide(['approval_id' => $granted['approval_id']], true)->get_error_code()
        );
    }

    public function testALogThatCannotBeWrittenIsToldWithoutTheCall(): void
    {
        global $wpdb;
        $log = dirname(ABSPATH) . '/debug.log';
        $before = is_file($log) ? filesize($log) : 0;
        $told = [];
        set_error_handler(static function (int $level, string $message) use (&$told): bool {
            $told[] = $message;
            return true;
        });
        $wpdb->query('ALTER TABLE ' . plugin()->schema()->calls_table() . ' DROP COLUMN arguments');
        try {
            self::call('test_count', '{"text":"the-argument-of-the-call"}');
        } finally {
            restore_error_handler();
            plugin()->schema()->install();
        }
        self::assertCount(1, $told);
        // In the words of MariaDB, or of SQLite.
        self::assertMatchesRegularExpression(
            '/^Toolwire could not write to its log: (Unknown|\S+ General error: 1 no such) column/',
            $told[0]
        );
        clearstatcache();
        $written = is_file($log) ? (string) file_get_contents($log, false, null, $before) : '';
        self::assertStringNotContainsString('the-argument', $written . implode($told));
    }

    public function testSecretsOfWordPressAreMasked(): void
    {
        $call = array_fill_keys(self::SECRETS, 'hunter2-of-the-call') + [
            'post_title' => 'shown', 'compass' => 'north',
        ];
        $this->settings(['approval' => 'all']);
        $row = self::call('test_echo', wp_json_encode($call));
        self::assertStringNotContainsString(
            'hunter2',
            (string) wp_json_encode(
                plugin()->engines()->get()->approvals->get($row['approval_id'])->toArray()
            )
        );
        $row = self::decide($row, true);
        self::assertSame('completed', $row['state']);
        self::assertStringNotContainsString(
            'hunter2',
            implode("\n", array_map('strval', $row)),
            'neither in arguments nor in the result'
        );
        foreach (['arguments', 'result'] as $column) {
            self::assertSame(
                ['shown', 'north'],
                [json_decode($row[$column])->post_title, json_decode($row[$column])->compass]
            );
        }
    }

    public function testSecretsAreMaskedByTheirLooks(): void
    {
        $token = 'ghp_' . str_repeat('a1B2', 9);
        $row = plugin()->runner()->run(
            self::parsed(
                'test_echo',
                wp_json_encode(['text' => "use $token", 'list' => [['deep' => $token]]])
            ),
            'x',
            "with $token"
        );
        self::assertStringNotContainsString($token, implode("\n", array_map('strval', $row)));
        $row = self::call('test_fail', wp_json_encode(['text' => $token]));
        self::assertSame(['failed', 'tool_error'], [$row['state'], $row['error_code']]);
        self::assertStringNotContainsString(
            $token,
            implode("\n", array_map('strval', $row)),
            'nor in an error'
        );
    }

    public function testSecretsThatWordPressMakesAreMaskedByTheirLooks(): void
    {
        require_once ABSPATH . 'wp-includes/class-phpass.php';
        $user = wp_get_current_user();
        $key = get_password_reset_key($user);
        $cookie = wp_generate_auth_cookie($user->ID, time() + 3600, 'logged_in');
        $hashes = [
            (new \PasswordHash(8, true))->HashPassword('x'),
            password_hash('x', PASSWORD_BCRYPT),
            wp_hash_password('x'),
        ];
        $link = network_site_url(
            "wp-login.php?action=rp&key=$key&login=" . rawurlencode($user->user_login)
        );
        $texts = [
            $cookie, rawurlencode($cookie), ...$hashes, $link, str_replace('&', '&#038;', $link),
        ];
        $row = self::call(
            'test_echo',
            wp_json_encode(['text' => 'costs $2, ' . implode(' then ', $texts) . ' and so on'])
        );
        self::assertSame('completed', $row['state']);
        foreach ([
            $key,
            substr($cookie, -40),
            ...array_map(static fn (string $hash): string => substr($hash, -20), $hashes),
        ] as $secret) {
            self::assertStringNotContainsString($secret, implode("\n", array_map('strval', $row)));
        }
        $shown = json_decode($row['result'])->text;
        self::assertStringStartsWith("costs \$2, {$user->user_login}|[redacted] then ", $shown);
        self::assertStringEndsWith('&#038;login=' . $user->user_login . ' and so on', $shown);
    }

    public function testASiteNamesItsOwnSecrets(): void
    {
        $add = static fn (array $names): array => [...$names, 'iban'];
        add_filter('toolwire_secret_names', $add);
        plugin()->engines()->reset();
        $row = self::call('test_echo', '{"customerIban":"DE99","password":"x","n":1,"l":[]}');
        remove_filter('toolwire_secret_names', $add);
        $kept = '{"customerIban":"[redacted]","password":"[redacted]","n":1,"l":[]}';
        self::assertSame($kept, $row['result']);
        self::assertStringNotContainsString('DE99', (string) $row['arguments']);
    }

    public function testWhatIsMaskedIsElseAsItWas(): void
    {
        foreach ([
            '{"a":[],"b":{},"c":[{}],"1":2,"":3}', '[]', '"x"', '1.0', 'null',
            '{"big":"123456789012345678901"}',
        ] as $json) {
            self::assertSame($json, plugin()->call_log()->json(json_decode($json)));
        }
        self::assertSame(
            '{"\\u0000a":1,"token":"[redacted]"}',
            plugin()->call_log()->json(["\0a" => 1, 'token' => 2])
        );
        self::assertEquals((object) ['x' => 1], plugin()->secrets()->masked((object) ['x' => 1]));
    }
}
