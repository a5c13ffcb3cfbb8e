"""Which server a tool is of: names, approvals, and what a server changes later."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from toolwire.mcp import McpServerError
from toolwire.tools import (
    AdvancedToolExecutor,
    MemoryStore,
    Run,
    SqliteStore,
    ToolDefinition,
    ToolNotFoundError,
    ToolRegistry,
)

HERE = Path(__file__).parent
SCHEMA: dict[str, Any] = {"type": "object", "properties": {"path": {"type": "string"}}}


def tool(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "inputSchema": SCHEMA, **more}


READS = {"annotations": {"readOnlyHint": True}}
POKE = tool("poke", **READS)


class Server:
    """A server whose tools the test changes."""

    def __init__(self, folder: Path, name: str, *tools: dict[str, Any]) -> None:
        self.file, self.log = folder / f"{name}.json", folder / f"{name}.log"
        program = str(HERE / "mcp_shifting.py")
        self.command = [sys.executable, program, str(self.file), str(self.log), name]
        self.log.touch()
        self.has(*tools)

    def has(self, *tools: dict[str, Any]) -> None:
        self.file.write_text(json.dumps([POKE, *tools]))

    def did(self, what: str) -> int:
        return [line.split()[1] for line in self.log.read_text().splitlines()].count(what)


def call(name: str, id: str = "c1", **arguments: Any) -> dict[str, Any]:
    return {"id": id, "name": name, "arguments": arguments}


def until(holds: Callable[[], bool]) -> None:
    for _ in range(200):
        if holds():
            return
        time.sleep(0.05)
    raise AssertionError("it did not come to hold")


def poke(executor: AdvancedToolExecutor, server: Server) -> None:
    """Let the server say that its list has changed, and wait until it was read and taken."""
    before = server.did("listed")
    name = next(one.name for one in executor.tools() if one.action_type.endswith(":poke"))
    asyncio.run(executor.execute(call(name, id=f"poke {before}")))
    until(lambda: server.did("listed") > before)


def shift(executor: AdvancedToolExecutor, server: Server, *tools: dict[str, Any]) -> None:
    """Let the server have other tools, and wait until the last of them is there."""
    server.has(*tools)
    poke(executor, server)
    until(lambda: tools[-1]["name"] in tools_of(executor))


def tools_of(executor: AdvancedToolExecutor) -> dict[str, ToolDefinition]:
    return {one.name: one for one in executor.tools()}


def approve(executor: AdvancedToolExecutor, run: Run) -> None:
    assert run.approval_id is not None
    asyncio.run(executor.approvals.record_decision(run.approval_id, True))


def test_two_servers_of_one_program_keep_their_tools_and_their_approvals(tmp_path: Path) -> None:
    first = Server(tmp_path, "first", tool("wipe"))
    second = Server(tmp_path, "second", tool("wipe", **READS))
    executor = AdvancedToolExecutor(store=MemoryStore())
    with executor.add_mcp(first.command) as one, executor.add_mcp(second.command) as other:
        assert one.name != other.name
        wipes = [item for item in executor.tools() if item.action_type.endswith(":wipe")]
        assert [item.requires_approval for item in wipes] == [True, False]
        assert len({item.action_type for item in wipes}) == len({item.name for item in wipes}) == 2
        run = asyncio.run(executor.start(call("wipe")))
        assert run.state == "waiting"
        approve(executor, run)
        resumed = asyncio.run(executor.resume(run.id))
        assert resumed is not None
        assert resumed.result().data == "first did wipe"
        assert (first.did("wipe"), second.did("wipe")) == (1, 0)
        (request,) = asyncio.run(executor.approvals.get_all_requests())
        assert request.approval_message == f"Approve wipe of the MCP server {one.name}?"


def test_a_name_is_refused_that_another_connection_has(tmp_path: Path) -> None:
    first, second = Server(tmp_path, "first", tool("a")), Server(tmp_path, "second", tool("b"))
    registry = ToolRegistry()
    with registry.add_mcp(first.command, name="files") as one:
        with pytest.raises(ValueError, match=r"'files' is the one to python\S*-[0-9a-f]{12}"):
            registry.add_mcp(second.command, name="files")
        assert [item.name for item in registry.list()] == ["poke", "a"]
        with registry.add_mcp(second.command, name="mails"):
            assert len(registry.list()) == 4
    # The name of a closed connection is free, and its tools go with it.
    with registry.add_mcp(second.command, name="files"):
        assert registry.get_by_action_type(f"mcp:{one.label}:a") is None
        assert registry.get("b") is not None
    twice = ToolRegistry()
    with (
        twice.add_mcp(first.command),
        pytest.raises(ValueError, match="give it another name"),
    ):
        twice.add_mcp(first.command)


@pytest.mark.parametrize("name", ["", "a:b", "a b", "a\u202eb", "x" * 41, "-a"])
def test_a_name_is_a_word(name: str) -> None:
    with pytest.raises(ValueError, match="the name of a connection has"):
        ToolRegistry().add_mcp(["no-such-program"], name=name)


def test_an_approved_call_does_not_run_at_another_server_of_the_name(tmp_path: Path) -> None:
    first, second = (
        Server(tmp_path, "first", tool("wipe")),
        Server(tmp_path, "second", tool("wipe")),
    )
    place = str(tmp_path / "tools.db")
    executor = AdvancedToolExecutor(store=SqliteStore(place))
    with executor.add_mcp(first.command, name="files"):
        run = asyncio.run(executor.start(call("wipe")))
    other = AdvancedToolExecutor(store=SqliteStore(place))
    approve(other, run)
    with other.add_mcp(second.command, name="files"):
        with pytest.raises(ToolNotFoundError):
            asyncio.run(other.resume(run.id))
        assert (first.did("wipe"), second.did("wipe")) == (0, 0)
    with other.add_mcp(first.command, name="files"):
        resumed = asyncio.run(other.resume(run.id))
        assert resumed is not None
        assert resumed.state == "completed"
    assert (first.did("wipe"), second.did("wipe")) == (1, 0)


def test_what_a_server_takes_back_later_still_protects(tmp_path: Path) -> None:
    server = Server(tmp_path, "server", tool("wipe", annotations={"destructiveHint": True}))
    executor = AdvancedToolExecutor()
    lowered = tool("wipe", annotations={"readOnlyHint": True, "destructiveHint": False})
    with executor.add_mcp(server.command):
        for number, step in enumerate(([lowered], [], [lowered])):
            shift(executor, server, *step, tool(f"step_{number}"))
            assert ("wipe" in tools_of(executor)) == bool(step)
        wipe = tools_of(executor)["wipe"]
        assert (wipe.requires_approval, wipe.read_only, wipe.destructive) == (True, None, True)
        # What it adds counts.
        assert not tools_of(executor)["poke"].requires_approval
        server.file.write_text(json.dumps([tool("poke")]))
        poke(executor, server)
        until(lambda: tools_of(executor)["poke"].requires_approval)


@pytest.mark.parametrize(
    "later",
    [
        tool("wipe", inputSchema={"type": "object"}),
        tool("wipe", annotations={"destructiveHint": True}),
    ],
    ids=["schema", "flags"],
)
def test_an_approval_is_one_of_the_tool_as_it_was_declared(
    later: dict[str, Any], tmp_path: Path
) -> None:
    server = Server(tmp_path, "server", tool("wipe"))
    executor = AdvancedToolExecutor(store=MemoryStore())
    with executor.add_mcp(server.command):
        run = asyncio.run(executor.start(call("wipe", path="/")))
        approve(executor, run)
        before = tools_of(executor)["wipe"].origin
        server.has(later)
        poke(executor, server)
        until(lambda: tools_of(executor)["wipe"].origin != before)
        resumed = asyncio.run(executor.resume(run.id))
        assert resumed is not None
        assert (resumed.state, resumed.code) == ("denied", "changed_since")
        assert server.did("wipe") == 0


def test_a_call_that_waits_in_the_program_does_not_run_a_changed_tool(tmp_path: Path) -> None:
    server = Server(tmp_path, "server", tool("wipe"))

    def person(request: Any, arguments: Any) -> bool:
        before = tools_of(executor)["wipe"].origin
        server.has(tool("wipe", inputSchema={"type": "object"}))
        poke(executor, server)
        until(lambda: tools_of(executor)["wipe"].origin != before)
        return True

    executor = AdvancedToolExecutor(approver=person)
    with executor.add_mcp(server.command):
        with pytest.raises(Exception, match="it has changed the tool 'wipe'") as raised:
            asyncio.run(executor.execute(call("wipe")))
        assert isinstance(raised.value.__cause__, McpServerError)
        assert raised.value.__cause__.kind == "changed"
    assert server.did("wipe") == 0


def test_a_call_is_undone_by_the_server_that_ran_it(tmp_path: Path) -> None:
    undone = {"_meta": {"toolwire/inverse": "restore"}}
    first = Server(tmp_path, "first", tool("wipe", **undone), tool("restore"), tool("format"))
    second = Server(tmp_path, "second", tool("wipe", **undone), tool("restore"))
    place = str(tmp_path / "tools.db")
    options: dict[str, Any] = {"requires_approval": False}
    executor = AdvancedToolExecutor(store=SqliteStore(place))
    with executor.add_mcp(first.command, **options):
        runs = [asyncio.run(executor.start(call("wipe", id=one))) for one in ("c1", "c2")]
        turned = tool("wipe", _meta={"toolwire/inverse": "format"})
        shift(executor, first, turned, tool("restore"), tool("format"), tool("seen"))
        with pytest.raises(Exception, match="it has changed what undoes 'wipe'"):
            asyncio.run(executor.undo_action(runs[0].id, {}))  # type: ignore[arg-type]
    assert first.did("format") == 0
    other = AdvancedToolExecutor(store=SqliteStore(place))
    with (
        other.add_mcp(second.command, **options),
        pytest.raises(Exception, match="the call was one of another server"),
    ):
        asyncio.run(other.undo_action(runs[1].id, {}))  # type: ignore[arg-type]
    assert second.did("restore") == 0
