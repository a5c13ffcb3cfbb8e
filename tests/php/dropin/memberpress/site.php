<?php

/**
 * Runs calls in a WordPress site that has the real MemberPress AI Assistant and the drop-in, and
 * prints `fine`. With the argument `activate` it activates the plugin, which starts with the next
 * request.
 *
 * The plugin has its own tools and log. The script adds a tool of the site by the plugin's hook.
 */

declare(strict_types=1);

$_SERVER += ['HTTP_HOST' => '127.0.0.1', 'REQUEST_URI' => '/', 'REQUEST_METHOD' => 'GET'];
require getenv('TOOLWIRE_SITE') . '/wp-load.php';
if (($argv[1] ?? '') === 'activate') {
    require_once ABSPATH . 'wp-admin/includes/plugin.php';
    $failure = activate_plugin('memberpress-ai-assistant/memberpress-ai-assistant.php');
    exit($failure === null ? 0 : $failure->get_error_message() . "\n");
}

function same(mixed $expected, mixed $got, string $what): void
{
    if ($expected !== $got) {
        exit(
            "$what: expected " . var_export($expected, true) . ', got ' . var_export($got, true)
                . "\n"
        );
    }
}

$file = (new ReflectionClass('MPAI_Tool_Call_Detector'))->getFileName();
same(
    true,
    str_contains((string) file_get_contents($file), 'Toolwire'),
    'the class is that of the drop-in'
);
wp_set_current_user(1);
add_action('MPAI_HOOK_ACTION_tool_registry_init', static function (object $registry): void {
    $registry->register_tool('site_tool', new class {
        public function execute(array $parameters): string
        {
            return strtoupper($parameters['word']);
        }
    });
});
$detector = mpai_tool_call_detector();
$reply = 'A <tool:site_tool>{"word":"</tool>"}</tool> '
    . 'B <tool:plugin_logs>{"summary_only":true}</tool> '
    . "C\n```json\n"
    . '{"tool":"wp_api","parameters":{"action":"get_users","limit":2}}'
    . "\n```\n"
    . 'D <tool:wp_api>{"action":"<img src=x>"}</tool> E <tool:nobody>{}</tool>';
$calls = $detector->detect_tool_calls($reply);
same(
    ['site_tool', 'plugin_logs', 'wp_api', 'wp_api'],
    array_column($calls, 'name'),
    'every tool of the registry'
);
same(['xml', 'xml', 'json_legacy', 'xml'], array_column($calls, 'format'), 'the formats');
$html = $detector->execute_tool_calls($calls, $reply);
same(3, substr_count($html, 'mpai-tool-success'), 'three succeed');
same(1, substr_count($html, 'mpai-tool-error'), 'one is refused by the tool');
foreach ([
    '&lt;/TOOL&gt;', 'MemberPress AI Assistant', 'admin', 'E <tool:nobody>{}</tool>',
] as $part) {
    same(true, str_contains($html, $part), $part);
}
same(false, str_contains($html, '<img'), 'nothing of a model is HTML');
same([], $detector->detect_tool_calls($html), 'what ran is not found again');
same(
    true,
    str_starts_with($detector->get_js_detection_code(), 'var mpaiToolNames = ["site_tool",'),
    'the script'
);
echo "fine\n";
