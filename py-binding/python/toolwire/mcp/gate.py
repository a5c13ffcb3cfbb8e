"""Lets nobody to a server over HTTP who does not know a token of it.

>>> from toolwire.mcp.gate import is_bearer
>>> is_bearer(b"Bearer sesame-open", "sesame-open"), is_bearer(b"Bearer sesame", "sesame-open")
(True, False)
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken

from toolwire.mcp.host import Hosts
from toolwire.mcp.peer import CLIENT

__all__ = ["SHORTEST_TOKEN", "TokenGate", "client_of", "is_bearer"]

SHORTEST_TOKEN = 16

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]


def is_bearer(header: bytes, token: str) -> bool:
    """Say whether a header is this token; how long that takes tells nothing about the token."""
    kind, _, given = header.partition(b" ")
    return kind.lower() == b"bearer" and hmac.compare_digest(given.strip(), token.encode())


def client_of(token: str) -> str:
    """Name the client that has a token, without telling the token."""
    return hashlib.sha256(b"toolwire mcp client\0" + token.encode()).hexdigest()[:32]


class TokenGate:
    """Answers 401 to each request without a token, before anything of it is read.

    A request to another host, or of another site's page, is answered 421 or 403. Each token is a
    client of its own. A session is that of the token which began it.
    """

    def __init__(
        self,
        app: Callable[[Scope, Receive, Send], Awaitable[None]],
        tokens: Sequence[str],
        hosts: Hosts,
    ) -> None:
        self._app = app
        self._clients = [(token, client_of(token)) for token in tokens]
        self._hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = headers_of(scope, b"authorization")
        client = self._client(given[0]) if len(given) == 1 else None
        if client is None:
            told = "the header Authorization: Bearer TOKEN is missing or wrong"
            await refuse(send, 401, told, (b"www-authenticate", b"Bearer"))
        elif not self._hosts.takes_host(headers_of(scope, b"host")):
            await refuse(send, 421, "the header Host names no host of this server")
        elif not self._hosts.takes_origin(headers_of(scope, b"origin")):
            await refuse(send, 403, "a page of this origin may not ask this server")
        else:
            # The SDK compares the user with the one who began the session.
            user = AuthenticatedUser(AccessToken(token="", client_id=client, scopes=[]))
            await self._app({**scope, CLIENT: client, "user": user}, receive, send)

    def _client(self, header: bytes) -> str | None:
        """Give the client; every token is compared, so that the time does not tell which it is."""
        found = None
        for token, client in self._clients:
            if is_bearer(header, token):
                found = client
        return found


def headers_of(scope: Scope, name: bytes) -> list[bytes]:
    """Give each value of a header."""
    return [value for key, value in scope["headers"] if key == name]


async def refuse(send: Send, status: int, told: str, *more: tuple[bytes, bytes]) -> None:
    """Answer with an error."""
    headers = [(b"content-type", b"application/json"), *more]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": json.dumps({"error": told}).encode()})
