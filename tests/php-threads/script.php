<?php

/**
 * Uses what start-up registered and what a request keeps; `threads` runs it in many threads.
 */

declare(strict_types=1);

use Toolwire\Detector;
use Toolwire\Exception\InvalidArgument;
use Toolwire\Exception\ToolwireThrowable;
use Toolwire\Tests\ArrayStore;
use Toolwire\ToolCall;
use Toolwire\ToolResult;
use Toolwire\ToolResultFinder;
use Toolwire\Tools\ApprovalService;
use Toolwire\Tools\Exception\ToolDenied;
use Toolwire\Tools\Exception\ToolException;
use Toolwire\Tools\Executor;
use Toolwire\Tools\Registry;
use Toolwire\Tools\Store;
use Toolwire\Tools\Store\Memory;
use Toolwire\Tools\ToolDefinition;
use Toolwire\Tools\ToolOutput;

require __DIR__ . '/../php/ArrayStore.php';

function same(mixed $expected, mixed $given, string $what): void
{
    static $checks = 0;
    $checks++;
    if ($expected !== $given) {
        echo "$what: expected ", json_encode($expected), ', got ', json_encode($given), "\n";
        exit(1);
    }
    if ($what === 'all') {
        echo "ok $checks\n";
    }
}

/** @return array{class-string, string} the class and the kind of what a function throws */
function thrown(callable $function): array
{
    try {
        $function();
    } catch (ToolwireThrowable $error) {
        return [$error::class, $error->getKind()];
    }
    return ['', ''];
}

// The class of a store in PHP code implements an interface that one thread registered at start-up.
same(true, is_a(ArrayStore::class, Store::class, true), 'the interface of a store');
same(true, is_a(ToolDenied::class, ToolException::class, true), 'parent');
same(true, is_a(ToolDenied::class, ToolwireThrowable::class, true), 'interface of the exceptions');

for ($round = 0; $round < 20; $round++) {
    foreach ([new ArrayStore(), new Memory()] as $store) {
        $registry = new Registry();
        $registry->register(new ToolDefinition('a', 'A', static fn ($input) => ToolOutput::ok(
            ['seen' => $input->payload['x']]
        )));
        $registry->register(new ToolDefinition(
            'b',
            'B',
            static fn () => ToolOutput::ok(['b' => 1]),
            requiresApproval: true
        ));
        $executor = new Executor($registry, $store);
        $told = [];
        $executor->listen(static function (string $type) use (&$told): void {
            $told[] = $type;
        });
        $ran = $executor->execute(['id' => 'r1', 'type' => 'A', 'payload' => ['x' => $round]]);
        same(['seen' => $round], $ran->output?->data, 'the output of a run');
        same(true, $told !== [], 'the events of a run');
        $executor->execute(['id' => 'r2', 'type' => 'B', 'payload' => []]);
        (new ApprovalService($store))->decide('r2', true, 'ann', 'fine');
        same(['b' => 1], $executor->resume('r2')->output?->data, 'the output after an approval');
        $denied = $executor->execute(['id' => 'r3', 'type' => 'C', 'payload' => []])->error;
        same('tool_not_found', $denied?->getKind(), 'a tool that is not there');
    }

    // A filter belongs to one thread and one request.
    $packets = [['type' => 'tool_result', 'metadata' => ['handler_tool' => 'h', 'n' => $round]]];
    same($packets[0], ToolResultFinder::findHandlerResult($packets, 'h'), 'without a filter');
    $mine = spl_object_id(new stdClass()) . random_int(0, PHP_INT_MAX);
    ToolResultFinder::setFilter(static fn (?array $found): array => ['mine' => $mine]);
    usleep(random_int(0, 200));
    same(['mine' => $mine], ToolResultFinder::findHandlerResult($packets, 'h'), 'with a filter');
    if ($round % 2 === 0) {
        ToolResultFinder::setFilter(null);
        same($packets[0], ToolResultFinder::findHandlerResult($packets, 'h'), 'after a filter');
    }
    ToolResultFinder::setFilter(null);

    // Packets whose keys are made at run time, and lie in other places each time.
    $packets = [];
    for ($i = 0; $i < 200; $i++) {
        $metadata = ['a' => 1, 'handler_tool' => "h$i", 'tool_result' => ['x' => $i]];
        $packet = ['type' => 'tool_result', 'metadata' => $metadata];
        $packet = $i % 3 === 0 ? array_reverse($packet) : $packet;
        $packets[] = $i % 2 === 0 ? $packet : json_decode(json_encode($packet), true);
    }
    for ($i = 0; $i < 200; $i += 7) {
        $found = ToolResultFinder::findHandlerResult($packets, "h$i");
        same(['x' => $i], $found['metadata']['tool_result'] ?? null, 'a packet among many');
        same(['x' => $i], ToolResultFinder::projectResultData($packets[$i]), 'its data');
    }

    $text = "x <tool:a>{\"k\":{\"é\":[1,2.5,null,$round]}}</tool> y";
    $call = (new Detector())->detect($text)->calls[0];
    same(['k' => ['é' => [1, 2.5, null, $round]]], $call->arguments, 'the arguments of a call');
    $copy = unserialize(serialize($call));
    same(true, $copy instanceof ToolCall && $copy == $call, 'a call that was serialised');
    $result = ToolResult::fromReturned('a', (object) ['error' => "e$round"]);
    same("e$round", $result->toArray()['error_message'], 'a result');
    same(
        [InvalidArgument::class, 'unknown_format'],
        thrown(static fn () => new Detector(formats: ['none'])),
        'the exception for misuse'
    );
}
gc_collect_cycles();
// The filter of this request must not reach the next one on the thread.
ToolResultFinder::setFilter(static fn (): array => ['left' => 'over']);
same(null, null, 'all');
