"""Tools that are registered later: clients are told, of every protocol."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp_program import serving
from mcp_served import served
from mcp_types import ToolListChangedNotification
from toolwire.mcp import ToolServer
from toolwire.tools import AdvancedToolExecutor, ToolDefinition, ToolRegistry

HERE = Path(__file__).parent
TOKEN = "a token of many characters"


@contextlib.asynccontextmanager
async def http_transport(address: str) -> AsyncIterator[Any]:
    headers = {"Authorization": f"Bearer {TOKEN}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=30) as http,
        streamable_http_client(address, http_client=http) as streams,
    ):
        yield streams


async def names(client: Client) -> set[str]:
    return {tool.name for tool in (await client.list_tools(cache_mode="refresh")).tools}


async def hears(server: Any, mode: Any) -> None:
    """Let a tool register another one, and wait until the client is told."""
    told = asyncio.Event()

    async def heard(message: Any) -> None:
        if isinstance(message, ToolListChangedNotification):
            told.set()

    async def listen(client: Client, ready: asyncio.Event) -> None:
        async with client.listen(tools_list_changed=True) as changes:
            ready.set()
            async for _ in changes:
                told.set()

    async with Client(server, mode=mode, message_handler=heard) as client:
        assert client.server_capabilities.tools is not None
        assert client.server_capabilities.tools.list_changed
        listening = None
        if mode != "legacy":
            ready = asyncio.Event()
            listening = asyncio.ensure_future(listen(client, ready))
            await asyncio.wait_for(ready.wait(), 20)
        before = await names(client)
        await client.call_tool("grow", {})
        await asyncio.wait_for(told.wait(), 20)
        assert await names(client) ^ before == {"later"}
        if listening is not None:
            listening.cancel()


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_client_on_the_standard_streams_is_told(mode: Any) -> None:
    command, *arguments = serving()
    asyncio.run(hears(StdioServerParameters(command=command, args=arguments, cwd=HERE), mode))


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_client_over_http_is_told(mode: Any) -> None:
    with served(TOKEN) as address:
        asyncio.run(hears(http_transport(address), mode))


def test_a_registry_that_uses_a_server_follows_it() -> None:
    executor = AdvancedToolExecutor()
    with executor.add_mcp(serving(), only=["grow", "later"], cwd=str(HERE)):
        for number, wanted in enumerate((["grow", "later"], ["grow"])):
            asyncio.run(executor.execute({"id": str(number), "name": "grow", "arguments": {}}))
            for _ in range(200):
                if [tool.name for tool in executor.tools()] == wanted:
                    break
                time.sleep(0.05)
            assert [tool.name for tool in executor.tools()] == wanted


def test_a_server_has_what_its_registry_has_from_any_thread() -> None:
    registry = ToolRegistry()
    server = ToolServer(registry)

    def register() -> None:
        for number in range(100):
            registry.register(ToolDefinition(f"t{number}", f"T{number}", lambda given: 7))

    thread = threading.Thread(target=register)
    thread.start()
    thread.join()
    assert len(server.tools()) == 100
    registry.register(ToolDefinition("other", "T7", lambda given: 8))
    registry.remove("T8")
    listed = {tool.name for tool in server.tools()}
    assert "other" in listed
    assert not {"t7", "t8"} & listed
