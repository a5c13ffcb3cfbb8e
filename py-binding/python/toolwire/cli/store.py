"""What the console's commands over a store file have in common."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from contextlib import AbstractContextManager, closing
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from toolwire.cli.terminal import FailedError
from toolwire.runs.errors import StoreError
from toolwire.runs.store_place import open_store

PLACES = "the store's file, or its server: redis://HOST/0#PREFIX, postgresql://HOST/DB#TABLE"


def opened(place: str) -> AbstractContextManager[Any]:
    """Open an existing store file, or the store on a server."""
    if "://" not in place and not Path(place).is_file():
        raise FailedError(f"cannot read {place}: there is no such file")
    try:
        return closing(open_store(place))
    except ImportError as error:
        raise FailedError(str(error)) from None
    except (StoreError, ValueError) as error:
        raise FailedError(f"{shown(place)}: {error}") from None


def shown(place: str) -> str:
    """Give the place of a store without the password of its address."""
    address = urlsplit(place)
    if "://" not in place or "@" not in address.netloc:
        return place
    return address._replace(netloc="…@" + address.netloc.rpartition("@")[2]).geturl()


def run(arguments: argparse.Namespace) -> int:
    """Run a command; the failure of a store is a failure of the command."""
    try:
        status: int = arguments.step(arguments)
        return status
    except StoreError as error:
        raise FailedError(f"{shown(arguments.store)}: {error}") from None


def add_store(parser: argparse.ArgumentParser, step: Callable[[argparse.Namespace], int]) -> None:
    """Add the argument that every command has, and the function that runs it."""
    parser.add_argument(
        "store",
        metavar="STORE",
        help=PLACES,
    )
    parser.set_defaults(run=run, step=step)
