"""The servers of these tests, and the stores that live on them."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "python")]

from server_stores import open_store, url_of  # noqa: E402
from servers import Server, running  # noqa: E402

KINDS = ("redis", "postgres")
_numbers = itertools.count()


@pytest.fixture(scope="session")
def servers() -> Iterator[dict[str, Server]]:
    """Run the servers while the tests run."""
    with running(*KINDS) as servers:
        yield servers


@pytest.fixture(params=KINDS)
def server(request: pytest.FixtureRequest, servers: dict[str, Server]) -> Server:
    """Give each server in turn."""
    return servers[request.param]


@pytest.fixture
def make(server: Server) -> Iterator[Callable[..., Any]]:
    """Give a function that opens a store; each test has a new one, which it may open again."""
    name, opened = f"t{next(_numbers)}", []

    def make(name: str = name, port: int | None = None, **options: Any) -> Any:
        opened.append(open_store(url_of(server, port), name, **options))
        return opened[-1]

    yield make
    for store in opened:
        store.close()
