"""Tells clients that the list of tools has changed.

>>> from toolwire.mcp.announce import Announcer
>>> Announcer().changed()  # nobody has asked for the tools yet
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections import OrderedDict
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp.server.session import ServerSession
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ToolsListChanged
from mcp_types import SubscriptionsListenRequestParams, SubscriptionsListenResult
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

__all__ = ["Announcer"]

MOST_SESSIONS, MOST_STREAMS, MOST_PENDING = 200, 100, 64
PAUSE_SECONDS = 0.05
"""How long further changes are waited for, so that a hundred are told as one."""

SEND_SECONDS = 5.0


class Announcer:
    """Knows who has asked for the tools, and tells them of changes, which any thread may make."""

    def __init__(self) -> None:
        self._bus = InMemorySubscriptionBus()
        self._listening = ListenHandler(
            self._bus, max_subscriptions=MOST_STREAMS, max_buffered_events=MOST_PENDING
        )
        self._lock = threading.Lock()
        self._sessions: OrderedDict[str, ServerSession] = OrderedDict()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._is_due = False
        self._telling: asyncio.Task[None] | None = None

    def asked(self, context: ServerRequestContext[Any, Any], session: str) -> None:
        """Note that a client has asked for the tools."""
        with self._lock:
            self._loop = asyncio.get_running_loop()
            if context.session.protocol_version in MODERN_PROTOCOL_VERSIONS:
                # This client hears of changes by a stream that it asks for.
                return
            self._sessions[session] = context.session
            self._sessions.move_to_end(session)
            if len(self._sessions) > MOST_SESSIONS:
                self._sessions.popitem(last=False)

    async def listen(
        self, context: ServerRequestContext[Any, Any], params: SubscriptionsListenRequestParams
    ) -> SubscriptionsListenResult:
        """Serve a client's stream of changes."""
        with self._lock:
            self._loop = asyncio.get_running_loop()
        return await self._listening(context, params)

    def changed(self) -> None:
        """Tell everybody soon."""
        with self._lock:
            if self._loop is None or self._is_due:
                return
            # A loop that is closed has no clients any more.
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._begin)
                self._is_due = True

    def _begin(self) -> None:
        self._telling = asyncio.get_running_loop().create_task(self._tell())

    async def _tell(self) -> None:
        await asyncio.sleep(PAUSE_SECONDS)
        with self._lock:
            self._is_due = False
            sessions = list(self._sessions.items())
        await self._bus.publish(ToolsListChanged())
        await asyncio.gather(*(self._tell_session(name, session) for name, session in sessions))

    async def _tell_session(self, name: str, session: ServerSession) -> None:
        try:
            await asyncio.wait_for(session.send_tool_list_changed(), SEND_SECONDS)
        except Exception:
            # The client is gone, or does not read.
            with self._lock:
                self._sessions.pop(name, None)
