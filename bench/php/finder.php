<?php

/**
 * The finder against the plain loop, and against a loop in C that fetches ahead. Prints a row for
 * each number of packets and each place of the match.
 *
 *     php -d extension=build/toolwire.so -d extension=build/toolwire_bench.so \
 *         -d toolwire.dropins=datamachine bench/php/finder.php interpreted
 */

namespace Toolwire\Bench;

use DataMachine\Engine\AI\Tools\PlainToolResultFinder;
use DataMachine\Engine\AI\Tools\ToolResultFinder as LiveToolResultFinder;
use Toolwire\ToolResultFinder;

require __DIR__ . '/../../tests/php/reference/ToolResultFinder.php';
require __DIR__ . '/measure.php';
require __DIR__ . '/peers.php';

/**
 * @return list<array<string, mixed>> packets as after a reload: each comes out of JSON and shares
 *     nothing with another; three of four are results
 */
function packets(int $count): array
{
    return array_map(fn (array $packet) => json_decode(json_encode($packet), true), made($count));
}

/** @return list<array<string, mixed>> packets as code makes them, which share their keys */
function made(int $count): array
{
    $kinds = ['tool_result', 'tool_result', 'ai_handler_complete', 'fetch'];
    $packets = [];
    for ($number = 0; $number < $count; $number++) {
        $handler = 'handler_' . $number % 50;
        $packets[] = [
            'type' => $kinds[$number % 4],
            'timestamp' => 1_704_153_600 + $number,
            'content' => ['title' => "Post $number", 'body' => 'Published.'],
            'metadata' => [
                'source_type' => 'rss',
                'flow_step_id' => 'step_' . $number % 9,
                'handler_tool' => $handler,
                'tool_name' => $handler,
                'tool_success' => true,
                'tool_result' => ['success' => true, 'data' => ['id' => $number]],
            ],
        ];
    }
    return $packets;
}

/** A packet that only the search for its own handler finds. */
function wanted(array $packet): array
{
    $packet['type'] = 'tool_result';
    $packet['metadata']['handler_tool'] = 'wanted';
    return $packet;
}

function find_row(string $name, array $data, string $handler): void
{
    if (!asked('PHP find', $name)) {
        return;
    }
    $ours = ToolResultFinder::findHandlerResult($data, $handler);
    same($name, $ours, find_plain($data, $handler));
    same($name, $ours, toolwire_bench_find($data, $handler));
    row(['group' => 'PHP find', 'name' => $name, 'unit' => 'ns', 'samples' => samples([
        'ours' => static function (int $times) use ($data, $handler): void {
            while ($times-- > 0) {
                ToolResultFinder::findHandlerResult($data, $handler);
            }
        },
        'theirs' => static function (int $times) use ($data, $handler): void {
            while ($times-- > 0) {
                find_plain($data, $handler);
            }
        },
        'limit' => static function (int $times) use ($data, $handler): void {
            while ($times-- > 0) {
                \toolwire_bench_find($data, $handler);
            }
        },
    ]), 'note' => 'limit: a loop in C that fetches ahead']);
}

/** The drop-in against the class that it replaces, which the tests have as plain PHP. */
function drop_in_row(string $name, array $data): void
{
    if (!asked('PHP find', $name)) {
        return;
    }
    $loop = static fn (string $class): callable =>
        static function (int $times) use ($class, $data): void {
        while ($times-- > 0) {
            $class::findHandlerResult($data, 'none', 'step', false);
        }
    };
    row(['group' => 'PHP find', 'name' => $name, 'unit' => 'ns', 'samples' => samples([
        'ours' => $loop(LiveToolResultFinder::class),
        'theirs' => $loop(PlainToolResultFinder::class),
        'limit' => static function (int $times) use ($data): void {
            while ($times-- > 0) {
                ToolResultFinder::findHandlerResult($data, 'none');
            }
        },
    ]), 'note' => 'limit: Toolwire\ToolResultFinder']);
}

function find_all_row(string $name, array $data): void
{
    if (!asked('PHP find', $name)) {
        return;
    }
    $handlers = array_map(fn (int $number) => "handler_$number", range(1, 10));
    same(
        $name,
        ToolResultFinder::findAllHandlerResults($data, $handlers),
        find_all_plain($data, $handlers)
    );
    row(['group' => 'PHP find', 'name' => $name, 'unit' => 'ns', 'samples' => samples([
        'ours' => static function (int $times) use ($data, $handlers): void {
            while ($times-- > 0) {
                ToolResultFinder::findAllHandlerResults($data, $handlers);
            }
        },
        'theirs' => static function (int $times) use ($data, $handlers): void {
            while ($times-- > 0) {
                find_all_plain($data, $handlers);
            }
        },
        'limit' => static function (int $times) use ($handlers): void {
            while ($times-- > 0) {
                ToolResultFinder::findAllHandlerResults([], $handlers);
            }
        },
    ]), 'note' => 'limit: the call with no packets']);
}

/** The growth of the process's resident set during the search of many packets. */
function memory_row(string $mode): void
{
    if (!asked('PHP memory', $mode)) {
        return;
    }
    $data = packets(100_000);
    file_put_contents('/proc/self/clear_refs', '5');
    $status = fn (string $field) => preg_match(
        "/$field:\s+(\d+)/",
        file_get_contents('/proc/self/status'),
        $found
    )
        ? (int) $found[1] : 0;
    $before = $status('VmRSS');
    ToolResultFinder::findHandlerResult($data, 'none');
    $grown = max(0, $status('VmHWM') - $before) / 1024;
    row(['group' => 'PHP memory', 'name' => "find in 100,000 packets, $mode", 'unit' => 'MiB',
        'samples' => ['ours' => [$grown]], 'note' => 'beyond the packets']);
}

function main(string $mode): void
{
    $jit = function_exists('opcache_get_status')
        && (opcache_get_status(false)['jit']['on'] ?? false);
    if ($jit !== ($mode === 'JIT')) {
        fwrite(STDERR, "the JIT is " . ($jit ? 'on' : 'off') . ", asked for: $mode\n");
        exit(1);
    }
    foreach ([1, 10, 100, 1000, 10_000, 100_000] as $count) {
        $data = packets($count);
        $shown = number_format($count);
        find_row("n = $shown, no match, $mode", $data, 'none');
        if (in_array($count, [100, 10_000], true)) {
            $first = [wanted($data[0]), ...array_slice($data, 1)];
            find_row("n = $shown, first, $mode", $first, 'wanted');
            find_row(
                "n = $shown, last, $mode",
                [...array_slice($data, 0, -1), wanted($data[$count - 1])],
                'wanted'
            );
            find_all_row("n = $shown, findAll, 10 handlers, $mode", $data);
        }
        if ($count === 1000) {
            drop_in_row("n = $shown, drop-in, no match, $mode", $data);
            find_row("n = $shown, keys shared, no match, $mode", made($count), 'none');
        }
        if ($count >= 1000) {
            mt_srand($count);
            shuffle($data);
            find_row("n = $shown, shuffled, no match, $mode", $data, 'none');
        }
    }
    memory_row($mode);
}

main($argv[1] ?? 'interpreted');
