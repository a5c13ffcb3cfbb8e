"""The tools of the site over the Model Context Protocol, served by the plugin MCP Adapter."""

import base64
import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import httpx
import httpx2
import pytest
from conftest import ROOT, URL, Site, Visitor
from mcp.client.session import ClientSession
from mcp.client.streamable_http import streamable_http_client

pytestmark = pytest.mark.skipif(
    not os.environ.get("TOOLWIRE_MCP_ADAPTER"),
    reason="needs WordPress 6.9 and the adapter: make test-wordpress-newest",
)
SERVER = f"{URL}/wp-json/toolwire/mcp"
ALLOWED = ["site_info", "test_count", "test_ask", "test_throw", "shop/write"]


def credentials(user: str) -> dict[str, str]:
    """Return the header of a user's application password."""
    password = json.loads((ROOT / "passwords.json").read_text())[user]
    encoded = base64.b64encode(f"{user}:{password}".encode()).decode()
    return {"Authorization": f"Basic {encoded}"}


@asynccontextmanager
async def connected(user: str) -> AsyncIterator[ClientSession]:
    """Connect the official client to the site."""
    async with (
        httpx2.AsyncClient(headers=credentials(user), timeout=30) as http,
        streamable_http_client(SERVER, http_client=http) as streams,
        ClientSession(streams[0], streams[1]) as session,
    ):
        await session.initialize()
        yield session


def ask(user: str, tool: str, arguments: dict[str, Any] | None = None) -> tuple[bool, Any]:
    """Call a tool; return whether it failed, and its text or object."""

    async def call() -> tuple[bool, Any]:
        async with connected(user) as session:
            answer = await session.call_tool(tool, arguments or {})
            text = getattr(answer.content[0], "text", "")
            return bool(answer.is_error), text if answer.is_error else json.loads(text)

    return anyio.run(call)


@pytest.fixture
def served(site: Site) -> Site:
    """Allow some tools."""
    site.reset(served=ALLOWED)
    return site


def test_the_tools_that_the_owner_allows_are_listed(served: Site) -> None:
    async def names() -> dict[str, Any]:
        async with connected("editor") as session:
            return {tool.name: tool for tool in (await session.list_tools()).tools}

    tools = anyio.run(names)
    assert sorted(tools) == [
        "toolwire-shop-write",
        "toolwire-site-info",
        "toolwire-status",
        "toolwire-test-ask",
        "toolwire-test-count",
        "toolwire-test-throw",
    ]
    assert tools["toolwire-site-info"].annotations.read_only_hint is True
    assert tools["toolwire-test-count"].input_schema["properties"]["wait"]["maximum"] == 3000


def test_a_call_runs_and_the_log_says_where_it_came_from(admin: Visitor, served: Site) -> None:
    failed, answer = ask("editor", "toolwire-site-info")
    assert not failed
    assert answer["state"] == "completed"
    assert answer["result"]["name"] == "A test site"
    failed, answer = ask("editor", "toolwire-test-count", {"options": {}, "text": "a"})
    assert (failed, answer["result"]) == (False, {"text": "a"})
    rows = admin.api("GET", "/log?origin=ability").json()
    assert [row["tool"] for row in rows] == ["test_count", "site_info"]
    assert rows[0]["user"] == served.user("editor")


def test_a_call_waits_until_a_person_approves_it(admin: Visitor, served: Site) -> None:
    failed, answer = ask("editor", "toolwire-test-ask", {"text": "a"})
    assert (failed, answer["state"]) == (False, "waiting")
    assert answer["decide_at"].startswith(f"{URL}/wp-admin/admin.php?page=toolwire&request=")
    assert ask("editor", "toolwire-status", {"call": answer["call"]})[1]["state"] == "waiting"
    assert served.counted() == 0
    assert admin.decide(admin.waiting()).status_code == 200
    failed, later = ask("editor", "toolwire-status", {"call": answer["call"]})
    assert (failed, later["state"], later["result"]) == (False, "completed", {"text": "a"})
    assert served.counted() == 1


def test_an_ability_of_another_plugin_is_protected(admin: Visitor, served: Site) -> None:
    failed, answer = ask("editor", "toolwire-shop-write", {"text": "a"})
    assert (failed, answer["state"]) == (False, "waiting")
    admin.decide(admin.waiting(), granted=False, reason="no")
    _, later = ask("editor", "toolwire-status", {"call": answer["call"]})
    assert (later["state"], later["failure"]["code"]) == ("denied", "approval_denied")


def test_abilities_run_over_the_rest_api_of_wordpress(served: Site) -> None:
    served.reset(served=["list_posts", "test_count"])
    route = f"{URL}/wp-json/wp-abilities/v1/abilities/toolwire"
    headers = credentials("editor")
    listed = httpx.get(f"{route}/list-posts/run?input[number]=1", headers=headers)
    assert (listed.status_code, listed.json()["state"]) == (200, "completed"), listed.text
    counted = httpx.post(
        f"{route}/test-count/run", json={"input": {"options": {}}}, headers=headers
    )
    assert counted.json()["result"] == {"text": "counted"}
    assert httpx.get(f"{route}/site-info", headers=headers).status_code == 404
    refused = httpx.post(
        f"{route}/test-count/run", json={"input": {}}, headers=credentials("subscriber")
    )
    assert refused.status_code == 403
    assert served.counted() == 1


def test_errors_say_what_is_wrong_and_no_secret(served: Site) -> None:
    failed, text = ask("editor", "toolwire-test-count", {"wait": 5000})
    assert failed
    assert "wait" in text
    failed, text = ask("editor", "toolwire-test-throw")
    assert failed
    assert "shadow" not in text
    failed, text = ask("editor", "toolwire-status", {"call": "0" * 32})
    assert failed
    assert "no such call" in text


def test_who_may_not_have_tools_called_is_refused(served: Site) -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    for headers in ({}, credentials("subscriber")):
        refused = httpx.post(SERVER, json=body, headers=headers)
        assert refused.status_code in (401, 403), refused.text


INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "tests", "version": "1"},
    },
}
ECHO = (
    '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"toolwire-%s","arguments":%s}}'
)


def test_the_bytes_of_a_message_are_the_arguments(admin: Visitor, served: Site) -> None:
    """Arguments that PHP cannot hold are refused or carried whole, by each way to an ability."""
    served.reset(served=["test_echo"])
    headers = credentials("editor") | {"Content-Type": "application/json"}
    started = httpx.post(SERVER, json=INITIALIZE, headers=headers)
    headers["Mcp-Session-Id"] = started.headers["Mcp-Session-Id"]
    route = f"{URL}/wp-json/wp-abilities/v1/abilities/toolwire/test-echo/run"
    ways = {
        SERVER: ECHO % ("test-echo", "%s"),
        route: '{"input":%s}',
    }
    for address, body in ways.items():
        lost = httpx.post(address, content=body % '{"only":"draft 5","min":1e400}', headers=headers)
        assert "bad_number" in lost.text, lost.text
        big = httpx.post(address, content=body % '{"n":18446744073709551615}', headers=headers)
        assert "18446744073709551615" in big.text, big.text
        hidden = httpx.post(address, content=body % '{"\\u0000a":1,"b":2}', headers=headers)
        assert "nul_in_name" in hidden.text, hidden.text
        empty = httpx.post(address, content=body % '{"map":{},"list":[]}', headers=headers)
        assert empty.status_code == 200
    rows = admin.api("GET", "/log?origin=ability").json()
    assert [row["arguments"] for row in rows] == 2 * [
        {"map": {}, "list": []},
        {"n": "18446744073709551615"},
    ]


def test_a_body_that_is_a_number_or_a_text_is_no_fatal_error(served: Site) -> None:
    headers = credentials("editor") | {"Content-Type": "application/json"}
    default = f"{URL}/wp-json/mcp/mcp-adapter-default-server"
    for address in (SERVER, default):
        for body in ("5", '"text"', "true"):
            answer = httpx.post(address, content=body, headers=headers)
            assert (answer.status_code, answer.json()["code"]) == (400, "rest_invalid_json")


def test_hostile_bodies_are_refused_and_run_nothing(served: Site) -> None:
    headers = credentials("editor") | {"Content-Type": "application/json"}
    call = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":'
    for body in ("{", call + "[" * 100000, call + '{"name":"toolwire-test-count"}}', "[]"):
        answer = httpx.post(SERVER, content=body, headers=headers)
        assert 400 <= answer.status_code < 500, (body[:40], answer.status_code)
    assert served.counted() == 0


def test_without_an_allowed_tool_there_is_no_server(site: Site) -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    answer = httpx.post(SERVER, json=body, headers=credentials("admin"))
    assert answer.status_code == 404


def test_the_owner_allows_tools_on_the_screen(site: Site, admin: Visitor) -> None:
    screen = admin.get("/wp-admin/admin.php?page=toolwire-settings").text
    assert 'value="site_info"> <code>site_info' in screen
    fields = {
        "option_page": "toolwire",
        "action": "update",
        "_wpnonce": screen.split('name="_wpnonce" value="')[1].split('"')[0],
    }
    form = fields | {"toolwire_settings[served][]": ["", "site_info", "gone"]}
    assert admin.post("/wp-admin/options.php", data=form).status_code == 302
    assert site.php("return get_option('toolwire_settings')['served'];") == ["site_info", "gone"]
    screen = admin.get("/wp-admin/admin.php?page=toolwire-settings").text
    assert 'value="gone" checked=' in screen
    assert ask("editor", "toolwire-site-info")[1]["state"] == "completed"
    form = fields | {"toolwire_settings[served][]": [""]}
    admin.post("/wp-admin/options.php", data=form)
    assert site.php("return get_option('toolwire_settings')['served'];") == []
