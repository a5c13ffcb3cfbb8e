"""What the console's commands over a store file have in common."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from toolwire.cli.terminal import FailedError
from toolwire.tools.errors import StoreError
from toolwire.tools.store import SqliteStore

RAW = argparse.RawDescriptionHelpFormatter


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


def add_group(commands: Any, name: str, about: str, epilog: str) -> Any:
    """Add a command that has commands of its own, and give the place for these."""
    group = commands.add_parser(
        name,
        help=about,
        description=f"{about[0].upper()}{about[1:]}.",
        epilog=epilog,
        formatter_class=RAW,
    )
    return group.add_subparsers(title="commands", required=True, metavar="COMMAND", dest="command")


def add_store(parser: argparse.ArgumentParser, step: Callable[[argparse.Namespace], int]) -> None:
    """Add the argument that every command has, and the function that runs it."""
    parser.add_argument("store", metavar="STORE", help="the store's file")
    parser.set_defaults(run=run, step=step)
