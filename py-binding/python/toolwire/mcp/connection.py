"""A connection to a server of MCP, which comes back when the server does.

>>> from toolwire.mcp.connection import McpConnection
>>> McpConnection(["npx", "server-everything"], name="demo").name
'demo'
>>> McpConnection("https://tools.example.org/mcp").name
'tools.example.org-90e858b8c98d'
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import logging
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import urlsplit

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult, Implementation, Tool, ToolListChangedNotification
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

import toolwire
from toolwire.mcp.background import Background
from toolwire.mcp.bounds import BoundedTransport, Noted, piped
from toolwire.mcp.errors import McpServerError
from toolwire.mcp.failures import Failures, reason
from toolwire.mcp.origin import Origin, checked_name
from toolwire.mcp.peer import CALL_ID

__all__ = ["McpConnection"]

logger = logging.getLogger("toolwire.mcp")

MOST_TOOLS, MOST_PAGES = 1000, 100

PAUSE_SECONDS = 0.2
"""The least time between two looks at a list that changes."""

GRACE_SECONDS = 5.0


class McpConnection:
    """A server whose tools a registry has; ``registry.add_mcp`` makes it.

    ``name`` is its name in the registry, unique there. The connection is opened again by the next
    call after the server went away. ``close`` ends it, and the program that it started; the end of
    the program does too.
    """

    def __init__(
        self,
        server: str | Sequence[str],
        *,
        name: str | None = None,
        token: str | None = None,
        env: dict[str, str] | None = None,
        cwd: str | None = None,
        timeout_seconds: float = 30.0,
    ) -> None:
        self.origin = Origin.of(server, cwd)
        if token is not None and isinstance(server, str):
            address = urlsplit(server)
            local = address.hostname in ("127.0.0.1", "localhost", "::1")
            if address.scheme != "https" and not local:
                raise ValueError(f"a token does not go to {self.origin.place} without https")
        self.label = self.origin.label(checked_name(name))
        """The name with a part of the origin, so that it is never that of another server."""
        self.name = name or self.label
        self.skipped: dict[str, str] = {}
        """The tools of the server that the registry does not have, each with the reason."""
        self.timeout_seconds = timeout_seconds
        self.is_closed = False
        self._server = server
        self._token, self._env, self._cwd = token, env, cwd
        self._failures = Failures(self.name, timeout_seconds)
        self._background = Background(self.name)
        self._client: Client | None = None
        self._closing: asyncio.Event | None = None
        self._held: asyncio.Task[None] | None = None
        self._opening: asyncio.Lock | None = None
        self._listing: asyncio.Lock | None = None
        self._refreshing: asyncio.Task[None] | None = None
        # Whether the list may be another one than the registry has.
        self._is_due = False
        self._came_back = False
        self._changed: Callable[[list[Tool]], None] = lambda tools: None

    def __enter__(self) -> McpConnection:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()

    def open(self, changed: Callable[[list[Tool]], None]) -> None:
        """Connect, and hand the server's tools to ``changed``, now and whenever they change.

        Raises :class:`McpServerError`, and what ``changed`` raises the first time.
        """
        self._changed = changed
        self._background.run(self._update(), seconds=3 * self.timeout_seconds + GRACE_SECONDS)
        atexit.register(self.close)

    def close(self) -> None:
        """End the connection, for good."""
        atexit.unregister(self.close)
        self.is_closed = True
        with contextlib.suppress(TimeoutError):
            self._background.run(self._drop(), seconds=15)
        self._background.stop()
        # The registry may go before its closed connection does.
        self._changed = lambda tools: None

    async def call(
        self,
        tool: str,
        arguments: dict[str, Any],
        call_id: str,
        check: Callable[[], None] = lambda: None,
    ) -> CallToolResult:
        """Call a tool; ``call_id`` is the same for each attempt of one call.

        It is sent once: whether a server that went away has run it is not known. ``check`` is
        called just before, with what the registry has then of a server that came back; what it
        raises ends the call.

        Raises :class:`McpServerError`.
        """
        if self.is_closed:
            raise McpServerError(self.name, "unavailable", "the connection to it is closed")
        # Each step has a time-out of its own, which needs a loop that goes on.
        seconds = 3 * self.timeout_seconds + GRACE_SECONDS
        calling = self._call(tool, arguments, call_id, check)
        try:
            return await self._background.running(calling, seconds=seconds)
        except TimeoutError:
            raise self._failures.late() from None

    async def _call(
        self, tool: str, arguments: dict[str, Any], call_id: str, check: Callable[[], None]
    ) -> CallToolResult:
        client = await self._opened()
        if self._came_back:
            await self._update()
            self._came_back = False
        check()
        async with self._told(client):
            return await client.call_tool(
                tool,
                arguments,
                read_timeout_seconds=self.timeout_seconds,
                meta={CALL_ID: call_id},  # type: ignore[arg-type]
            )

    async def _update(self) -> None:
        """Get the tools, and hand them over; that may take a while, and holds up no message."""
        if self._listing is None:
            self._listing = asyncio.Lock()
        async with self._listing:
            tools = await self._list()
            await asyncio.to_thread(self._changed, tools)

    async def _list(self) -> list[Tool]:
        client = await self._opened()
        async with self._told(client):
            return await asyncio.wait_for(self._pages(client), self.timeout_seconds)

    async def _pages(self, client: Client) -> list[Tool]:
        tools: list[Tool] = []
        cursor: str | None = None
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
        except McpServerError:
            raise
        except Exception as error:
            told, is_over = self._failures.told(error)
            if is_over:
                await self._drop(client)
                # What was noted until the end of the connection tells more.
                told, _ = self._failures.told(error)
            raise told from error

    async def _opened(self) -> Client:
        if self._opening is None:
            self._opening = asyncio.Lock()
        async with self._opening:
            if self._client is None:
                self._came_back = self._closing is not None
                await self._connect()
            assert self._client is not None
            return self._client

    async def _connect(self) -> None:
        loop = asyncio.get_running_loop()
        opened: asyncio.Future[Client] = loop.create_future()
        self._closing, self._failures.noted = asyncio.Event(), Noted()
        self._held = loop.create_task(self._hold(opened, self._closing))
        try:
            self._client = await asyncio.wait_for(asyncio.shield(opened), self.timeout_seconds)
        except (TimeoutError, asyncio.TimeoutError) as error:
            self._held.cancel()
            raise self._failures.late() from error
        except BaseException as error:
            self._held.cancel()
            if isinstance(error, asyncio.CancelledError):
                raise
            raise self._failures.gone(f"it cannot be reached ({reason(error)})") from error

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
        noted = self._failures.noted
        if not isinstance(self._server, str):
            async with piped(self._server, self._env, self._cwd, noted) as streams:
                yield streams
            return
        headers = {} if self._token is None else {"Authorization": f"Bearer {self._token}"}
        transport = BoundedTransport(noted)
        timeout = httpx2.Timeout(self.timeout_seconds, read=None)
        async with (
            httpx2.AsyncClient(headers=headers, timeout=timeout, transport=transport) as http,
            streamable_http_client(self._server, http_client=http) as streams,
        ):
            yield streams

    async def _heard(self, message: Any) -> None:
        if isinstance(message, ToolListChangedNotification):
            self._refresh_soon()

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
                    self._refresh_soon()

    def _refresh_soon(self) -> None:
        """Look at the list again; one look goes on at most, and one is due, however often."""
        self._is_due = True
        if self._refreshing is None or self._refreshing.done():
            self._refreshing = asyncio.get_running_loop().create_task(self._refresh())

    async def _refresh(self) -> None:
        while self._is_due and self._client is not None:
            self._is_due = False
            try:
                await self._update()
            except McpServerError:
                # The next call says what is wrong.
                logger.debug("the list of %s was not read", self.name, exc_info=True)
            except Exception:
                logger.warning("the list of %s was not taken", self.name, exc_info=True)
            await asyncio.sleep(PAUSE_SECONDS)

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
