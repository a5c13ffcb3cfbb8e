"""Lets nobody to a server over HTTP who does not know its token.

>>> from toolwire.mcp.gate import is_bearer
>>> is_bearer(b"Bearer sesame-open", "sesame-open"), is_bearer(b"Bearer sesame", "sesame-open")
(True, False)
"""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable
from typing import Any

__all__ = ["SHORTEST_TOKEN", "TokenGate", "is_bearer"]

SHORTEST_TOKEN = 16

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]


def is_bearer(header: bytes, token: str) -> bool:
    """Say whether a header is this token; how long that takes tells nothing about the token."""
    kind, _, given = header.partition(b" ")
    return kind.lower() == b"bearer" and hmac.compare_digest(given.strip(), token.encode())


class TokenGate:
    """Answers 401 to each request without the token, before anything of it is read."""

    def __init__(self, app: Callable[[Scope, Receive, Send], Awaitable[None]], token: str) -> None:
        self._app = app
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = [value for name, value in scope["headers"] if name == b"authorization"]
        if len(given) == 1 and is_bearer(given[0], self._token):
            await self._app(scope, receive, send)
            return
        headers = [(b"content-type", b"application/json"), (b"www-authenticate", b"Bearer")]
        await send({"type": "http.response.start", "status": 401, "headers": headers})
        body = b'{"error": "the header Authorization: Bearer TOKEN is missing or wrong"}'
        await send({"type": "http.response.body", "body": body})
