<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use ArrayIterator;
use Error;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Toolwire\Detector;
use Toolwire\Exception\InvalidArgument;
use Toolwire\Exception\ToolwireThrowable;
use Toolwire\Exception\WrongType;
use Toolwire\Seen;
use stdClass;

/** Options of a detector: how they are given, and how a wrong one is named. */
final class DetectorOptionsTest extends TestCase
{
    private const TEXT = 'a <tool:one>{"x":1}</tool> b <tool:two>{"y":{}}</tool> c';

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
        yield 'type' => [['reasoning' => 1], WrongType::class, 'reasoning'];
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
    #[DataProvider('misuse')]
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

    public function testFormatsAreListedAndTakenByName(): void
    {
        $formats = Detector::formats();
        // `json` reads the calls of `xlam`.
        $automatic = [...(Detector::profileFor('auto')?->formats ?? []), 'xlam'];
        self::assertGreaterThan(50, count($automatic));
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
            // The other forms are read for the models alone that write them.
            if (!in_array($format['slug'], $automatic, true)) {
                continue;
            }
            $default = (new Detector())->detect($format['example'])->calls;
            self::assertEquals(
                array_column($calls, 'arguments'),
                array_column($default, 'arguments'),
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
