<?php

/**
 * Times several ways of doing the same work, turn by turn, in one process.
 *
 * A way is a closure that does the work a given number of times in a loop of its own, so that no
 * call of a closure is measured. Each runs in samples of some 0.2 ms, because the system takes the
 * processor away in longer ones; a round has one sample of each, in changing order. A sample is
 * nanoseconds for one run; the reader of the samples does the statistics.
 */

namespace Toolwire\Bench;

/** The least that a sample takes, and what all rounds of a row may take, in nanoseconds. */
const SAMPLE = 200_000;
const PATIENCE = 1_500_000_000;
const ROUNDS = 200;
const FEWEST = 15;

/** The number of runs of a way within a sample, and what they take. */
function calibrate(\Closure $way): array
{
    for ($times = 1; ; $times = (int) ceil($times * min(100, max(1.5, 1.1 * SAMPLE / $taken)))) {
        $taken = PHP_INT_MAX;
        for ($attempt = 0; $attempt < 3; $attempt++) {
            $start = hrtime(true);
            $way($times);
            $taken = min($taken, max(1, hrtime(true) - $start));
        }
        if ($taken >= SAMPLE) {
            return [$times, $taken];
        }
    }
}

/**
 * @param array<string, \Closure(int): void> $ways
 * @return array<string, list<float>> the samples of each way, in the order of the rounds
 */
function samples(array $ways): array
{
    $calibrated = array_map(calibrate(...), $ways);
    $taken = array_sum(array_column($calibrated, 1));
    $rounds = max(FEWEST, min(ROUNDS, intdiv(PATIENCE, $taken)));
    $samples = array_fill_keys(array_keys($ways), []);
    $order = array_keys($ways);
    for ($round = 0; $round < $rounds; $round++) {
        foreach ($order as $side) {
            $way = $ways[$side];
            [$count] = $calibrated[$side];
            $start = hrtime(true);
            $way($count);
            $samples[$side][] = (hrtime(true) - $start) / $count;
        }
        $order[] = array_shift($order);
    }
    return $samples;
}

/** Whether a row is to be measured: with `run.py --rows`, only those whose names hold a word. */
function asked(string $group, string $name): bool
{
    $words = getenv('TOOLWIRE_BENCH_ROWS') ?: '';
    foreach (explode('|', $words) as $word) {
        if (str_contains("$group: $name", $word)) {
            return true;
        }
    }
    return false;
}

/** Prints a row for `bench/run.py`. */
function row(array $row): void
{
    echo json_encode($row, JSON_THROW_ON_ERROR | JSON_PRESERVE_ZERO_FRACTION), "\n";
}

/**
 * Stops the run when a peer's output is not ours: figures of different work must not be compared.
 */
function same(string $name, mixed $ours, mixed $theirs): void
{
    if ($ours !== $theirs) {
        fwrite(STDERR, "$name: the outputs differ\n");
        exit(1);
    }
}

/**
 * The texts that are timed, by their names in the table.
 *
 * @return array<string, string>
 */
function timed_texts(string $directory, string $list): array
{
    $files = json_decode(file_get_contents("$directory/rows.json"), true)[$list];
    return array_map(fn (string $file) => text($directory, $file), $files);
}

/** One of the texts of `bench/corpus.py`. */
function text(string $directory, string $name): string
{
    $text = file_get_contents("$directory/$name.txt");
    if ($text === false) {
        exit(1);
    }
    return $text;
}
