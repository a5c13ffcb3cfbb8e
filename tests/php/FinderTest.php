<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use ArrayObject;
use DomainException;
use Exception;
use Fiber;
use FiberError;
use PHPUnit\Framework\TestCase;
use SimpleXMLElement;
use stdClass;
use Toolwire\Exception\InvalidArgument;
use Toolwire\Exception\InvalidState;
use Toolwire\Exception\WrongType;
use Toolwire\ToolResultFinder;
use TypeError;

/** The finder on arrays that only PHP has: references, holes, objects, recursion. */
final class FinderTest extends TestCase
{
    protected function tearDown(): void
    {
        ToolResultFinder::setFilter(null);
    }

    /** @param array<string, mixed> $more */
    private static function packet(string $handler, array $more = []): array
    {
        return [
            'type' => 'tool_result',
            'metadata' => ['handler_tool' => $handler],
            'more' => $more,
        ];
    }

    public function testThePacketIsTheCallersOwn(): void
    {
        $shared = str_repeat('x', 1000);
        $data = [self::packet('a'), self::packet('b', ['payload' => &$shared, 'z' => 1, 'a' => 2])];
        $found = ToolResultFinder::findHandlerResult($data, 'b');
        self::assertSame($data[1], $found);
        self::assertSame(['payload', 'z', 'a'], array_keys($found['more']));
        $shared = 'changed';
        self::assertSame('changed', $found['more']['payload']);
    }

    public function testTheArgumentIsNotSeparated(): void
    {
        $data = [];
        for ($i = 0; $i < 20_000; $i++) {
            $data[] = self::packet("h$i");
        }
        $before = memory_get_usage();
        memory_reset_peak_usage();
        $found = ToolResultFinder::findHandlerResult($data, 'h19999');
        self::assertSame($data[19_999], $found);
        self::assertCount(
            20_000,
            ToolResultFinder::findAllHandlerResults($data, 'h', partialMatch: true)
        );
        self::assertNull(ToolResultFinder::findHandlerResult($data, 'none'));
        self::assertLessThan(
            $before + 1_100_000,
            memory_get_peak_usage(),
            'only the list of results is new'
        );
    }

    public function testReferencesAreFollowed(): void
    {
        $packet = self::packet('a');
        $type = 'tool_result';
        $metadata = ['handler_tool' => 'b'];
        $handler = 'c';
        $data = [
            &$packet,
            ['type' => &$type, 'metadata' => &$metadata],
            ['type' => 'tool_result', 'metadata' => ['handler_tool' => &$handler]],
        ];
        $list = &$data;
        self::assertSame($packet, ToolResultFinder::findHandlerResult($list, 'a'));
        self::assertSame($data[1], ToolResultFinder::findHandlerResult($list, 'b'));
        self::assertSame($data[2], ToolResultFinder::findHandlerResult($list, 'c'));
    }

    public function testHashesHolesAndSymbolTables(): void
    {
        $data = ['x' => null, 'y' => self::packet('a'), 9 => self::packet('b')];
        self::assertSame($data['y'], ToolResultFinder::findHandlerResult($data, 'a'));
        unset($data['y']);
        self::assertNull(ToolResultFinder::findHandlerResult($data, 'a'));
        $packed = [self::packet('a'), self::packet('b'), self::packet('c')];
        unset($packed[0], $packed[1]);
        self::assertSame($packed[2], ToolResultFinder::findHandlerResult($packed, 'c'));
        self::assertNull(ToolResultFinder::findHandlerResult($packed, 'a'));
        $GLOBALS['toolwire_packet'] = self::packet('global');
        $globals = $GLOBALS;
        self::assertSame(
            self::packet('global'),
            ToolResultFinder::findHandlerResult($globals, 'global')
        );
        unset($GLOBALS['toolwire_packet']);
        self::assertNull(ToolResultFinder::findHandlerResult([], 'a'));
    }

    public function testKeysStandWhereverTheyStand(): void
    {
        $data = [
            ['type' => 'tool_result', 'metadata' => ['handler_tool' => 'x']],
            ['a' => 1, 'metadata' => ['b' => 2, 'handler_tool' => 'y'], 'type' => 'tool_result'],
            [
                'metadata' => ['handler_tool' => 'z', 'type' => 'x'],
                'x' => 1,
                'type' => 'ai_handler_complete',
            ],
            array_combine(
                ['ty' . chr(112) . 'e', 'meta' . 'data'],
                ['tool_result', ['handler_tool' => 'w']]
            ),
        ];
        foreach (['x', 'y', 'z', 'w'] as $position => $handler) {
            self::assertSame(
                $data[$position],
                ToolResultFinder::findHandlerResult($data, $handler)
            );
        }
    }

    public function testKeysThatAreStringsOfTheirOwn(): void
    {
        $packets = [];
        for ($i = 0; $i < 100; $i++) {
            $packets[] = [(string) ($i % 2 ? 'x' : 'type') => 'tool_result'] + self::packet("h$i");
        }
        $data = json_decode((string) json_encode($packets), true);
        for ($i = 0; $i < 100; $i++) {
            self::assertSame($data[$i], ToolResultFinder::findHandlerResult($data, "h$i"));
        }
    }

    public function testLongListsOfEveryShape(): void
    {
        $data = [];
        for ($i = 0; $i < 5_000; $i++) {
            $data[] = match ($i % 7) {
                0 => self::packet("h$i"),
                1 => null,
                2 => ['type' => 'tool_result'],
                3 => ['metadata' => 'text', 'type' => 'tool_result'],
                4 => [1, 2, 3],
                5 => new ArrayObject(),
                6 => ['type' => 'tool_result', 'metadata' => ['handler_tool' => $i]],
            };
        }
        for ($i = 0; $i < 5_000; $i += 700) {
            self::assertSame($data[$i], ToolResultFinder::findHandlerResult($data, "h$i"));
        }
        self::assertNull(ToolResultFinder::findHandlerResult($data, 'h1'));
        self::assertCount(715, ToolResultFinder::findAllHandlerResults($data, 'h', true));
    }

    /** A call with two arguments takes a faster way than a call that gives a default explicitly. */
    public function testShortCallsFindWhatFullCallsFind(): void
    {
        $type = 'tool_result';
        $packet = self::packet('b');
        $holes = [self::packet('a'), 1, self::packet('c'), $packet];
        unset($holes[0], $holes[2]);
        $sparse = ['x' => self::packet('b'), 'y' => self::packet('b')];
        unset($sparse['x']);
        $fields = [
            'gone' => 1,
            'metadata' => ['other' => 1, 'handler_tool' => 'b'],
            'type' => &$type,
        ];
        unset($fields['gone']);
        $lists = [
            [], [$packet], $holes, $sparse, [$fields], [self::packet('a')],
            [[], 1, null, new stdClass()],
        ];
        foreach ($lists as $list) {
            foreach (['a', 'b', ''] as $handler) {
                $full = ToolResultFinder::findHandlerResult($list, $handler, false);
                self::assertSame($full, ToolResultFinder::findHandlerResult($list, $handler));
            }
        }
        self::assertSame(
            $fields,
            ToolResultFinder::findHandlerResult(data: [$fields], handler: 'b')
        );
        ToolResultFinder::setFilter(fn (?array $result): array => ['filtered' => $result]);
        self::assertSame(
            ['filtered' => $packet],
            ToolResultFinder::findHandlerResult([$packet], 'b')
        );
        ToolResultFinder::setFilter(null);
        self::assertSame($packet, ToolResultFinder::findHandlerResult([$packet], 'b'));
    }

    /** Packets are fetched ahead by the last position of their keys, which may be wrong by now. */
    public function testLongListsWhoseKeysMove(): void
    {
        $data = [];
        for ($number = 0; $number < 9000; $number++) {
            $handler = ['handler_tool' => "h$number"];
            $metadata = $number % 3 ? ['a' => 1, 'b' => [2]] + $handler : $handler;
            $packet = ['type' => 'tool_result', 'metadata' => $metadata];
            $data[] = match ($number % 7) {
                0 => array_reverse($packet),
                1 => ['x' => ['y'], 'z' => 'text'] + $packet,
                2 => [['handler_tool'], 'metadata' => [1, 2, 3]],
                3 => ['type' => 'tool_result', 'metadata' => &$metadata],
                4 => $number,
                default => $packet,
            };
            unset($metadata);
        }
        unset($data[17], $data[8000]);
        foreach ([0, 1, 3, 5, 4500, 8990, 8994, 8995] as $number) {
            $expected = in_array($number % 7, [2, 4], true) ? null : $data[$number];
            self::assertSame(
                $expected,
                ToolResultFinder::findHandlerResult($data, "h$number"),
                "h$number"
            );
        }
        self::assertNull(ToolResultFinder::findHandlerResult($data, 'h8000'));
    }

    public function testWhatIsNoPacketIsSkipped(): void
    {
        $object = new stdClass();
        $object->type = 'tool_result';
        $object->metadata = ['handler_tool' => 'a'];
        $odd = [
            null, 1, true, 'tool_result', 1.5, $object, new ArrayObject(self::packet('a')), [],
            ['type' => 1],
        ];
        $odd[] = ['type' => 'tool_result', 'metadata' => (object) ['handler_tool' => 'a']];
        $odd[] = ['type' => 'tool_result', 'metadata' => ['handler_tool' => ['a']]];
        self::assertNull(ToolResultFinder::findHandlerResult($odd, 'a'));
        $odd[] = [9 => 'tool_result', 'metadata' => [8 => 'a']];
        $odd[] = ['type' => 'tool_result', 'metadata' => [8 => 'a', 'handler_tool' => 'b']];
        self::assertNull(ToolResultFinder::findHandlerResult($odd, 'a'));
        $odd[] = self::packet('a');
        self::assertSame(end($odd), ToolResultFinder::findHandlerResult($odd, 'a'));
    }

    public function testRecursionIsLeftAlone(): void
    {
        $packet = self::packet('a');
        $packet['metadata']['self'] = &$packet;
        $data = [&$packet];
        $data['data'] = &$data;
        $found = ToolResultFinder::findHandlerResult($data, 'a');
        self::assertSame('a', $found['metadata']['self']['metadata']['handler_tool']);
        self::assertCount(1, ToolResultFinder::findAllHandlerResults($data, ['a', 'b']));
        unset($packet['metadata']['self'], $data['data']);
    }

    public function testTruthIsPhps(): void
    {
        $cases = [
            [true, true], ['false', true], ['0.0', true], [[0], true], [NAN, true],
            [new stdClass(), true],
            [false, false], ['0', false], ['', false], [[], false], [-0.0, false], [null, false],
            [new SimpleXMLElement('<a/>'), false],
        ];
        foreach ($cases as [$value, $expected]) {
            $packet = [
                'type' => 'tool_result',
                'metadata' => ['handler_tool' => 'a', 'tool_success' => $value],
            ];
            self::assertSame($expected, ToolResultFinder::projectResultSuccess($packet));
            $found = ToolResultFinder::findHandlerResult([$packet], 'a', successOnly: true);
            self::assertSame($expected, $found !== null);
        }
    }

    public function testNamesOfAnyBytes(): void
    {
        $data = [self::packet("\xff\0"), self::packet('')];
        self::assertSame($data[0], ToolResultFinder::findHandlerResult($data, "\xff\0"));
        self::assertSame(
            $data[0],
            ToolResultFinder::findHandlerResult($data, "\0", partialMatch: true)
        );
        self::assertSame($data[1], ToolResultFinder::findHandlerResult($data, ''));
        $envelope = ["\xff" => 1, 'success' => true, 5 => 'five', 'kept' => 2];
        self::assertSame(
            ["\xff" => 1, 5 => 'five', 'kept' => 2],
            ToolResultFinder::projectEnvelopeData($envelope)
        );
    }

    public function testTheFilterHasTheLastWord(): void
    {
        $data = [self::packet('a'), self::packet('b')];
        $seen = [];
        $filter = function (?array $result, array $packets, string $handler) use (&$seen): ?array {
            $seen[] = [$result, $packets, $handler];
            return $result === null ? ['made' => $handler] : null;
        };
        ToolResultFinder::setFilter($filter);
        self::assertSame(['made' => 'c'], ToolResultFinder::findHandlerResult($data, 'c'));
        self::assertNull(ToolResultFinder::findHandlerResult($data, 'b'));
        self::assertSame([[null, $data, 'c'], [$data[1], $data, 'b']], $seen);
        ToolResultFinder::setFilter();
        self::assertSame($data[1], ToolResultFinder::findHandlerResult($data, 'b'));
    }

    public function testAFilterMayFindAndThrow(): void
    {
        $data = [self::packet('a'), self::packet('b')];
        ToolResultFinder::setFilter(
            static fn (?array $result, array $data): ?array =>
                ToolResultFinder::findHandlerResult($data, 'b')
        );
        self::assertSame($data[1], ToolResultFinder::findHandlerResult($data, 'a'));
        $thrown = new DomainException('mine');
        ToolResultFinder::setFilter(static fn () => throw $thrown);
        try {
            ToolResultFinder::findHandlerResult($data, 'a');
            self::fail('nothing was thrown');
        } catch (DomainException $caught) {
            self::assertSame($thrown, $caught);
        }
        ToolResultFinder::setFilter(static function (?array $result): ?array {
            ToolResultFinder::setFilter(null);
            return $result;
        });
        self::assertSame($data[0], ToolResultFinder::findHandlerResult($data, 'a'));
    }

    public function testAFilterThatAFiberSuspendsHoldsInEveryOtherFiber(): void
    {
        $data = [self::packet('a')];
        ToolResultFinder::setFilter(static function (?array $result, array $data): array {
            $own = ToolResultFinder::findHandlerResult($data, 'a') === $data[0];
            if (Fiber::getCurrent() !== null) {
                Fiber::suspend();
            }
            return ['own' => $own];
        });
        $find = static fn (): ?array => ToolResultFinder::findHandlerResult($data, 'a');
        $fibers = [new Fiber($find), new Fiber($find)];
        $fibers[0]->start();
        self::assertSame(['own' => true], $find());
        $fibers[1]->start();
        $fibers[0]->resume();
        self::assertSame(['own' => true], $find());
        $fibers[1]->resume();
        self::assertSame(['own' => true], $fibers[0]->getReturn());
        self::assertSame(['own' => true], $fibers[1]->getReturn());
        $dropped = new Fiber($find);
        $dropped->start();
        unset($dropped);
        self::assertSame(['own' => true], $find());
        $failing = new Fiber($find);
        $failing->start();
        try {
            $failing->throw(new DomainException('mine'));
            self::fail('nothing was thrown');
        } catch (DomainException) {
            self::assertSame(['own' => true], $find());
        }
    }

    public function testAFilterThatSearchesInFibersThatItStartsIsAnError(): void
    {
        $data = [self::packet('a')];
        $kinds = [];
        ToolResultFinder::setFilter(static function (?array $result, array $data) use (&$kinds): array {
            try {
                (new Fiber(static fn () => ToolResultFinder::findHandlerResult($data, 'a')))->start();
            } catch (InvalidState $error) {
                $kinds[] = $error->getKind();
            } catch (FiberError | Exception) {
                // The system has no room for as many stacks.
                $kinds[] = 'nested_too_deep';
            }
            return [];
        });
        self::assertSame([], ToolResultFinder::findHandlerResult($data, 'a'));
        self::assertSame(['nested_too_deep'], $kinds);
    }

    public function testMisuseOfTheFinder(): void
    {
        $tries = [
            [
                InvalidArgument::class,
                fn () => ToolResultFinder::findHandlerResult([], 'a', type: 'fetch'),
            ],
            [WrongType::class, fn () => ToolResultFinder::findAllHandlerResults([], [1])],
            [WrongType::class, fn () => ToolResultFinder::setFilter('no such function')],
            [TypeError::class, fn () => ToolResultFinder::findHandlerResult(null, 'a')],
            [TypeError::class, fn () => ToolResultFinder::findHandlerResult([], null)],
            [TypeError::class, fn () => ToolResultFinder::findHandlerResult([], 'a', 1)],
            [TypeError::class, fn () => ToolResultFinder::findAllHandlerResults([], null)],
            [TypeError::class, fn () => ToolResultFinder::projectResultData(new ArrayObject())],
        ];
        foreach ($tries as $place => [$class, $try]) {
            try {
                $try();
                self::fail("$place: nothing was thrown");
            } catch (InvalidArgument | TypeError $error) {
                self::assertInstanceOf($class, $error, "$place: {$error->getMessage()}");
            }
        }
        ToolResultFinder::setFilter(static fn () => 'text');
        $this->expectException(WrongType::class);
        $this->expectExceptionMessage('must return an array or null, not string');
        ToolResultFinder::findHandlerResult([], 'a');
    }
}
