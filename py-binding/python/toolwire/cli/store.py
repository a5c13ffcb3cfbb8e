"""What the console's commands over a store file have in common."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from contextlib import AbstractContextManager, closing
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, urlsplit

from toolwire.cli.terminal import FailedError
from toolwire.tools.errors import StoreError
from toolwire.tools.store import SqliteStore
from toolwire.tools.store_postgres import PostgresStore
from toolwire.tools.store_redis import RedisStore

PLACES = "the store's file, or its server: redis://HOST/0#PREFIX, postgresql://HOST/DB#TABLE"
REDIS = ("redis", "rediss", "unix", "valkey", "valkeys")
POSTGRES = ("postgresql", "postgres")


def opened(place: str) -> AbstractContextManager[Any]:
    """Open an existing store file, or the store on a server."""
    address = urlsplit(place)
    if "://" in place:
        return closing(on_server(address))
    if not Path(place).is_file():
        raise FailedError(f"cannot read {place}: there is no such file")
    try:
        return SqliteStore(place)
    except StoreError as error:
        raise FailedError(f"{place}: {error}") from None


def on_server(address: SplitResult) -> RedisStore | PostgresStore:
    """Open a store on a server; the part behind ``#`` names its prefix, or its table."""
    server, name = address._replace(fragment="").geturl(), address.fragment or "toolwire"
    try:
        if address.scheme in REDIS:
            return RedisStore(server, prefix=name)
        if address.scheme in POSTGRES:
            return PostgresStore(server, table=name)
    except ImportError as error:
        raise FailedError(str(error)) from None
    except (StoreError, ValueError) as error:
        raise FailedError(f"{shown(address.geturl())}: {error}") from None
    known = ", ".join((*REDIS, *POSTGRES))
    raise FailedError(f"no store is at {address.scheme}://…; known: a file, {known}")


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
