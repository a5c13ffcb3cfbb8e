<?php

/**
 * What a process does whose handler ends it, or works until the test lets it end. With `resume`,
 * the process waits for a line and goes on with each of some runs.
 * usage: ender.php PLACE ENDING ID,...
 */

declare(strict_types=1);

namespace Toolwire\Tests;

use Error;
use Toolwire\Tools\Executor;
use Toolwire\Tools\Registry;
use Toolwire\Tools\ToolDefinition;
use Toolwire\Tools\ToolInput;
use Toolwire\Tools\ToolOutput;

require __DIR__ . '/../../../php/toolwire/stores.php';
require __DIR__ . '/Stores.php';

function say(string ...$words): void
{
    fwrite(STDOUT, implode(' ', $words) . "\n");
}

/** Ends the process in one of the ways that a handler can, except `work`. */
function endProcess(string $ending): ?string
{
    switch ($ending) {
        case 'exit':
            exit('gone');
        case 'exit in a nested call':
            array_map(static fn () => exit(1), [1]);
            break;
        case 'a fatal error':
            eval('class Late implements Serializable, Iterator {}');
            break;
        case 'too much memory':
            ini_set('memory_limit', (string) (memory_get_usage(true) + (4 << 20)));
            return str_repeat('x', 1 << 28);
        case 'the time limit':
            set_time_limit(1);
            // Falls through: the tool's own limit is set before the handler.
        case 'the time of the tool':
            for (;;) {
            }
        case 'an earlier function that throws':
            exit;
        case 'a later function that throws':
            register_shutdown_function(static fn () => throw new Error('late'));
            exit;
        case 'work':
            fgets(STDIN);
    }
    return null;
}

[, $place, $ending, $id] = $argv;
if ($ending === 'an earlier function that throws') {
    // PHP calls no function behind one that throws, so this one comes first.
    register_shutdown_function([Executor::class, 'interruptOpenRuns']);
    register_shutdown_function(static fn () => throw new Error('early'));
}
$registry = new Registry();
$registry->register(new ToolDefinition(
    'mail',
    'MAIL',
    static function (ToolInput $input) use ($ending): ToolOutput {
        say('ran', $input->idempotencyKey, $input->runId);
        endProcess($ending);
        return ToolOutput::ok(['by' => 'the first']);
    },
    timeoutSeconds: $ending === 'the time of the tool' ? 0.4 : null,
));
$executor = new Executor($registry, Stores::open(json_decode($place, true)));
$executor->listen(static function (string $type, array $data): void {
    if ($type === 'tool.interrupted') {
        say('told', $data['run_id'], $data['reason']);
    }
});
if ($ending === 'resume') {
    say('ready');
    fgets(STDIN);
    foreach (explode(',', $id) as $one) {
        say('saw', $one, (string) $executor->resume($one)?->state);
    }
    exit(0);
}
// The run that the process has lost is told by a warning too.
set_error_handler(
    static fn (int $level, string $message): bool => str_contains($message, 'not kept')
);
$run = $executor->start(['id' => $id, 'type' => 'MAIL', 'payload' => ['to' => 'ann', 'of' => []]]);
say('after', $run->state, $run->notKept === null ? 'kept' : 'lost');
