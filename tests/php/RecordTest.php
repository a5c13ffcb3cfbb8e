<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use Error;
use Exception;
use PHPUnit\Framework\TestCase;
use ReflectionClass;
use ReflectionExtension;
use Throwable;
use Toolwire\Detection;
use Toolwire\Detector;
use Toolwire\Entry;
use Toolwire\Exception\ToolwireThrowable;
use Toolwire\Provider;
use Toolwire\ProviderResult;
use Toolwire\Patch;
use Toolwire\Reader;
use Toolwire\Seen;
use Toolwire\ToolCall;
use Toolwire\ToolResult;
use Toolwire\Transcript;
use Toolwire\Tools\Executor;
use Toolwire\Tools\Registry;
use Toolwire\Tools\Store\Memory;

/** Objects as arrays, as JSON, serialised and exported, and what a stranger may make of these. */
final class RecordTest extends TestCase
{
    private const TEXT = "x\xff "
        . '<tool:a>{"k":{},"l":[],"n":1.0,"big":123456789012345678901}</tool> <tool:b>{x}</tool> '
        . '=>add:{"a":1}; y <tool:c>{"z":-0.0}';

    private static function detection(): Detection
    {
        $arrow = ['slug' => 'arrow', 'body' => 'named',
            'call' => ['open' => '=>', 'name_end' => ':', 'close' => ';']];
        return (new Detector(formats: ['tag', $arrow]))->detect(self::TEXT);
    }

    /** @return list<object> one of each class whose objects come back, by their kinds */
    private static function objects(): array
    {
        $detection = self::detection();
        $message = ['role' => 'assistant', 'content' => null, 'tool_calls' => [
            [
                'id' => 'c1',
                'type' => 'function',
                'function' => ['name' => 'x', 'arguments' => '{"a":{}}'],
            ],
            ['id' => 'c2', 'type' => 'function', 'function' => ['name' => 5, 'arguments' => '[']],
        ]];
        $exchange = Provider::parse([
            'messages' => [$message, ['role' => 'tool', 'tool_call_id' => 'c1', 'content' => '7']],
        ]);
        $result = new ToolResult(
            "t\xff",
            false,
            ['a' => [1, null], 'b' => 1.5],
            "broken\xff",
            0.25
        );
        $patches = self::patches();
        return [
            ...$patches, ...array_column($patches, 'entry'),
            $detection, (new Detector())->detect(''), ...$detection->calls,
            ...$detection->rejections,
            ...$detection->segments, $result, new ProviderResult($result, 'c9'),
            new ProviderResult($result), $exchange,
            ...$exchange->calls, ...$exchange->results, ...$exchange->rejections,
        ];
    }

    /**
     * @return list<Patch> a call with its result, one that failed, a command, an edit, a list,
     *     messages
     */
    private static function patches(): array
    {
        $calls = [
            ['a', 'now', '{"k":{}}'], ['b', 'Execute', '{"command":"make"}'], ['c', 'x', '{'],
            ['d', 'Edit', '{"path":"p","old_string":"a","new_string":"b"}'],
        ];
        $lines = [
            ['role' => 'user', 'content' => 'Hello é'],
            [
                'role' => 'assistant',
                'content' => 'Yes',
                'tool_calls' => array_map(
                    static fn (array $call) =>
                        [
                            'id' => $call[0],
                            'function' => ['name' => $call[1], 'arguments' => $call[2]],
                        ],
                    $calls
                ),
            ],
            [
                'role' => 'tool',
                'tool_call_id' => 'a',
                'content' => '{"o":{},"n":123456789012345678901}',
            ],
            [
                'role' => 'tool',
                'tool_call_id' => 'b',
                'content' => "x\n[Process exited with code 3]",
            ],
        ];
        $reader = new Reader(dialect: 'openai');
        return $reader->feed(implode("\n", array_map(json_encode(...), $lines)) . "\n");
    }

    /** @return array<string, mixed> what `fromArray()` takes */
    private static function record(object $object): array
    {
        return $object instanceof Entry || $object instanceof Patch
            ? $object->record
            : $object->toArray();
    }

    /** @return list<class-string> the classes whose objects come back */
    private static function classes(): array
    {
        $classes = (new ReflectionExtension('toolwire'))->getClasses();
        return array_keys(
            array_filter(
                $classes,
                static fn (ReflectionClass $class) => $class->hasMethod('fromArray')
            )
        );
    }

    public function testEveryClassIsTried(): void
    {
        $tried = array_unique(array_map(get_class(...), self::objects()));
        self::assertEqualsCanonicalizing(self::classes(), array_values($tried));
        self::assertGreaterThanOrEqual(8, count($tried));
    }

    public function testEveryObjectComesBack(): void
    {
        foreach (self::objects() as $object) {
            $exported = eval('return ' . var_export(self::record($object), true) . ';');
            $copies = [
                unserialize(serialize($object)),
                $object::fromArray(self::record($object)),
                $object::fromArray($exported),
                eval('return ' . var_export($object, true) . ';'),
            ];
            foreach ($copies as $way => $copy) {
                self::assertSame($object::class, $copy::class);
                self::assertSame($object->toArray(), $copy->toArray(), $object::class . " $way");
                self::assertSame(
                    self::record($object),
                    self::record($copy),
                    $object::class . " $way"
                );
                self::assertTrue($object == $copy, $object::class . " $way");
                self::assertNotSame($object, $copy);
                self::assertSame($object->toArray(), unserialize(serialize($copy))->toArray());
            }
        }
    }

    public function testADetectionThatCameBackWorks(): void
    {
        $detection = self::detection();
        $copy = unserialize(serialize([$detection, $detection->calls[0]]))[0];
        self::assertSame(['a', 'add', 'c'], array_column($copy->calls, 'name'));
        self::assertSame('arrow', $copy->calls[1]->format);
        self::assertSame($detection->text, $copy->text);
        self::assertSame(
            $detection->replace(static fn (ToolCall $call): string => $call->name),
            $copy->replace(static fn (ToolCall $call): string => $call->name)
        );
        self::assertSame(['missing_end'], array_column($copy->calls[2]->diagnostics, 'code'));
        self::assertSame($copy->calls[0], $copy->segments[1]->call);
        self::assertSame($detection->calls[0]->toHtml(), $copy->calls[0]->toHtml());
        self::assertSame(
            Provider::dump($detection->calls[0], 'openai'),
            Provider::dump($copy->calls[0], 'openai')
        );
    }

    public function testJsonHasTheArgumentsAsTheModelWroteThem(): void
    {
        $written = '{"o":{},"l":[],"n":{"0":1,"1":[{}]},"f":1.5,"i":9007199254740993,'
            . '"u":"\u00e9","":0,"\u0000x":1}';
        $call = (new Detector())->detect("<tool:a>$written</tool>")->calls[0];
        self::assertSame(
            array_keys($call->toArray()),
            array_keys((array) json_decode((string) json_encode($call), true))
        );
        self::assertStringContainsString("\"arguments\":$written,", (string) json_encode($call));
        self::assertStringContainsString("\"arguments\":$written,", $call->toJson());
        // What json_encode() cannot write.
        $written = '{"a":123456789012345678901,"b":1e400,"c":1.0,"d":1e2,"e":-0.0,"f":1,"f":2, '
            . '"g":-1e400}';
        $call = (new Detector())->detect("<tool:a>$written</tool> ")->calls[0];
        $encoded = '{"a":"123456789012345678901","b":"1e400","c":1.0,"d":100.0,"e":-0.0,"f":2,'
            . '"g":"-1e400"}';
        self::assertStringContainsString(
            $encoded,
            (string) json_encode($call, JSON_PRESERVE_ZERO_FRACTION)
        );
        self::assertStringContainsString("\"arguments\":$written,", $call->toJson());
        foreach (self::detection()->calls as $call) {
            $exact = json_decode(
                $call->toJson(),
                true,
                512,
                JSON_THROW_ON_ERROR | JSON_BIGINT_AS_STRING
            );
            self::assertSame(json_decode((string) json_encode($call), true)['id'], $exact['id']);
            self::assertSame($call->toArray(), $exact);
        }
    }

    /** @return iterable<string, array{string, mixed}> a field and what it must not be */
    public static function wrong(): iterable
    {
        foreach ([
            'id', 'id_given', 'index', 'name', 'arguments_raw', 'format', 'original', 'span',
            'status', 'diagnostics',
        ] as $field) {
            foreach ([null, [], new \stdClass(), -1, 1.5, "\xff", 'no', [[]], STDIN] as $value) {
                if (
                    !($field === 'diagnostics' && $value === [])
                    && !(in_array($field, ['id', 'name', 'format'], true) && $value === 'no')
                ) {
                    yield $field . ' ' . print_r($value, true) => [$field, $value];
                }
            }
        }
        $spans = [[-1, 2], [5, 4], [0, PHP_INT_MAX], [0, 3], ['0', '1'], [0.0, 1.0]];
        foreach ($spans as [$start, $end]) {
            yield 'span ' . json_encode([$start, $end]) => [
                'span',
                ['start' => $start, 'end' => $end],
            ];
        }
        foreach ([
            '[1]',
            '{',
            '"x"',
            '{}x',
            '{"a":-}',
            '{"a":1.}',
            '{"a":01}',
            "{\"a\":\"\n\"}",
            '{"a":"\u+041"}',
            str_repeat('{"a":', 100_000) . '1' . str_repeat('}', 100_000),
        ] as $raw) {
            yield 'arguments ' . substr($raw, 0, 9) => ['arguments_raw', $raw];
        }
        yield 'long slug' => ['format', str_repeat('x', 1000)];
    }

    /** @dataProvider wrong */
    public function testWhatIsNoRecordIsRefused(string $field, mixed $value): void
    {
        $fields = self::detection()->calls[0]->toArray();
        $left = $fields;
        unset($left[$field]);
        foreach ([[$field => $value] + $fields, $left] as $bad) {
            $whole = [
                'calls' => [$bad], 'rejections' => [], 'rejections_dropped' => 0,
                'input' => self::TEXT,
            ];
            $ways = [
                static fn () => ToolCall::fromArray($bad),
                static fn () => ToolCall::__set_state($bad),
                static fn () => Detection::fromArray($whole),
            ];
            if (!is_resource($value)) {
                $ways[] = static fn () => unserialize(
                    'O:17:"Toolwire\ToolCall"' . substr(serialize($bad), 1)
                );
                $ways[] = static fn () => unserialize(
                    'a:1:{i:0;O:17:"Toolwire\ToolCall"' . substr(serialize($bad), 1) . '}'
                );
            }
            foreach ($ways as $way) {
                try {
                    $way();
                    self::fail('taken');
                } catch (ToolwireThrowable $error) {
                    self::assertSame('invalid_record', $error->getKind());
                    self::assertGreaterThan(0, $error->getCode());
                }
            }
        }
    }

    public function testWhatIsNoRecordOfAnEntryIsRefused(): void
    {
        $holds = [];
        $holds['x'] = &$holds;
        foreach (self::patches() as $patch) {
            foreach ($patch->entry->record as $kind => $fields) {
                $bad = array_map(
                    static fn (string $field) => [$kind => array_diff_key($fields, [$field => 1])],
                    array_diff(array_keys($fields), ['result'])
                );
                array_push(
                    $bad,
                    [],
                    [$kind => []],
                    [$kind => null],
                    ['other' => $fields],
                    [$kind => $holds]
                );
                array_push(
                    $bad,
                    [$kind => ['x' => 1] + $fields],
                    [$kind => ["\xff" => 1] + $fields]
                );
                array_push(
                    $bad,
                    [$kind => ['x' => STDIN] + $fields],
                    [$kind => ['x' => NAN] + $fields]
                );
                array_push(
                    $bad,
                    [$kind => $fields, 'other' => $fields],
                    [$kind => ['x' => new Seen()] + $fields]
                );
            }
            foreach ($bad as $record) {
                $ways = [
                    static fn () => Entry::fromArray($record),
                    static fn () => Entry::__set_state(['record' => $record]),
                    static fn () => Entry::__set_state($record),
                    static fn () => Patch::fromArray(['entry' => $record] + $patch->record),
                    static fn () => Patch::fromArray(['index' => -1] + $patch->record),
                    static fn () => Patch::fromArray(['op' => 'remove'] + $patch->record),
                ];
                foreach ($ways as $way) {
                    try {
                        $way();
                        self::fail('taken');
                    } catch (ToolwireThrowable $error) {
                        self::assertSame('invalid_record', $error->getKind());
                    }
                }
            }
        }
    }

    public function testADetectionIsOnlyMadeOfCallsThatStandInItsText(): void
    {
        $fields = self::detection()->toArray();
        $ways = [
            ['calls' => array_reverse($fields['calls'])],
            ['calls' => [$fields['calls'][0], $fields['calls'][0]]],
            ['calls' => [$fields['calls'][1]]],
            ['input' => ''],
            ['input' => strtoupper($fields['input'])],
            ['calls' => 5], ['calls' => [5]], ['calls' => [new Seen()]], ['rejections' => null],
            ['rejections' => [['code' => 'none'] + $fields['rejections'][0]]],
            [
                'rejections' => [
                    ['span' => ['start' => 0, 'end' => 100_000]] + $fields['rejections'][0],
                ],
            ],
            ['rejections_dropped' => -1],
        ];
        foreach ($ways as $way) {
            try {
                Detection::fromArray($way + $fields);
                self::fail('taken');
            } catch (ToolwireThrowable $error) {
                self::assertSame('invalid_record', $error->getKind());
            }
        }
    }

    public function testAnObjectIsNotOverwritten(): void
    {
        foreach (self::objects() as $object) {
            $before = self::record($object);
            try {
                $object->__unserialize($before);
                self::fail('overwritten');
            } catch (Error $error) {
                self::assertStringContainsString('twice', $error->getMessage());
            }
            self::assertSame($before, self::record($object));
        }
    }

    /** What `unserialize()` made and did not fill. */
    public function testAnObjectThatHoldsNothingThrows(): void
    {
        foreach (self::classes() as $class) {
            $object = @unserialize('C:' . strlen($class) . ":\"$class\":0:{}");
            if (!is_object($object)) {
                continue;
            }
            foreach ([
                'toArray', '__serialize', 'jsonSerialize', 'toJson', 'count', 'getIterator',
            ] as $method) {
                if (method_exists($object, $method)) {
                    try {
                        $object->$method();
                        self::fail("$class::$method()");
                    } catch (Exception | Error $error) {
                        self::assertNotSame('', $error->getMessage());
                    }
                }
            }
            try {
                serialize($object);
                self::fail("$class is serialised");
            } catch (Throwable $error) {
                self::assertStringContainsString('not constructed', $error->getMessage());
            }
            var_export($object, true);
            print_r($object, true);
        }
        self::assertTrue(true);
    }

    /**
     * `unserialize()` fills objects from the inside out, so a record can name an object that is
     * still empty.
     */
    public function testAnObjectThatIsStillEmptyIsRefused(): void
    {
        $call = self::detection()->calls[0];
        $result = new ToolResult('t', true, 1);
        $segment = 'O:16:"Toolwire\Segment":4:{s:4:"type";s:4:"call";s:4:"text";'
            . serialize($call->original)
            . 's:4:"span";' . serialize($call->span) . 's:4:"call";r:1;}';
        $answer = 'O:23:"Toolwire\ProviderResult":3:'
            . '{s:6:"result";r:1;s:7:"call_id";N;s:6:"format";s:0:"";}';
        $around = static function (object $object, string $inner): string {
            $fields = serialize($object->toArray());
            return sprintf(
                'O:%d:"%s":%d:{s:1:"x";%s',
                strlen($object::class),
                $object::class,
                count($object->toArray()) + 1,
                $inner . substr($fields, strpos($fields, '{') + 1)
            );
        };
        foreach ([$around($call, $segment), $around($result, $answer)] as $text) {
            try {
                unserialize($text);
                self::fail('taken');
            } catch (ToolwireThrowable $error) {
                self::assertSame('invalid_record', $error->getKind());
            }
        }
        $text = 'O:19:"Toolwire\ToolResult":5:{s:4:"tool";s:1:"t";s:7:"success";b:1;s:4:"data";r:1;'
            . 's:10:"confidence";d:1;s:13:"error_message";N;}';
        $result = unserialize($text);
        self::assertSame($result, $result->data);
        self::assertSame($result, $result->toArray()['data']);
    }

    public function testTheExampleOfTheDocsDoesWhatItSays(): void
    {
        $page = (string) file_get_contents(Cases::ROOT . '/docs/records.md');
        self::assertSame(1, preg_match_all('/```php\n(.*?)```/s', $page, $examples));
        self::assertGreaterThan(4, preg_match_all('~echo .*; +// (.*)$~m', $examples[1][0], $said));
        [$output, $status] = ToolsSafetyTest::php($examples[1][0]);
        self::assertSame([$said[1], 0], [explode("\n", $output), $status]);
    }

    public function testWhatIsAliveIsNotSerialised(): void
    {
        $alive = [
            new Detector(), (new Detector())->stream(), new Seen(), new Registry(), new Memory(),
            new Executor(new Registry()), new Reader(), Transcript::normalize(''),
            (new Detector())->stream()->feed('x')[0],
        ];
        foreach ($alive as $object) {
            $class = $object::class;
            foreach ([
                static fn () => serialize($object),
                static fn () => unserialize('O:' . strlen($class) . ":\"$class\":0:{}"),
            ] as $way) {
                try {
                    $way();
                    self::fail($class);
                } catch (Exception $error) {
                    self::assertStringContainsString(
                        "of '$class' is not allowed",
                        $error->getMessage()
                    );
                }
            }
        }
    }
}
