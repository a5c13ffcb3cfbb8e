<?php

/** Makes a million calls of the drop-ins, and prints how far memory grew. */

declare(strict_types=1);

namespace Toolwire\Tests\Dropin;

use ArrayObject;
use DataMachine\Engine\AI\ToolResultFinder as Documented;
use DataMachine\Engine\AI\Tools\ToolResultFinder;
use Error;
use stdClass;
use TypeError;

require __DIR__ . '/Listener.php';

$metadata = [
    'handler_tool' => 'a',
    'tool_success' => [1],
    'tool_result' => ['success' => 1, 'x' => ['y']],
];
$shared = ['type' => 'tool_result', 'metadata' => &$metadata];
$object = new ArrayObject(['handler_tool' => 'b']);
$packets = [&$shared, new ArrayObject(['type' => 'tool_result', 'metadata' => $object])];

/** Makes fourteen calls, which together end in every possible way. */
$calls = static function () use ($packets): void {
    ToolResultFinder::findHandlerResult($packets, 'a', 's') ?? throw new Error('lost');
    ToolResultFinder::findHandlerResult($packets, 'b', 's', false);
    ToolResultFinder::findHandlerResult([], 'none' . count($packets), 's');
    ToolResultFinder::findAllHandlerResults($packets, ['a', 'b', 'a'], 's');
    ToolResultFinder::findAllHandlerResults($packets, ['none'], 's');
    foreach ([[5, 'a', 's'], [[], null, 's'], [[]], [[new stdClass()], 'a', 's']] as $arguments) {
        try {
            ToolResultFinder::findHandlerResult(...$arguments);
        } catch (Error) {
        }
    }
    try {
        $complete = new ArrayObject(['type' => 'ai_handler_complete']);
        ToolResultFinder::findHandlerResult([$complete], '', 's');
    } catch (TypeError) {
    }
    ToolResultFinder::projectResultData($packets[0]);
    ToolResultFinder::projectEnvelopeData(['success' => 1, 'x' => ['y']]);
    ToolResultFinder::projectResultEnvelope($packets[0]);
    ToolResultFinder::projectResultSuccess($packets[0]);
    Documented::findHandlerResult($packets, 'a');
    Listener::start(false);
};

for ($i = 0; $i < 1000; $i++) {
    $calls();
}
gc_collect_cycles();
$resident = static fn (): int => preg_match(
    '/VmRSS:\s+(\d+)/',
    (string) file_get_contents('/proc/self/status'),
    $found
)
    ? (int) $found[1] * 1024 : 0;
$before = [memory_get_usage(), $resident()];
for ($i = 0; $i < 1_000_000 / 14; $i++) {
    $calls();
}
gc_collect_cycles();
echo json_encode([
        'php' => memory_get_usage() - $before[0],
        'process' => $resident() - $before[1],
    ]),
    "\n";
