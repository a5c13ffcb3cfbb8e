<?php

/**
 * Detects the calls of a text a number of times and reads their arguments, for
 * `bench/instructions_of.py`.
 *
 *     php -d extension=build/toolwire.so bench/php/once.php build/bench/html-64k.txt auto 10
 *
 * The formats are `auto`, which is the default, or `three`.
 */

use Toolwire\Detector;

[, $path, $formats, $times] = $argv;
$text = file_get_contents($path);
$detector = $formats === 'auto' ? new Detector() : new Detector(['tag', 'json', 'html']);
for ($turn = 0; $turn < (int) $times; $turn++) {
    foreach ($detector->detect($text)->calls as $call) {
        $call->name;
        $call->arguments;
    }
}
