<?php

declare(strict_types=1);

namespace Toolwire\Tests\WordPress;

use PHPUnit\Framework\TestCase;
use Toolwire\Provider;
use Toolwire\ToolCall;
use Toolwire\WordPress\Settings;
use WP_REST_Request;
use WP_REST_Response;

use function Toolwire\WordPress\plugin;

/** A test inside WordPress, on empty tables and default settings. */
abstract class SiteTestCase extends TestCase
{
    protected function setUp(): void
    {
        global $wpdb;
        plugin()->schema()->install();
        $schema = plugin()->schema();
        foreach (['store_table', 'calls_table', 'conversations_table'] as $table) {
            $wpdb->query("TRUNCATE {$schema->$table()}");
        }
        delete_option('test_count');
        $this->settings([]);
        $this->as('admin');
    }

    protected function tearDown(): void
    {
        wp_set_current_user(0);
    }

    /** @return array{mixed, list<string>} What code gave, and the warnings of the plugin meanwhile. */
    protected static function warned(callable $act): array
    {
        $told = [];
        set_error_handler(static function (int $kind, string $text) use (&$told): bool {
            $told[] = $text;
            return true;
        }, E_USER_WARNING);
        try {
            return [$act(), &$told];
        } finally {
            restore_error_handler();
        }
    }

    protected function as(string $login): int
    {
        $user = get_user_by('login', $login);
        self::assertNotFalse($user, "there is no user $login");
        wp_set_current_user($user->ID);
        return $user->ID;
    }

    /** @param array<string, mixed> $changed */
    protected function settings(array $changed): void
    {
        update_option(Settings::OPTION, $changed + Settings::DEFAULTS);
        plugin()->engines()->reset();
    }

    protected static function parsed(
        string $name,
        string $arguments = '{}',
        string $id = '',
    ): ToolCall {
        $action = plugin()->engines()->get()->ids->run_id(get_current_user_id(), '', $id);
        $call = [
            'id' => $action,
            'type' => 'function',
            'function' => ['name' => $name, 'arguments' => $arguments],
        ];
        return Provider::parse($call, 'openai')->calls[0];
    }

    /** @return ?array<string, ?string> */
    protected static function call(string $name, string $arguments = '{}', string $id = ''): ?array
    {
        return plugin()->runner()->run(self::parsed($name, $arguments, $id), $id, 'because');
    }

    /** @return array<string, ?string>|\WP_Error */
    protected static function decide(array $row, bool $granted, string $reason = '')
    {
        $id = (string) $row['approval_id'];
        $shown = plugin()->approvals()->look($id);
        return is_wp_error($shown)
            ? $shown
            : plugin()->approvals()->decide($id, $granted, $reason, $shown['fingerprint']);
    }

    protected static function counted(): int
    {
        global $wpdb;
        return (int) $wpdb->get_var(
            "SELECT option_value FROM $wpdb->options WHERE option_name = 'test_count'"
        );
    }

    protected static function aPost(string $title = 'Before', string $content = "One\nTwo\n"): int
    {
        return wp_insert_post([
            'post_title' => $title, 'post_content' => $content, 'post_status' => 'publish',
        ]);
    }

    /** @param array<string, mixed>|string $body */
    protected static function rest(string $method, string $path, $body = []): WP_REST_Response
    {
        $request = new WP_REST_Request($method, "/toolwire/v1$path");
        if ($method === 'GET') {
            $request->set_query_params($body);
        } else {
            $request->set_header('Content-Type', 'application/json');
            $request->set_body(is_string($body) ? $body : wp_json_encode($body));
        }
        return rest_do_request($request);
    }
}
