<?php

declare(strict_types=1);

namespace Toolwire\Tests\WordPress;

use Toolwire\Tools\ToolOutput;
use WP_Error;
use WP_REST_Request;
use WP_REST_Response;

use function Toolwire\WordPress\plugin;

/** The code of tools: what it prints, its errors, and who may undo. */
final class ToolCodeTest extends SiteTestCase
{
    /** @var list<callable> */
    private array $registered = [];

    protected function tearDown(): void
    {
        foreach ($this->registered as $register) {
            remove_action('toolwire_register_tools', $register);
        }
        plugin()->engines()->reset();
        parent::tearDown();
    }

    /** @param array<string, mixed> $tool */
    private function tool(array $tool): void
    {
        $tool += ['permission_callback' => '__return_true', 'approval' => false];
        $register = static fn ($tools) => $tools->register('test_code', $tool);
        add_action('toolwire_register_tools', $this->registered[] = $register);
        plugin()->engines()->reset();
    }

    private static function send(): WP_REST_Response
    {
        return self::rest('POST', '/calls', ['name' => 'test_code']);
    }

    public function testWhatAToolPrintsIsKeptApart(): void
    {
        $told = [];
        add_action('toolwire_tool_printed', $tell = static function (array $data) use (&$told): void {
            $told[] = $data;
        });
        $prints = static fn (mixed $gives) => static function () use ($gives) {
            ob_start();
            echo 'within ';
            ob_end_flush();
            ob_start();
            echo '<p>Updated.</p>';
            flush();
            return $gives;
        };
        $this->tool([
            'callback' => $prints(ToolOutput::ok([], undoMetadata: ['a' => 1])),
            'permission_callback' => $prints(true), 'preview_callback' => $prints([]),
            'undo_callback' => $prints(null), 'approval' => true,
        ]);
        ob_start();
        $level = ob_get_level();
        $row = self::send()->get_data();
        $waiting = plugin()->call_log()->find($row['id']);
        self::rest('GET', "/approvals/{$waiting['approval_id']}");
        $done = self::decide($waiting, true);
        self::assertTrue(plugin()->undoing()->undo($row['id']));
        self::assertSame(['', $level], [ob_get_contents(), ob_get_level()]);
        ob_end_clean();
        remove_action('toolwire_tool_printed', $tell);
        self::assertSame('completed', $done['state']);
        self::assertGreaterThan(3, count($told));
        foreach ($told as $data) {
            self::assertSame($row['id'], $data['run_id']);
            self::assertStringStartsWith('within <p>Updated.</p>', $data['printed']);
        }
    }

    public function testOutputOfAToolThatThrowsIsKeptApartAndCut(): void
    {
        $told = [];
        add_action('toolwire_tool_printed', $tell = static function (array $data) use (&$told): void {
            $told = $data;
        });
        $this->tool(['callback' => static function (): void {
            echo str_repeat('x', 100000);
            throw new \RuntimeException('no');
        }]);
        ob_start();
        self::assertSame(500, self::send()->get_status());
        self::assertSame('', ob_get_clean());
        remove_action('toolwire_tool_printed', $tell);
        self::assertSame([2000, 100000], [strlen($told['printed']), $told['bytes']]);
    }

    public function testAToolThatDiesByWordPressFailsAndEndsNothing(): void
    {
        $this->tool(['callback' => static fn () => wp_die('<p>Not today &amp; here.</p>', 403)]);
        ob_start();
        $answer = self::send();
        self::assertSame('', ob_get_clean());
        $error = $answer->get_data()['data']['call']['error'];
        self::assertSame([500, 'raised'], [$answer->get_status(), $error['code']]);
        self::assertStringContainsString('Not today', $error['message']);
        self::assertFalse(has_filter('wp_die_handler', [plugin()->silence(), 'end']));
        $within = static function (): array {
            plugin()->silence()->during('b', static fn () => null);
            wp_die('after a tool within');
        };
        $this->tool(['callback' => $within]);
        self::assertSame(500, self::send()->get_status());
    }

    public function testAnErrorKeepsItsCodeAndStatus(): void
    {
        $gone = new WP_Error('shop_gone', 'There is no such order.', ['status' => 410]);
        $this->tool(['callback' => static fn () => $gone]);
        $answer = self::send();
        $error = $answer->get_data()['data']['call']['error'];
        self::assertSame(
            [410, 'tool_error', 'There is no such order.', 'shop_gone', 410],
            [$answer->get_status(), ...array_values($error)]
        );
        $served = plugin()->served()->calls()->run('test_code', '{}');
        self::assertSame('toolwire_tool_error', $served->get_error_code());
        self::assertSame(
            [410, 'shop_gone'],
            [$served->get_error_data()['status'], $served->get_error_data()['tool_code']]
        );
        self::assertStringContainsString('shop_gone', $served->get_error_message());

        $this->tool(['callback' => static fn () => new WP_Error('shop_odd', 'Odd.'), 'log_result' => false]);
        $answer = self::send();
        self::assertSame(200, $answer->get_status());
        self::assertSame('shop_odd', $answer->get_data()['error']['tool_code']);
        self::assertNull($answer->get_data()['result']);
        self::assertArrayNotHasKey('status', $answer->get_data()['error']);

        $this->tool(['callback' => '__return_true', 'permission_callback' => static fn () => $gone]);
        $answer = self::send();
        $error = $answer->get_data()['data']['call']['error'];
        self::assertSame(
            [410, 'permission_denied', 'shop_gone'],
            [$answer->get_status(), $error['code'], $error['tool_code']]
        );

        $this->tool([
            'callback' => static fn () => ToolOutput::ok([], undoMetadata: ['a' => 1]),
            'undo_callback' => static fn () => $gone,
        ]);
        $undone = plugin()->undoing()->undo(self::send()->get_data()['id']);
        self::assertSame(
            ['code' => 'shop_gone', 'status' => 410],
            $undone->get_error_data()['wp_error']
        );
    }

    public function testUndoAsksForTheCapabilityAgain(): void
    {
        $this->tool([
            'callback' => static fn () => ToolOutput::ok([], undoMetadata: ['a' => 1]),
            'undo_callback' => static fn () => null, 'capability' => 'edit_others_posts',
        ]);
        $this->as('editor');
        $id = self::send()->get_data()['id'];
        $deny = static fn (array $all): array => ['edit_others_posts' => false] + $all;
        add_filter('user_has_cap', $deny);
        $refused = self::rest('POST', "/log/$id/undo");
        remove_filter('user_has_cap', $deny);
        self::assertSame(
            [403, 'toolwire_permission_denied', 'completed'],
            [
                $refused->get_status(), $refused->get_data()['code'],
                plugin()->call_log()->find($id)['state'],
            ]
        );
        self::assertSame(200, self::rest('POST', "/log/$id/undo")->get_status());
    }

    public function testAScalarBodyIsRefusedWhereToolsAreBehindTheRoute(): void
    {
        $routes = ['/toolwire/v1/calls', '/toolwire/mcp', '/wp-abilities/v1/abilities/toolwire/status/run'];
        if (class_exists('WP\MCP\Transport\HttpTransport')) {
            $transport = (new \ReflectionClass('WP\MCP\Transport\HttpTransport'))
                ->newInstanceWithoutConstructor();
            register_rest_route('mcp-tests', '/server', [
                'methods' => 'POST', 'callback' => [$transport, 'handle_request'],
                'permission_callback' => [$transport, 'check_permission'],
            ], true);
            $routes[] = '/mcp-tests/server';
        }
        foreach ($routes as $route) {
            foreach (['5', '"text"', 'true', '0.5', '""', 'false'] as $body) {
                $request = new WP_REST_Request('POST', $route);
                $request->set_header('Content-Type', 'application/json');
                $request->set_body($body);
                $answer = rest_do_request($request);
                // WordPress 6.1 gives the error itself.
                $answer = is_wp_error($answer) ? rest_convert_error_to_response($answer) : $answer;
                self::assertSame(
                    [400, 'rest_invalid_json'],
                    [$answer->get_status(), $answer->get_data()['code']],
                    "$route $body"
                );
            }
        }
    }
}
