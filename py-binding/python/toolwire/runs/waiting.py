"""Waiting for a decision, in this process and visibly to others.

A decision of this process wakes the waiting tasks in all its threads. A lease in the store tells
other processes that this one waits.

>>> import asyncio
>>> from toolwire.runs.waiting import WaiterTable
>>> async def wait(table):
...     with table.register("request 1") as waiter:
...         table.wake("request 1")
...         await waiter.sleep(60.0)
>>> asyncio.run(wait(WaiterTable()))
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Iterator
from typing import Any

from toolwire._native import Approvals

__all__ = ["Lease", "Waiter", "WaiterTable"]

LEASE_SECONDS = 15.0
"""How long a process counts as one that waits after it last said so."""

RENEW_SECONDS = 5.0
"""How often a process that waits says so again."""


class WaiterTable:
    """The waiters of this process, by request."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiters: dict[str, list[Waiter]] = {}

    @contextlib.contextmanager
    def register(self, request_id: str) -> Iterator[Waiter]:
        """Add a waiter for as long as the block runs."""
        waiter = Waiter(asyncio.get_running_loop())
        with self._lock:
            self._waiters.setdefault(request_id, []).append(waiter)
        try:
            yield waiter
        finally:
            with self._lock:
                waiters = self._waiters[request_id]
                waiters.remove(waiter)
                if not waiters:
                    del self._waiters[request_id]

    def wake(self, request_id: str) -> None:
        """Wake every waiter of a request."""
        if not self._waiters:
            return
        with self._lock:
            waiters = list(self._waiters.get(request_id, ()))
        for waiter in waiters:
            waiter.wake()


class Waiter:
    """A task that waits, in an event loop of its own."""

    __slots__ = ("_future", "_loop")

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._future: asyncio.Future[None] = loop.create_future()

    def wake(self) -> None:
        """End the sleep, from any thread."""
        # A closed loop raises, and has no task that waits.
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._end, self._future)

    async def sleep(self, seconds: float) -> None:
        """Sleep until `wake`, at most for so many seconds."""
        timer = self._loop.call_later(seconds, self._end, self._future)
        try:
            await self._future
        finally:
            timer.cancel()
            self._future = self._loop.create_future()

    @staticmethod
    def _end(future: asyncio.Future[None]) -> None:
        if not future.done():
            future.set_result(None)


class Lease:
    """Tells other processes that this one waits; the lease of a killed process runs out."""

    __slots__ = ("_approvals", "_name", "_renewed", "_request_id")

    def __init__(self, approvals: Approvals, request_id: Any) -> None:
        self._approvals = approvals
        self._request_id = request_id
        self._name: str | None = None
        self._renewed = 0.0

    @property
    def is_written(self) -> bool:
        """Whether the store has been told that the process waits."""
        return self._name is not None

    def is_due(self, clock: float) -> bool:
        """Say whether it is time to renew."""
        return self._name is None or clock - self._renewed >= RENEW_SECONDS

    def renew(self, clock: float) -> None:
        """Write to the store that the process waits; a failure is no error."""
        self._renewed = clock
        with contextlib.suppress(Exception):
            self._name = self._approvals.wait(self._request_id, self._name, LEASE_SECONDS)

    def close(self) -> None:
        """Write to the store that the process waits no longer, if a lease was written."""
        if self._name is not None:
            with contextlib.suppress(Exception):
                self._approvals.leave(self._request_id, self._name)
