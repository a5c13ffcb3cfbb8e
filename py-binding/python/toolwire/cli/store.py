"""What the console's commands over a store file have in common."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from toolwire.cli.terminal import FailedError
from toolwire.tools.errors import StoreError
from toolwire.tools.store import SqliteStore


def opened(path: str) -> SqliteStore:
    """Open an existing store file."""
    if not Path(path).is_file():
        raise FailedError(f"cannot read {path}: there is no such file")
    try:
        return SqliteStore(path)
    except StoreError as error:
        raise FailedError(f"{path}: {error}") from None


def run(arguments: argparse.Namespace) -> int:
    """Run a command; the failure of a store is a failure of the command."""
    try:
        status: int = arguments.step(arguments)
        return status
    except StoreError as error:
        raise FailedError(f"{arguments.store}: {error}") from None


def add_store(parser: argparse.ArgumentParser, step: Callable[[argparse.Namespace], int]) -> None:
    """Add the argument that every command has, and the function that runs it."""
    parser.add_argument("store", metavar="STORE", help="the store's file")
    parser.set_defaults(run=run, step=step)
