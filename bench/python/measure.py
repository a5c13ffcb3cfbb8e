"""Times several ways of doing the same work, turn by turn, in one process.

A way is a function that does the work a given number of times in a loop of its own, so that no
extra call is measured. Each runs in batches of some milliseconds; a round has one batch of each, in
changing order, so whatever slows the machine down for a while slows all of them down. The samples
are nanoseconds for one run; the reader of the samples does the statistics.
"""

import json
import math
import statistics
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from time import perf_counter_ns

BATCH = 3_000_000
ROUNDS = 25

Way = Callable[[int], None]


def calibrate(way: Way) -> int:
    """Find how often a way runs within a batch."""
    times = 1
    while True:
        start = perf_counter_ns()
        way(times)
        taken = max(1, perf_counter_ns() - start)
        if taken >= BATCH:
            return times
        times = math.ceil(times * min(100, max(1.5, 1.1 * BATCH / taken)))


def samples(ways: Mapping[str, Way], rounds: int = ROUNDS) -> dict[str, list[float]]:
    """Take the samples of each way, in the order of the rounds."""
    times = {side: calibrate(way) for side, way in ways.items()}
    taken: dict[str, list[float]] = {side: [] for side in ways}
    order = list(ways)
    for _ in range(rounds):
        for side in order:
            way, count = ways[side], times[side]
            start = perf_counter_ns()
            way(count)
            taken[side].append((perf_counter_ns() - start) / count)
        order.append(order.pop(0))
    return taken


def row(
    group: str,
    name: str,
    ways: Mapping[str, Way],
    *,
    size: int | None = None,
    note: str = "",
    rounds: int = ROUNDS,
) -> None:
    """Measure a row and print it for `bench/run.py`."""
    printed: dict[str, object] = {
        "group": group,
        "name": name,
        "unit": "ns",
        "samples": samples(ways, rounds),
        "note": note,
    }
    if size is not None:
        printed["bytes"] = size
    print(json.dumps(printed), flush=True)


def exponent(ways: Mapping[int, Way]) -> float:
    """Fit the exponent with which times grow with the size: least squares of the logarithms."""
    taken = samples({str(size): way for size, way in ways.items()})
    times = [math.log(statistics.median(times)) for times in taken.values()]
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
