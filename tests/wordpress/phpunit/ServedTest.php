<?php

declare(strict_types=1);

namespace Toolwire\Tests\WordPress;

use Toolwire\WordPress\Served\Names;
use WP_Error;

use function Toolwire\WordPress\plugin;

/** Tools as abilities. */
final class ServedTest extends SiteTestCase
{
    /** What the ability of a tool does. WordPress registers abilities only once in a process. */
    private function served(string $tool, mixed $input = null): array|WP_Error
    {
        $reads = plugin()->served()->input();
        $schema = $reads->schema(
            (array) plugin()->engines()->get()->tools->registry->get($tool)->inputSchema
        );
        return plugin()->served()->calls()->run($tool, $reads->arguments("toolwire/$tool", $schema, $input));
    }

    public function testNothingIsServedThatTheOwnerDidNotAllow(): void
    {
        self::assertSame([], plugin()->served()->abilities()->names());
        $this->settings(['served' => ['site_info', 'not_there']]);
        self::assertSame(['site_info' => 'toolwire/site-info'], plugin()->served()->abilities()->names());
        $filter = static fn (bool $is, string $tool): bool => $tool === 'shop/write';
        add_filter('toolwire_tool_is_ability', $filter, 10, 2);
        self::assertSame(['shop/write' => 'toolwire/shop-write'], plugin()->served()->abilities()->names());
        remove_filter('toolwire_tool_is_ability', $filter);
    }

    public function testAnAnswerHasTheResult(): void
    {
        $answer = $this->served('test_count', ['text' => 'a']);
        self::assertSame(['state', 'call', 'tool', 'result', 'can_undo'], array_keys($answer));
        self::assertSame(['completed', true], [$answer['state'], $answer['can_undo']]);
        self::assertSame('{"text":"a"}', wp_json_encode($answer['result']));
        $row = plugin()->call_log()->find($answer['call']);
        self::assertSame(['ability', 'completed'], [$row['origin'], $row['state']]);
    }

    public function testACallThatWaitsSaysSoAndRunsOnceWhenItIsApproved(): void
    {
        $answer = $this->served('test_ask', ['text' => 'a']);
        self::assertSame('waiting', $answer['state']);
        self::assertStringContainsString(Names::STATUS, $answer['message']);
        $row = plugin()->call_log()->find($answer['call']);
        self::assertSame(
            admin_url("admin.php?page=toolwire&request={$row['approval_id']}"),
            $answer['decide_at']
        );
        self::assertSame('waiting', plugin()->served()->calls()->status($answer['call'])['state']);
        self::assertSame(0, self::counted());
        self::decide($row, true);
        $later = plugin()->served()->calls()->status($answer['call']);
        self::assertSame(['completed', 1], [$later['state'], self::counted()]);
    }

    public function testADeniedCallTellsWhy(): void
    {
        $answer = $this->served('test_ask');
        self::decide(plugin()->call_log()->find($answer['call']), false, 'not today');
        $later = plugin()->served()->calls()->status($answer['call']);
        self::assertSame(['denied', 'approval_denied'], [$later['state'], $later['failure']['code']]);
    }

    public function testAFailureIsAnErrorThatNamesThePlace(): void
    {
        $error = $this->served('test_count', ['wait' => 'soon']);
        self::assertSame('toolwire_invalid_input', $error->get_error_code());
        self::assertStringContainsString('"/wait"', $error->get_error_message());
        $error = $this->served('test_throw');
        self::assertSame('toolwire_raised', $error->get_error_code());
        $this->as('editor');
        $error = $this->served('test_throw');
        self::assertStringNotContainsString('shadow', $error->get_error_message());
        self::assertSame(
            'toolwire_permission_denied',
            $this->served('test_admin')->get_error_code()
        );
        $long = $this->served('test_count', ['text' => str_repeat('a', 2097152)]);
        self::assertSame('toolwire_too_large', $long->get_error_code());
    }

    public function testNobodyIsToldOfACallOfAnother(): void
    {
        $answer = $this->served('test_count');
        $this->as('editor');
        self::assertSame(
            'toolwire_unknown_call',
            plugin()->served()->calls()->status($answer['call'])->get_error_code()
        );
        self::assertSame('toolwire_unknown_call', plugin()->served()->calls()->status('x')->get_error_code());
    }

    public function testCallsAreCountedWithThoseOfTheRoutes(): void
    {
        $this->settings(['calls_per_minute' => 1]);
        self::assertIsArray($this->served('test_count'));
        self::assertSame('toolwire_rate_limited', $this->served('test_count')->get_error_code());
    }

    public function testNamesAreThoseOfAbilitiesAndNeverTheSame(): void
    {
        $names = (new Names())->of(
            ['site_info', 'site-info', 'Shop/Write', 'status', 'é', str_repeat('a', 128)]
        );
        foreach ($names as $name) {
            self::assertMatchesRegularExpression('~^toolwire/[a-z0-9-]{1,100}$~', $name);
        }
        self::assertCount(6, array_unique($names));
        self::assertSame('toolwire/shop-write', $names['Shop/Write']);
        self::assertNotContains(Names::STATUS, $names);
    }

    public function testNoListIsServedOfWhichNobodySaysWhatItHolds(): void
    {
        $look = static function (mixed $schema, string $path) use (&$look): void {
            if (!is_array($schema)) {
                return;
            }
            if (in_array('array', (array) ($schema['type'] ?? []), true)) {
                self::assertArrayHasKey('items', $schema, $path);
            }
            array_map($look, $schema, array_map(static fn ($key) => "$path/$key", array_keys($schema)));
        };
        $tools = plugin()->engines()->get()->tools->registry;
        foreach (array_keys(plugin()->engines()->get()->tools->all()) as $name) {
            $schema = plugin()->served()->input()->schema((array) $tools->get($name)->inputSchema);
            $look($schema, $name);
        }
        $schema = plugin()->served()->input()->schema(['properties' => [
            'status' => ['enum' => ['a', 'b']], 'mixed' => ['enum' => [1, 'a', null]],
            'list' => ['type' => 'array'], 'any' => (object) [],
        ]]);
        $look($schema, 'made');
        self::assertSame('string', $schema['properties']['status']['type']);
        self::assertSame(['integer', 'string', 'null'], $schema['properties']['mixed']['type']);
        $input = ['status' => 'a', 'mixed' => null, 'list' => [1, ['x']], 'any' => [[['x' => 1]]]];
        self::assertTrue(rest_validate_value_from_schema($input, $schema, 'input'));
    }

    public function testInputIsWhatTheSchemaSays(): void
    {
        $input = plugin()->served()->input();
        self::assertNull($input->schema(['type' => 'object', 'additionalProperties' => false]));
        $schema = $input->schema(['properties' => [
            'options' => ['type' => 'object'],
            'list' => ['type' => 'array', 'items' => ['type' => 'object']],
            'number' => ['type' => 'integer'], 'ratio' => ['type' => 'number'],
            'on' => ['type' => 'boolean'], 'text' => ['type' => 'string'],
            'any' => (object) [], 'never' => false,
        ], 'additionalProperties' => ['type' => 'object']]);
        self::assertSame(
            '{"options":{},"list":[{}],"number":5,"ratio":0.5,"on":false,"text":"5","any":[],'
                . '"more":{}}',
            $input->arguments('toolwire/x', $schema, [
                'options' => [], 'list' => [[]], 'number' => '5', 'ratio' => '0.5',
                'on' => 'false', 'text' => '5', 'any' => [], 'more' => [],
            ])
        );
        self::assertSame('{}', $input->arguments('toolwire/x', null, null));
        self::assertSame('"no object"', $input->arguments('toolwire/x', null, 'no object'));
        self::assertTrue(rest_validate_value_from_schema(['any' => 1], $schema, 'input'));
        self::assertWPError(rest_validate_value_from_schema(['number' => 'x'], $schema, 'input'));
    }

    private static function assertWPError(mixed $value): void
    {
        self::assertInstanceOf(WP_Error::class, $value);
    }
}
