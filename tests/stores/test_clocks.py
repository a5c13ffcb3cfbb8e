"""Clocks that go back and forth between the operations of a run, in two processes.

Each process has a clock of its own, which Debian's `faketime` turns. ``TOOLWIRE_CLOCKS`` is how
many runs are made on each store.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
import uuid
from collections import Counter
from pathlib import Path

import pytest
from servers import Server
from test_processes import lines
from test_processes import place as place

HERE = Path(__file__).parent
LIBRARY = next(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"), None)
RUNS = int(os.environ.get("TOOLWIRE_CLOCKS", "8"))
# Up to six days: what is kept for a week is not swept away.
JUMPS = (0, 1, -1, 20, -20, 3600, -3600, 86_400, -86_400, 3 * 86_400, -3 * 86_400)


class Clocked:
    """A process with a clock of its own."""

    def __init__(self, place: tuple[str, str], folder: Path, name: str) -> None:
        self.clock = folder / f"{name}.clock"
        self.path = folder / f"{name}.log"
        self.turn(0)
        assert LIBRARY is not None
        self.process = subprocess.Popen(
            [sys.executable, str(HERE / "store_worker.py"), *place, str(self.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={
                **os.environ,
                "LD_PRELOAD": str(LIBRARY),
                "FAKETIME_TIMESTAMP_FILE": str(self.clock),
                "FAKETIME_NO_CACHE": "1",
                # A computer's clock of durations does not jump.
                "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            },
        )
        assert abs(int(self.said().split()[1]) - time.time()) < 60

    def said(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def turn(self, seconds: int) -> None:
        self.clock.write_text(f"{seconds:+d}\n")

    def do(self, *words: str) -> str:
        assert self.process.stdin is not None
        print(*words, file=self.process.stdin, flush=True)
        return self.said()

    def end(self) -> None:
        self.process.kill()
        self.process.wait()


@pytest.mark.skipif(LIBRARY is None, reason="faketime is not installed")
def test_a_clock_that_jumps_runs_nothing_twice(
    place: tuple[str, str], servers: dict[str, Server], tmp_path: Path
) -> None:
    rolled = random.Random(5)
    both = [Clocked(place, tmp_path, name) for name in ("one", "other")]
    granted: dict[str, bool] = {}
    answers: Counter[str] = Counter()
    for number in range(RUNS):
        run, asked = str(uuid.uuid4()), ""
        granted[run] = number % 3 != 0
        steps = ["start", "decide", "resume", "start", "resume", "decide", "resume", "undo", "undo"]
        for step in steps:
            process = rolled.choice(both)
            process.turn(rolled.choice(JUMPS))
            if step == "decide":
                word = "yes" if granted[run] else "no"
                answer = process.do("decide", asked or run, word)
            else:
                answer = process.do(step, run)
            assert answer, f"{step} ended the process"
            answers[answer.split()[0]] += 1
            if step == "start" and not asked and answer.split()[-1] != "None":
                asked = answer.split()[-1]
    for process in both:
        process.end()
    said = Counter(
        (what, run) for process in both for what, run, *_ in lines(process.path) if run in granted
    )
    assert all(times == 1 for times in said.values()), said
    assert not [run for what, run in said if what == "ran" and not granted[run]]
    # An answer is a state, or a refusal with a class that has a code.
    assert answers["decided"]
    assert said, answers
