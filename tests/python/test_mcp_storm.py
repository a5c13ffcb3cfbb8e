"""Servers that flood their client, are slow, or say what nobody sees: others do not suffer."""

from __future__ import annotations

import asyncio
import gc
import json
import resource
import sys
import time
import weakref
from pathlib import Path
from typing import Any

import pytest
from toolwire.mcp import McpServerError
from toolwire.mcp.connection import PAUSE_SECONDS
from toolwire.mcp.shown import (
    LONGEST_DESCRIPTION,
    MOST_RESULT_BYTES,
    MOST_SCHEMA_BYTES,
)
from toolwire.tools import AdvancedToolExecutor, ToolRegistry

HERE = Path(__file__).parent
ANY: dict[str, Any] = {"type": "object"}


def tool(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "inputSchema": ANY, "annotations": {"readOnlyHint": True}, **more}


def server(folder: Path, name: str, *tools: dict[str, Any]) -> list[str]:
    """Give the command of a server with these tools."""
    file, log = folder / f"{name}.json", folder / f"{name}.log"
    file.write_text(json.dumps(tools))
    return [sys.executable, str(HERE / "mcp_shifting.py"), str(file), str(log), name]


def call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"id": f"{name} {time.monotonic_ns()}", "name": name, "arguments": arguments}


def test_a_flood_of_changes_is_a_few_looks_and_time_outs_hold(tmp_path: Path) -> None:
    flooding = server(tmp_path, "flooding", tool("flood"), tool("wait"))
    calm = server(tmp_path, "calm", tool("look"))
    executor = AdvancedToolExecutor()

    async def main() -> float:
        began = time.monotonic()
        await executor.execute(call("flood"))
        waiting = asyncio.ensure_future(executor.execute(call("wait")))
        for _ in range(20):
            looked = await executor.execute(call("look"))
            assert looked.data == "calm did look"
        assert not waiting.done(), "the calm server answers before the other's time-out"
        with pytest.raises(Exception, match="no answer within 8 seconds") as raised:
            await waiting
        assert isinstance(raised.value.__cause__, McpServerError)
        return time.monotonic() - began

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with (
        executor.add_mcp(flooding, timeout_seconds=8),
        executor.add_mcp(calm, timeout_seconds=8),
    ):
        lasted = asyncio.run(main())
        listed = (tmp_path / "flooding.log").read_text().count("listed")
    assert 2 <= listed <= 3 + lasted / PAUSE_SECONDS
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000


def test_what_nobody_sees_is_marked_or_left_out(tmp_path: Path) -> None:
    hiding = "a\u202eb\u200bc"
    within = {"type": "object", "properties": {"x": {"type": "string", "description": hiding}}}
    key = {"type": "object", "properties": {hiding: {"type": "string"}}}
    value = {"type": "object", "properties": {"x": {"enum": [hiding]}}}
    deep: dict[str, Any] = {}
    for _ in range(80):
        deep = {"type": "object", "properties": {"x": deep}}
    tools = [
        tool("good", description=hiding + "d" * LONGEST_DESCRIPTION, inputSchema=within),
        tool("say"),
        tool(f"bad{hiding}"),
        tool("x" * 129),
        tool("key", inputSchema=key),
        tool("value", inputSchema=value),
        tool("deep", inputSchema=deep),
        tool("long", inputSchema={"type": "object", "title": "x" * MOST_SCHEMA_BYTES}),
    ]
    executor = AdvancedToolExecutor()
    with executor.add_mcp(server(tmp_path, "hiding", *tools)) as connection:
        good, say = executor.tools()
        mark = "a⟨U+202E⟩b⟨U+200B⟩c"
        assert good.description.startswith(f"{mark}ddd")
        assert good.description.endswith("ddd⟨5 more characters⟩")
        assert good.input_schema["properties"]["x"]["description"] == mark
        assert connection.skipped == {
            f"bad{mark}": "its name has hidden characters",
            "x" * 128 + "⟨1 more characters⟩": "a name has 1 to 128 characters",
            "key": "its schema has hidden characters in a name or a value",
            "value": "its schema has hidden characters in a name or a value",
            "deep": "its schema is more than 64 levels deep",
            "long": f"its schema has more than {MOST_SCHEMA_BYTES:,} bytes",
        }
        assert say.name == "say"

        def said(answer: dict[str, Any]) -> Any:
            output = asyncio.run(executor.execute(call("say", answer=answer)))
            return output.data if output.success else output.error

        texts = [{"type": "text", "text": hiding}]
        assert said({"content": texts}) == mark
        structured = {"content": [], "structuredContent": {hiding: [hiding, 1, None]}}
        assert said(structured) == {mark: [mark, 1, None]}
        assert said({"content": texts, "isError": True}) == mark
        alike = {"content": [], "structuredContent": {hiding: 1, mark: 2}}
        assert said(alike) == "the tool ran; its result has names that look alike"
        huge = {"content": [{"type": "text", "text": "x" * MOST_RESULT_BYTES}]}
        assert said(huge) == f"the tool ran; its result has more than {MOST_RESULT_BYTES:,} bytes"


def test_a_program_may_have_exact_results(tmp_path: Path) -> None:
    executor = AdvancedToolExecutor()
    with executor.add_mcp(server(tmp_path, "exact", tool("say")), exact_results=True):
        answer = {"content": [{"type": "text", "text": "a\u200bb"}]}
        assert asyncio.run(executor.execute(call("say", answer=answer))).data == "a\u200bb"


def test_a_server_that_came_back_is_asked_for_its_tools_first(tmp_path: Path) -> None:
    command = server(tmp_path, "back", tool("end"), tool("look"))
    executor = AdvancedToolExecutor()
    with executor.add_mcp(command):
        with pytest.raises(Exception, match="it has closed the connection"):
            asyncio.run(executor.execute(call("end")))
        changed = {"type": "object", "required": ["of"]}
        (tmp_path / "back.json").write_text(json.dumps([tool("look", inputSchema=changed)]))
        with pytest.raises(Exception, match="it has changed the tool 'look'"):
            asyncio.run(executor.execute(call("look")))
        assert asyncio.run(executor.execute(call("look", of=1))).data == "back did look"
        assert [one.name for one in executor.tools()] == ["look"]


def test_a_closed_connection_stays_closed(tmp_path: Path) -> None:
    registry = ToolRegistry()
    connection = registry.add_mcp(server(tmp_path, "closed", tool("look")))
    connection.close()
    connection.close()
    executor = AdvancedToolExecutor()
    executor.register(registry.list()[0])
    with pytest.raises(Exception, match="the connection to it is closed"):
        asyncio.run(executor.execute(call("look")))


def test_a_registry_goes_with_its_closed_connections(tmp_path: Path) -> None:
    registry = ToolRegistry()
    registry.add_mcp(server(tmp_path, "gone", tool("look"))).close()
    kept = weakref.ref(registry)
    del registry
    gc.collect()
    assert kept() is None


def test_what_a_server_writes_to_standard_error_steers_no_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    executor = AdvancedToolExecutor()
    with executor.add_mcp(server(tmp_path, "telling", tool("tell"))):
        assert asyncio.run(executor.execute(call("tell"))).data == "telling did tell"
    told = capsys.readouterr().err
    assert "a⟨U+001B⟩[31mb⟨U+202E⟩c\n" in told
    assert "\x1b" not in told
    lines = told.splitlines()
    assert max(map(len, lines)) < 2100
    assert 2 < len(lines) <= 600
