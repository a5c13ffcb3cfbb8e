"""Times several ways of doing the same work, turn by turn, in one process.

A way is a function that does the work a given number of times in a loop of its own, so that no
extra call is measured. Each runs in samples of some 0.2 ms, because the system takes the processor
away in longer ones; a round has one sample of each, in changing order. A sample is nanoseconds for
one run; the reader of the samples does the statistics.
"""

import json
import math
import os
import statistics
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from time import perf_counter_ns

# The least that a sample takes, and what all rounds of a row may take, in nanoseconds.
SAMPLE = 200_000
PATIENCE = 1_500_000_000
ROUNDS, FEWEST = 200, 15

# A way that runs in an event loop gives its nanoseconds itself: to begin and end costs some 50 µs.
Way = Callable[[int], int | None]


def timed(way: Way, times: int) -> int:
    start = perf_counter_ns()
    own = way(times)
    return max(1, perf_counter_ns() - start if own is None else own)


def calibrate(way: Way) -> tuple[int, int]:
    """Find how often a way runs within a sample, and how long that takes."""
    times = 1
    while True:
        taken = timed(way, times)
        # A sample that was interrupted looks long enough, so two more are taken.
        if taken < 50 * SAMPLE:
            taken = min(taken, timed(way, times), timed(way, times))
        if taken >= SAMPLE:
            return times, taken
        times = math.ceil(times * min(100, max(1.5, 1.1 * SAMPLE / taken)))


def samples(ways: Mapping[str, Way], rounds: int | None = None) -> dict[str, list[float]]:
    """Take the samples of each way, in the order of the rounds."""
    calibrated = {side: calibrate(way) for side, way in ways.items()}
    if rounds is None:
        affordable = PATIENCE // sum(taken for _, taken in calibrated.values())
        rounds = max(FEWEST, min(ROUNDS, affordable))
    taken: dict[str, list[float]] = {side: [] for side in ways}
    order = list(ways)
    for _ in range(rounds):
        for side in order:
            times, _ = calibrated[side]
            taken[side].append(timed(ways[side], times) / times)
        order.append(order.pop(0))
    return taken


def asked(group: str, name: str) -> bool:
    """Say whether a row is to be measured: with `run.py --rows`, if its names hold a word."""
    words = os.environ.get("TOOLWIRE_BENCH_ROWS", "").split("|")
    return any(word in f"{group}: {name}" for word in words)


def shown(
    group: str,
    name: str,
    taken: Mapping[str, list[float]],
    *,
    size: int | None = None,
    note: str = "",
) -> None:
    """Print a row for `bench/run.py`."""
    printed = {"group": group, "name": name, "unit": "ns", "samples": taken, "note": note}
    print(json.dumps(printed | ({} if size is None else {"bytes": size})), flush=True)


def row(
    group: str,
    name: str,
    ways: Mapping[str, Way],
    *,
    size: int | None = None,
    note: str = "",
    rounds: int | None = None,
) -> None:
    """Measure a row and print it."""
    if asked(group, name):
        shown(group, name, samples(ways, rounds), size=size, note=note)


def low(taken: list[float]) -> float:
    """Give the 20th percentile."""
    return statistics.quantiles(taken, n=5, method="inclusive")[0]


def exponent(ways: Mapping[int, Way]) -> float:
    """Fit the exponent with which times grow with the size: least squares of the logarithms."""
    taken = samples({str(size): way for size, way in ways.items()})
    times = [math.log(low(times)) for times in taken.values()]
    return statistics.linear_regression([math.log(size) for size in ways], times).slope


def figure(group: str, name: str, unit: str, note: str, **sides: float) -> None:
    """Print a row with one figure for each side."""
    taken = {side: [value] for side, value in sides.items()}
    print(json.dumps({"group": group, "name": name, "unit": unit, "samples": taken, "note": note}))


def same(name: str, ours: object, theirs: object) -> None:
    """Stop the run when a peer's output is not ours: the figures would be of different work."""
    if ours != theirs:
        sys.exit(f"{name}: the outputs differ")


def text(directory: Path, name: str) -> str:
    """Read one of the texts of `bench/corpus.py`."""
    return (directory / f"{name}.txt").read_text()


def timed_texts(directory: Path, listed: str) -> dict[str, str]:
    """Read the texts that are timed, by their names in the table."""
    files = json.loads((directory / "rows.json").read_text())[listed]
    return {name: text(directory, file) for name, file in files.items()}
