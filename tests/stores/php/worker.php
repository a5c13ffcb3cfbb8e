<?php

/**
 * What the processes do that the tests start, and that some of them kill. Each step that the store
 * has acknowledged becomes a line of output.
 */

declare(strict_types=1);

namespace Toolwire\Tests;

use Toolwire\Tools\ApprovalService;
use Toolwire\Tools\Exception\ApprovalException;
use Toolwire\Tools\Executor;
use Toolwire\Tools\Registry;
use Toolwire\Tools\ToolDefinition;
use Toolwire\Tools\ToolOutput;

require __DIR__ . '/../../../php/toolwire/stores.php';
require __DIR__ . '/Stores.php';

function say(string ...$words): void
{
    fwrite(STDOUT, implode(' ', $words) . "\n");
}

/** Waits until the test says that every process is ready. */
function wait(): void
{
    say('ready', '');
    fgets(STDIN);
}

[, $work, $place, $number] = $argv;
$store = Stores::open(json_decode($place, true));
$number = (int) $number;

if ($work === 'count') {
    wait();
    for ($counted = 0; $counted < $number;) {
        $entry = $store->get('counter', 0);
        $next = (int) ($entry['value'] ?? 0) + 1;
        $version = $store->put('counter', (string) $next, $entry['version'] ?? 0, null, 0);
        if ($version !== null) {
            say('counted', (string) $next, (string) $version);
            $counted++;
        }
    }
    exit(0);
}

if ($work === 'batches') {
    // Only one process can make each batch as a whole.
    wait();
    for ($turn = 100; $turn < 200; $turn++) {
        $made = $store->batch([
            ['put', "tried/$number/$turn", '', 0, null],
            ['put', "turn/$turn", '', 0, null],
            ['put', "owner/$turn", (string) $number, null, null],
            ['put', "stays/$turn", '', 0, null],
            ['delete', "stays/$turn", null],
        ], 0);
        say(count($made) === 5 ? 'won' : 'lost', (string) $turn, (string) $number);
    }
    exit(0);
}

$approvals = new ApprovalService($store);
mt_srand($number);
if ($work === 'decide') {
    $pending = $approvals->pending();
    shuffle($pending);
    wait();
    foreach ($pending as $request) {
        try {
            $approvals->decide($request->id, $number % 2 === 0, decidedBy: (string) $number);
            say('decided', $request->id, (string) $number);
        } catch (ApprovalException) {
            say('refused', $request->id, (string) $number);
        }
    }
    exit(0);
}

// Asks, decides and resumes at random until the process is killed.
// With `resume`, tries to go on with each run that waits, and ends.
$registry = new Registry();
$ran = '';
$registry->register(new ToolDefinition('edit', 'EDIT', static function ($input) use (&$ran) {
    $ran = $input->runId;
    say('ran', $ran);
    return ToolOutput::ok();
}, requiresApproval: true));
$executor = new Executor($registry, $store);
if ($work === 'resume') {
    $waiting = array_column($executor->waiting(), 'id');
    shuffle($waiting);
    wait();
    foreach ($waiting as $id) {
        say('saw', $id, (string) $executor->resume($id)?->state);
    }
    exit(0);
}
wait();
$seen = [];
for (;;) {
    $pending = $approvals->pending();
    shuffle($pending);
    $seen = array_slice([...$seen, ...array_column($pending, 'runId')], -60);
    foreach ($pending as $request) {
        $granted = mt_rand(0, 3) > 0;
        try {
            $approvals->decide($request->id, $granted);
            say($granted ? 'approved' : 'denied', $request->runId);
        } catch (ApprovalException) {
            // Another process was first.
        }
        say('asked', $executor->start(['type' => 'EDIT'])->id);
        foreach ((array) array_rand($seen, min(3, count($seen))) as $key) {
            $state = $executor->resume($seen[$key])?->state;
            if ($ran === $seen[$key] && $state === 'completed') {
                $ran = '';
                say('completed', $seen[$key]);
            }
        }
    }
}
