"""The reference server of MCP, from npm, as a server of tools: `make test-mcp-peer`."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from toolwire.mcp import McpConnection
from toolwire.tools import AdvancedToolExecutor, ExecutionResult

PEER = Path(__file__).resolve().parents[2] / "build/mcp-peer/node_modules/.bin"


@pytest.fixture(scope="module")
def executor() -> AdvancedToolExecutor:
    return AdvancedToolExecutor(approver=lambda request, arguments: True)


@pytest.fixture(scope="module")
def connection(executor: AdvancedToolExecutor) -> Iterator[McpConnection]:
    command = [str(PEER / "mcp-server-everything"), "stdio"]
    with executor.add_mcp(command, prefix="peer", timeout_seconds=60) as connection:
        yield connection


def run(executor: AdvancedToolExecutor, name: str, arguments: dict[str, Any]) -> ExecutionResult:
    call = {"id": f"{name} {arguments}", "name": f"peer_{name}", "arguments": arguments}
    return asyncio.run(executor.execute_detailed(call))


@pytest.mark.usefixtures("connection")
def test_its_tools_run(executor: AdvancedToolExecutor) -> None:
    echoed = run(executor, "echo", {"message": "hello"}).output
    assert echoed is not None
    assert echoed.data == "Echo: hello"
    summed = run(executor, "get-sum", {"a": 20, "b": 22}).output
    assert summed is not None
    assert "42" in summed.data


@pytest.mark.usefixtures("connection")
def test_structured_content_and_pictures_are_data(executor: AdvancedToolExecutor) -> None:
    weather = run(executor, "get-structured-content", {"location": "New York"}).output
    assert weather is not None
    assert {"temperature", "conditions", "humidity"} <= set(weather.data)
    picture = run(executor, "get-tiny-image", {}).output
    assert picture is not None
    assert [part["type"] for part in picture.data["content"]].count("image") == 1


@pytest.mark.usefixtures("connection")
def test_its_schemas_are_checked_here(executor: AdvancedToolExecutor) -> None:
    refused = run(executor, "get-sum", {"a": "x"})
    assert refused.denial_reason == "invalid_input"
    assert '"b" is a required property' in str(refused.error)


def test_every_tool_fits(connection: McpConnection, executor: AdvancedToolExecutor) -> None:
    assert connection.skipped == {}
    assert len(executor.tools()) >= 8
