"""Printing a list once, or again whenever it changes."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable

from toolwire.cli.terminal import DONE

__all__ = ["add_watch", "watched"]

LOOK_EVERY_SECONDS = 1.0
CLEAR = "\x1b[2J\x1b[H"


def add_watch(parser: argparse.ArgumentParser) -> None:
    """Add the option."""
    parser.add_argument(
        "--watch",
        action="store_true",
        help="print the list again whenever it changes, until Ctrl-C; without a terminal, print "
        "the lines that are new",
    )


def watched(lines: Callable[[], list[str]], arguments: argparse.Namespace) -> int:
    """Print the lines; with ``--watch``, look again every second."""
    shown = lines()
    print_lines(shown)
    while arguments.watch:
        time.sleep(LOOK_EVERY_SECONDS)
        now = lines()
        if now == shown:
            continue
        if sys.stdout.isatty():
            sys.stdout.write(CLEAR)
            print_lines(now)
        else:
            print_lines([line for line in now if line not in shown])
        shown = now
    return DONE


def print_lines(lines: list[str]) -> None:
    """Print the lines at once, so that a reader of a pipe gets them."""
    for line in lines:
        print(line)
    sys.stdout.flush()
