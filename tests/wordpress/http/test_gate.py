"""Abilities of others that become calls of this site, over WordPress' REST API and over MCP."""

import json
import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from conftest import URL, Site, Visitor
from test_mcp import INITIALIZE, credentials

pytestmark = pytest.mark.skipif(
    not os.environ.get("TOOLWIRE_MCP_ADAPTER"),
    reason="needs WordPress 7.1 and the adapter: make test-wordpress-newest",
)
ABILITIES = f"{URL}/wp-json/wp-abilities/v1/abilities"
DEFAULT_SERVER = f"{URL}/wp-json/mcp/mcp-adapter-default-server"


@pytest.fixture
def gated(site: Site) -> Site:
    """Gate the abilities that may write."""
    site.reset(gate="writing")
    return site


def sell(user: str | None, body: object) -> httpx.Response:
    """Run the ability that counts its runs."""
    headers = credentials(user) if user else {}
    return httpx.post(f"{ABILITIES}/shop/sell/run", json=body, headers=headers, timeout=30)


def calls(admin: Visitor, query: str = "") -> list[dict[str, Any]]:
    """Return the rows of the log."""
    return list(admin.api("GET", f"/log?{query}").json())


def test_a_run_over_rest_waits_runs_once_and_gives_its_result_once(
    admin: Visitor, gated: Site
) -> None:
    first = sell("editor", {"input": {"text": "a", "list": []}})
    assert first.status_code == 202, first.text
    answer = first.json()
    assert answer["code"] == "toolwire_waiting"
    assert sorted(answer["data"]) == ["call", "decide_at", "status"]
    assert "additional_data" not in answer
    assert answer["data"]["decide_at"].startswith(f"{URL}/wp-admin/admin.php?page=toolwire")
    again = sell("editor", {"input": {"list": [], "text": "a"}})
    assert again.json()["data"]["call"] == answer["data"]["call"]
    other = sell("admin", {"input": {"text": "a", "list": []}})
    assert other.json()["data"]["call"] != answer["data"]["call"]
    assert gated.counted() == 0

    waiting = admin.look(admin.api("GET", "/approvals").json()[0]["id"])
    assert waiting["call"]["id"] == answer["data"]["call"]
    assert json.loads(waiting["arguments"]) == {"text": "a", "list": []}
    assert admin.decide(waiting).json()["state"] == "completed"
    assert gated.counted() == 1
    done = sell("editor", {"input": {"text": "a", "list": []}})
    assert (done.status_code, done.json()) == (200, {"sold": "a", "by": gated.user("editor")})
    assert gated.counted() == 1
    assert sell("editor", {"input": {"text": "a", "list": []}}).status_code == 202


def test_errors_of_wordpress_stay_what_they_are(admin: Visitor, gated: Site) -> None:
    bad = sell("editor", {"input": {"text": 5}})
    assert (bad.status_code, bad.json()["code"]) == (400, "ability_invalid_input")
    forbidden = sell("editor", {"input": {"text": "forbidden"}})
    assert (forbidden.status_code, forbidden.json()["code"]) == (403, "no")
    assert sell(None, {"input": {"text": "a"}}).status_code == 401
    wrong = httpx.get(f"{ABILITIES}/shop/sell/run", headers=credentials("editor"))
    assert wrong.status_code == 405
    rows = calls(admin)
    assert [(row["state"], row["tool"], row["user"]) for row in rows] == [
        ("refused", "shop/sell", 0),
        ("refused", "shop/sell", gated.user("editor")),
    ]
    assert rows[1]["error"] == {"code": "permission_denied", "message": "Not this one."}
    assert rows[1]["arguments"] == {"text": "forbidden"}
    assert [row["user"] for row in calls(admin, "state=refused&search=Not+this")] == [
        gated.user("editor")
    ]
    assert gated.counted() == 0


def test_an_ability_that_only_reads_passes_unless_all_are_gated(
    admin: Visitor, gated: Site
) -> None:
    read = f"{ABILITIES}/shop/read/run?input[text]=a"
    core = f"{ABILITIES}/core/get-site-info/run"
    for address in (read, core):
        assert httpx.get(address, headers=credentials("admin")).status_code == 200
    assert calls(admin) == []
    gated.reset(gate="all")
    assert httpx.get(read, headers=credentials("admin")).json() == {"got": {"text": "a"}}
    info = httpx.get(core, headers=credentials("admin")).json()
    assert info["name"] == "A test site"
    rows = calls(admin)
    assert [(row["tool"], row["state"], row["origin"]) for row in rows] == [
        ("core/get-site-info", "completed", "ability"),
        ("shop/read", "completed", "ability"),
    ]


def test_the_same_request_many_times_at_once_is_one_call_with_one_result(
    admin: Visitor, gated: Site
) -> None:
    def send(_: int) -> httpx.Response:
        return sell("editor", {"input": {"text": "race"}})

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(send, range(8)))
    codes = {answer.json()["code"] for answer in answers}
    assert codes <= {"toolwire_waiting", "toolwire_busy", "toolwire_running"}, codes
    (row,) = calls(admin)
    assert row["state"] == "waiting"
    assert admin.decide(admin.waiting()).status_code == 200
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(send, range(8)))
    assert [a.json() for a in answers if a.status_code == 200] == [
        {"sold": "race", "by": gated.user("editor")}
    ]
    assert len(calls(admin)) == 2
    assert gated.counted() == 1


def test_an_interrupted_call_is_not_made_again_and_a_retry_gives_its_result(
    admin: Visitor, gated: Site
) -> None:
    body = {"input": {"text": "exit"}}
    call = sell("editor", body).json()["data"]["call"]
    admin.decide(admin.waiting())
    for _ in range(2):
        told = sell("editor", body)
        assert (told.status_code, told.json()["code"]) == (500, "toolwire_interrupted"), told.text
        assert told.json()["data"]["call"] == call
    assert gated.counted() == 1
    try:
        gated.php("update_option('test_stays', 1);")
        assert admin.api("POST", f"/log/{call}/retry").json()["state"] == "completed"
    finally:
        gated.php("delete_option('test_stays');")
    assert sell("editor", body).json() == {"sold": "exit", "by": gated.user("editor")}
    assert (gated.counted(), len(calls(admin))) == (2, 1)


def test_the_adapters_ability_that_runs_others_has_the_inner_call_wait(
    admin: Visitor, gated: Site
) -> None:
    headers = credentials("editor")
    started = httpx.post(DEFAULT_SERVER, json=INITIALIZE, headers=headers)
    headers["Mcp-Session-Id"] = started.headers["Mcp-Session-Id"]

    def execute(text: str) -> dict[str, Any]:
        arguments = {"ability_name": "shop/sell", "parameters": {"text": text}}
        called = {"name": "mcp-adapter-execute-ability", "arguments": arguments}
        message = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": called}
        answer = httpx.post(DEFAULT_SERVER, json=message, headers=headers).json()
        return dict(answer["result"])

    first = execute("a")
    assert "A person must approve this call." in str(first)
    assert first["isError"] is True
    (row,) = calls(admin)
    assert (row["tool"], row["state"], row["origin"]) == ("shop/sell", "waiting", "ability")
    assert row["id"] in str(first)
    admin.decide(admin.waiting())
    assert execute("a")["structuredContent"] == {
        "success": True,
        "data": {"sold": "a", "by": gated.user("editor")},
    }
    assert (gated.counted(), len(calls(admin))) == (1, 1)
    execute("forbidden")
    assert [row["state"] for row in calls(admin)] == ["refused", "completed"]


def test_an_ability_that_this_site_serves_is_not_gated_twice(admin: Visitor, gated: Site) -> None:
    gated.reset(gate="all", served=["shop/sell"])
    body = {"input": {"text": "a"}}
    address = f"{ABILITIES}/toolwire/shop-sell/run"
    answer = httpx.post(address, json=body, headers=credentials("editor")).json()
    assert answer["state"] == "waiting"
    admin.decide(admin.waiting())
    (row,) = calls(admin)
    assert (row["id"], row["state"], row["tool"]) == (answer["call"], "completed", "shop/sell")
    assert gated.counted() == 1


def test_the_owner_chooses_on_the_screen(admin: Visitor, site: Site) -> None:
    screen = admin.get("/wp-admin/admin.php?page=toolwire-settings").text
    assert "They wait here too, whoever runs them" in screen
    form = {
        "option_page": "toolwire",
        "action": "update",
        "_wpnonce": screen.split('name="_wpnonce" value="')[1].split('"')[0],
    }
    for given, kept in (("writing", "writing"), ("anything", "writing"), ("none", "none")):
        admin.post("/wp-admin/options.php", data=form | {"toolwire_settings[gate]": given})
        assert site.php("return get_option('toolwire_settings')['gate'];") == kept
