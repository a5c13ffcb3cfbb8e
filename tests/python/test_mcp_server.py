"""Tools served over MCP: through the official client, in processes of their own."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import uuid
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp.shared.exceptions import MCPError
from mcp_program import TOKEN, serving
from mcp_types import ElicitRequestParams, ElicitResult
from toolwire.mcp import ToolServer
from toolwire.mcp.wire import MOST_BYTES
from toolwire.tools import AdvancedToolExecutor, SqliteStore, ToolRegistry

HERE = Path(__file__).parent
MODES = pytest.mark.parametrize("mode", ["auto", "legacy"])
Asked = list[ElicitRequestParams]


def server(*more: str) -> StdioServerParameters:
    command, *arguments = serving(*more)
    return StdioServerParameters(command=command, args=arguments, cwd=HERE)


def answering(asked: Asked, action: str, **content: Any) -> Any:
    """Give a person at the client who answers each form so."""

    async def answer(context: Any, params: ElicitRequestParams) -> ElicitResult:
        asked.append(params)
        return ElicitResult(action=action, content=content or None)  # type: ignore[arg-type]

    return answer


def talk(use: Callable[[Client], Awaitable[Any]], *more: str, **options: Any) -> Any:
    """Serve the tools in a process, and use them from here."""

    async def main() -> Any:
        async with Client(server(*more), **options) as client:
            return await use(client)

    return asyncio.run(main())


def lines(file: Path) -> int:
    return len(file.read_text().splitlines()) if file.exists() else 0


@MODES
def test_a_client_sees_every_tool_with_its_schema_and_its_hints(mode: Any) -> None:
    async def use(client: Client) -> Any:
        return {tool.name: tool for tool in (await client.list_tools()).tools}

    tools = talk(use, mode=mode)
    assert list(tools)[:3] == ["note", "look", "wipe"]
    assert list(tools)[-2:] == ["toolwire_status", "toolwire_resume"]
    assert tools["note"].description == "Notes something.\nIn a file."
    assert tools["note"].input_schema["required"] == ["file"]
    assert tools["look"].annotations.read_only_hint is True
    assert tools["wipe"].annotations.destructive_hint is True


def test_without_approvals_there_is_nothing_to_resume() -> None:
    assert ToolServer(ToolRegistry()).tools() == []


@MODES
def test_a_result_is_structured_and_what_a_handler_prints_is_not_on_the_wire(
    mode: Any, tmp_path: Path
) -> None:
    file = str(tmp_path / "file")

    async def use(client: Client) -> Any:
        noted = await client.call_tool("note", {"file": file})
        looked = await client.call_tool("look", {})
        return noted, looked

    noted, looked = talk(use, mode=mode)
    assert (noted.structured_content, noted.is_error) == ({"noted": file}, False)
    assert json.loads(noted.content[0].text) == {"noted": file}
    assert looked.structured_content == {"result": [1, 2]}


@pytest.mark.parametrize(
    ("tool", "arguments", "code", "told"),
    [
        ("note", {"file": 7}, "invalid_input", "at /file of its arguments: value is not"),
        ("fail", {}, "raised", "the key [redacted] is wrong"),
        ("refuse", {}, None, "not today"),
        ("odd", {}, "not_json", "its output is no JSON"),
        ("big", {"size": 300_000}, "too_long", "its output has 300,002 bytes"),
    ],
)
def test_what_goes_wrong_is_told_without_secrets(
    tool: str, arguments: dict[str, Any], code: str | None, told: str
) -> None:
    async def use(client: Client) -> Any:
        return await client.call_tool(tool, arguments)

    result = talk(use)
    assert result.is_error
    assert told in result.content[0].text
    assert result.structured_content.get("code") == code
    assert TOKEN not in str(result)


def test_a_tool_that_is_none_is_an_error_of_the_protocol() -> None:
    async def use(client: Client) -> Any:
        with pytest.raises(MCPError, match='there is no tool "nothing"'):
            await client.call_tool("nothing", {})
        with pytest.raises(MCPError, match="there is no run 0"):
            await client.call_tool(
                "toolwire_status", {"run": "00000000-0000-0000-0000-000000000000"}
            )
        with pytest.raises(MCPError, match="give the id of a run"):
            await client.call_tool("toolwire_resume", {"run": ["x"]})
        return True

    assert talk(use)


@MODES
@pytest.mark.parametrize("granted", [True, False])
def test_the_person_at_the_client_decides(mode: Any, granted: bool, tmp_path: Path) -> None:
    file, asked = tmp_path / "file", Asked()

    async def use(client: Client) -> Any:
        return await client.call_tool("wipe", {"file": str(file)})

    person = answering(asked, "accept", approve=granted, reason="not on a Friday")
    result = talk(use, mode=mode, elicitation_callback=person)
    assert len(asked) == 1
    assert "wipe: Wipe it?" in asked[0].message
    assert str(file) in asked[0].message
    assert (result.is_error, lines(file)) == (not granted, int(granted))
    if not granted:
        assert result.structured_content["state"] == "denied"
        assert "not on a Friday" in result.content[0].text


@MODES
def test_a_form_that_is_declined_denies_and_one_that_is_closed_decides_nothing(
    mode: Any, tmp_path: Path
) -> None:
    file = tmp_path / "file"

    async def use(client: Client) -> Any:
        return await client.call_tool("wipe", {"file": str(file)})

    declined = talk(use, mode=mode, elicitation_callback=answering([], "decline"))
    closed = talk(use, mode=mode, elicitation_callback=answering([], "cancel"))
    assert declined.structured_content["state"] == "denied"
    assert closed.structured_content["state"] == "waiting"
    assert lines(file) == 0


@MODES
def test_without_forms_the_store_decides_and_the_client_resumes_once(
    mode: Any, tmp_path: Path
) -> None:
    place, file = str(tmp_path / "tools.db"), tmp_path / "file"

    async def use(client: Client) -> Any:
        waiting = (await client.call_tool("wipe", {"file": str(file)})).structured_content
        early: Any = await client.call_tool("toolwire_resume", {"run": waiting["run"]})
        store = AdvancedToolExecutor(store=SqliteStore(place))
        await store.approvals.record_decision(waiting["approval"], True)
        asking = {"run": waiting["run"]}
        first = await client.call_tool("toolwire_resume", asking)
        again = await client.call_tool("toolwire_resume", asking)
        status = await client.call_tool("toolwire_status", asking)
        return early.content[0].text, first, again, status.structured_content["state"]

    early, first, again, state = talk(use, "--store", place, mode=mode)
    assert early.startswith("A person has to approve this call of wipe; nothing has run yet.")
    assert first.structured_content == again.structured_content == {"noted": str(file)}
    assert (state, lines(file)) == ("completed", 1)


def test_who_serves_for_the_store_asks_no_client(tmp_path: Path) -> None:
    asked = Asked()

    async def use(client: Client) -> Any:
        return await client.call_tool("wipe", {"file": str(tmp_path / "file")})

    person = answering(asked, "accept", approve=True)
    result = talk(use, "--approver", "store", elicitation_callback=person)
    assert (result.structured_content["state"], asked) == ("waiting", [])


def test_what_is_too_long_to_show_is_not_approved_at_the_client(tmp_path: Path) -> None:
    asked = Asked()

    async def use(client: Client) -> Any:
        return await client.call_tool("wipe", {"file": "x" * 30_000})

    result = talk(use, elicitation_callback=answering(asked, "accept", approve=True))
    assert (result.structured_content["state"], asked) == ("waiting", [])


@MODES
def test_a_call_with_an_id_of_the_client_runs_once(mode: Any, tmp_path: Path) -> None:
    file, place = tmp_path / "file", str(tmp_path / "tools.db")
    # No other client has a random UUID, so that it names the call in each of a client's sessions.
    meta: Any = {"toolwire/call_id": str(uuid.uuid4())}

    async def use(client: Client) -> Any:
        return await client.call_tool("note", {"file": str(file)}, meta=meta)

    async def other(client: Client) -> Any:
        return await client.call_tool("note", {"file": "elsewhere"}, meta=meta)

    first, again = (talk(use, "--store", place, mode=mode) for _ in range(2))
    assert first.structured_content == again.structured_content
    assert lines(file) == 1
    assert talk(other, "--store", place, mode=mode).structured_content["code"] == "call_id_reused"


@MODES
def test_progress_reaches_a_client_that_asks_for_it(mode: Any, tmp_path: Path) -> None:
    reported: list[tuple[Any, ...]] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        reported.append((progress, total, message))

    async def use(client: Client) -> Any:
        return await client.call_tool("slow", {"file": str(tmp_path / "f")}, progress_callback=hear)

    assert talk(use, mode=mode).structured_content == {"result": "done"}
    assert reported == [(1, 3, "step 1"), (2, 3, "step 2"), (3, 3, "step 3")]


@MODES
def test_a_call_that_is_cancelled_ends_its_run(mode: Any, tmp_path: Path) -> None:
    file, place = tmp_path / "file", str(tmp_path / "tools.db")

    async def use(client: Client) -> Any:
        arguments = {"file": str(file), "seconds": 30}
        calling = asyncio.ensure_future(client.call_tool("slow", arguments))
        while not lines(file):
            await asyncio.sleep(0.02)
        calling.cancel()
        executor = AdvancedToolExecutor(store=SqliteStore(place))
        for _ in range(200):
            if not await executor.waiting():
                return (await client.call_tool("look", {})).structured_content
            await asyncio.sleep(0.05)
        return await executor.waiting()

    assert talk(use, "--store", place, mode=mode) == {"result": [1, 2]}
    shown = [sys.executable, "-m", "toolwire", "runs", "list", "--all", place]
    listed = subprocess.run(shown, capture_output=True, text=True, check=True).stdout
    assert "cancelled" in listed


def raw(*sent: tuple[bytes, bool]) -> list[Any]:
    """Write lines to a server, and read an answer to each that has one."""
    process = subprocess.Popen(
        serving(), cwd=HERE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=dict(os.environ)
    )
    assert process.stdin is not None
    assert process.stdout is not None
    start = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "raw", "version": "1"},
    }
    begun = b'{"jsonrpc":"2.0","method":"notifications/initialized"}'
    answers = []
    with process:
        for message, is_answered in [
            (request(0, "initialize", start), True),
            (begun, False),
            *sent,
        ]:
            process.stdin.write(message + b"\n")
            process.stdin.flush()
            if is_answered:
                answers.append(json.loads(process.stdout.readline()))
        process.stdin.close()
    return answers


def request(id: Any, method: str, params: dict[str, Any]) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).encode()


def test_a_request_that_is_sent_twice_runs_once(tmp_path: Path) -> None:
    file = tmp_path / "file"
    call = request(7, "tools/call", {"name": "note", "arguments": {"file": str(file)}})
    other = request(7, "tools/call", {"name": "note", "arguments": {"file": "elsewhere"}})
    _, first, again, changed = raw((call, True), (call, True), (other, True))
    assert first["result"] == again["result"]
    assert first["result"]["structuredContent"] == {"noted": str(file)}
    assert changed["result"]["structuredContent"]["code"] == "call_id_reused"
    # A new session has ids of its own.
    raw((call, True))
    assert lines(file) == 2


def test_a_message_that_is_too_long_or_broken_is_refused_and_the_next_is_served() -> None:
    huge = b'{"jsonrpc":"2.0","id":1,"method":"' + b"x" * 100_000_000 + b'"}'
    look = request(2, "tools/call", {"name": "look"})
    _, refused, looked = raw((huge, True), (b"{broken", False), (b"[]", False), (look, True))
    assert refused["error"] == {
        "code": -32600,
        "message": f"a message has at most {MOST_BYTES:,} bytes",
    }
    assert looked["result"]["structuredContent"] == {"result": [1, 2]}
