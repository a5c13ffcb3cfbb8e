<?php

declare(strict_types=1);

namespace Toolwire\Tests\WordPress;

use JsonSerializable;
use RuntimeException;

use function Toolwire\WordPress\plugin;

/** What REST and the log tell of arguments and results. */
final class ToldResultsTest extends SiteTestCase
{
    /** The answer to a call of a tool, as a client in PHP reads it. */
    private function answer(callable $callback, string $arguments = '{}'): object
    {
        $register = static fn ($tools) => $tools->register(
            'test_told',
            ['permission_callback' => '__return_true', 'approval' => false, 'callback' => $callback]
        );
        add_action('toolwire_register_tools', $register);
        plugin()->engines()->reset();
        ob_start();
        $answer = self::rest('POST', '/calls', "{\"name\":\"test_told\",\"arguments\":$arguments}");
        self::assertSame('', ob_get_clean(), 'nothing is printed');
        remove_action('toolwire_register_tools', $register);
        plugin()->engines()->reset();
        return json_decode((string) wp_json_encode(
            rest_get_server()->response_to_data($answer, false)
        ));
    }

    /** @return iterable<string, array{mixed, string}> */
    public static function noJson(): iterable
    {
        $deep = [];
        for ($level = 1; $level < 512; $level++) {
            $deep = [$deep];
        }
        yield 'NAN' => [['x' => NAN], 'Inf and NaN'];
        yield 'INF' => [['x' => -INF], 'Inf and NaN'];
        yield 'a handle' => [['x' => fopen('php://memory', 'r')], 'Type is not supported'];
        yield '512 levels' => [['x' => $deep], 'depth'];
        $object = new class () implements JsonSerializable {
            public function jsonSerialize(): mixed
            {
                throw new RuntimeException('not today');
            }
        };
        yield 'an object that does not want' => [['x' => $object], 'not today'];
    }

    /** @dataProvider noJson */
    public function testAResultThatJsonCannotHoldIsToldAsSuch(mixed $result, string $why): void
    {
        $answer = $this->answer(static fn () => $result);
        self::assertSame(['completed', null], [$answer->state, $answer->error]);
        self::assertStringContainsString($why, $answer->result->not_json);
        self::assertStringContainsString($why, $answer->html);
    }

    public function testEmptyObjectsAndListsStayWhatTheyAre(): void
    {
        $sent = '{"meta":{},"tags":[],"in":[{"a":{}},{"0":1},{"":{}}],"none":[[]]}';
        $answer = $this->answer(
            static fn () => ['meta' => (object) [], 'tags' => [], 'map' => (object) ['0' => 1]],
            $sent
        );
        self::assertSame($sent, wp_json_encode($answer->arguments));
        self::assertSame('{"meta":{},"tags":[],"map":{"0":1}}', wp_json_encode($answer->result));
        self::assertSame($sent, plugin()->call_log()->find($answer->id)['arguments']);
        self::assertSame('{}', wp_json_encode($this->answer(static fn () => [])->arguments));
    }

    public function testACallThatWaitsKeepsItsEmptyObjects(): void
    {
        $row = self::call('test_ask', '{"options":{}}');
        self::assertSame('{"options":{}}', $row['arguments']);
        self::assertSame('{"options":{}}', self::decide($row, true)['arguments']);
    }

    public function testANameThatPhpObjectsCannotHaveIsToldToo(): void
    {
        $row = self::call('test_echo');
        plugin()->call_log()->change(
            $row['action_id'],
            ['result' => plugin()->call_log()->json(["\0a" => 1, 'b' => (object) ["\0c" => 2]])]
        );
        $result = plugin()->call_view()->of(plugin()->call_log()->find($row['action_id']))['result'];
        self::assertSame(["\0a" => 1, 'b' => ["\0c" => 2]], $result);
    }
}
