<?php

/**
 * Compares the classes for assistants of the library in plain PHP with the extension's.
 *
 * `php -n tests/plain/tools/run.php EXTENSION.so [SEED]`
 */

declare(strict_types=1);

namespace Toolwire\Tests\Plain\Tools;

[, $extension] = $argv;
$seed = $argv[2] ?? (string) random_int(1, PHP_INT_MAX);
$answers = [];
foreach (['extension' => ['-d', "extension=$extension"], 'plain' => []] as $host => $options) {
    $command = array_merge([PHP_BINARY, '-n'], $options, [__DIR__ . '/questions.php', $seed]);
    $process = proc_open($command, [1 => ['pipe', 'w'], 2 => STDERR], $pipes);
    $answers[$host] = stream_get_contents($pipes[1]);
    if (proc_close($process) !== 0) {
        fwrite(STDERR, "seed $seed: the questions failed in $host PHP\n");
        exit(1);
    }
    file_put_contents(sys_get_temp_dir() . "/toolwire-tools-$host", $answers[$host]);
}
$lines = substr_count($answers['plain'], "\n");
if ($answers['plain'] === $answers['extension'] && $lines > 1000) {
    echo "tools, agents and secrets in plain PHP: $lines lines as the extension's (seed $seed)\n";
    exit(0);
}
$files = sys_get_temp_dir() . '/toolwire-tools-';
fwrite(STDERR, "seed $seed: the answers differ\n");
fwrite(STDERR, (string) shell_exec("diff -U 6 {$files}extension {$files}plain | head -80"));
exit(1);
