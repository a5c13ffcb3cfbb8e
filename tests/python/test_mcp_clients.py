"""Whose call and whose run it is: clients of one server do not reach each other's."""

from __future__ import annotations

import asyncio
import contextlib
import uuid
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp_program import serving
from mcp_served import served
from toolwire.tools import AdvancedToolExecutor, SqliteStore

HERE = Path(__file__).parent
ANN, BOB = "the token of Ann is this", "the token of Bob is that"
MODES = pytest.mark.parametrize("mode", ["auto", "legacy"])


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(tmp_path_factory.mktemp("mcp") / "tools.db")


@pytest.fixture(scope="module")
def address(place: str) -> Iterator[str]:
    with served(f"{ANN}\n{BOB}\n", "--store", place, "--approver", "store") as address:
        yield address


@contextlib.asynccontextmanager
async def http_transport(address: str, token: str) -> AsyncIterator[Any]:
    headers = {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=30) as http,
        streamable_http_client(address, http_client=http) as streams,
    ):
        yield streams


def client(address: str, token: str, mode: Any) -> Client:
    return Client(http_transport(address, token), mode=mode)


def named(call_id: str) -> Any:
    return {"toolwire/call_id": call_id, "progressToken": call_id}


def lines(file: Path) -> int:
    return len(file.read_text().splitlines()) if file.exists() else 0


@MODES
@pytest.mark.parametrize("second", [ANN, BOB])
def test_the_same_id_of_two_clients_is_two_calls(
    mode: Any, second: str, address: str, tmp_path: Path
) -> None:
    file = tmp_path / "file"

    async def main() -> list[Any]:
        made = []
        for token in (ANN, second):
            async with client(address, token, mode) as one:
                arguments = {"file": str(file)}
                made.append(await one.call_tool("note", arguments, meta=named("call_1")))
        return made

    assert [one.structured_content for one in asyncio.run(main())] == [{"noted": str(file)}] * 2
    assert lines(file) == 2


@MODES
def test_another_client_is_not_told_of_a_run(mode: Any, address: str, place: str) -> None:
    async def main() -> None:
        store = AdvancedToolExecutor(store=SqliteStore(place))
        async with client(address, ANN, mode) as ann, client(address, BOB, mode) as bob:
            arguments = {"file": f"/dev/null/{uuid.uuid4()}"}
            waiting = await ann.call_tool("wipe", arguments, meta=named("call_1"))
            run: Any = waiting.structured_content
            assert run["state"] == "waiting"
            for tool in ("toolwire_status", "toolwire_resume"):
                with pytest.raises(MCPError, match=f"there is no run {run['run']}"):
                    await bob.call_tool(tool, {"run": run["run"]})
            await store.approvals.record_decision(run["approval"], True)
            with pytest.raises(MCPError, match="there is no run"):
                await bob.call_tool("toolwire_resume", {"run": run["run"]})
            status = await ann.call_tool("toolwire_status", {"run": run["run"]})
            assert status.structured_content == {**run, "state": "approved"}
            ended = await ann.call_tool("toolwire_resume", {"run": run["run"]})
            assert ended.structured_content["code"] == "raised"
            with pytest.raises(MCPError, match="there is no run"):
                await bob.call_tool("toolwire_status", {"run": run["run"]})

    asyncio.run(main())


@MODES
def test_a_crafted_id_reaches_no_run(mode: Any, address: str, tmp_path: Path) -> None:
    file, other = tmp_path / "file", tmp_path / "other"

    async def main() -> None:
        async with client(address, ANN, mode) as ann, client(address, BOB, mode) as bob:
            first = await ann.call_tool("wipe", {"file": str(file)}, meta=named("call_1"))
            run: Any = first.structured_content
            for crafted in (run["run"], f"mcp\0{run['run']}", "chat 7\0call_1", "\0call_1", "1"):
                arguments = {"file": str(other)}
                made = await bob.call_tool("note", arguments, meta=named(crafted))
                assert made.structured_content == {"noted": str(other)}, crafted

    asyncio.run(main())
    assert (lines(file), lines(other)) == (0, 5)


@MODES
def test_a_random_id_is_one_call_in_each_session_of_its_client(
    mode: Any, address: str, tmp_path: Path
) -> None:
    file, key = tmp_path / "file", str(uuid.uuid4())

    async def main() -> None:
        for token, ran in ((ANN, 1), (ANN, 1), (BOB, 2)):
            async with client(address, token, mode) as one:
                made = await one.call_tool("note", {"file": str(file)}, meta=named(key))
                assert made.structured_content == {"noted": str(file)}
            assert lines(file) == ran

    asyncio.run(main())


def test_a_session_is_that_of_its_token(address: str) -> None:
    async def main() -> None:
        async with client(address, ANN, "legacy") as ann:
            assert (await ann.call_tool("look", {})).structured_content == {"result": [1, 2]}
            started = {
                "jsonrpc": "2.0",
                "id": 1,
                "method": "initialize",
                "params": {
                    "protocolVersion": "2025-11-25",
                    "capabilities": {},
                    "clientInfo": {"name": "raw", "version": "1"},
                },
            }
            head = {"Accept": "application/json, text/event-stream"}
            async with httpx2.AsyncClient(headers=head) as http:
                mine = {"Authorization": f"Bearer {ANN}"}
                begun = await http.post(address, json=started, headers=mine)
                session = {"Mcp-Session-Id": begun.headers["mcp-session-id"]}
                listing = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
                for token, status in ((BOB, 404), (ANN, 200)):
                    theirs = {"Authorization": f"Bearer {token}", **session}
                    got = await http.post(address, json=listing, headers=theirs)
                    assert got.status_code == status

    asyncio.run(main())


@MODES
def test_each_process_of_the_standard_streams_has_calls_of_its_own(
    mode: Any, tmp_path: Path
) -> None:
    file, key = tmp_path / "file", str(uuid.uuid4())
    command, *arguments = serving("--store", str(tmp_path / "tools.db"))
    parameters = StdioServerParameters(command=command, args=arguments, cwd=HERE)
    waiting: list[Any] = []

    async def main() -> None:
        async with Client(parameters, mode=mode) as one:
            for call_id in ("call_1", "call_1", key):
                await one.call_tool("note", {"file": str(file)}, meta=named(call_id))
            for run in waiting:
                with pytest.raises(MCPError, match="there is no run"):
                    await one.call_tool("toolwire_status", {"run": run["run"]})
            asked = await one.call_tool("wipe", {"file": str(file)}, meta=named("call_2"))
            waiting.append(asked.structured_content)

    asyncio.run(main())
    assert lines(file) == 2
    asyncio.run(main())
    assert lines(file) == 3
    assert waiting[0]["run"] != waiting[1]["run"]
