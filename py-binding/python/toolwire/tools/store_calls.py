"""Calls to a store in an event loop, which a store must not hold up.

A call to a store in memory returns at once, so it is made where it is. A write into an SQLite file
may wait for other writers, so it is made in a thread. A store whose attribute ``blocking`` is true,
such as one on a server, gets a thread for reads too.

>>> import asyncio
>>> from toolwire.tools import MemoryStore
>>> from toolwire.tools.store_calls import StoreCalls
>>> store = MemoryStore()
>>> calls = StoreCalls(store)
>>> asyncio.run(calls.write(store.put, "seen/a", b"1", "absent", None, 0))
1
>>> asyncio.run(calls.read(store.get, "seen/a", 0))
(b'1', 1, None)
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

from toolwire.tools.store import SqliteStore, Store

__all__ = ["StoreCalls"]

_Given = TypeVar("_Given")


class StoreCalls:
    """Makes steps that read or write one store, each in a thread if the store may wait.

    ``reads_wait`` says whether a read may wait, ``writes_wait`` whether a write may.
    """

    __slots__ = ("reads_wait", "writes_wait")

    def __init__(self, store: Store | None) -> None:
        self.reads_wait = bool(getattr(store, "blocking", False))
        self.writes_wait = self.reads_wait or isinstance(store, SqliteStore)

    async def read(self, step: Callable[..., _Given], *arguments: Any) -> _Given:
        """Make a step that only reads the store."""
        if self.reads_wait:
            return await asyncio.to_thread(step, *arguments)
        return step(*arguments)

    async def write(self, step: Callable[..., _Given], *arguments: Any) -> _Given:
        """Make a step that may write to the store."""
        if self.writes_wait:
            return await asyncio.to_thread(step, *arguments)
        return step(*arguments)
