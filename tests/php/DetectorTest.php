<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use ArrayIterator;
use DomainException;
use Error;
use Exception;
use PHPUnit\Framework\TestCase;
use stdClass;
use Toolwire\Detection;
use Toolwire\Detector;
use Toolwire\Event;
use Toolwire\Exception\InvalidArgument;
use Toolwire\Exception\InvalidState;
use Toolwire\Exception\ToolwireThrowable;
use Toolwire\Exception\WrongType;
use Toolwire\Seen;
use Toolwire\ToolCall;
use TypeError;

/** Detection as PHP code meets it: objects, properties, callbacks, options. */
final class DetectorTest extends TestCase
{
    private const TEXT = 'a <tool:one>{"x":1}</tool> b <tool:two>{"y":{}}</tool> c';

    private function detect(string $text = self::TEXT): Detection
    {
        return (new Detector())->detect($text);
    }

    public function testNumbersAndKeysAreThoseOfJsonDecode(): void
    {
        $longest = str_repeat('9', 18);
        $numbers = [
            '0', '-0', '7', '-7', $longest, "-$longest", "1$longest", '1' . str_repeat('0', 18),
            '9223372036854775807', '-9223372036854775808', '9223372036854775808', '1.5', '-1e3',
            '1E-2', '0.0',
        ];
        foreach ($numbers as $number) {
            $json = "{\"a\":$number,\"b\":[$number, $number],"
                . '"7":1,"-7":2,"07":3,":":4,"/":5,"":6}';
            $call = (new Detector())->detect("<tool:a>$json</tool>")->calls[0];
            self::assertSame(
                json_decode($json, true, 512, JSON_BIGINT_AS_STRING),
                $call->arguments,
                $number
            );
        }
    }

    public function testADetectionIsCountableAndIterable(): void
    {
        $detection = $this->detect();
        self::assertCount(2, $detection);
        $names = [];
        foreach ($detection as $index => $call) {
            foreach ($detection as $inner) {
                $names[] = "$index {$call->name} {$inner->name}";
            }
        }
        self::assertSame(['0 one one', '0 one two', '1 two one', '1 two two'], $names);
        self::assertInstanceOf(ArrayIterator::class, $detection->getIterator());
    }

    public function testListsAreTheSameEachTime(): void
    {
        $detection = $this->detect();
        self::assertSame($detection->calls, $detection->calls);
        self::assertSame($detection->calls[1], $detection->segments[3]->call);
        self::assertSame('a  b  c', $detection->text);
    }

    public function testACallOutlivesItsDetectionAndItsText(): void
    {
        $text = str_repeat('x', 100) . self::TEXT;
        $call = $this->detect($text)->calls[1];
        unset($text);
        self::assertSame('<tool:two>{"y":{}}</tool>', $call->original);
        self::assertSame(['y' => []], $call->arguments);
        self::assertEquals((object) ['y' => new stdClass()], $call->argumentsObject());
        self::assertNotSame($call->argumentsObject(), $call->argumentsObject());
    }

    public function testArgumentsAreTheCallersToChange(): void
    {
        $call = $this->detect()->calls[0];
        $arguments = $call->arguments;
        $arguments['x'] = 2;
        self::assertSame(['x' => 1], $call->arguments);
    }

    public function testArgumentsAreWhatPhpMakesOfJson(): void
    {
        $json = '{"big":12345678901234567890,"huge":1e999,"neg":-9223372036854775808,"zero":-0,'
            . '"f":-0.0,"7":"seven","07":1,"":2,"\u0000k":3,"e":"\u00e9\ud83d\ude00\n\/","n":null,'
            . '"l":[[],{},[1,[2]]],"t":true,"7":"last"}';
        $call = $this->detect("<tool:t>$json</tool>")->calls[0];
        $expected = [
            'big' => '12345678901234567890', 'huge' => INF, 'neg' => PHP_INT_MIN, 'zero' => 0,
            'f' => -0.0,
            7 => 'last', '07' => 1, '' => 2, "\0k" => 3, 'e' => "é😀\n/", 'n' => null,
            'l' => [[], [], [1, [2]]], 't' => true,
        ];
        self::assertSame($expected, $call->arguments);
        $names = array_keys((array) $call->argumentsObject());
        self::assertSame(array_keys($expected), $names);
    }

    public function testAnEmptyListCountsAsNoArguments(): void
    {
        $call = $this->detect('<tool:t>[]</tool>')->calls[0];
        self::assertSame([], $call->arguments);
        self::assertEquals(new stdClass(), $call->argumentsObject());
        self::assertSame('[]', $call->argumentsRaw);
    }

    public function testToArrayAndToHtml(): void
    {
        $call = $this->detect()->calls[0];
        self::assertSame([
            'id', 'id_given', 'index', 'name', 'arguments', 'arguments_raw', 'format', 'original',
            'span', 'status',
            'diagnostics',
        ], array_keys($call->toArray()));
        self::assertSame(['start' => 2, 'end' => 26], $call->span);
        self::assertStringContainsString('data-tool-name="one"', $call->toHtml());
        self::assertNotSame($call->toHtml(), $call->toHtml('completed'));
        self::assertSame($call->toHtml(), $call->toHtml(status: 'processing'));
    }

    public function testReplacePutsEachResultInItsPlace(): void
    {
        $detection = $this->detect('<tool:a>{}</tool><tool:a>{}</tool>');
        $count = 0;
        $replaced = $detection->replace(static function (ToolCall $call) use (&$count): string {
            return ++$count . '<tool:a>{}</tool>';
        });
        self::assertSame('1<tool:a>{}</tool>2<tool:a>{}</tool>', $replaced);
        self::assertSame('a ONE b TWO c', $this->detect()->replace([$this, 'upper']));
    }

    public function upper(ToolCall $call): string
    {
        return strtoupper($call->name);
    }

    public function testWhatAReplacementThrowsComesThroughUntouched(): void
    {
        $thrown = new DomainException('mine', 7, new Exception('before'));
        $calls = 0;
        try {
            $this->detect()->replace(function () use ($thrown, &$calls) {
                $calls++;
                throw $thrown;
            });
            self::fail('nothing was thrown');
        } catch (DomainException $caught) {
            self::assertSame($thrown, $caught);
            self::assertSame('before', $caught->getPrevious()->getMessage());
            self::assertSame(1, $calls);
        }
    }

    public function testAReplacementMustBeAString(): void
    {
        foreach ([null, 1, ['x'], new stdClass()] as $value) {
            try {
                $this->detect()->replace(static fn () => $value);
                self::fail('nothing was thrown');
            } catch (WrongType $error) {
                self::assertStringContainsString('must be a string', $error->getMessage());
            }
        }
        $this->expectException(WrongType::class);
        $this->expectExceptionMessage('callable');
        $this->detect()->replace('no such function');
    }

    public function testDetectionInsideAReplacement(): void
    {
        $detector = new Detector();
        $outer = $detector->detect(self::TEXT);
        $again = static function (ToolCall $call) use ($detector, $outer): string {
            $inner = $detector->detect("[{$call->original}]");
            return $inner->replace(
                static fn (ToolCall $call): string => $call->name . count($outer)
            );
        };
        $replaced = $outer->replace($again);
        self::assertSame('a [one2] b [two2] c', $replaced);
    }

    public function testPropertiesCannotBeChanged(): void
    {
        $detection = $this->detect();
        $call = $detection->calls[0];
        $tries = [
            'readonly' => static function () use ($call) { $call->name = 'x'; },
            'append' => static function () use ($detection) { $detection->text .= 'x'; },
            'unset' => static function () use ($call) { unset($call->id); },
            'new' => static function () use ($call) { $call->other = 1; },
            'clone' => static function () use ($call) { clone $call; },
            'construct' => static function () { new ToolCall(); },
        ];
        foreach ($tries as $what => $try) {
            try {
                $try();
                self::fail("$what: nothing was thrown");
            } catch (Error $error) {
                self::assertNotInstanceOf(ToolwireThrowable::class, $error, $what);
            }
        }
        self::assertSame('one', $call->name);
        self::assertTrue(isset($call->name, $call->arguments));
        self::assertFalse(isset($call->nothing));
    }

    public function testObjectsWithLiveStateAreNotSerialised(): void
    {
        $detection = $this->detect();
        self::assertSame($detection->toArray(), unserialize(serialize($detection))->toArray());
        foreach ([new Detector(), (new Detector())->stream(), new Seen()] as $object) {
            try {
                serialize($object);
                self::fail('nothing was thrown');
            } catch (Exception $error) {
                self::assertStringContainsString('not allowed', $error->getMessage());
            }
        }
        $this->expectException(Exception::class);
        unserialize('O:17:"Toolwire\Detector":0:{}');
    }

    public function testOptionsByName(): void
    {
        $detector = new Detector(tools: ['one'], maxCalls: 5, formats: ['tag', 'json']);
        $detection = $detector->detect(self::TEXT);
        self::assertSame(['one'], array_column($detection->calls, 'name'));
        self::assertSame(['unknown_tool'], array_column($detection->rejections, 'code'));
        $detector = new Detector(
            aliases: ['two' => 'three'],
            legacy: ['one' => 'uno'],
            htmlClass: null
        );
        self::assertSame(['three'], array_column($detector->detect(self::TEXT)->calls, 'name'));
        self::assertSame('legacy_tool', $detector->detect(self::TEXT)->rejections[0]->code);
    }

    public function testToolsWithSchemasOfArraysAndObjects(): void
    {
        $empty = ['name' => 'one', 'parameters' => ['type' => 'object', 'properties' => []]];
        $typed = [
            'name' => 'two',
            'input_schema' => (object) ['type' => 'object', 'required' => ['z']],
        ];
        $detector = new Detector(tools: [$empty, $typed, 'three'], validate: 'reject');
        $detection = $detector->detect(self::TEXT);
        self::assertSame(['one'], array_column($detection->calls, 'name'));
        self::assertSame(['schema_mismatch'], array_column($detection->rejections, 'code'));
    }

    /**
     * @return iterable<string, array{array<string, mixed>, class-string<ToolwireThrowable>,
     *     string}>
     */
    public static function misuse(): iterable
    {
        yield 'formats' => [['formats' => 1], WrongType::class, 'formats'];
        yield 'format' => [['formats' => ['tga']], InvalidArgument::class, 'tag'];
        yield 'preset' => [['preset' => 'x'], InvalidArgument::class, 'memberpress'];
        yield 'word' => [['fences' => 'some'], InvalidArgument::class, 'none'];
        yield 'range' => [['maxDepth' => 0], InvalidArgument::class, 'max_depth'];
        yield 'float' => [['maxInput' => NAN], InvalidArgument::class, 'max_input'];
        yield 'type' => [['reasoning' => 'yes'], WrongType::class, 'reasoning'];
        yield 'list' => [['aliases' => ['a']], WrongType::class, 'aliases'];
        yield 'object' => [['tools' => [new ArrayIterator([])]], WrongType::class, 'ArrayIterator'];
        yield 'resource' => [['tools' => [STDIN]], WrongType::class, 'resource'];
        yield 'seen' => [['seen' => new stdClass()], WrongType::class, 'Toolwire\Seen'];
        yield 'not UTF-8' => [['tools' => ["\xff"]], InvalidArgument::class, 'UTF-8'];
        yield 'key not UTF-8' => [['aliases' => ["\xff" => 'a']], InvalidArgument::class, 'UTF-8'];
    }

    /**
     * @dataProvider misuse
     *
     * @param array<string, mixed> $options
     * @param class-string<ToolwireThrowable> $class
     */
    public function testMisuseNamesTheOption(array $options, string $class, string $named): void
    {
        try {
            new Detector(...$options);
            self::fail('nothing was thrown');
        } catch (ToolwireThrowable $error) {
            self::assertInstanceOf($class, $error);
            self::assertStringContainsString($named, $error->getMessage());
            self::assertSame(__FILE__, $error->getFile());
            self::assertSame(__FUNCTION__, $error->getTrace()[1]['function']);
        }
    }

    public function testArraysWithoutAnEndAreRefused(): void
    {
        $recursive = [];
        $recursive['self'] = &$recursive;
        $deep = [];
        for ($depth = 0; $depth < 10_000; $depth++) {
            $deep = [$deep];
        }
        $wide = [1];
        for ($times = 0; $times < 60; $times++) {
            $wide = [$wide, $wide];
        }
        foreach ([[$recursive], $deep, $wide] as $tools) {
            try {
                new Detector(tools: $tools);
                self::fail('nothing was thrown');
            } catch (InvalidArgument $error) {
                self::assertStringContainsString('tools nests too deep', $error->getMessage());
            }
        }
        unset($recursive['self']);
    }

    public function testAnUnknownOptionIsPhpsOwnError(): void
    {
        $this->expectException(Error::class);
        $this->expectExceptionMessage('Unknown named parameter $format');
        new Detector(...['format' => ['tag']]);
    }

    public function testTextArgumentsFollowTheCallersStrictTypes(): void
    {
        $weak = eval('return (new Toolwire\Detector())->detect(12.5)->text;');
        self::assertSame('12.5', $weak);
        $this->expectException(TypeError::class);
        $this->expectExceptionMessage('Argument #1 ($text) must be of type string, int given');
        (new Detector())->detect(12);
    }

    public function testStreams(): void
    {
        $stream = (new Detector())->stream();
        $pieces = ['a <tool:o', 'ne>{"x', '":1}</tool> b <tool:two>no</tool>'];
        $events = array_merge(...array_map([$stream, 'feed'], $pieces));
        array_push($events, ...$stream->finish());
        $of = static fn (string $type): array =>
            array_values(
                array_filter($events, static fn (Event $event): bool => $event->type === $type)
            );
        [$start, $end] = [$of('call_start')[0], $of('call_end')[0]];
        self::assertSame([0, 'one'], [$start->number, $start->name]);
        self::assertSame('{"x":1}', implode('', array_column($of('arguments_delta'), 'json')));
        self::assertSame(['x' => 1], $end->call->arguments);
        self::assertSame('<tool:one>{"x":1}</tool>', $end->call->original);
        self::assertSame(
            'a  b <tool:two>no</tool>',
            implode('', array_column($of('text'), 'text'))
        );
        self::assertSame('bad_json', $of('rejection')[0]->rejection->code);
        foreach (['json', 'text', 'call', 'rejection'] as $other) {
            self::assertNull($start->$other);
        }
        foreach (['number', 'name', 'json', 'call', 'rejection'] as $other) {
            self::assertNull($of('text')[0]->$other);
        }
        self::assertCount(1, $stream->detection());
        foreach ([fn () => $stream->feed('x'), fn () => $stream->finish()] as $late) {
            try {
                $late();
                self::fail('nothing was thrown');
            } catch (InvalidState $error) {
                self::assertSame('stream_finished', $error->getKind());
            }
        }
        try {
            (new Detector())->stream()->detection();
            self::fail('nothing was thrown');
        } catch (InvalidState $error) {
            self::assertSame('stream_open', $error->getKind());
        }
    }

    public function testACallThatIsRefusedEndsWithoutACall(): void
    {
        $stream = (new Detector())->stream();
        $events = [
            ...$stream->feed('<tool:one>{"x":1'),
            ...$stream->feed(',nothing}'),
            ...$stream->finish(),
        ];
        $ends = array_filter(
            $events,
            static fn (Event $event): bool => $event->type === 'call_end'
        );
        self::assertCount(1, $ends);
        self::assertSame([0, null], [current($ends)->number, current($ends)->call]);
        self::assertSame('<tool:one>{"x":1,nothing}', implode('', array_column($events, 'text')));
        self::assertContains('rejection', array_column($events, 'type'));
    }

    public function testFormatsAreListedAndTakenByName(): void
    {
        $formats = Detector::formats();
        self::assertTrue(array_is_list($formats));
        self::assertSame(
            ['tag', 'json', 'html'],
            array_slice(array_column($formats, 'slug'), 0, 3)
        );
        foreach ($formats as $format) {
            self::assertSame(['slug', 'models', 'body', 'example'], array_keys($format));
            foreach ($format as $value) {
                self::assertNotSame('', $value);
            }
            $calls = (new Detector(formats: $format['slug']))->detect($format['example'])->calls;
            self::assertSame(
                [$format['slug']],
                array_unique(array_column($calls, 'format')),
                $format['slug']
            );
        }
    }

    public function testFormatsMayBeANameADefinitionOrAListOfThem(): void
    {
        $arrow = [
            'slug' => 'arrow', 'body' => 'named',
            'call' => ['open' => '=>', 'name_end' => ':', 'close' => ';'],
        ];
        $text = '=>add:{"a":1}; <tool:one>{}</tool> '
            . '<tool_call>{"name": "two", "arguments": {}}</tool_call>';
        $tries = [
            [null, ['one', 'two']],
            ['tag', ['one']],
            ['hermes', ['two']],
            ['auto', ['one', 'two']],
            [$arrow, ['add']],
            [(object) $arrow, ['add']],
            [[$arrow, 'tag'], ['add', 'one']],
            [['auto', $arrow], ['add', 'one', 'two']],
        ];
        foreach ($tries as [$formats, $names]) {
            $calls = (new Detector(formats: $formats))->detect($text)->calls;
            self::assertSame($names, array_column($calls, 'name'), json_encode($formats));
        }
        self::assertSame('arrow', (new Detector($arrow))->detect($text)->calls[0]->format);
    }

    public function testABadDefinitionOfAFormatIsInvalid(): void
    {
        foreach ([
            ['slug' => 'x'],
            ['slug' => 'x', 'body' => 'none'],
            [['body' => 'json']],
        ] as $formats) {
            try {
                new Detector(formats: $formats);
                self::fail('nothing was thrown');
            } catch (InvalidArgument $error) {
                self::assertSame('invalid_format', $error->getKind());
            }
        }
        new Detector(coerce: true);
        $this->expectException(WrongType::class);
        new Detector(coerce: 'yes');
    }

    public function testSeenIsSharedByDetectors(): void
    {
        $seen = new Seen(10);
        $first = new Detector(seen: $seen);
        $second = new Detector(seen: $seen, formats: ['tag']);
        self::assertCount(2, $first->detect(self::TEXT));
        self::assertSame(
            ['duplicate', 'duplicate'],
            array_column($second->detect(self::TEXT)->rejections, 'code')
        );
        self::assertCount(2, $seen);
        self::assertFalse($seen->containsId('call_x'));
        $second->detect('{"id":"call_x","name":"a","arguments":{}}');
        $first->detect('{"id":"call_x","name":"a","arguments":{}}');
        self::assertTrue($seen->containsId('call_x'));
        $seen->clear();
        self::assertCount(0, $seen);
        self::assertCount(2, $second->detect(self::TEXT));
        $this->expectException(InvalidArgument::class);
        new Seen(0);
    }
}
