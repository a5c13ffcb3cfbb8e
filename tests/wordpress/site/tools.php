<?php

/**
 * Tools for the tests: one that counts its runs, and some that end badly.
 */

declare(strict_types=1);

use Toolwire\Tools\ToolOutput;

add_action('toolwire_register_tools', static function ($tools): void {
    $count = static function (array $arguments): ToolOutput {
        global $wpdb;
        usleep(1000 * ($arguments['wait'] ?? 0));
        // On SQLite a statement fails when another process writes.
        do {
            $counted = $wpdb->query(
                "INSERT INTO {$wpdb->options} (option_name, option_value, autoload) "
                    . "VALUES ('test_count', 1, 'no') "
                    . 'ON DUPLICATE KEY UPDATE option_value = option_value + 1'
            );
        } while ($counted === false);
        return ToolOutput::ok(
            ['text' => $arguments['text'] ?? 'counted'],
            undoMetadata: ['n' => 1]
        );
    };
    $schema = ['type' => 'object', 'properties' => [
        'wait' => ['type' => 'integer', 'maximum' => 3000], 'text' => ['type' => 'string'],
        'password' => ['type' => 'string'], 'deep' => (object) [],
        'options' => ['type' => 'object'],
    ], 'additionalProperties' => false];
    $undo = static fn () => delete_option('test_count') ? null : new WP_Error(
        'gone',
        'There was no count.'
    );
    $tools->register('test_count', [
        'capability' => 'edit_posts', 'approval' => false, 'callback' => $count,
        'input_schema' => $schema, 'undo_callback' => $undo,
    ]);
    $tools->register('test_ask', [
        'capability' => 'edit_posts',
        'callback' => $count,
        'input_schema' => $schema,
        'approval' => 'Count <script>window.attacked=1</script> once more?',
        'undo_callback' => $undo,
    ]);
    $tools->register(
        'test_anybody',
        ['permission_callback' => '__return_true', 'callback' => $count, 'input_schema' => $schema]
    );
    $tools->register('test_fail', [
        'capability' => 'edit_posts',
        'approval' => false,
        'callback' => static fn (array $arguments) =>
            new WP_Error('no', "refused {$arguments['text']}"),
    ]);
    $tools->register('test_admin', ['capability' => 'manage_options', 'approval' => false,
        'callback' => static fn () => ['secret' => 'for administrators']]);
    $tools->register('test_throw', ['capability' => 'edit_posts', 'approval' => false,
        'callback' => static fn () => throw new RuntimeException('the secret of /etc/shadow')]);
    $tools->register('test_fatal', ['capability' => 'edit_posts', 'approval' => false,
        'callback' => static function (): array {
            ini_set('memory_limit', (string) (memory_get_usage(true) + 4 * 1024 * 1024));
            return [str_repeat('x', 1 << 28)];
        }]);
    // They end the request, unless the site says that they stay.
    $stays = static fn (): bool => (bool) get_option('test_stays');
    $tools->register('test_exit', ['capability' => 'edit_posts', 'approval' => false,
        'callback' => static fn () => $stays() ? ['text' => 'stayed'] : exit]);
    $tools->register('test_kill', ['capability' => 'edit_posts', 'approval' => false,
        'callback' => static fn () => $stays() ? ['text' => 'stayed']
            : posix_kill(getmypid(), SIGKILL)]);
    $tools->register('test_limited', [
        'capability' => 'edit_posts',
        'approval' => false,
        'rate_limit' => [1, 3600],
        'callback' => static fn () => ['text' => 'once an hour'],
    ]);
    $tools->register('test_look', [
        'capability' => 'edit_posts', 'approval' => false, 'callback' => $count,
        'annotations' => ['readonly' => true],
        'input_schema' => ['type' => 'object', 'properties' => [
            'text' => ['type' => 'string', 'minLength' => 1], 'password' => ['type' => 'string'],
        ], 'required' => ['text'], 'additionalProperties' => false],
    ]);
    $tools->register('test_broken', ['capability' => 'edit_posts', 'approval' => false,
        'annotations' => ['readonly' => true], 'callback' => static fn (array $arguments) =>
            match ($arguments['how'] ?? '') {
                'exit' => exit,
                'object' => \Toolwire\Tools\ToolOutput::ok((object) ['a' => 1]),
                'error' => new WP_Error('gone', 'It is gone.', ['status' => 404]),
                default => throw new RuntimeException('the secret of /etc/shadow'),
            }]);
    $tools->register('test_refuse', ['capability' => 'edit_posts', 'approval' => false,
        'callback' => static fn (array $arguments) => new WP_Error('refused', $arguments['text'])]);
    $tools->register('test_echo', ['capability' => 'edit_posts', 'approval' => false,
        'callback' => static fn (array $arguments) => $arguments]);
});

// A plugin that changes titles while a test asks for it.
add_action('save_post', static function (int $id): void {
    global $wpdb;
    if (get_option('test_meddle') && get_post($id)->post_title === 'Before') {
        $wpdb->update($wpdb->posts, ['post_title' => 'Meddled'], ['ID' => $id]);
        clean_post_cache($id);
    }
});
