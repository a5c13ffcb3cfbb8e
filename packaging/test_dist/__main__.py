"""Installs what `make dist` left, in clean Debian systems, as a user would, and takes it out again.

usage: python3 packaging/test_dist DIST SUITE...     as root

Each thing gets a new copy of the root of its suite. The table of what was installed where, and of
what it ran, is printed and written to DIST/TESTED.md. If anything fails, the exit status is 1, and
no table is written.
"""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import sources
from archives import check_archives
from at_hand import extension, php_of, pythons
from at_hand import wheel as wheel_at_hand
from crate import crate
from python import wheel
from root import REPOSITORY, FailedError, Root, remove
from row import Row

import php

ROOTS = REPOSITORY / "build/roots"
WORK = REPOSITORY / "build/test-dist"
HEAD = """| file | installed where | ran | shared cases |
|---|---|---|---|
"""


def in_suite(suite: str, dist: Path) -> Iterator[tuple[str, Callable[[], Row]]]:
    """Give the installations in the Debian of a suite, each by its name."""

    def fresh(install: Callable[[Root], Row]) -> Callable[[], Row]:
        def installed() -> Row:
            folder = WORK / suite
            root = Root.copy(ROOTS / f"debian-{suite}", folder, dist)
            try:
                return install(root)
            finally:
                remove(folder)

        return installed

    yield f"{suite}: the wheel", fresh(partial(wheel, suite=suite))
    for spare in sorted(dist.glob(f"toolwire-*-abi3-*_{platform.machine()}.whl")):
        of_spare = partial(wheel, suite=suite, only=spare)
        yield f"{suite}: the wheel for every Python", fresh(of_spare)
    yield f"{suite}: the extension", fresh(partial(php.extension, suite=suite))
    yield f"{suite}: the library in plain PHP", fresh(partial(php.library, suite=suite))
    yield f"{suite}: the plugin for WordPress", fresh(partial(php.plugin, suite=suite))


def at_hand(dist: Path) -> Iterator[tuple[str, Callable[[], Row]]]:
    """Give the loadings into every other PHP and Python, each by its name."""
    for archive in sorted(dist.glob("php_toolwire-*.zip")):
        program = php_of(archive)
        if program is not None:
            yield archive.name, partial(extension, archive, program, WORK / "php")
    for program in pythons(dist):
        yield (
            f"the wheel for {program.parts[-3]}",
            partial(wheel_at_hand, dist, program, WORK / "python"),
        )


def main(dist: Path, suites: list[str]) -> int:
    """Install everything, print what was done, and write the table."""
    steps: list[tuple[str, Callable[[], Row]]] = [
        ("the archives", lambda: check_archives(dist)),
    ]
    for suite in suites:
        steps += in_suite(suite, dist)
    steps += at_hand(dist)
    steps.append(("the crate", lambda: crate(dist, WORK / "crate")))
    steps.append(("the sources of the extension", lambda: sources.extension(dist, WORK / "php")))
    steps.append(("the sources of the wheel", lambda: sources.wheel(dist, WORK / "python")))
    rows, failed = [], 0
    for name, step in steps:
        print(f"test-dist: {name}", flush=True)
        try:
            rows.append(step())
        except (FailedError, OSError, ValueError) as problem:
            failed += 1
            print(f"test-dist: {name}: FAILED: {problem}", file=sys.stderr, flush=True)
    table = HEAD + "".join(f"{row.cells()}\n" for row in rows)
    print(f"\n{table}")
    if failed:
        print(f"{len(rows)} passed, {failed} failed")
        return 1
    (dist / "TESTED.md").write_text(f"# What was installed, and what it ran\n\n{table}")
    print(f"{len(rows)} passed, 0 failed")
    return 0


if __name__ == "__main__":
    if os.geteuid() != 0:
        sys.exit("test-dist: run it as root, since it changes the root folder of programs")
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(Path(sys.argv[1]).resolve(), sys.argv[2:]))
