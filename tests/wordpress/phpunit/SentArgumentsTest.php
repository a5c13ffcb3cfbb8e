<?php

declare(strict_types=1);

namespace Toolwire\Tests\WordPress;

use Toolwire\WordPress\Json_Text;
use WP_REST_Request;

use function Toolwire\WordPress\plugin;

/** The bytes of a request are the arguments of its call, or the call is refused. */
final class SentArgumentsTest extends SiteTestCase
{
    private static ?string $got = null;

    protected function setUp(): void
    {
        parent::setUp();
        self::$got = null;
        add_action('toolwire_register_tools', [self::class, 'register']);
        plugin()->engines()->reset();
    }

    protected function tearDown(): void
    {
        remove_action('toolwire_register_tools', [self::class, 'register']);
        plugin()->engines()->reset();
        parent::tearDown();
    }

    public static function register($tools): void
    {
        $tools->register('test_bytes', [
            'permission_callback' => '__return_true', 'approval' => false,
            'callback' => static function (array $arguments): array {
                self::$got = serialize($arguments);
                return ['keys' => array_map('strval', array_keys($arguments))];
            },
        ]);
    }

    /** @return iterable<string, array{string, string}> arguments, and what the tool gets */
    public static function carried(): iterable
    {
        yield 'an integer beyond 64 bits' => [
            '{"id":18446744073709551615}', serialize(['id' => '18446744073709551615']),
        ];
        yield 'a name with NUL' => ['{"a\u0000":{}}', serialize(["a\0" => []])];
        yield 'a name that is empty' => ['{"":{"":1}}', serialize(['' => ['' => 1]])];
        yield 'a member twice' => ['{"a":1,"a":2}', serialize(['a' => 2])];
        yield 'brackets in texts' => [
            '{"a":"}]\"\\\\","b":["{","\\\\"]}', serialize(['a' => '}]"\\', 'b' => ['{', '\\']]),
        ];
    }

    /** @return iterable<string, array{string, string}> arguments, and why they are refused */
    public static function notCarried(): iterable
    {
        yield 'beyond a float' => ['{"only":"draft 5","min":1e400}', 'bad_number'];
        yield 'far below' => ['{"only":"draft 5","in":[{"min":-1e999}]}', 'bad_number'];
        yield 'a name that begins with NUL' => ['{"\u0000a":1,"b":2}', 'nul_in_name'];
        yield 'such a name further within' => ['{"a":[{"\u0000":{}}]}', 'nul_in_name'];
    }

    /** @dataProvider carried */
    public function testAnObjectOfPostCallsIsCarriedWhole(string $arguments, string $got): void
    {
        $answer = self::rest(
            'POST',
            '/calls',
            "{\"reason\":\"\",\"arguments\":1, \"name\" : \"test_bytes\",\n \"arguments\" :$arguments}"
        );
        self::assertSame([200, $got], [$answer->get_status(), self::$got]);
        self::assertNotNull($answer->get_data()['arguments'], 'the log has them');
        self::assertNotNull($answer->get_data()['result']);
    }

    /** @dataProvider notCarried */
    public function testWhatPhpCannotHoldIsRefused(string $arguments, string $code): void
    {
        foreach ([$arguments, wp_json_encode($arguments)] as $sent) {
            $answer = self::rest('POST', '/calls', "{\"name\":\"test_bytes\",\"arguments\":$sent}");
            self::assertSame(
                [400, "toolwire_$code", null],
                [$answer->get_status(), $answer->get_data()['code'], self::$got]
            );
        }
    }

    public function testValuesThatJsonCannotHoldAreRefused(): void
    {
        foreach (["\xff" => 1, 'a' => "\xff", 'n' => NAN] as $name => $value) {
            $request = new WP_REST_Request('POST', '/toolwire/v1/calls');
            $request->set_body_params(
                ['name' => 'test_bytes', 'arguments' => ['only' => '1', $name => $value]]
            );
            $answer = rest_do_request($request);
            self::assertSame(
                [400, 'toolwire_bad_json', null],
                [$answer->get_status(), $answer->get_data()['code'], self::$got]
            );
        }
    }

    public function testArgumentsThatOtherCodeChangedAreThoseOfThatCode(): void
    {
        $request = new WP_REST_Request('POST', '/toolwire/v1/calls');
        $request->set_header('Content-Type', 'application/json');
        $request->set_body('{"name":"test_bytes","arguments":{"a":1}}');
        $request['arguments'] = ['a' => 2];
        self::assertSame(200, rest_do_request($request)->get_status());
        self::assertSame(serialize(['a' => 2]), self::$got);
        self::$got = null;
        $request['arguments'] = (object) ['a' => 2, "\0b" => 3];
        self::assertSame(400, rest_do_request($request)->get_status(), 'a name does not vanish');
        self::assertNull(self::$got);
    }

    /** Runs the tool as an ability, in a request with this body. */
    private static function asAbility(string $route, string $body, mixed $input, int $times = 1): array
    {
        $schema = plugin()->served()->input()->schema(
            ['type' => 'object', 'properties' => ['n' => ['type' => 'integer']]]
        );
        $request = new WP_REST_Request('POST', $route);
        $request->set_header('Content-Type', 'application/json');
        $request->set_body($body);
        plugin()->request_stack()->begin(null, [], $request);
        $got = [];
        for ($time = 1; $time <= $times; $time++) {
            self::$got = null;
            $answer = plugin()->served()->calls()->run(
                'test_bytes',
                plugin()->served()->input()->arguments('toolwire/test-bytes', $schema, $input)
            );
            $got[] = is_wp_error($answer) ? $answer->get_error_code() : unserialize(self::$got);
        }
        plugin()->request_stack()->end(null, [], $request);
        return $got;
    }

    /** @return iterable<string, array{string, string}> a route, and a body with %s for the input */
    public static function places(): iterable
    {
        $call = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"%s","arguments":%s}}';
        $mcp = '/toolwire/mcp';
        yield 'the route of the ability' => [
            '/wp-abilities/v1/abilities/toolwire/test-bytes/run', '{"input": %s }',
        ];
        yield 'a message of MCP' => [$mcp, sprintf($call, 'toolwire-test-bytes', '%s')];
        yield 'a list of messages' => [
            $mcp,
            '[' . sprintf($call, 'other', '{"n":2}') . ',' . sprintf($call, 'toolwire-test-bytes', '%s') . ']',
        ];
        yield 'through the ability that runs others' => [$mcp, sprintf(
            $call,
            'mcp-adapter-execute-ability',
            '{"ability_name":"toolwire/test-bytes","parameters":%s}'
        )];
    }

    /** @dataProvider places */
    public function testTheInputOfAnAbilityIsCarriedWholeOrRefused(string $route, string $body): void
    {
        foreach (
            [
                '{"only":"draft 5","min":1e400}' => 'toolwire_bad_number',
                '{"n":18446744073709551615}' => ['n' => '18446744073709551615'],
                '{"\u0000a":1,"b":{}}' => 'toolwire_nul_in_name',
                '[]' => [],
            ] as $input => $got
        ) {
            self::assertSame(
                [$got],
                self::asAbility($route, str_replace('%s', $input, $body), json_decode($input, true))
            );
        }
    }

    public function testTheTextOfAnInputIsTakenOnce(): void
    {
        $route = '/wp-abilities/v1/abilities/toolwire/test-bytes/run';
        self::assertSame(
            [['n' => '18446744073709551615'], ['n' => 1.8446744073709551615e19]],
            self::asAbility(
                $route,
                '{"input":{"n":18446744073709551615}}',
                ['n' => 18446744073709551615],
                2
            )
        );
        self::assertSame(
            [['n' => 3]],
            self::asAbility($route, '{"input":{"n":2}}', ['n' => 3]),
            'other code changed it'
        );
        self::assertSame(
            [['n' => '5']],
            self::asAbility($route, '{"input":{"n":"5"}}', ['n' => 5]),
            'WordPress 7.1 makes a number of a text; the tool gets what was sent'
        );
    }

    public function testAnInputOfPhpThatJsonCannotHoldIsRefused(): void
    {
        foreach ([['n' => INF], ['a' => "\xff"], ['a' => fopen('php://memory', 'r')]] as $input) {
            self::assertSame(['toolwire_bad_json'], self::asAbility('/x', '{}', $input));
        }
        self::assertSame(
            ['toolwire_nul_in_name'],
            self::asAbility('/x', '{}', (object) ["\0a" => 1])
        );
    }

    public function testTextsAreCutOutOfAnyJson(): void
    {
        $json = new Json_Text();
        $values = ['1', '-1.5e+9', '""', '"\\\\\\""', 'null', '[]', '{}', '[[],{"a":"]"}]', '"}"'];
        foreach ($values as $value) {
            foreach (["{\"a\":$value}", " { \"x\" : [1,{\"a\":2}] ,\n\"a\" :\t$value , \"b\":3}"] as $text) {
                self::assertSame($value, $json->member($text, 'a'), $text);
                self::assertNull($json->member($text, 'c'), $text);
            }
            self::assertSame([$value, '1'], $json->items("[ $value , 1 ]"));
        }
        foreach (['', '[', '{', '{"a', '{"a"', '{"a":', '{"a":[', '{"a":"\\', '5', ']'] as $cut) {
            self::assertIsArray([$json->member($cut, 'a'), $json->items($cut)]);
        }
        $long = '{"a":' . str_repeat('[', 200000) . '"' . str_repeat('\\"', 200000) . '"'
            . str_repeat(']', 200000) . '}';
        self::assertSame(strlen($long) - 6, strlen((string) $json->member($long, 'a')));
    }
}
