"""Fails when a piece of work takes more instructions than before.

The load of the machine does not move counts of instructions. So this can run in CI, where times
cannot be compared::

    python3 bench/check_instructions.py build/bench target/release/examples/instructions
    python3 bench/check_instructions.py build/bench target/release/examples/instructions --update

The counts to compare with are in `bench/instructions.json`. Each piece of work runs under `valgrind
--tool=callgrind` a few times and many times; the difference, for one run, leaves the start of the
process out. Ids of calls and hash tables are seeded at random, which moves a count by less than
0.5 %, and that of a short work, such as a look into a table, by up to a hundred.

Another compiler or another processor moves counts too. So the record names its compiler and has two
works of other people's code, a vector search and a parse. A count may grow by the tolerance: 5 %
where the compiler is that of the record and 15 % where it is not, on top of the growth of the
reference that grew the most, and by 200 more for what chance does to a short work. The script
reports a count that fell by more than the tolerance, so
that the new one gets recorded.
"""

import argparse
import json
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import corpus

TOLERANCE, TOLERANCE_OF_COMPILERS = 0.05, 0.15
CHANCE = 200
REFERENCE = "reference: "
FEW, MANY = 2, 12
BASELINE = Path(__file__).resolve().parent / "instructions.json"


def counted(name: str, command: list[str]) -> int:
    """Count the instructions of a process."""
    valgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    run = subprocess.run([*valgrind, *command], capture_output=True, text=True, check=False)
    found = re.search(r"Collected : (\d+)", run.stderr)
    if run.returncode != 0 or found is None:
        sys.exit(f"{name}: {run.stderr.strip()}")
    return int(found[1])


def instructions(binary: Path, texts: Path, name: str) -> int:
    """Count the instructions of one piece of work."""
    few, many = (
        counted(name, [str(binary), str(texts), name, str(times)]) for times in (FEW, MANY)
    )
    return (many - few) // (MANY - FEW)


def count(binary: Path, texts: Path) -> dict[str, int]:
    """Count the instructions of each piece of work that the binary has."""
    listed = subprocess.run([binary], stdout=subprocess.PIPE, text=True, check=True)
    names = listed.stdout.splitlines()
    with ThreadPoolExecutor(2) as pool:
        return dict(zip(names, pool.map(partial(instructions, binary, texts), names), strict=True))


def change_of_machine(counts: dict[str, int], before: dict[str, int]) -> float:
    """Give the greatest factor by which a reference grew; 1 when none grew."""
    names = [name for name in before if name.startswith(REFERENCE) and name in counts]
    return max([1.0, *(counts[name] / before[name] for name in names)])


def compare(counts: dict[str, int], before: dict[str, int], tolerance: float) -> bool:
    """Print the counts beside those of the record; say whether they pass."""
    good = True
    machine = change_of_machine(counts, before)
    print(
        f"a count may grow by {tolerance:.0%} and {CHANCE},"
        f" on top of the references' {machine - 1:+.2%}"
    )
    for name in sorted(counts.keys() | before.keys()):
        if name not in counts or name not in before:
            place = "the record" if name in before else "this run"
            print(f"{name:34} only in {place}: run with --update")
            good = False
            continue
        change = counts[name] / before[name] - 1
        allowed = before[name] * machine * (1 + tolerance) + CHANCE
        grew = counts[name] > allowed and not name.startswith(REFERENCE)
        verdict = (
            "grew too much" if grew else "fell: run with --update" if change < -tolerance else ""
        )
        good &= not grew
        print(
            f"{name:34} {before[name]:>12,} {counts[name]:>12,} {change:>+8.2%}  {verdict}".rstrip()
        )
    return good


def main() -> int:
    options = argparse.ArgumentParser(
        description="Compares counts of instructions with those recorded."
    )
    options.add_argument("texts", type=Path, help="the folder for the texts of bench/corpus.py")
    options.add_argument("binary", type=Path, help="the example `instructions` of core")
    options.add_argument("--update", action="store_true", help="record the counts")
    given = options.parse_args()
    corpus.main(given.texts)
    counts = count(given.binary, given.texts)
    compiler = subprocess.run(["rustc", "--version"], stdout=subprocess.PIPE, text=True, check=True)
    version = compiler.stdout.strip()
    if given.update:
        BASELINE.write_text(
            json.dumps({"compiler": version, "instructions": counts}, indent=2) + "\n"
        )
        return 0
    recorded = json.loads(BASELINE.read_text())
    same = recorded["compiler"] == version
    if not same:
        print(f"recorded with {recorded['compiler']}, counted with {version}")
    tolerance = TOLERANCE if same else TOLERANCE_OF_COMPILERS
    return 0 if compare(counts, recorded["instructions"], tolerance) else 1


if __name__ == "__main__":
    sys.exit(main())
