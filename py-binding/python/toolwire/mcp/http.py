"""The connections of a server over HTTP: how many there are, and how long a request may take.

>>> from toolwire.mcp.http import HttpLimits
>>> HttpLimits()
HttpLimits(connections=256, head_seconds=10.0, body_seconds=60.0)
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

__all__ = ["HttpLimits", "protocol_with"]

logger = logging.getLogger("toolwire.mcp")

FULL = b"HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"


@dataclass(frozen=True)
class HttpLimits:
    """How many connections there may be, and in how many seconds a request has to be there.

    ``head_seconds`` is for a request's first line and its headers, from the connection's begin or
    the first byte on, ``body_seconds`` for its body from there on.
    """

    connections: int = 256
    head_seconds: float = 10.0
    body_seconds: float = 60.0


class LimitedProtocol(H11Protocol):
    """One connection, which ends when a request does not come to its end in time."""

    limits = HttpLimits()
    _is_refused = False
    _waits_for: str | None = None
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin a connection, or end it at once if there are too many."""
        if len(self.connections) >= self.limits.connections:
            self._is_refused = True
            logger.warning("more than %d connections: one is refused", self.limits.connections)
            transport.write(FULL)
            transport.close()
            return
        super().connection_made(transport)
        self._wait_for("head")

    def data_received(self, data: bytes) -> None:
        """Take a part of a request."""
        if self._is_refused:
            return
        super().data_received(data)
        if self.transport.is_closing():
            self._wait_for(None)
        elif self.conn.their_state is h11.IDLE:
            self._wait_for("head")
        elif self.conn.their_state is h11.SEND_BODY:
            self._wait_for("body")
        else:
            self._wait_for(None)

    def connection_lost(self, exc: Exception | None) -> None:
        """End a connection."""
        self._wait_for(None)
        if not self._is_refused:
            super().connection_lost(exc)

    def on_response_complete(self) -> None:
        """Take the end of an answer, after which a connection may be idle for a while."""
        self._wait_for(None)
        super().on_response_complete()

    def _wait_for(self, part: str | None) -> None:
        """Set the time by which a part of the request has to be there; it is set once for each."""
        if part == self._waits_for:
            return
        self._waits_for = part
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
        if part is not None:
            limits = self.limits
            seconds = limits.head_seconds if part == "head" else limits.body_seconds
            self._deadline = self.loop.call_later(seconds, self._end)

    def _end(self) -> None:
        logger.warning("a request did not come to its end in time")
        self.transport.abort()


def protocol_with(limits: HttpLimits) -> type[LimitedProtocol]:
    """Make the class of connections with these limits, of which uvicorn makes one for each."""
    return type("Limited", (LimitedProtocol,), {"limits": limits})
