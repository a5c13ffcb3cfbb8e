<?php

/** Tools, and what models write in conversations with them. */

declare(strict_types=1);

namespace Toolwire\Tests\Plain\Tools;

use Toolwire\Detector;
use Toolwire\Tools\AgentLimits;
use Toolwire\Tools\ModelResponse;
use Toolwire\Tools\Registry;
use Toolwire\Tools\ToolDefinition;
use Toolwire\Tools\ToolOutput;

function some_tools(): Registry
{
    $schema = [
        'type' => 'object',
        'properties' => ['q' => ['type' => 'string'], 'n' => ['type' => 'integer', 'minimum' => 1]],
        'required' => ['q'],
    ];
    $text = ['type' => 'object', 'properties' => ['text' => ['type' => 'string']]];
    $old = ['properties' => ['a' => ['type' => 'array', 'required' => true]], 'anyOf' => [true]];
    $registry = new Registry();
    $registry->register(new ToolDefinition('list', 'LIST', 'strlen', 'Lists things', $schema));
    $registry->register(new ToolDefinition('a.b', 'AB', 'strlen', '', $text));
    $registry->register(new ToolDefinition('core/get-info', 'core/get-info', 'strlen', 'Info', []));
    $registry->register(new ToolDefinition('fails', 'FAILS', 'strlen', '', $old, ['fast'], false,
        null, false, null, null, ['old', 'older']));
    $registry->register(new ToolDefinition('list', 'LIST', 'strlen', 'Lists more', $schema));
    return $registry;
}

/** @param array<string, mixed> $arguments */
function some_output(string $name, array $arguments): ToolOutput
{
    switch ($name) {
        case 'fails':
            return ToolOutput::fail('It failed: password=x', ['code' => 'gone', 'data' => 1]);
        case 'older':
            return ToolOutput::fail('', ['a' => [1]]);
        case 'a.b':
            return ToolOutput::ok($arguments['text'] ?? null);
        default:
            return ToolOutput::ok([
                'items' => ['a', ['api_key' => 'k']], 'empty' => (object) [], 'q' => $arguments,
            ]);
    }
}

/**
 * An answer of a server with calls of its own.
 *
 * @param list<array<string, mixed>> $calls
 * @return array<string, mixed>
 */
function calling(array $calls, string $text = '', string $ended = 'tool_calls'): array
{
    $message = ['role' => 'assistant', 'content' => $text, 'tool_calls' => $calls];
    $usage = ['prompt_tokens' => 7, 'completion_tokens' => 3];
    $choice = ['index' => 0, 'message' => $message, 'finish_reason' => $ended];
    return ['choices' => [$choice], 'usage' => $usage];
}

/** @return array<string, mixed> */
function a_call(string $name, string $arguments, string $id = 'c1'): array
{
    $function = ['name' => $name, 'arguments' => $arguments];
    return ['id' => $id, 'type' => 'function', 'function' => $function];
}

/** @return array<string, list<mixed>> what models answer, by what it is about */
function some_replies(): array
{
    $hermes = '<tool_call>{"name": "list", "arguments": {"q": "é", "n": 2}}</tool_call>';
    $list = a_call('list', '{"q": "x", "n": 3.0}');
    $reasoned = ['role' => 'assistant', 'content' => 'Yes.', 'reasoning_content' => 'I think.'];
    return [
        'an answer' => ['Hello.'],
        'a thought and a call in a text' => ["<think>Which?</think>I look.\n$hermes", 'Found.'],
        'two calls in a text' => ["$hermes\n$hermes", 'Found.'],
        'a call of the server' => [calling([$list], 'I look.'), 'Done.'],
        'several calls' => [
            calling([
                $list, a_call('a.b', '{"text": "{\"a\": 1}"}', 'c2'), a_call('fails', '', 'c3'),
            ]),
            calling([a_call('older', '{}', 'c4'), a_call('a_b_x', '{}', 'c5')]), 'So.',
        ],
        'damaged calls' => [
            calling([a_call('list', '{"q": '), a_call('a b', '{}', 'c2'), a_call('list', '[1]',
                'c3')]),
            calling([a_call('list', '{"q":"x"} x', ''), a_call('list', '"{\"q\":\"y\"}"', 'c5')]),
            '<tool_call>{"name": "list", "arguments": {"q": </tool_call>', 'I give up.',
        ],
        'half of a surrogate pair' => [
            calling([
                a_call('list', '{"q":"x\ud83d"}'), a_call('list', '{"q":"x","\udc00":1}', 'c2'),
                a_call('list', '"\ud800"', 'c3'), a_call('list', '"{\"q\":\"\\\\ud800\"}"', 'c4'),
                a_call('list', '{"q":"\ud83d\ude00"}', 'c5'),
            ]),
            '<tool_call>{"name": "list", "arguments": {"q": "x\ud83d"}}</tool_call>', 'So.',
        ],
        'numbers that PHP cannot hold' => [
            calling([a_call('a.b', '{"q":12345678901234567890123,"a":1E400,"b":-0,"c":1.50}')]),
            '<tool_call>{"name": "list", "arguments": {"q": 9007199254740993.0}}</tool_call>',
            new ModelResponse(200, '{"choices":[{"message":{"role":"assistant","content":null,'
                . '"tool_calls":[{"id":"c3","type":"function","function":{"name":"list",'
                . '"arguments":{"q":12345678901234567890,"a":0.10,"b":"\u2028"}}}]}}]}'),
            'So.',
        ],
        'no such tool' => [calling([a_call('lisst', '{}')]), 'Sorry.'],
        'cut off' => [calling([$list, a_call('list', '{"q":"z"}', 'c2')], '', 'length'), 'Yes.'],
        'reasoning beside' => [['choices' => [['message' => $reasoned]]]],
        'long results' => [
            calling([a_call('a.b', json_encode(['text' => str_repeat('é"', 400)]))]), 'Long.',
        ],
        'nothing' => [calling([a_call('a.b', '{}')]), 'Nothing.'],
        'an empty answer' => [''],
        'the same call again' => array_fill(0, 9, calling([$list])),
        'no choices' => [['error' => ['message' => 'no key sk-proj-aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1v']]],
        'no message' => [['choices' => []]],
        'no JSON' => [new ModelResponse(200, '<html>')],
        'refused' => [new ModelResponse(401, '{"error":{"message":"bad \u202e key"}}')],
        'a refusal without reason' => [new ModelResponse(404, 'gone')],
        'limited for long' => [new ModelResponse(429, '{"message":"slow"}', 60)],
        'down, then up' => [new ModelResponse(503, 'x'), 'Back.'],
        'no response' => array_fill(0, 3, new ModelResponse(0, 'cURL error 28')),
        'two choices' => [['choices' => [
            ['index' => 1, 'message' => ['role' => 'assistant', 'content' => 'second']],
            ['index' => 0, 'message' => ['role' => 'assistant', 'content' => 'first']],
        ]]],
        'parts' => [['choices' => [['message' => ['role' => 'assistant', 'content' => [
            ['type' => 'thinking', 'thinking' => 'Hm.'], ['type' => 'text', 'text' => 'So.'],
        ]]]]]],
        'another form of arguments' => [calling([[
            'id' => 'c1', 'type' => 'function',
            'function' => ['name' => 'list', 'arguments' => ['q' => 'obj']],
        ]]), 'Good.'],
    ];
}

/** @return array<string, array<string, mixed>> */
function some_scripts(): array
{
    $list = a_call('list', '{"q": "x", "n": 3.0}');
    $made = [];
    foreach (some_replies() as $name => $replies) {
        $made[$name] = ['replies' => $replies, 'texts' => ['Hello?', null]];
    }
    $made['two texts'] = ['replies' => ['One.', 'Two.'], 'texts' => ['1', "2\xFF"]];
    $made['nobody spoke'] = ['replies' => ['One.'], 'texts' => [null]];
    $limits = ['turns' => [1], 'calls' => [9, 0], 'tokens' => [9, 9, 1], 'repairs' => [9, 9, null,
        9, 0]];
    foreach ($limits as $limit => $values) {
        $made["the limit of $limit"] = [
            'replies' => [calling([$list, a_call('list', '{', 'c9')]), calling([a_call('list',
                '{')]), 'End.'],
            'texts' => ['Hello?', null],
            'limits' => new AgentLimits(...$values),
        ];
    }
    foreach (['qwen3', 'openai/gpt-oss-20b', 'deepseek-ai/DeepSeek-R1'] as $model) {
        $profile = Detector::profileFor($model);
        foreach (Detector::formats() as $format) {
            if (in_array($format['slug'], $profile->formats, true)) {
                $text = 'Look. ' . str_replace('weather', 'list', $format['example']);
                $made["$model writes $format[slug]"] = [
                    'replies' => [$text, substr($text, 0, -9), 'So.'],
                    'texts' => ['Hello?'],
                    'model' => $model,
                ];
            }
        }
    }
    return $made;
}
