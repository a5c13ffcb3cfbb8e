"""Counts the instructions of one detection of a text, its arguments read.

    .venv/bin/python bench/instructions_of.py rust html-64k reply-64k-8
    .venv/bin/python bench/instructions_of.py php html-64k --auto
    .venv/bin/python bench/instructions_of.py python reply-64k-8 --profile 30

Rust needs `cargo build --release -p toolwire --example instructions`, PHP `make build/toolwire.so`,
Python the wheel. The texts are those of `bench/corpus.py`. `--profile` also prints the functions
that take the most instructions, of 50 runs, the start of the process included.
"""

import argparse
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import check_instructions
import corpus

ROOT = Path(__file__).resolve().parent.parent
TEXTS = ROOT / "build" / "bench"
RUST = ROOT / "target" / "release" / "examples" / "instructions"
FEW, MANY = 2, 12


def command(host: str, text: str, times: int, *, auto: bool) -> list[str]:
    """Give the command that reads a text a number of times."""
    formats = "auto" if auto else "three"
    given = [str(TEXTS / f"{text}.txt"), formats, str(times)]
    if host == "rust":
        name = f"read {text}, all formats" if auto else f"read {text}"
        return [str(RUST), str(TEXTS), name, str(times)]
    if host == "php":
        extension = f"extension={ROOT / 'build' / 'toolwire.so'}"
        return ["php", "-d", extension, str(ROOT / "bench" / "php" / "once.php"), *given]
    return [sys.executable, str(ROOT / "bench" / "python" / "once.py"), *given]


def count(host: str, text: str, *, auto: bool) -> int:
    """Count the instructions of one run: many runs without the few, and so without the start."""
    few, many = (
        check_instructions.counted(text, command(host, text, times, auto=auto))
        for times in (FEW, MANY)
    )
    return (many - few) // (MANY - FEW)


def profile(host: str, text: str, lines: int, *, auto: bool) -> None:
    """Print the functions that take the most instructions."""
    out = ROOT / "build" / "callgrind.out"
    run = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}"]
    subprocess.run(
        [*run, *command(host, text, 50, auto=auto)], capture_output=True, check=True, cwd=ROOT
    )
    shown = subprocess.run(
        ["callgrind_annotate", "--threshold=99", str(out)],
        capture_output=True,
        text=True,
        check=True,
    )
    print(*shown.stdout.splitlines()[: lines + 20], sep="\n")


def main() -> None:
    options = argparse.ArgumentParser(description="Counts the instructions of a detection.")
    options.add_argument("host", choices=["rust", "php", "python"])
    options.add_argument("texts", nargs="+", help="texts of build/bench, without .txt")
    options.add_argument("--auto", action="store_true", help="search for all formats")
    options.add_argument("--profile", type=int, metavar="LINES", help="print the functions too")
    given = options.parse_args()
    corpus.main(TEXTS)
    with ThreadPoolExecutor(2) as pool:
        counts = pool.map(lambda text: count(given.host, text, auto=given.auto), given.texts)
        for text, instructions in zip(given.texts, counts, strict=True):
            print(f"{text:20} {instructions:>12,}", flush=True)
    if given.profile:
        for text in given.texts:
            profile(given.host, text, given.profile, auto=given.auto)


if __name__ == "__main__":
    main()
