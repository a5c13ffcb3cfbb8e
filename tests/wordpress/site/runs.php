<?php

/**
 * The tool `wipe` of the shared cases of runs (tests/cases/runs.json), while a test has a folder
 * `runs` with a case beside the site. Each answer of REST tells in headers how often the handler has
 * run, and which events the request made.
 */

declare(strict_types=1);

use Toolwire\Tools\ToolOutput;

(static function (): void {
    $folder = dirname(ABSPATH) . '/runs';
    if (!is_file("$folder/case.json")) {
        return;
    }
    $taken = static fn (string $name): int =>
        is_file("$folder/$name") ? (int) file_get_contents("$folder/$name") : 0;
    // Takes the next of a case's values, and the last one again and again.
    $following = static function (string $name, array $values) use ($folder, $taken): mixed {
        $before = $taken($name);
        file_put_contents("$folder/$name", (string) ($before + 1));
        return $values[min($before, count($values) - 1)];
    };
    add_action('toolwire_register_tools', static function ($tools) use ($folder, $following): void {
        $case = json_decode((string) file_get_contents("$folder/case.json"));
        $permission = $case->permission ?? [];
        $tools->register('wipe', [
            'capability' => 'edit_posts',
            'approval' => $case->approval ?? false,
            'input_schema' => ['type' => 'object', 'properties' => ['disk' => ['type' => 'integer']]],
            'permission_callback' => $permission === [] ? null
                : static function () use ($permission, $following): bool|WP_Error {
                    $answer = $following('asked', $permission);
                    return is_bool($answer) ? $answer : new WP_Error('no', $answer);
                },
            'callback' => static function () use ($case, $following): ToolOutput {
                $does = $following('ran', $case->handler);
                return isset($does->raise)
                    ? throw new Exception($does->raise)
                    : ToolOutput::ok($does->ok, undoMetadata: ['disk' => 7]);
            },
            'undo_callback' => static fn () => null,
        ]);
    });
    $events = [];
    foreach ([
        'tool.invoked', 'tool.started', 'tool.completed', 'tool.failed', 'tool.denied',
        'tool.undone', 'tool.undo_failed', 'tool.undo_store_failed', 'tool.interrupted',
        'approval.requested', 'approval.decided',
    ] as $type) {
        add_action(
            'toolwire_' . str_replace('.', '_', $type),
            static function () use (&$events, $type): void {
                $events[] = $type;
            }
        );
    }
    add_filter('rest_post_dispatch', static function ($response) use (&$events, $taken) {
        $response->header('X-Test-Ran', (string) $taken('ran'));
        $response->header('X-Test-Events', implode(' ', $events));
        return $response;
    });
})();
