<?php

declare(strict_types=1);

namespace Toolwire\Tests\WordPress;

use WP_Hook;

use function Toolwire\WordPress\plugin;

/** The example of an assistant with a model of its own: short, and whole. */
final class ExampleTest extends SiteTestCase
{
    private const FILE = __DIR__ . '/../../../examples/wordpress/assistant.php';
    /** @var array<string, WP_Hook> The hooks before the example. */
    private array $hooks = [];

    protected function setUp(): void
    {
        parent::setUp();
        $this->hooks = array_map(static fn (WP_Hook $hook): WP_Hook => clone $hook, $GLOBALS['wp_filter']);
        require self::FILE;
        plugin()->engines()->reset();
    }

    protected function tearDown(): void
    {
        $GLOBALS['wp_filter'] = $this->hooks;
        plugin()->engines()->reset();
        parent::tearDown();
    }

    public function testItHasThirtyLinesAtMost(): void
    {
        $code = php_strip_whitespace(self::FILE);
        self::assertStringContainsString('toolwire_reply', $code);
        $lines = file(self::FILE, FILE_IGNORE_NEW_LINES);
        $first = array_search("add_action('toolwire_register_tools', function (\$tools) {", $lines, true);
        self::assertIsInt($first);
        self::assertLessThanOrEqual(30, count($lines) - $first);
    }

    public function testItAsksApprovesAnswersAndUndoes(): void
    {
        $function = ['name' => 'set_tagline', 'arguments' => '{"tagline": "New"}'];
        $call = ['id' => 'call_0', 'type' => 'function', 'function' => $function];
        $script = [['content' => null, 'tool_calls' => [$call]], ['content' => 'It is new.']];
        $sent = [];
        add_filter('pre_http_request', static function ($given, $request) use (&$script, &$sent): array {
            $sent[] = json_decode($request['body'], true);
            $choice = ['message' => ['role' => 'assistant'] + array_shift($script)];
            $body = json_encode(['choices' => [$choice]]);
            return ['response' => ['code' => 200, 'message' => ''], 'body' => $body, 'headers' => []];
        }, 10, 2);
        update_option('blogdescription', 'Old');
        $begun = self::rest('POST', '/conversations', ['message' => 'A new tagline!'])->get_data();
        $waits = self::rest('POST', "/conversations/$begun[id]/step")->get_data();
        self::assertSame('waiting', $waits['state']);
        $row = plugin()->call_log()->find($waits['calls'][0]['id']);
        self::assertSame('completed', self::decide($row, true)['state']);
        $told = self::rest('POST', "/conversations/$begun[id]/step")->get_data();
        self::assertSame('It is new.', end($told['parts'])['text']);
        self::assertSame('New', get_option('blogdescription'));
        self::assertSame('changed', end($sent[1]['messages'])['content']);
        self::assertTrue(plugin()->undoing()->undo($row['action_id']));
        self::assertSame('Old', get_option('blogdescription'));
        $names = array_column(array_column($sent[0]['tools'], 'function'), 'name');
        self::assertContains('newest_comments', $names);
    }
}
