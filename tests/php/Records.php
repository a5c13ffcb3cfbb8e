<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use ReflectionClass;
use ReflectionExtension;
use Toolwire\Detection;
use Toolwire\Detector;
use Toolwire\Entry;
use Toolwire\Patch;
use Toolwire\Provider;
use Toolwire\ProviderResult;
use Toolwire\Reader;
use Toolwire\ToolResult;

/** One object of each class whose objects come back, and the arrays that they come back from. */
final class Records
{
    public const TEXT = "x\xff "
        . '<tool:a>{"k":{},"l":[],"n":1.0,"big":123456789012345678901}</tool> <tool:b>{x}</tool> '
        . '=>add:{"a":1}; y <tool:c>{"z":-0.0}';

    public static function detection(): Detection
    {
        $arrow = ['slug' => 'arrow', 'body' => 'named',
            'call' => ['open' => '=>', 'name_end' => ':', 'close' => ';']];
        return (new Detector(formats: ['tag', $arrow]))->detect(self::TEXT);
    }

    /** @return list<object> one of each class whose objects come back, by their kinds */
    public static function objects(): array
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
        $items = Provider::parse(['output' => [[
            'type' => 'mcp_call',
            'id' => 'mcp_1',
            'server_label' => 's',
            'name' => 'n',
            'arguments' => '{}',
            'output' => '1',
        ]]])->items;
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
            ...$exchange->calls, ...$exchange->results, ...$exchange->rejections, ...$items,
        ];
    }

    /**
     * @return list<Patch> a call with its result, one that failed, a command, an edit, a list,
     *     messages
     */
    public static function patches(): array
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
    public static function record(object $object): array
    {
        return $object instanceof Entry || $object instanceof Patch
            ? $object->record
            : $object->toArray();
    }

    /** @return list<class-string> the classes whose objects come back */
    public static function classes(): array
    {
        $classes = (new ReflectionExtension('toolwire'))->getClasses();
        return array_keys(
            array_filter(
                $classes,
                static fn (ReflectionClass $class) => $class->hasMethod('fromArray')
            )
        );
    }
}
