"""Tools of MCP servers in a registry: approvals, undo, and servers that misbehave."""

from __future__ import annotations

import asyncio
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcp_program import serving
from toolwire.mcp import Inverse, McpConnection, McpServerError
from toolwire.tools import (
    AdvancedToolExecutor,
    ExecutionResult,
    MemoryStore,
    SqliteStore,
    ToolDefinition,
    ToolRegistry,
)

HERE = Path(__file__).parent
PLACE: dict[str, Any] = {"cwd": str(HERE)}


def rogue(kind: str, *more: str) -> list[str]:
    return [sys.executable, "mcp_rogue.py", kind, *more]


def call(name: str, arguments: dict[str, Any] | None = None, id: str = "") -> dict[str, Any]:
    return {"id": id or name, "name": name, "arguments": arguments or {}}


def run(executor: AdvancedToolExecutor, asked: dict[str, Any]) -> ExecutionResult:
    return asyncio.run(executor.execute_detailed(asked))


def until(holds: Callable[[], bool]) -> None:
    for _ in range(200):
        if holds():
            return
        time.sleep(0.05)
    raise AssertionError("it did not come to hold")


def failing(kind: str, *more: str, seconds: float = 5) -> McpServerError:
    """Call a server that misbehaves, and give the error."""
    executor = AdvancedToolExecutor()
    with executor.add_mcp(
        rogue(kind, *more), requires_approval=False, timeout_seconds=seconds, **PLACE
    ):
        with pytest.raises(Exception) as raised:
            asyncio.run(executor.execute(call("good")))
        cause = raised.value.__cause__
        assert isinstance(cause, McpServerError)
        return cause


def test_the_tools_of_a_server_are_tools_of_a_registry() -> None:
    registry = ToolRegistry()
    with registry.add_mcp(serving(), **PLACE) as connection:
        assert isinstance(connection, McpConnection)
        assert connection.skipped == {}
        named = {tool.name: tool for tool in registry.list()}
        wanted = registry.to_provider("openai")
    assert {"note", "look", "wipe"} <= set(named)
    assert named["note"].input_schema["required"] == ["file"]  # type: ignore[attr-defined]
    assert wanted[0]["function"]["name"] == "note"


def test_a_person_approves_what_does_not_say_that_it_only_reads() -> None:
    executor = AdvancedToolExecutor()
    with executor.add_mcp(serving(), **PLACE):
        asks = {tool.name: tool.requires_approval for tool in executor.tools()}
    assert (asks["look"], asks["note"], asks["wipe"]) == (False, True, True)


def test_the_program_says_who_is_asked_what_is_taken_and_how_it_is_named(tmp_path: Path) -> None:
    executor = AdvancedToolExecutor()
    executor.register(ToolDefinition("note", "OWN", lambda given: "own"))
    options: dict[str, Any] = {"only": ["note", "look"], "requires_approval": False, **PLACE}
    with executor.add_mcp(serving(), **options) as first:
        names = [tool.name for tool in executor.tools()]
        program = first.name.replace(".", "_")
        assert names == ["note", f"{program}_note", "look"]
        assert run(executor, call("note")).output.data == "own"  # type: ignore[union-attr]
        noted = run(executor, call(names[1], {"file": str(tmp_path / "f")}))
        assert noted.output is not None
        assert noted.output.data == {"noted": str(tmp_path / "f")}
    second = ToolRegistry()
    with second.add_mcp(serving(), prefix="far", rate_limit=(1, 60.0), **PLACE):
        tools = second.list()
    assert tools[0].name == "far_note"
    assert tools[0].rate_limit == (1, 60.0)  # type: ignore[attr-defined]


def test_a_call_waits_for_its_approval_and_runs_once_at_the_server(tmp_path: Path) -> None:
    file, place = tmp_path / "file", str(tmp_path / "tools.db")

    async def start() -> Any:
        executor = AdvancedToolExecutor(store=SqliteStore(place))
        with executor.add_mcp(serving(), only=["note"], **PLACE):
            return await executor.start(call("note", {"file": str(file)}))

    async def go_on(run_id: str) -> Any:
        executor = AdvancedToolExecutor(store=SqliteStore(place))
        (request,) = await executor.approvals.get_pending_requests()
        await executor.approvals.record_decision(request.id, True)
        with executor.add_mcp(serving(), only=["note"], **PLACE):
            first = await executor.resume(run_id)
            return first, await executor.start(call("note", {"file": str(file)}))

    waiting = asyncio.run(start())
    assert (waiting.state, file.exists()) == ("waiting", False)
    first, again = asyncio.run(go_on(waiting.id))
    assert first.output == again.output
    assert file.read_text() == "ran\n"


@pytest.mark.parametrize(
    "inverse", ["note", Inverse("note", lambda arguments, data: {"file": data["noted"]})]
)
def test_what_a_server_did_is_undone_by_the_tool_that_the_program_names(
    inverse: str | Inverse, tmp_path: Path
) -> None:
    file = tmp_path / "file"
    executor = AdvancedToolExecutor(store=MemoryStore())

    async def use() -> bool:
        begun = await executor.start(call("note", {"file": str(file)}))
        return await executor.undo_action(begun.id, {})  # type: ignore[arg-type]

    options: dict[str, Any] = {"requires_approval": False, "inverses": {"note": inverse}, **PLACE}
    with executor.add_mcp(serving(), **options):
        assert asyncio.run(use())
    assert file.read_text() == "ran\nran\n"


@pytest.mark.parametrize(
    ("kind", "expected", "told"),
    [
        ("broken", "timed_out", "it has written what is no message: '{this is no message'"),
        ("wrong", "protocol", "its answer cannot be read"),
        ("refusing", "refused", "no ⟨U+001B⟩[31mway"),
        ("endless", "too_large", "it has sent more than 4,194,304 bytes at once"),
        ("silent", "timed_out", "no answer within 2 seconds"),
        ("lying", "timed_out", "no answer within 2 seconds"),
    ],
)
def test_a_server_that_misbehaves_is_a_clear_error(kind: str, expected: str, told: str) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    error = failing(kind, seconds=2)
    assert (error.kind, told in str(error)) == (expected, True), str(error)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000


def test_a_server_that_ends_is_called_once_and_comes_back(tmp_path: Path) -> None:
    file = tmp_path / "file"
    executor = AdvancedToolExecutor()
    options: dict[str, Any] = {"requires_approval": False, **PLACE}
    with executor.add_mcp(rogue("ending", str(file)), **options):
        first = run(executor, call("good", id="1"))
        assert "it has closed the connection" in str(first.error)
        assert file.read_text() == "called\n"
        run(executor, call("good", id="2"))
    assert file.read_text() == "called\ncalled\n"


def test_a_log_on_the_wire_is_read_over() -> None:
    executor = AdvancedToolExecutor()
    with executor.add_mcp(rogue("talking"), requires_approval=False, **PLACE):
        assert run(executor, call("good")).output.data == "fine"  # type: ignore[union-attr]


def test_a_tool_with_a_schema_that_is_none_is_left_out() -> None:
    registry = ToolRegistry()
    with registry.add_mcp(rogue("talking"), **PLACE) as connection:
        assert [tool.name for tool in registry.list()] == ["good"]
        assert list(connection.skipped) == ["bad"]
        assert "7" in connection.skipped["bad"]


def test_a_list_that_changes_changes_the_registry() -> None:
    executor = AdvancedToolExecutor()
    with executor.add_mcp([sys.executable, "mcp_changing.py"], requires_approval=False, **PLACE):
        run(executor, call("swap", id="1"))
        until(lambda: [tool.name for tool in executor.tools()] == ["swap", "later"])
        assert run(executor, call("later")).output is not None
        run(executor, call("swap", id="2"))
        until(lambda: [tool.name for tool in executor.tools()] == ["swap"])
        assert "No tool registered" in str(run(executor, call("later", id="3")).error)


def test_a_call_that_is_cancelled_here_is_cancelled_there(tmp_path: Path) -> None:
    place, file = str(tmp_path / "tools.db"), tmp_path / "file"
    executor = AdvancedToolExecutor()

    async def use() -> str:
        arguments = {"file": str(file), "seconds": 30}
        calling = asyncio.ensure_future(executor.execute(call("slow", arguments)))
        while not file.exists():
            await asyncio.sleep(0.02)
        calling.cancel()
        there = AdvancedToolExecutor(store=SqliteStore(place))
        for _ in range(200):
            if not await there.waiting():
                return "ended"
            await asyncio.sleep(0.05)
        return "still running"

    with executor.add_mcp(serving("--store", place), **PLACE):
        assert asyncio.run(use()) == "ended"


def test_a_program_that_is_none_is_told() -> None:
    with pytest.raises(McpServerError, match="cannot be reached") as raised:
        ToolRegistry().add_mcp(["no-such-program-anywhere"])
    assert raised.value.kind == "unavailable"
    with pytest.raises(McpServerError, match="cannot be reached"):
        ToolRegistry().add_mcp("http://127.0.0.1:9/mcp")
