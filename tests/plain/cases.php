<?php

/**
 * Runs the shared cases that the library in plain PHP offers, without the extension and without
 * PHPUnit, on PHP 7.4 and newer: `php -n tests/plain/cases.php [COUNTS.json]`.
 */

declare(strict_types=1);

namespace Toolwire\Tests\Plain;

require __DIR__ . '/bootstrap.php';
require __DIR__ . '/../php/Cases.php';
require __DIR__ . '/DetectionCheck.php';
require __DIR__ . '/CaseRunner.php';

$runner = new CaseRunner();
$runner->run();
foreach ($runner->failures as $failure) {
    fwrite(STDERR, "$failure\n");
}
if (isset($argv[1])) {
    $counts = ['ran' => $runner->ran, 'left_out' => $runner->leftOut];
    file_put_contents($argv[1], json_encode($counts, JSON_PRETTY_PRINT) . "\n");
}
printf(
    "PHP %s without the extension: %d shared cases passed, %d need what is left out, %d failed\n",
    PHP_VERSION,
    array_sum($runner->ran),
    array_sum($runner->leftOut),
    count($runner->failures)
);
exit($runner->failures === [] && array_sum($runner->ran) > 0 ? 0 : 1);
