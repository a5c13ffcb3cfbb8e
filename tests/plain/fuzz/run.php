<?php

/**
 * Compares the library in plain PHP with the extension on random questions.
 *
 * `php -n tests/plain/fuzz/run.php EXTENSION.so [COUNT] [FIRST SEED]`
 */

declare(strict_types=1);

namespace Toolwire\Tests\Plain\Fuzz;

[, $extension] = $argv;
$count = (int) ($argv[2] ?? 2000);
$first = (int) ($argv[3] ?? 1);
$php = [PHP_BINARY, '-n'];
$with = array_merge($php, ['-d', "extension=$extension"]);

/** The lines of a run, as they come. */
$start = static function (array $php, string ...$seeds) {
    $command = array_merge($php, [__DIR__ . '/answers.php'], $seeds);
    $process = proc_open($command, [1 => ['pipe', 'w'], 2 => STDERR], $pipes);
    return [$process, $pipes[1]];
};
/** The whole output of one question. */
$whole = static function (array $php, string $seed) use ($start): string {
    [$process, $output] = $start($php, $seed);
    $text = stream_get_contents($output);
    proc_close($process);
    return $text;
};

$seeds = [(string) $first, (string) ($first + $count - 1)];
[$one, $extended] = $start($with, ...$seeds);
[$other, $plain] = $start($php, ...$seeds);
$compared = $different = 0;
while (($expected = fgets($extended)) !== false) {
    $found = fgets($plain);
    $compared++;
    if ($expected === $found) {
        continue;
    }
    $seed = explode(' ', $expected)[0];
    fwrite(STDERR, "seed $seed: the answers differ\n");
    if ($different++ === 0) {
        $folder = sys_get_temp_dir();
        $files = ["$folder/toolwire-extension", "$folder/toolwire-plain"];
        file_put_contents($files[0], $whole($with, $seed));
        file_put_contents($files[1], $whole($php, $seed));
        fwrite(STDERR, (string) shell_exec("diff -U 12 $files[0] $files[1] | head -60"));
    }
    if ($found === false || $different >= 20) {
        break;
    }
}
foreach ([$one, $other] as $process) {
    proc_terminate($process);
    proc_close($process);
}
echo "$compared random questions: $different answers of plain PHP differ from the extension's\n";
exit($different === 0 && $compared === $count ? 0 : 1);
