<?php

/**
 * Calls of tools that only read, run by the library in plain PHP: `php -n tests/plain/reading.php`.
 */

declare(strict_types=1);

namespace Toolwire\Tests\Plain;

use RuntimeException;
use Toolwire\Exception\ExtensionNeeded;
use Toolwire\Exception\InvalidArgument;
use Toolwire\Plain\CutMark;
use Toolwire\Plain\ReadOnlyCall;
use Toolwire\Plain\ReadOnlyCalls;
use Toolwire\Tools\Registry;
use Toolwire\Tools\ToolDefinition;
use Toolwire\Tools\ToolInput;
use Toolwire\Tools\ToolOutput;
use Toolwire\Text;

require __DIR__ . '/bootstrap.php';

/**
 * Fails unless two values are the same.
 *
 * @param mixed $expected
 * @param mixed $found
 */
function same($expected, $found, string $what): void
{
    if ($expected !== $found) {
        $texts = [var_export($expected, true), var_export($found, true)];
        throw new RuntimeException("$what: $texts[1] instead of $texts[0]");
    }
}

/** @param array<int, mixed> $more further arguments of a definition, by their places */
function tool(string $name, callable $handler, array $more = []): ToolDefinition
{
    $schema = ['type' => 'object', 'properties' => ['n' => ['type' => 'integer']]];
    $all = [$name, $name, $handler, '', $schema, null, false, null, false, null, null, null, null,
        null, true, null, null];
    return new ToolDefinition(...array_replace($all, $more));
}

$ran = [];
$handler = static function (ToolInput $input) use (&$ran): ToolOutput {
    $ran[] = [$input->toolName, $input->payload, $input->json(), $input->runId];
    return ToolOutput::ok(['n' => $input->payload['n'] ?? null]);
};
$tools = new Registry();
$tools->register(tool('reads', $handler, [16 => 2.5]));
$tools->register(tool('waits', $handler, [6 => true]));
$tools->register(tool('undone', $handler, [8 => true, 9 => $handler]));
$tools->register(tool('unsaid', $handler, [14 => null]));
$tools->register(tool('rare', $handler, [13 => [1, 3600.0]]));
$tools->register(tool('breaks', static function (): void {
    throw new RuntimeException('why');
}));
$tools->register(tool('fails', static function (): ToolOutput {
    return ToolOutput::fail('no', ['a' => 1]);
}));
$tools->register(tool('plain', static function () {
    return 7;
}));
$asked = 0;
$permission = static function (ToolInput $input) use (&$asked) {
    $asked++;
    return ($input->payload['n'] ?? 0) === 13 ? 'not thirteen' : true;
};
$calls = new ReadOnlyCalls($tools, $permission);
$run = static function (string $name, string $arguments = '{}') use ($calls): ReadOnlyCall {
    return $calls->run($name, $arguments, 'id 1', 'ann');
};

$done = $run('reads', '{"n": 5.0}');
same(['completed', '', ['n' => 5]], [$done->state, $done->code, $done->output->data], 'a call');
same([['reads', ['n' => 5], '{"n":5}', 'id 1']], $ran, 'what the tool is given');
same(true, $done->milliseconds >= 0.0, 'the time');
foreach (['waits', 'undone', 'unsaid'] as $name) {
    same(['refused', 'only_reads'], [$run($name)->state, $run($name)->code], $name);
}
same('tool_not_found', $run('nothing')->code, 'no tool');
$damaged = [
    '{' => 'bad_json', '[1]' => 'not_an_object', '"x"' => 'not_an_object',
    '{"n":1,"note":"\ud800"}' => 'bad_json', '{"n":1,"\udfff":2}' => 'bad_json',
    '"\ud800"' => 'bad_json', '"{\"n\":\"\\\\ud800\"}"' => 'not_an_object',
    '{"\u0000n":1}' => 'bad_json', '{"n":1}x' => 'bad_json',
];
foreach ($damaged as $text => $code) {
    same(['refused', $code], [$run('reads', $text)->state, $run('reads', $text)->code], $text);
}
$wrong = $run('reads', '{"n":"5"}');
same(['denied', 'invalid_input'], [$wrong->state, $wrong->code], 'the schema');
same('/n', $wrong->details['problems'][0]['path'], 'the place');
same(1, $asked, 'what was asked before the schema fits');
$denied = $run('reads', '{"n":13}');
same(['permission_denied', 'not thirteen'], [$denied->code, $denied->details['reason']], 'rights');
same('completed', $run('rare')->state, 'the first of an hour');
same('rate_limited', $run('rare')->code, 'the second');
same('completed', $calls->run('rare', '{}', 'id 2', 'bob')->state, 'that of another one');
same(['failed', 'raised', null], [
    $run('breaks')->state, $run('breaks')->code, $run('breaks')->output,
], 'a tool that throws');
same(['failed', 'tool_error', 'no'], [
    $run('fails')->state, $run('fails')->code, $run('fails')->message,
], 'a tool that fails');
same(7, $run('plain')->output->data, 'a value');
same(3, count($ran), 'what ran');

$steps = [];
$note = static function (string $step) use (&$steps): callable {
    return static function () use (&$steps, $step): void {
        $steps[] = $step;
    };
};
foreach (['plain' => '{}', 'reads' => '{"n":"5"}', 'rare' => '{}', 'waits' => '{}'] as $name => $json) {
    $steps[] = $name;
    $calls->run($name, $json, 'id 3', 'ann', $note('read'), $note('started'));
}
same('plain read started reads read rare read waits', implode(' ', $steps), 'what is told');

foreach (['unevaluatedProperties', 'dependentRequired', '$dynamicRef', 'minContains'] as $keyword) {
    try {
        new ToolDefinition('t', 't', 'strlen', '', ['properties' => ['a' => [$keyword => 1]]]);
        throw new RuntimeException("$keyword was taken");
    } catch (ExtensionNeeded $needed) {
        same(true, strpos($needed->getMessage(), $keyword) !== false, $keyword);
    }
}
$unusable = [
    '/type: must be one or more of null, boolean, integer, number, string, array, object, got "text"'
        => ['type' => 'text'],
    '/properties/a/minLength: must be a number that is not below 0, got -1'
        => ['properties' => ['a' => ['minLength' => -1]]],
    '/required: must be a list, got "a"' => ['required' => 'a'],
    '/anyOf: must be a list of one schema or more, got []' => ['anyOf' => []],
    '/pattern: must be a regular expression, got "("' => ['pattern' => '('],
    '/patternProperties/(: the name must be a regular expression'
        => ['patternProperties' => ['(' => true]],
    "/maximum: must be a number, got \"\u{200B}1\"" => ['maximum' => "\u{200B}1"],
    '/$ref: must be the place of a schema in this one, as "#/$defs/name", got "#/a"'
        => ['$ref' => '#/a'],
];
foreach ($unusable as $why => $schema) {
    try {
        new ToolDefinition('look', 'look', 'strlen', '', $schema);
        throw new RuntimeException("$why was taken");
    } catch (InvalidArgument $thrown) {
        same('invalid_schema', $thrown->getKind(), $why);
        $said = 'the schema of "look" is not usable: at ' . Text::visible($why);
        same($said, $thrown->getMessage(), 'what is said');
    }
}
$one = ['oneOf' => [['required' => ['a']], ['required' => ['b']]]];
$tools->register(tool('one', $handler, [4 => $one]));
$words = ['{}' => 'is not valid under any', '{"a":1,"b":1}' => 'is valid under more than one'];
foreach ($words as $arguments => $said) {
    $message = $run('one', $arguments)->details['problems'][0]['message'];
    same("value $said of the schemas listed in oneOf", $message, $arguments);
}
$cut = [
    'Hello <tool_ca' => 'Hello ', 'x </thi' => 'x ', 'see [TOOL_CA' => 'see ', '1 < 2' => '1 < 2',
    'Hello <' => 'Hello <', 'list[0]' => 'list[0]', "\xFF<|im_en" => "\xFF", '' => '',
];
foreach ($cut as $text => $left) {
    same($left, CutMark::without((string) $text), "the end of $text");
}
// Eight times the wrong values take about eight times as long, and sixty-four times if each is
// compared with those before it.
$integers = ['additionalProperties' => ['type' => 'integer']];
$tools->register(tool('counts', $handler, [4 => $integers]));
$seconds = static function (int $count) use ($run): float {
    $names = array_map('strval', range(1, $count));
    $json = (string) json_encode((object) array_fill_keys($names, 'x'));
    $began = microtime(true);
    same(5, count($run('counts', $json)->details['problems']), 'what is told');
    return microtime(true) - $began;
};
$seconds(100);
same(true, $seconds(24000) < 30 * $seconds(3000), 'the time over wrong arguments is linear');
$names = array_map('strval', range(1000000, 1060000));
$json = (string) json_encode(array_fill_keys($names, 1));
$tools->register(tool('closed', $handler, [4 => ['additionalProperties' => false]]));
$told = $run('closed', $json)->details['problems'][0]['message'];
same(501, preg_match_all('/./us', $told), 'a long message is told in part');
printf("PHP %s: calls of tools that only read are run as they should\n", PHP_VERSION);
