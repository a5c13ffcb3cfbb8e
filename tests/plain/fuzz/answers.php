<?php

/**
 * Answers random questions, with the extension or without it: a hash for each seed.
 *
 * `php tests/plain/fuzz/answers.php FIRST LAST`; with one seed, the question and the answer.
 */

declare(strict_types=1);

namespace Toolwire\Tests\Plain\Fuzz;

ini_set('memory_limit', '512M');
if (!extension_loaded('toolwire')) {
    require __DIR__ . '/../bootstrap.php';
}
require __DIR__ . '/Texts.php';
require __DIR__ . '/FormatTexts.php';
require __DIR__ . '/Values.php';
require __DIR__ . '/Answers.php';

$first = (int) $argv[1];
if (!isset($argv[2])) {
    var_export(Answers::to($first));
    echo "\n";
    exit;
}
for ($seed = $first; $seed <= (int) $argv[2]; $seed++) {
    echo $seed, ' ', sha1(serialize(Answers::to($seed))), "\n";
}
