<?php

/**
 * Times one detection of one text. It is a program of its own, so that it can be stopped.
 *
 *     php -d extension=build/toolwire.so bench/php/hostile.php \
 *         build/bench/hostile-fences.txt theirs
 *
 * Prints the nanoseconds and the number of calls; for `theirs` also the error of preg, if it gave
 * up.
 */

namespace Toolwire\Bench;

use Toolwire\Detector;

require __DIR__ . '/peers.php';

[, $path, $side] = $argv;
$text = file_get_contents($path);
$detector = new Detector(['tag', 'json', 'html']);
$failure = null;
$start = hrtime(true);
try {
    $calls = $side === 'ours' ? $detector->detect($text)->count() : count(detect_with_preg($text));
} catch (\RuntimeException $error) {
    $calls = null;
    $failure = $error->getMessage();
}
echo json_encode(['ns' => hrtime(true) - $start, 'calls' => $calls, 'failure' => $failure]), "\n";
