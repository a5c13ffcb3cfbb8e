<?php

/** Calls every method of the drop-in for MemberPress AI Assistant, and prints `fine`. */

declare(strict_types=1);

use Toolwire\Html;

require __DIR__ . '/wordpress.php';
require __DIR__ . '/registry.php';
require __DIR__
    . '/../../../../php/memberpress/includes/detection/class-mpai-tool-call-detector.php';

function same(mixed $expected, mixed $got, string $what): void
{
    if ($expected !== $got) {
        exit(
            "$what: expected " . var_export($expected, true) . ', got ' . var_export($got, true)
                . "\n"
        );
    }
}

$detector = mpai_tool_call_detector();
same($detector, MPAI_Tool_Call_Detector::get_instance(), 'there is one object');
same([], $GLOBALS['hooked'], 'there is no notice');
same(0, MPAI_Tool_Registry::$made, 'the registry is not made before it is needed');
$run = static fn (string $text): string => $detector->execute_tool_calls(
    $detector->detect_tool_calls($text),
    $text
);

// Calls come in the order of the text, with the plugin's words for formats. Every tool of the
// registry counts. The log has the refusals.
$text = "A <div data-tool-parameters='{\"x\":\"it&#39;s\"}' class=\"mpai-tool-call\" "
    . "data-tool-name=lazy></div>\n"
    . "```json\n{\"name\":\"wpcli\",\"parameters\":{\"7\":[1.5]}}\n```\n"
    . '{"tool":"wpcli","parameters":{}} <tool:site/own.tool>{"do":{}}</tool> '
    . '<tool:unknown>{}</tool><tool:wp_cli>{}</tool><tool:wpcli>{</tool>'
    . '<tool:<img src=x onerror=alert(1)>>{}</tool>';
$calls = $detector->detect_tool_calls($text);
same([
    [
        'name' => 'lazy',
        'parameters' => ['x' => "it's"],
        'original' => "<div data-tool-parameters='{\"x\":\"it&#39;s\"}' class=\"mpai-tool-call\" "
            . 'data-tool-name=lazy></div>',
        'format' => 'html',
    ],
    [
        'name' => 'wpcli',
        'parameters' => [7 => [1.5]],
        'original' => "```json\n{\"name\":\"wpcli\",\"parameters\":{\"7\":[1.5]}}\n```",
        'format' => 'json',
    ],
    [
        'name' => 'wpcli', 'parameters' => [], 'original' => '{"tool":"wpcli","parameters":{}}',
        'format' => 'json_legacy',
    ],
    [
        'name' => 'site/own.tool',
        'parameters' => ['do' => []],
        'original' => '<tool:site/own.tool>{"do":{}}</tool>',
        'format' => 'xml',
    ],
], $calls, 'the calls in text order');
$codes = array_map(static fn (string $line): string => explode(':', $line)[0], $GLOBALS['logged']);
$refused = ['warning unknown_tool', 'warning legacy_tool', 'warning bad_json', 'warning bad_name'];
same($refused, $codes, 'what was refused is logged');
foreach (['', 'prose', null, 5, 1.5, false, "\xff\0"] as $nothing) {
    same([], $detector->detect_tool_calls($nothing), 'no calls');
    same((string) $nothing, $detector->execute_tool_calls([], $nothing), 'the text as it was');
}
same([], $detector->detect_tool_calls(['x']), 'an array is no reply');

// Each result takes the place of its call, whatever text the results hold.
$call = static fn (string $do): string => '<tool:wpcli>' . json_encode(['do' => $do]) . '</tool>';
$ok = static fn (string $result): string => Html::result('wpcli', true, $result);
$bad = static fn (string $result, string $name = 'wpcli'): string => Html::result(
    $name,
    false,
    $result
);
same("x {$ok('<script>')} y", $run("x {$call('<script>')} y"), 'a result is escaped');
same(
    $ok('7') . ' ' . $ok('7'),
    $run("{$call('7')} {$call('7')}"),
    'two equal calls have each their place'
);
$other = "{$call('other call')} <tool:wpcli>{\"do\":2}</tool>";
$both = $ok('<tool:wpcli>{"do":2}</tool>') . ' ' . $ok('2');
same($both, $run($other), 'a result that holds the text of a call is left alone');
same($both, $run($both), 'what ran is not run again');
$mention = "```\n{$call('a')}\n```\n";
same($mention . $ok('a'), $run($mention . $call('a')), 'a mention in a code block is left alone');
$long = str_repeat('x', 1_000_001);
same($ok($long), $run($call($long)), 'a long argument');

// A failure is shown in its place, and the other calls run.
$failed = 'The tool failed; the log of the site says why.';
foreach ([
    'throw' => '<i>thrown</i>', 'throw nothing' => $failed, 'fail' => $failed,
    'deny' => 'You may not.',
    'wordless' => "{\n    \"success\": false\n}", 'wp error' => 'Not <allowed>.',
    'false' => 'false',
] as $do => $why) {
    same("{$bad($why)} and {$ok('b')}", $run("{$call($do)} and {$call('b')}"), "$do is an error");
}
foreach ([
    'null' => '', 'object' => "{\n    \"a/b\": \"é\"\n}",
    'array' => "{\n    \"success\": true,\n    \"list\": [\n        1,\n        \"\u{fffd}\"\n"
        . "    ]\n}",
] as $do => $shown) {
    same($ok($shown), $run($call($do)), "$do is shown");
}
foreach (['broken', 'lost'] as $name) {
    same(
        $bad("Tool '$name' not found.", $name),
        $run("<tool:$name>{}</tool>"),
        "$name cannot be run"
    );
}

// The program may make calls of its own.
$made = static fn (
    string $name,
    string $original,
    mixed ...$more,
): array => compact('name', 'original') + $more;
same(
    "[{$ok('done')}]",
    $detector->execute_tool_calls([$made('wpcli', 'CALL')], '[CALL]'),
    'a text of its own'
);
same(
    "a{$ok('done')}",
    $detector->execute_tool_calls([$made('wpcli', 'none')], 'a'),
    'a text that is nowhere'
);
same($ok('done'), $detector->execute_tool_calls([$made('wpcli', '')], ''), 'no text');
$odd = $detector->execute_tool_calls([$made('<b>', 'x')], 'x');
same(
    $bad("Tool '<b>' not found.", '<b>'),
    $odd,
    'a name that no call can have is not run, and escaped'
);
same(
    $bad($failed),
    $detector->execute_tool_calls([$made('wpcli', 'y', parameters: 5)], 'y'),
    'no parameters'
);
$GLOBALS['logged'] = [];
foreach ([
    null, 'calls', [5], [['name' => 'wpcli']], [['tool' => 'wpcli', 'parameters' => []]],
] as $unsound) {
    same('x', $detector->execute_tool_calls($unsound, 'x'), 'what is no call is not run');
}
same(5, count($GLOBALS['logged']), 'and logged');

// A tool that a site's filter removes is neither found nor run.
MPAI_Tool_Registry::$taken = ['wpcli'];
$ran = count(MPAI_Tool_Registry::$ran);
same([], $detector->detect_tool_calls($call('a')), 'not found');
same(
    $bad("Tool 'wpcli' not found."),
    $detector->execute_tool_calls([$made('wpcli', 'x')], 'x'),
    'not run'
);
same($ran, count(MPAI_Tool_Registry::$ran), 'nothing ran');
same(1, MPAI_Tool_Registry::$made, 'one registry is made');

// Hostile text is read in linear time.
MPAI_Tool_Registry::$taken = [];
$start = hrtime(true);
$run(str_repeat('```json {', 100_000) . str_repeat('<tool:wpcli>{"do":"', 50_000));
same(true, hrtime(true) - $start < 20e9, 'linear time');
echo "fine\n";
