"""Calls to a store in an event loop, which a store must not hold up.

A call to a store in memory returns at once, so it is made where it is. A write into an SQLite file
may wait for other writers, so it is made in a thread. A store whose attribute ``blocking`` is true,
such as one on a server, gets a thread for reads too.

>>> import asyncio
>>> from toolwire.runs import MemoryStore
>>> from toolwire.runs.store_calls import StoreCalls
>>> store = MemoryStore()
>>> calls = StoreCalls(store)
>>> asyncio.run(calls.write(store.put, "seen/a", b"1", "absent", None, 0))
1
>>> asyncio.run(calls.read(store.get, "seen/a", 0))
(b'1', 1, None)
"""

from __future__ import annotations

import asyncio
import contextvars
import functools
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from toolwire.runs.store import SqliteStore, Store

__all__ = ["StoreCalls", "in_thread"]

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
            return await in_thread(step, *arguments)
        return step(*arguments)

    async def write(self, step: Callable[..., _Given], *arguments: Any) -> _Given:
        """Make a step that may write to the store."""
        if self.writes_wait:
            return await in_thread(step, *arguments)
        return step(*arguments)

    async def write_whole(self, step: Callable[..., _Given], *arguments: Any) -> _Given:
        """Make a step that may write to the store, also if the task is cancelled meanwhile."""
        if self.writes_wait:
            return await asyncio.shield(in_thread(step, *arguments))
        return step(*arguments)


class ThreadPool:
    """The threads of this process for calls to stores.

    Handlers have threads of their own, so that no call to a store waits for a handler: a run whose
    handler has ended would lose its lease. A copy of the process has none of these threads, and
    makes new ones.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._made: tuple[int, ThreadPoolExecutor] | None = None

    def get(self) -> ThreadPoolExecutor:
        """Give the threads of this process."""
        process, made = os.getpid(), self._made
        if made is None or made[0] != process:
            # Two threads may make one each. A lock could be held at the very moment of a fork.
            made = (process, ThreadPoolExecutor(self._size, thread_name_prefix="toolwire-store"))
            self._made = made
        return made[1]


THREADS = ThreadPool(8)


def in_thread(step: Callable[..., _Given], *arguments: Any) -> asyncio.Future[_Given]:
    """Make a step in a thread for stores."""
    context = contextvars.copy_context()
    call = functools.partial(context.run, step, *arguments)
    return asyncio.get_running_loop().run_in_executor(THREADS.get(), call)
