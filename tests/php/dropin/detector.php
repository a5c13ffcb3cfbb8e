<?php

/** Asks the detector of the MemberPress AI Assistant in every way, and prints `fine`. */

declare(strict_types=1);

namespace Toolwire\Tests\Dropin;

use Error;
use MPAI_Tool_Call_Detector;
use MPAI_Tool_Registry;
use Toolwire\Exception\WrongType;
use Toolwire\Html;

require __DIR__ . '/registry.php';

function same(mixed $expected, mixed $got, string $what): void
{
    if ($expected !== $got) {
        exit("$what: expected " . var_export($expected, true) . ', got ' . var_export($got, true) . "\n");
    }
}

/** @param class-string<\Throwable> $class */
function throws(string $class, callable $try): void
{
    try {
        $try();
    } catch (\Throwable $thrown) {
        same($class, $thrown::class, $thrown->getMessage());
        return;
    }
    exit("no $class was thrown\n");
}

$detector = MPAI_Tool_Call_Detector::get_instance();
same($detector, MPAI_Tool_Call_Detector::get_instance(), 'there is one object');
throws(Error::class, fn () => new MPAI_Tool_Call_Detector());
$run = static fn (string $text): string => $detector->execute_tool_calls($detector->detect_tool_calls($text), $text);

$text = "A <tool:wpcli>{\"do\":{}}</tool>\n```json\n{\"name\":\"wp_api\",\"parameters\":{\"7\":[1.5]}}\n```\n"
    . '<div data-tool-parameters=\'{"x":"y"}\' class="mpai-tool-call" data-tool-name=plugin_logs></div> '
    . '<tool:unknown>{}</tool><tool:wp_cli>{}</tool><tool:wpcli>{</tool>';
same([
    ['name' => 'wpcli', 'parameters' => ['do' => []], 'original' => '<tool:wpcli>{"do":{}}</tool>', 'format' => 'tag'],
    [
        'name' => 'wp_api',
        'parameters' => [7 => [1.5]],
        'original' => "```json\n{\"name\":\"wp_api\",\"parameters\":{\"7\":[1.5]}}\n```",
        'format' => 'json',
    ],
    [
        'name' => 'plugin_logs',
        'parameters' => ['x' => 'y'],
        'original' => '<div data-tool-parameters=\'{"x":"y"}\' class="mpai-tool-call" data-tool-name=plugin_logs></div>',
        'format' => 'html',
    ],
], $detector->detect_tool_calls($text), 'the calls in text order');
foreach (['', 'prose', null, 5, 1.5, false, "\xff\0"] as $nothing) {
    same([], $detector->detect_tool_calls($nothing), 'no calls');
    same((string) $nothing, $detector->execute_tool_calls([], $nothing), 'the text as it was');
}
same(0, MPAI_Tool_Registry::$made, 'without calls no registry is made');

// Each result where its call was, whatever the results hold.
$call = static fn (string $do): string => '<tool:wpcli>' . json_encode(['do' => $do]) . '</tool>';
$ok = static fn (string $result): string => Html::result('wpcli', true, $result);
$bad = static fn (string $result, string $name = 'wpcli'): string => Html::result($name, false, $result);
same("x {$ok('<script>')} y", $run("x {$call('<script>')} y"), 'a result is escaped');
same($ok('7') . ' ' . $ok('7'), $run("{$call('7')} {$call('7')}"), 'two equal calls have each their place');
same(
    $ok('<tool:wpcli>{"do":2}</tool>') . ' ' . $ok('2'),
    $run("{$call('other call')} <tool:wpcli>{\"do\":2}</tool>"),
    'a result that holds the text of a call is left alone'
);
$mention = "```\n{$call('a')}\n```\n";
same($mention . $ok('a'), $run($mention . $call('a')), 'a mention in a code block is left alone');

// What goes wrong is shown, and stops no other call.
foreach ([
    'throw' => '<i>thrown</i>', 'throw nothing' => 'LogicException', 'fail' => 'Division by zero',
    'deny' => 'You may not.', 'wp error' => 'Not <allowed>.', 'false' => 'false',
] as $do => $why) {
    same("{$bad($why)} and {$ok('b')}", $run("{$call($do)} and {$call('b')}"), "$do is an error");
}
foreach ([
    'null' => '', 'object' => "{\n    \"a/b\": \"é\"\n}",
    'array' => "{\n    \"success\": true,\n    \"list\": [\n        1,\n        \"\u{fffd}\"\n    ]\n}",
] as $do => $shown) {
    same($ok($shown), $run($call($do)), "$do is shown");
}
$missing = $bad("Tool 'wp_api' not found.", 'wp_api');
same($missing . $bad('no logs', 'plugin_logs'), $run('<tool:wp_api>{}</tool><tool:plugin_logs>{}</tool>'), 'no tool');

// Calls that the program made itself.
$made = static fn (string $name, string $original, mixed ...$more): array => compact('name', 'original') + $more;
same("[{$ok('done')}]", $detector->execute_tool_calls([$made('wpcli', 'CALL')], '[CALL]'), 'a text of its own');
same("a{$ok('done')}", $detector->execute_tool_calls([$made('wpcli', 'none')], 'a'), 'a text that is nowhere');
same($ok('done'), $detector->execute_tool_calls([$made('wpcli', '')], ''), 'no text');
same(Html::result('<b>', true, 'done'), $detector->execute_tool_calls([$made('<b>', 'x')], 'x'), 'a name is escaped');
$unsound = $detector->execute_tool_calls([$made('broken', 'x'), $made('wpcli', 'y', parameters: 5)], 'x y');
same(2, substr_count($unsound, 'mpai-tool-error'), 'no tool, no parameters');
$parameters = ['do' => 'seen'];
$reference = &$parameters;
$list = ['k' => ['name' => 'wpcli', 'parameters' => &$reference, 'original' => 'x']];
same($ok('seen'), $detector->execute_tool_calls($list, 'x'), 'references are followed');
same(1, MPAI_Tool_Registry::$made, 'one registry is made');

// Misuse is refused before any call runs.
$ran = count(MPAI_Tool_Registry::$ran);
$sound = $made('wpcli', 'x');
foreach ([null, 'calls', [5], [['name' => 'wpcli']], [['name' => 5, 'original' => 'x']]] as $odd) {
    $odd = is_array($odd) ? [$sound, ...$odd] : $odd;
    throws(WrongType::class, fn () => $detector->execute_tool_calls($odd, 'x'));
}
throws(WrongType::class, fn () => $detector->execute_tool_calls([$sound], ['x']));
throws(WrongType::class, fn () => $detector->detect_tool_calls(['x']));
throws(Error::class, fn () => $detector->detect_tool_calls($detector));
throws(\ArgumentCountError::class, fn () => $detector->execute_tool_calls([$sound]));
same($ran, count(MPAI_Tool_Registry::$ran), 'nothing ran');

// Hostile text is read in linear time.
$start = hrtime(true);
$run(str_repeat('```json {', 100_000) . str_repeat('<tool:wpcli>{"do":"', 50_000));
same(true, hrtime(true) - $start < 5e9, 'linear time');
echo "fine\n";
