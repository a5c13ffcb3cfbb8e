"""Passes what a handler reports on to the client that asked for progress.

>>> from toolwire.mcp.progress import MOST_PENDING
>>> MOST_PENDING
8
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping
from typing import Any

from mcp.server.session import ServerSession

from toolwire.events import EventSink, get_event_sink, set_event_sink

__all__ = ["progress_to"]

MOST_PENDING = 8
"""Reports that are on their way; what comes faster than the client reads is dropped."""


class ProgressSink:
    """Sends progress to a client, and every event to the sink that was there before."""

    def __init__(self, session: ServerSession, outer: EventSink) -> None:
        self._session = session
        self._outer = outer
        self._loop = asyncio.get_running_loop()
        self._sending: set[asyncio.Task[None]] = set()

    async def emit(self, *, type: str, data: Mapping[str, Any] | None) -> None:
        """Pass an event on."""
        await self._outer.emit(type=type, data=data)

    def try_emit(self, *, type: str, data: Mapping[str, Any] | None) -> None:
        """Pass an event on; a handler in a thread may report too."""
        if type == "tool.progress" and data is not None:
            self._loop.call_soon_threadsafe(self._send, dict(data))
        self._outer.try_emit(type=type, data=data)

    def _send(self, data: dict[str, Any]) -> None:
        if len(self._sending) >= MOST_PENDING:
            return
        task = self._loop.create_task(self._report(data))
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)

    async def _report(self, data: dict[str, Any]) -> None:
        # The client may be gone, which the answer of the call will show.
        with contextlib.suppress(Exception):
            await self._session.report_progress(data["progress"], data["total"], data["message"])

    async def settle(self) -> None:
        """Let what was reported reach the client before the answer does."""
        await asyncio.sleep(0)
        if self._sending:
            await asyncio.wait(self._sending, timeout=1)


@contextlib.asynccontextmanager
async def progress_to(session: ServerSession) -> AsyncIterator[None]:
    """Send the progress of the handlers that run meanwhile to a client."""
    outer = get_event_sink()
    sink = ProgressSink(session, outer)
    set_event_sink(sink)
    try:
        yield
        await sink.settle()
    finally:
        set_event_sink(outer)
