"""Runs every benchmark and prints one table: ours, theirs, the ratio, the limit.

    make bench                                      # builds what is needed and runs all of it
    .venv/bin/python bench/run.py --only php        # one part: php, python or rust
    .venv/bin/python bench/run.py --rows "HTML prose|n = 10,000"    # rows whose names hold these

The table also goes to `bench/results/bench.txt` and a chart to `bench/results/bench.svg`; a run of
a part writes neither. The rows are in `build/bench.json`, which is no part of the repository. The
head of the table says what other work the machine had meanwhile.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import check_instructions
import corpus
import pages
from chart import chart
from machine import Watch, machine
from table import Row, table
from targets import SERVERS, TARGETS, why

ROOT = Path(__file__).resolve().parent.parent
BENCH = ROOT / "bench"
TEXTS = ROOT / "build" / "bench"
RESULTS = BENCH / "results"
PHP = ["php", "-d", f"extension={ROOT / 'build' / 'toolwire.so'}", "-d", "memory_limit=-1"]
INTERPRETED = ["-d", "opcache.enable_cli=0"]
JIT = [
    "-d",
    "opcache.enable_cli=1",
    "-d",
    "opcache.jit=tracing",
    "-d",
    "opcache.jit_buffer_size=64M",
]
RUST = ROOT / "target" / "bench" / "release" / "toolwire-bench"
PEERS = ROOT / "target" / "bench-peers" / "release" / "toolwire-bench-peers"
INSTRUCTIONS = ROOT / "target" / "release" / "examples" / "instructions"

LIMIT = ["-d", f"extension={ROOT / 'build' / 'toolwire_bench.so'}"]

# The seconds that a peer may work on a hostile text.
PATIENCE = 5.0
# Words, of which a row's group and name hold one, with `|` between; the parts read it.
ROWS = "TOOLWIRE_BENCH_ROWS"

HOSTILE = {
    "hostile-fences": "```json { again and again, 180 KB",
    "hostile-elements": "start tags that never end, 64 KB",
    "hostile-tags": "calls that never end, 256 KB",
    "hostile-spaces": "16 KB of spaces behind a fence",
    "hostile-objects": '{"a":1} again and again, 256 KB',
    "hostile-classes": "class-like attributes, 256 KB",
    "hostile-keys": "objects with arguments and no name, 256 KB",
}

Printed = dict[str, Any]


def printed(*command: str | Path) -> Iterator[Printed]:
    """Give the rows of a part while it prints them."""
    with subprocess.Popen(
        list(map(str, command)), stdout=subprocess.PIPE, text=True, cwd=ROOT
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            yield json.loads(line)
    if process.returncode != 0:
        sys.exit(f"{command[0]} failed with status {process.returncode}")


def php() -> Iterator[Printed]:
    finder = [*LIMIT, "-d", "toolwire.dropins=datamachine", BENCH / "php" / "finder.php"]
    yield from printed(*PHP, *INTERPRETED, *finder, "interpreted")
    yield from printed(*PHP, *JIT, *finder, "JIT")
    yield from printed(*PHP, *INTERPRETED, BENCH / "php" / "detection.php", TEXTS)
    yield from hostile("PHP detect, hostile", *PHP, *INTERPRETED, BENCH / "php" / "hostile.php")


def python() -> Iterator[Printed]:
    yield from printed(sys.executable, BENCH / "python" / "finder.py")
    yield from printed(sys.executable, BENCH / "python" / "detection.py", TEXTS)
    yield from printed(sys.executable, BENCH / "python" / "columns.py", TEXTS)
    yield from printed(sys.executable, BENCH / "python" / "held_back.py")
    yield from printed(sys.executable, BENCH / "python" / "diff.py")
    yield from printed(sys.executable, BENCH / "python" / "tools.py")
    yield from printed(sys.executable, BENCH / "python" / "runs.py")
    yield from printed(sys.executable, BENCH / "python" / "transcript.py", TEXTS)
    yield from printed(sys.executable, BENCH / "python" / "reply.py", TEXTS)
    yield from hostile("Python detect, hostile", sys.executable, BENCH / "python" / "hostile.py")


def rust() -> Iterator[Printed]:
    yield from printed(RUST, TEXTS)
    if asked("Rust Hermes"):
        yield from printed(PEERS, TEXTS)
    if shutil.which("valgrind") is None:
        return
    if not asked("Rust instructions"):
        return
    for name, count in check_instructions.count(INSTRUCTIONS, TEXTS).items():
        samples = {"ours": [count]}
        yield {
            "group": "Rust instructions",
            "name": name,
            "unit": "instructions",
            "samples": samples,
        }


def hostile(group: str, *command: str | Path) -> Iterator[Printed]:
    """Time hostile texts, each side in its own process; a peer that takes too long is stopped."""
    for file, name in HOSTILE.items():
        if not asked(f"{group}: {name}"):
            continue
        text = TEXTS / f"{file}.txt"
        ours = [once(text, "ours", *command) for _ in range(5)]
        first = once(text, "theirs", *command)
        theirs = [first]
        failure = first and first["failure"]
        while len(theirs) < 5 and theirs[-1] is not None and theirs[-1]["ns"] < 1e9:
            theirs.append(once(text, "theirs", *command))
        stopped = theirs[-1] is None
        if (
            first
            and not failure
            and any(run is None or run["calls"] != first["calls"] for run in ours)
        ):
            sys.exit(f"{group}, {name}: the numbers of calls differ")
        yield {
            "group": group,
            "name": name,
            "unit": "ns",
            "bytes": text.stat().st_size,
            "stopped": stopped,
            "samples": {
                "ours": [run["ns"] for run in ours if run],
                "theirs": [PATIENCE * 1e9] if stopped else [run["ns"] for run in theirs if run],
            },
            "note": f"theirs gave up: {failure}" if failure else "",
        }


def asked(row: str) -> bool:
    """Say whether a row, or rows of a group, are to be measured."""
    return any(word in row for word in os.environ.get(ROWS, "").split("|"))


def once(text: Path, side: str, *command: str | Path) -> Printed | None:
    """Run once; give None when it took too long."""
    full = [*map(str, command), str(text), side]
    try:
        run = subprocess.run(
            full, stdout=subprocess.PIPE, timeout=PATIENCE + 0.5, check=True, cwd=ROOT
        )
    except subprocess.TimeoutExpired:
        return None
    result: Printed = json.loads(run.stdout)
    return result


PARTS = {"php": php, "python": python, "rust": rust}


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    options.add_argument("--only", choices=PARTS, help="run one part, and write no files")
    options.add_argument("--rows", help="words of the rows that are measured; writes no files")
    given = options.parse_args()
    only = given.only
    os.environ[ROWS] = given.rows or ""
    corpus.main(TEXTS)
    about, watch = machine(), Watch()
    rows = []
    for name, part in PARTS.items():
        if only not in (None, name):
            continue
        for row in map(Row.of, part()):
            print(f"\r\x1b[K{row.group}: {row.name}", end="", file=sys.stderr, flush=True)
            rows.append(row)
    print("\r\x1b[K", end="", file=sys.stderr)
    groups = list(dict.fromkeys(row.group for row in rows))
    rows.sort(key=lambda row: groups.index(row.group))
    about |= watch.report()
    report = summary(rows, about)
    print(report)
    if only is None and not given.rows:
        write(rows, about, report)
        check_targets(rows)


def check_targets(rows: list[Row]) -> None:
    """Fail when the row of a target is gone, since such a target would never fail."""
    lost = set(TARGETS) - {(row.group, row.name) for row in rows} | pages.lost(rows)
    lost = {(group, name) for group, name in lost if not name.endswith(SERVERS)}
    if lost:
        sys.exit(f"targets or pages without a row: {sorted(lost)}")


def summary(rows: list[Row], about: dict[str, str]) -> str:
    """Write the table, the machine, and the targets that were not reached."""
    asked = [row for row in rows if row.reached() is not None]
    missed = [row for row in asked if not row.reached()]
    notes = sorted(
        {f"{row.group}: {row.name}: {row.note}" for row in rows if "gave up" in row.note}
    )
    lines = [f"{name}: {value}" for name, value in about.items()]
    lines += [
        "",
        table(rows),
        "",
        "A figure is the 20th percentile; + is how far the median lies above it.",
        *notes,
    ]
    lines += why_missed(missed)
    lines += [f"{len(asked) - len(missed)} of {len(asked)} rows reach what is asked of them."]
    return "\n".join(lines)


def why_missed(missed: list[Row]) -> list[str]:
    """Write the rows that miss their targets, with their figures and the reasons."""
    return [f"NO: {row.missed()}: {why(row.group, row.name)}" for row in missed]


def write(rows: list[Row], about: dict[str, str], report: str) -> None:
    RESULTS.mkdir(exist_ok=True)
    content = {"machine": about, "rows": [row.to_dict() for row in rows]}
    (ROOT / "build" / "bench.json").write_text(json.dumps(content, indent=1) + "\n")
    (RESULTS / "bench.txt").write_text(report + "\n")
    (RESULTS / "bench.svg").write_text(chart(rows, f"{about['date']}, {about['cpu']}."))
    pages.write(rows, about, RESULTS)


if __name__ == "__main__":
    main()
