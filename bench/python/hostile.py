"""Times one detection of one text. It is a program of its own, so that it can be stopped.

python bench/python/hostile.py build/bench/hostile-fences.txt theirs

Prints the nanoseconds and the number of calls.
"""

import json
import sys
from pathlib import Path
from time import perf_counter_ns

import toolwire

import peers


def main(path: Path, side: str) -> None:
    text = path.read_text()
    detector = toolwire.Detector(formats=["tag", "json", "html"])
    start = perf_counter_ns()
    calls = len(detector.detect(text)) if side == "ours" else len(peers.detect(text))
    print(json.dumps({"ns": perf_counter_ns() - start, "calls": calls, "failure": None}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
