<?php

/** A little of everything, run under valgrind by MemoryTest. */

declare(strict_types=1);

use Toolwire\Detector;
use Toolwire\Exception\ToolwireThrowable;
use Toolwire\Report;
use Toolwire\Seen;
use Toolwire\ToolResult;
use Toolwire\ToolResultFinder;

$detector = new Detector(tools: ['a', ['name' => 'b', 'parameters' => ['type' => 'object']]], seen: new Seen(4));
$text = 'x <tool:a>{"k":{"é":"\u00e9"},"l":[1,2.5,null]}</tool> <tool:b>{x}</tool> {"name":"b","arguments":{}}';
$detection = $detector->detect($text);
foreach ($detection as $call) {
    $call->toArray();
    $call->argumentsObject();
    $call->toHtml();
}
$detection->segments;
$detection->replace(static fn ($call): string => $call->name);
foreach ([static fn () => throw new Exception('x'), static fn () => 1] as $bad) {
    try {
        $detection->replace($bad);
    } catch (Exception | ToolwireThrowable) {
    }
}
$stream = (new Detector())->stream();
foreach (str_split($text, 3) as $chunk) {
    $stream->feed($chunk);
}
$stream->finish();
$stream->detection()->calls;
$data = [];
for ($i = 0; $i < 3000; $i++) {
    $data[] = ['type' => 'tool_result', 'metadata' => ['handler_tool' => "h$i", 'tool_result' => ['x' => $i]]];
}
$data[100]['metadata'] = &$text;
ToolResultFinder::setFilter(static fn (?array $result): ?array => $result);
ToolResultFinder::findHandlerResult($data, 'h2999');
ToolResultFinder::findHandlerResult($data, 'none');
ToolResultFinder::findAllHandlerResults($data, 'h29', true, null, true);
ToolResultFinder::projectResultData($data[5]);
$report = new Report();
$report->add(new ToolResult('t', true, ['a' => [1, 2], 'o' => new ArrayObject()]));
$report->summary();
$report->toJson();
$report->toArray();
try {
    new Detector(formats: ['none']);
} catch (ToolwireThrowable $error) {
    $error->getKind();
}
echo "done\n";
