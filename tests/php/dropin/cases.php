<?php

/** Runs the drop-in's cases in files of JSON, and prints how many there are: cases.php FILE... */

declare(strict_types=1);

namespace Toolwire\Tests\Dropin;

use DataMachine\Engine\AI\Tools\ToolResultFinder;
use Throwable;

require __DIR__ . '/Listener.php';

$ran = 0;
foreach (array_slice($argv, 1) as $file) {
    $cases = json_decode((string) file_get_contents($file), true, 512, JSON_THROW_ON_ERROR);
    foreach ($cases as $number => $case) {
        $fields = ['name', 'method', 'args', 'return', 'actions', 'throws'];
        if (array_diff(array_keys($case), $fields) !== []) {
            exit("$file, case $number: an unknown field\n");
        }
        Listener::start(false);
        $got = ['return' => null, 'throws' => null];
        try {
            $got['return'] = ToolResultFinder::{$case['method']}(...$case['args']);
        } catch (Throwable $thrown) {
            $got['throws'] = $thrown::class . ': '
                . preg_replace('/, called in .*/', '', $thrown->getMessage());
        }
        $heard = array_map(
            fn (array $what): array => [$what[0], array_slice($what, 1)],
            Listener::$heard
        );
        $expected = ['return' => $case['return'] ?? null, 'throws' => $case['throws'] ?? null];
        if ([$got, $heard] !== [$expected, $case['actions']]) {
            exit(
                "$file, case $number: " . json_encode([$case, $got, $heard], JSON_PRETTY_PRINT)
                    . "\n"
            );
        }
        $ran++;
    }
}
echo "$ran cases\n";
