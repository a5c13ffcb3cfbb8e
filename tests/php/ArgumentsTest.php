<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use PHPUnit\Framework\TestCase;
use Toolwire\Detector;

/** The arguments of calls against json_decode, and the text that calls share. */
final class ArgumentsTest extends TestCase
{
    private const KEYS = ['a', 'b', 'key', '0', '7', '-3', '07', '-0', 'é', '', ' ', 'a_long_key_' .
        'of_more_than_thirty_two_bytes', "x\u{0}y", 'A', '9223372036854775808'];

    /** A random value, with objects as objects. */
    private static function random(int $depth): mixed
    {
        switch (mt_rand(0, $depth > 0 ? 10 : 7)) {
            case 0:
                return null;
            case 1:
                return (bool) mt_rand(0, 1);
            case 2:
                return mt_rand(-1000, 1000);
            case 3:
                return [PHP_INT_MAX, PHP_INT_MIN, 0, -1][mt_rand(0, 3)];
            case 4:
                return mt_rand(-1000, 1000) / 8;
            case 5:
                return ['', "\"\\/\n\u{1}", 'é😀', str_repeat('x', mt_rand(1, 200))][mt_rand(0, 3)];
            case 6:
                return [];
            case 7:
                return new \stdClass();
            case 8:
                return array_map(
                    static fn (): mixed => self::random($depth - 1),
                    range(1, mt_rand(1, 20))
                );
            default:
                $object = new \stdClass();
                for ($count = mt_rand(1, 12); $count > 0; $count--) {
                    $key = self::KEYS[mt_rand(0, count(self::KEYS) - 1)];
                    $object->{$key === "x\u{0}y" ? 'x y' : $key} = self::random($depth - 1);
                }
                return $object;
        }
    }

    public function testRandomArgumentsAreThoseOfJsonDecode(): void
    {
        mt_srand(7);
        $detector = new Detector();
        for ($round = 0; $round < 2000; $round++) {
            $flags = [0, JSON_PRETTY_PRINT, JSON_UNESCAPED_UNICODE][$round % 3];
            $texts = $expected = [];
            for ($count = mt_rand(1, 4); $count > 0; $count--) {
                $json = json_encode(['v' => self::random(3)] + ['n' => $count], $flags);
                $expected[] = json_decode($json, true);
                $texts[] = [
                    "<tool:a>$json</tool>",
                    "\n```json\n{\"name\": \"a\", \"parameters\": $json}\n```\n",
                    "{\"name\": \"a\", \"arguments\": $json}",
                ][mt_rand(0, 2)];
            }
            $calls = $detector->detect(implode(' and ', $texts))->calls;
            self::assertSame($expected, array_map(static fn ($call) => $call->arguments, $calls));
        }
    }

    public function testCallsOutliveTheirDetectionAndShareItsText(): void
    {
        $text = str_repeat('prose ', 200_000) . '<tool:a>{"k":["v"]}</tool> <tool:b>{"k":1}</tool>';
        $before = memory_get_usage();
        [$first, $second] = (new Detector())->detect($text)->calls;
        self::assertLessThan($before + 100_000, memory_get_usage());
        unset($text);
        self::assertSame(['k' => ['v']], $first->arguments);
        self::assertSame(['a', '<tool:a>{"k":["v"]}</tool>'], [$first->name, $first->original]);
        unset($first);
        self::assertSame([['k' => 1], '{"k":1}'], [$second->arguments, $second->argumentsRaw]);
        unset($second);
        self::assertLessThan($before + 4096, memory_get_usage());
    }

    public function testAChangeOfOneResultChangesNoOther(): void
    {
        $detection = (new Detector())->detect(
            '<tool:a>{"k":[1],"e":{}}</tool> <tool:a>{"k":[1],"e":[]}</tool>'
        );
        [$first, $second] = $detection->calls;
        $changed = $first->arguments;
        $changed['k'][] = 2;
        $changed['e']['new'] = true;
        $changed[array_key_first($changed) . 'x'] = 0;
        $list = $detection->calls;
        $list[] = 'more';
        $none = (new Detector())->detect('none')->calls;
        $none[] = 'more';
        self::assertSame([['k' => [1], 'e' => []], ['k' => [1], 'e' => []]], [
            $first->arguments, $second->arguments,
        ]);
        self::assertCount(2, $detection->calls);
        self::assertSame([], (new Detector())->detect('none')->calls);
    }

    public function testLongListsAndManyKeys(): void
    {
        $members = [];
        for ($number = 0; $number < 500; $number++) {
            $members["key$number"] = range(0, $number % 50);
        }
        $arguments = ['list' => range(1, 5000), 'members' => $members];
        $call = (new Detector())->detect('<tool:a>' . json_encode($arguments) . '</tool>')->calls[0];
        self::assertSame($arguments, $call->arguments);
        $arguments['list'][] = 0;
        $list = $call->arguments['list'];
        $list[] = 0;
        self::assertSame($arguments['list'], $list);
    }
}
