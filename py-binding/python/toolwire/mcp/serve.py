"""Serves tools on the standard streams, or over HTTP.

>>> from toolwire.mcp import ToolServer, http_app
>>> from toolwire.tools import ToolRegistry
>>> http_app(ToolServer(ToolRegistry()), "short")
Traceback (most recent call last):
ValueError: a token has at least 16 characters, such as those of `openssl rand -hex 32`
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from typing import Any, cast

import uvicorn
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings

from toolwire.mcp.gate import SHORTEST_TOKEN, TokenGate
from toolwire.mcp.host import LOOPBACK, Hosts
from toolwire.mcp.http import HttpLimits, protocol_with
from toolwire.mcp.log import bounded_log
from toolwire.mcp.server import ToolServer
from toolwire.mcp.wire import MOST_BYTES, taken_streams

__all__ = ["http_app", "is_loopback", "serve_http", "serve_stdio"]

MOST_SESSIONS = 100


async def serve_stdio(tools: ToolServer) -> None:
    """Serve the client that has started this process, until it closes the stream."""
    tools.connection = uuid.uuid4().hex
    with taken_streams() as (given, written), bounded_log():
        async with stdio_server(cast("Any", given), cast("Any", written)) as (read, write):
            server = tools.server
            await server.run(read, write, server.create_initialization_options())


def is_loopback(host: str) -> bool:
    """Say whether only this machine reaches an address."""
    return host in LOOPBACK


def http_app(tools: ToolServer, token: str | Iterable[str], *, hosts: Iterable[str] = ()) -> Any:
    """Make the ASGI application, for a server of one's own; it answers at ``/mcp``.

    ``token`` is what clients send as ``Authorization: Bearer TOKEN``; of several tokens, each is
    that of a client of its own, who reaches no other's calls and runs. A request has to come to
    this machine's loopback address or to one of ``hosts`` (``tools.example.org`` or
    ``tools.example.org:8443``), and from a page of there, if from a page at all.
    """
    tokens = [token] if isinstance(token, str) else list(token)
    if not tokens or min(map(len, tokens)) < SHORTEST_TOKEN:
        raise ValueError(
            f"a token has at least {SHORTEST_TOKEN} characters, such as those of "
            "`openssl rand -hex 32`"
        )
    app = tools.server.streamable_http_app(
        max_request_body_size=MOST_BYTES,
        max_sessions=MOST_SESSIONS,
        # The gate compares Host and Origin; the SDK compares their beginnings.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    return TokenGate(app, tokens, Hosts([*LOOPBACK, *hosts]))


async def serve_http(
    tools: ToolServer,
    token: str | Iterable[str],
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    hosts: Iterable[str] = (),
    limits: HttpLimits | None = None,
) -> None:
    """Serve any number of clients, until the process is told to end."""
    app = http_app(tools, token, hosts=hosts)
    settings = uvicorn.Config(
        app,
        host=host,
        port=port,
        http=protocol_with(HttpLimits() if limits is None else limits),
        ws="none",
        log_config=None,
        log_level="warning",
        access_log=False,
        server_header=False,
    )
    with bounded_log():
        await uvicorn.Server(settings).serve()
