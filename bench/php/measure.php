<?php

/**
 * Times several ways of doing the same work, turn by turn, in one process.
 *
 * A way is a closure that does the work a given number of times in a loop of its own, so that no
 * call of a closure is measured. Each runs in batches of some milliseconds; a round has one batch
 * of each, in changing order, so whatever slows the machine down for a while slows all of them
 * down. The samples are nanoseconds for one run; the reader of the samples does the statistics.
 */

namespace Toolwire\Bench;

const BATCH = 3_000_000;
const ROUNDS = 25;

/** The number of runs of a way within a batch. */
function calibrate(\Closure $way): int
{
    for ($times = 1; ; $times = (int) ceil($times * min(100, max(1.5, 1.1 * BATCH / $taken)))) {
        $start = hrtime(true);
        $way($times);
        $taken = max(1, hrtime(true) - $start);
        if ($taken >= BATCH) {
            return $times;
        }
    }
}

/**
 * @param array<string, \Closure(int): void> $ways
 * @return array<string, list<float>> the samples of each way, in the order of the rounds
 */
function samples(array $ways): array
{
    $times = array_map(calibrate(...), $ways);
    $samples = array_fill_keys(array_keys($ways), []);
    $order = array_keys($ways);
    for ($round = 0; $round < ROUNDS; $round++) {
        foreach ($order as $side) {
            $way = $ways[$side];
            $start = hrtime(true);
            $way($times[$side]);
            $samples[$side][] = (hrtime(true) - $start) / $times[$side];
        }
        $order[] = array_shift($order);
    }
    return $samples;
}

/**
 * The exponent with which times grow with the size: the slope of the straight line through the
 * logarithms, by least squares.
 *
 * @param array<int, float> $times by size
 */
function exponent(array $times): float
{
    $x = array_map(log(...), array_keys($times));
    $y = array_map(log(...), array_values($times));
    $x = array_map(fn (float $log) => $log - array_sum($x) / count($x), $x);
    $over = array_sum(array_map(fn (float $x, float $y) => $x * $y, $x, $y));
    return $over / array_sum(array_map(fn (float $x) => $x * $x, $x));
}

function median(array $samples): float
{
    sort($samples);
    return $samples[intdiv(count($samples), 2)];
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

/** One of the texts of `bench/corpus.py`. */
function text(string $directory, string $name): string
{
    $text = file_get_contents("$directory/$name.txt");
    if ($text === false) {
        exit(1);
    }
    return $text;
}
