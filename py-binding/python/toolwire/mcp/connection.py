"""A connection to a server of MCP, which comes back when the server does.

>>> from toolwire.mcp.connection import place_of
>>> place_of(["npx", "server-everything"]), place_of("https://user:pw@tools.example.org/mcp")
('npx', 'tools.example.org')
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import urlsplit

import anyio
import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp_types import (
    CONNECTION_CLOSED,
    REQUEST_TIMEOUT,
    CallToolResult,
    Implementation,
    Tool,
    ToolListChangedNotification,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

import toolwire
from toolwire.mcp.background import run, running
from toolwire.mcp.bounds import MOST_BYTES, BoundedTransport, Noted, piped
from toolwire.mcp.errors import McpServerError
from toolwire.mcp.peer import CALL_ID

__all__ = ["McpConnection", "place_of"]

MOST_TOOLS, MOST_PAGES = 1000, 100

GONE = (
    anyio.ClosedResourceError,
    anyio.BrokenResourceError,
    anyio.EndOfStream,
    httpx2.HTTPError,
    OSError,
)
"""What the SDK raises where there is no server any more."""


def place_of(server: str | Sequence[str]) -> str:
    """Name a server by its program or its host, without secrets."""
    if isinstance(server, str):
        return urlsplit(server).hostname or "server"
    return server[0].rpartition("/")[2]


class McpConnection:
    """A server whose tools a registry has; ``registry.add_mcp`` makes it.

    It is opened again by the next call after the server went away. ``close`` ends it, and the
    program that it started; the end of the program does too.
    """

    def __init__(
        self,
        server: str | Sequence[str],
        *,
        token: str | None = None,
        env: dict[str, str] | None = None,
        cwd: str | None = None,
        timeout_seconds: float = 30.0,
    ) -> None:
        if token is not None and isinstance(server, str):
            address = urlsplit(server)
            local = address.hostname in ("127.0.0.1", "localhost", "::1")
            if address.scheme != "https" and not local:
                raise ValueError(f"a token does not go to {place_of(server)} without https")
        self.name = place_of(server)
        self.skipped: dict[str, str] = {}
        """The tools of the server that the registry does not have, each with the reason."""
        self.timeout_seconds = timeout_seconds
        self._server = server
        self._token, self._env, self._cwd = token, env, cwd
        self._noted = Noted()
        self._client: Client | None = None
        self._closing: asyncio.Event | None = None
        self._held: asyncio.Task[None] | None = None
        self._opening: asyncio.Lock | None = None
        self._refreshing: asyncio.Task[None] | None = None
        self._changed: Callable[[list[Tool]], None] = lambda tools: None

    def __enter__(self) -> McpConnection:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()

    def open(self, changed: Callable[[list[Tool]], None]) -> list[Tool]:
        """Connect, and give the server's tools; ``changed`` gets them anew when they change.

        Raises :class:`McpServerError`.
        """
        self._changed = changed
        tools = run(self._list())
        atexit.register(self.close)
        return tools

    def close(self) -> None:
        """End the connection."""
        atexit.unregister(self.close)
        run(self._drop())

    async def call(self, tool: str, arguments: dict[str, Any], call_id: str) -> CallToolResult:
        """Call a tool; ``call_id`` is the same for each attempt of one call.

        It is sent once: whether a server that went away has run it is not known.

        Raises :class:`McpServerError`.
        """
        return await running(self._call(tool, arguments, call_id))

    async def _call(self, tool: str, arguments: dict[str, Any], call_id: str) -> CallToolResult:
        client = await self._opened()
        async with self._told(client):
            return await client.call_tool(
                tool,
                arguments,
                read_timeout_seconds=self.timeout_seconds,
                meta={CALL_ID: call_id},  # type: ignore[arg-type]
            )

    async def _list(self) -> list[Tool]:
        client = await self._opened()
        tools: list[Tool] = []
        cursor: str | None = None
        async with self._told(client):
            for _ in range(MOST_PAGES):
                page = await client.list_tools(cursor=cursor, cache_mode="refresh")
                tools += page.tools
                cursor = page.next_cursor
                if cursor is None or len(tools) > MOST_TOOLS:
                    break
        if cursor is not None or len(tools) > MOST_TOOLS:
            raise McpServerError(self.name, "too_large", f"it has more than {MOST_TOOLS:,} tools")
        return tools

    @contextlib.asynccontextmanager
    async def _told(self, client: Client) -> Any:
        """Raise what goes wrong as one kind of error, and forget a connection that is of no use."""
        try:
            yield
        except MCPError as error:
            if error.code == REQUEST_TIMEOUT:
                raise self._late() from error
            if error.code == CONNECTION_CLOSED:
                await self._drop(client)
                raise self._gone("it has closed the connection") from error
            said = toolwire.visible(error.message[:500])
            raise McpServerError(self.name, "refused", said, error.code) from error
        except TimeoutError as error:
            raise self._late() from error
        except GONE as error:
            await self._drop(client)
            raise self._gone(f"it cannot be reached ({type(error).__name__})") from error
        except (ValidationError, ValueError, RuntimeError) as error:
            said = f"its answer cannot be read ({type(error).__name__})"
            raise McpServerError(self.name, "protocol", said) from error

    def _late(self) -> McpServerError:
        said = f"no answer within {self.timeout_seconds:g} seconds"
        return McpServerError(self.name, "timed_out", said + self._written())

    def _written(self) -> str:
        if not self._noted.unreadable:
            return ""
        line = toolwire.visible(self._noted.unreadable.decode("utf-8", "replace"))
        return f"; it has written what is no message: {line!r}"

    def _gone(self, said: str) -> McpServerError:
        if self._noted.too_large:
            too_much = f"it has sent more than {MOST_BYTES:,} bytes at once"
            return McpServerError(self.name, "too_large", too_much)
        if self._noted.status in (401, 403):
            refused = f"it refuses the token (HTTP status {self._noted.status})"
            return McpServerError(self.name, "refused", refused, self._noted.status)
        if self._noted.unfit:
            return McpServerError(self.name, "protocol", self._noted.unfit)
        if self._noted.unreadable:
            return McpServerError(self.name, "protocol", said + self._written())
        return McpServerError(self.name, "unavailable", said)

    async def _opened(self) -> Client:
        if self._opening is None:
            self._opening = asyncio.Lock()
        async with self._opening:
            if self._client is None:
                await self._connect()
            assert self._client is not None
            return self._client

    async def _connect(self) -> None:
        loop = asyncio.get_running_loop()
        opened: asyncio.Future[Client] = loop.create_future()
        self._closing, self._noted = asyncio.Event(), Noted()
        self._held = loop.create_task(self._hold(opened, self._closing))
        try:
            self._client = await asyncio.wait_for(asyncio.shield(opened), self.timeout_seconds)
        except (TimeoutError, asyncio.TimeoutError) as error:
            self._held.cancel()
            raise self._late() from error
        except BaseException as error:
            self._held.cancel()
            if isinstance(error, asyncio.CancelledError):
                raise
            raise self._gone(f"it cannot be reached ({reason(error)})") from error

    async def _hold(self, opened: asyncio.Future[Client], closing: asyncio.Event) -> None:
        """Keep the connection open in one task, which has to close it as well."""
        watching: asyncio.Task[None] | None = None
        try:
            async with Client(
                self._transport(),
                message_handler=self._heard,
                client_info=Implementation(name="toolwire", version=toolwire.__version__),
                read_timeout_seconds=self.timeout_seconds,
            ) as client:
                opened.set_result(client)
                watching = asyncio.get_running_loop().create_task(self._watch(client))
                await closing.wait()
        except BaseException as error:
            if opened.done():
                return
            opened.set_exception(error)
        finally:
            if watching is not None:
                watching.cancel()

    @contextlib.asynccontextmanager
    async def _transport(self) -> Any:
        if not isinstance(self._server, str):
            async with piped(self._server, self._env, self._cwd, self._noted) as streams:
                yield streams
            return
        headers = {} if self._token is None else {"Authorization": f"Bearer {self._token}"}
        transport = BoundedTransport(self._noted)
        timeout = httpx2.Timeout(self.timeout_seconds, read=None)
        async with (
            httpx2.AsyncClient(headers=headers, timeout=timeout, transport=transport) as http,
            streamable_http_client(self._server, http_client=http) as streams,
        ):
            yield streams

    async def _heard(self, message: Any) -> None:
        if isinstance(message, ToolListChangedNotification):
            self._refreshing = asyncio.get_running_loop().create_task(self._refresh())

    async def _watch(self, client: Client) -> None:
        """Listen for changes of the list, where the protocol wants that asked for."""
        has_tools = client.server_capabilities.tools
        if client.protocol_version not in MODERN_PROTOCOL_VERSIONS:
            return
        if has_tools is None or not has_tools.list_changed:
            return
        with contextlib.suppress(Exception):
            async with client.listen(tools_list_changed=True) as changes:
                async for _ in changes:
                    await self._refresh()

    async def _refresh(self) -> None:
        with contextlib.suppress(McpServerError):
            self._changed(await self._list())

    async def _drop(self, client: Client | None = None) -> None:
        """Close the connection, unless another one is open already."""
        if client is not None and client is not self._client:
            return
        held, self._held, self._client = self._held, None, None
        if self._closing is not None:
            self._closing.set()
        if held is not None and held is not asyncio.current_task():
            await asyncio.wait([held], timeout=10)
            held.cancel()


def reason(error: BaseException) -> str:
    """Name the innermost failure."""
    while inner := getattr(error, "exceptions", ()):
        error = inner[0]
    return f"{type(error).__name__}: {toolwire.visible(str(error)[:200])}"
