<?php

/** Uses every class a little; MemoryTest runs it under valgrind, tests/php-threads in threads. */

declare(strict_types=1);

use DataMachine\Engine\AI\ToolResultFinder as Documented;
use DataMachine\Engine\AI\Tools\ToolResultFinder as Live;
use Toolwire\Detector;
use Toolwire\Exception\ToolwireThrowable;
use Toolwire\ProviderResult;
use Toolwire\Reader;
use Toolwire\Report;
use Toolwire\Seen;
use Toolwire\ToolResult;
use Toolwire\ToolResultFinder;
use Toolwire\Tests\ArrayStore;
use Toolwire\Tests\Dropin\Shelf;
use Toolwire\Tools\ApprovalService;
use Toolwire\Tools\Executor;
use Toolwire\Tools\Registry;
use Toolwire\Tools\Store\Memory;
use Toolwire\Tools\Store\Sqlite;
use Toolwire\Tools\ToolDefinition;
use Toolwire\Tools\ToolOutput;
use Toolwire\Tools\UndoStore;

$detector = new Detector(
    tools: ['a', ['name' => 'b', 'parameters' => ['type' => 'object']]],
    seen: new Seen(4)
);
$text = 'x <tool:a>{"k":{"é":"\u00e9"},"l":[1,2.5,null]}</tool> <tool:b>{x}</tool> '
    . '{"name":"b","arguments":{}}';
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
// Records of our own objects, and records of a stranger.
$patches = (new Reader(dialect: 'openai'))->feed(
    json_encode([
        'role' => 'assistant',
        'tool_calls' => [
            ['id' => 'c', 'function' => ['name' => 'Read', 'arguments' => '{"path":"p"}']],
        ],
    ]) . "\n" . json_encode(['role' => 'tool', 'tool_call_id' => 'c', 'content' => 'x']) . "\n"
);
$records = [$detection, ...$detection->calls, ...$detection->rejections, ...$detection->segments,
    new ToolResult('t', true, ['a' => [1]], 'e'),
    new ProviderResult(new ToolResult('t', true, 1), 'c'),
    ...$patches, $patches[0]->entry];
foreach ($records as $record) {
    $fields = $record->record ?? $record->toArray();
    $record == $record::fromArray($fields);
    $record == unserialize(serialize($record));
    $record == eval('return ' . var_export($record, true) . ';');
    json_encode($record);
    foreach (array_keys($fields) as $field) {
        $class = $record::class;
        foreach ([[$field => [1]] + $fields, array_diff_key($fields, [$field => 1])] as $bad) {
            $texts = ['O:' . strlen($class) . ":\"$class\"" . substr(serialize($bad), 1)];
            $texts[] = "a:2:{i:0;$texts[0]i:1;r:2;}";
            $texts[] = substr(serialize($record), 0, -9);
            foreach ($texts as $bad) {
                try {
                    @unserialize($bad);
                } catch (ToolwireThrowable $error) {
                    $error->getKind();
                }
            }
        }
    }
    try {
        $record->__unserialize($fields);
    } catch (Error) {
    }
}
unset($record, $records, $patches, $bad, $texts);
$stream = (new Detector())->stream();
foreach (str_split($text, 3) as $chunk) {
    $stream->feed($chunk);
}
$stream->finish();
$stream->detection()->calls;
$data = [];
for ($i = 0; $i < 5000; $i++) {
    $data[] = [
        'type' => 'tool_result',
        'metadata' => ['handler_tool' => "h$i", 'tool_result' => ['x' => $i]],
    ];
}
$data[100]['metadata'] = &$text;
ToolResultFinder::setFilter(static fn (?array $result): ?array => $result);
ToolResultFinder::findHandlerResult($data, 'h4999');
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
$registry = new Registry();
$tool = static fn (string $name, callable $handler, mixed ...$more) => $registry->register(
    new ToolDefinition(...['name' => $name, 'id' => $name, 'handler' => $handler, ...$more])
);
$undo = static fn ($metadata) => $metadata->toArray();
$ok = static fn ($input) => ToolOutput::ok($input->toArray(), [[1]], ['x' => $input->payload]);
$tool('ok', $ok, undoable: true, undoHandler: $undo, rateLimit: [3, 60]);
$tool('bad', static fn () => throw new Exception('x'));
$tool('none', static fn () => null, inputSchema: ['required' => ['x']]);
$tool(
    'asked',
    $ok,
    requiresApproval: true,
    undoable: true,
    undoHandler: static fn () => throw new Exception('y')
);
foreach ([
    new Memory(),
    new Sqlite(sys_get_temp_dir() . '/toolwire-' . bin2hex(random_bytes(8)) . '.db'),
] as $store) {
    $executor = new Executor(
        $registry,
        $store,
        static fn ($input) => $input->payload['may'] ?? true,
        redact: ['pin']
    );
    $executor->listen(static fn (string $type, array $data) => throw new Exception($type));
    $actions = ['ok', 'ok', 'ok', 'ok', 'bad', 'none', 'asked', 'nobody'];
    foreach ($actions as $place => $type) {
        $action = [
            'id' => "a$place",
            'type' => $type,
            'payload' => ['x' => [1, 'é' => null], 'pin' => 4],
        ];
        @$executor->execute($action, ['mode' => 'chat', 'caller' => 'me'])->toArray();
    }
    @$executor->execute(['type' => 'ok', 'payload' => ['may' => 'no']])->error->toArray();
    $executor->resume('a6');
    (new ApprovalService($store))->decide('a6', true, 'ann', 'fine')->toArray();
    @$executor->resume('a6')->toArray();
    foreach (['a0', 'a0', 'a6', 'a9'] as $id) {
        try {
            @$executor->undo($id);
        } catch (ToolwireThrowable $error) {
            $error->getKind();
        }
    }
    (new UndoStore($store))->all();
}
unset($executor);
for ($i = 0; $i < 3; $i++) {
    $executor = new Executor($registry);
    $registry->register(new ToolDefinition("t$i", "T$i", static fn () => $executor));
    $executor->listen(static fn () => $executor);
    gc_collect_cycles();
    $registry = $i < 2 ? $registry : new Registry();
    unset($executor);
    gc_collect_cycles();
}
$registry->register(new ToolDefinition('ok', 'OK', $ok));
array_map('unlink', glob($store->path . '*'));
[$resolved, $unresolved] = $registry->parseAndResolve([
    ['id' => 1, 'function' => ['name' => 'ok', 'arguments' => '{"a": {"b": [1]}}']],
    (object) ['name' => 'x'], 5, $detection->calls[0],
]);
array_map(static fn ($call) => $call->toArray(), [...$resolved, ...$unresolved]);
try {
    (new UndoStore(new Sqlite(__FILE__)))->all();
} catch (ToolwireThrowable $error) {
    $error->getTrace();
}
// A constructor is called while its object is in use.
require __DIR__ . '/ArrayStore.php';
$executor = null;
$store = new ArrayStore(static function () use (&$executor, &$registry): mixed {
    try {
        $executor->__construct($registry);
    } catch (Error $error) {
        $error->getTrace();
    }
    return null;
});
$executor = new Executor($registry, $store);
@$executor->execute(['id' => 'a', 'type' => 'ok', 'payload' => ['x' => 1]])->toArray();
@$executor->undo('a');
$executor = $store = null;
// Drop-ins read packets of objects that overwrite the packet meanwhile.
require __DIR__ . '/dropin/Listener.php';
require __DIR__ . '/dropin/Shelf.php';
foreach (['fair', 'overwrites', 'throws early', 'throws late'] as $manner) {
    foreach (['tool_result', 'ai_handler_complete'] as $type) {
        $shelf = new Shelf(
            ['handler_tool' => 'a', 'tool_success' => str_repeat('1', 30)],
            $manner,
            1
        );
        $packet = ['type' => $type, 'metadata' => $shelf];
        $shelf->aimAt($packet);
        $packets = [&$packet, new ArrayObject($packet), 5 => 'x'];
        foreach ([
            'findHandlerResult' => 'a',
            'findAllHandlerResults' => ['a', 'b', 'a'],
        ] as $method => $handlers) {
            try {
                Live::$method($packets, $handlers, 'step');
                Live::$method($packets, $handlers);
            } catch (Throwable $error) {
                $error->getTrace();
            }
        }
        unset($packet, $packets, $shelf, $error);
    }
}
Live::projectEnvelopeData(
    Live::projectResultEnvelope(['metadata' => ['tool_result' => ['code' => [1], 'x' => [2]]]])
);
Documented::findAllHandlerResults(
    [['type' => 'tool_result', 'metadata' => ['handler_tool' => 'a']]],
    'a'
);
$found = (new Toolwire\Detector())->detect('x <tool:wpcli>{"a":[1]}</tool> y');
$found->locate(['y', '<tool:wpcli>{"a":[1]}</tool>', 'z']);
try {
    $found->locate(['x', 5]);
} catch (Throwable $error) {
    $error->getTrace();
}
foreach ([
    ['success' => false, 'error' => ['message' => 'no']],
    (object) ['error' => [1]],
    false,
    [1],
] as $returned) {
    Toolwire\ToolResult::fromReturned('a', $returned)->toArray();
}
// PHP does not collect cycles when it ends.
unset($tool, $registry);
gc_collect_cycles();
echo "done\n";
