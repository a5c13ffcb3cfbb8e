"""Tools served over HTTP: who may come, from where, and with how much."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp_program import serving
from mcp_served import served
from toolwire.mcp import McpServerError, ToolServer, http_app
from toolwire.mcp.wire import MOST_BYTES
from toolwire.tools import AdvancedToolExecutor, ToolRegistry

HERE = Path(__file__).parent
TOKEN = "a token of many characters"
LOOK = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "raw", "version": "1"},
    },
}
HEADERS = {
    "Authorization": f"Bearer {TOKEN}",
    "Accept": "application/json, text/event-stream",
    "Content-Type": "application/json",
}


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Serve over HTTP in a process of its own, as the console does."""
    with served(TOKEN, "--name", "tools.example.org") as address:
        yield address


def posted(address: str, **headers: str) -> int:
    return httpx.post(address, json=LOOK, headers={**HEADERS, **headers}).status_code


def test_a_client_with_the_token_is_served(address: str) -> None:
    assert posted(address) == 200
    assert posted(address, Host="tools.example.org") == 200
    assert posted(address, Origin="http://localhost:3000") == 200
    assert posted(address, Origin="https://tools.example.org") == 200


@pytest.mark.parametrize(
    "given", ["", "Bearer", "Bearer wrong", f"Basic {TOKEN}", f"Bearer {TOKEN}x"]
)
def test_a_client_without_it_is_not(address: str, given: str) -> None:
    refused = httpx.post(address, json=LOOK, headers={**HEADERS, "Authorization": given})
    assert (refused.status_code, refused.headers["www-authenticate"]) == (401, "Bearer")
    assert "Authorization: Bearer TOKEN" in refused.json()["error"]


def test_a_page_of_another_site_and_another_name_are_refused(address: str) -> None:
    assert posted(address, Origin="https://evil.example") == 403
    assert posted(address, Host="evil.example") == 421


def test_a_message_that_is_too_long_is_refused(address: str) -> None:
    huge = b'{"jsonrpc":"2.0","id":1,"method":"' + b"x" * 100_000_000 + b'"}'
    try:
        status = httpx.post(address, content=huge, headers=HEADERS, timeout=60).status_code
    except httpx.WriteError:
        # The server has closed the connection before all was sent.
        status = 413
    assert status == 413
    assert len(huge) > MOST_BYTES
    assert posted(address) == 200


def test_the_tools_of_a_server_with_a_token_join_a_registry(address: str) -> None:
    executor = AdvancedToolExecutor()
    with executor.add_mcp(address, token=TOKEN, only=["look", "slow"]) as connection:
        assert [tool.name for tool in executor.tools()] == ["look", "slow"]
        call = {"id": "c1", "name": "look", "arguments": {}}
        assert asyncio.run(executor.execute(call)).data == {"result": [1, 2]}
        assert re.fullmatch(r"127\.0\.0\.1-[0-9a-f]{12}", connection.name)


def test_a_wrong_token_is_told(address: str) -> None:
    with pytest.raises(McpServerError, match="it refuses the token") as refused:
        ToolRegistry().add_mcp(address, token="wrong")
    assert (refused.value.kind, refused.value.code) == ("refused", 401)
    assert "wrong" not in str(refused.value)


def test_a_token_goes_nowhere_without_tls() -> None:
    with pytest.raises(ValueError, match=r"does not go to tools\.example\.org without https"):
        ToolRegistry().add_mcp("http://tools.example.org/mcp", token=TOKEN)


def test_a_server_has_a_token_of_some_length() -> None:
    with pytest.raises(ValueError, match="at least 16 characters"):
        http_app(ToolServer(ToolRegistry()), "short")


def test_without_a_token_nothing_is_served() -> None:
    settings = {name: value for name, value in os.environ.items() if name != "TOOLWIRE_MCP_TOKEN"}
    command: list[Any] = serving("--http", "8000")
    done = subprocess.run(
        command, cwd=HERE, env=settings, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "clients need a token: give --token-file, or set TOOLWIRE_MCP_TOKEN" in done.stderr
