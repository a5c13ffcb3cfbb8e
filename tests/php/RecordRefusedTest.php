<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use Error;
use Exception;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Throwable;
use Toolwire\Detection;
use Toolwire\Entry;
use Toolwire\Exception\ToolwireThrowable;
use Toolwire\Patch;
use Toolwire\Seen;
use Toolwire\ToolCall;
use Toolwire\ToolResult;

/** Arrays and serialised texts of a stranger, which are refused. */
final class RecordRefusedTest extends TestCase
{
    private static function assertRefused(callable $way): void
    {
        try {
            $way();
        } catch (ToolwireThrowable $error) {
            self::assertSame('invalid_record', $error->getKind());
            self::assertGreaterThan(0, $error->getCode());
            return;
        }
        self::fail('taken');
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
    #[DataProvider('wrong')]
    public function testWhatIsNoRecordIsRefused(string $field, mixed $value): void
    {
        $fields = Records::detection()->calls[0]->toArray();
        $left = $fields;
        unset($left[$field]);
        foreach ([[$field => $value] + $fields, $left] as $bad) {
            $whole = [
                'calls' => [$bad], 'rejections' => [], 'rejections_dropped' => 0,
                'input' => Records::TEXT,
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
                self::assertRefused($way);
            }
        }
    }

    public function testWhatIsNoRecordOfAnEntryIsRefused(): void
    {
        $holds = [];
        $holds['x'] = &$holds;
        foreach (Records::patches() as $patch) {
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
                    self::assertRefused($way);
                }
            }
        }
    }

    public function testADetectionIsOnlyMadeOfCallsThatStandInItsText(): void
    {
        $fields = Records::detection()->toArray();
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
            self::assertRefused(static fn () => Detection::fromArray($way + $fields));
        }
    }

    public function testAnObjectIsNotOverwritten(): void
    {
        foreach (Records::objects() as $object) {
            $before = Records::record($object);
            try {
                $object->__unserialize($before);
                self::fail('overwritten');
            } catch (Error $error) {
                self::assertStringContainsString('twice', $error->getMessage());
            }
            self::assertSame($before, Records::record($object));
        }
    }

    /** An object that `unserialize()` made and did not fill. */
    public function testAnObjectThatHoldsNothingThrows(): void
    {
        foreach (Records::classes() as $class) {
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
        $call = Records::detection()->calls[0];
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
            self::assertRefused(static fn () => unserialize($text));
        }
        $text = 'O:19:"Toolwire\ToolResult":5:{s:4:"tool";s:1:"t";s:7:"success";b:1;s:4:"data";r:1;'
            . 's:10:"confidence";d:1;s:13:"error_message";N;}';
        $result = unserialize($text);
        self::assertSame($result, $result->data);
        self::assertSame($result, $result->toArray()['data']);
    }
}
