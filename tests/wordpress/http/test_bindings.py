"""Calls of the site's assistant, and calls in a text that anybody may have written."""

from typing import Any

import httpx
import pytest
from conftest import Site, Visitor

SAID = 'say: I count. <tool:test_count>{"text":"a", "wait": 1}</tool>'


def ask(visitor: Visitor, message: str = SAID, conversation: str = "c") -> dict[str, Any]:
    """Ask the assistant; give the first call of its reply, ready to be sent."""
    answer = visitor.api(
        "POST", "/assistant", {"message": message, "conversation": conversation}
    ).json()
    call = answer["calls"][0]
    return {key: call[key] for key in ("id", "name", "arguments", "binding")} | {
        "conversation": conversation
    }


def origins(admin: Visitor) -> list[tuple[str, str]]:
    return [(row["state"], row["origin"]) for row in admin.api("GET", "/log").json()]


def refused(answer: httpx.Response, status: int, code: str) -> None:
    assert (answer.status_code, answer.json()["code"]) == (status, code), answer.text[:500]


def test_a_call_of_the_assistant_runs_once(site: Site, editor: Visitor, admin: Visitor) -> None:
    call = ask(editor)
    assert origins(admin) == [("seen", "assistant")]
    first = editor.api("POST", "/calls", call)
    assert (first.status_code, first.json()["state"], first.json()["origin"]) == (
        200,
        "completed",
        "assistant",
    )
    again = editor.api("POST", "/calls", call)
    assert (again.status_code, again.json()["id"], site.counted()) == (200, first.json()["id"], 1)
    second = ask(editor)
    assert second["id"] != call["id"], "each reply has ids of its own"
    assert editor.api("POST", "/calls", second).json()["state"] == "completed"
    assert site.counted() == 2


def test_ids_that_a_model_repeats_are_of_different_replies(site: Site, editor: Visitor) -> None:
    said = 'say: {"id": "call_1", "name": "test_count", "arguments": {"text": "%s"}}'
    for text in ("a", "b", "b"):
        call = ask(editor, said % text)
        assert editor.api("POST", "/calls", call).json()["result"] == {"text": text}
    assert site.counted() == 3


@pytest.mark.parametrize(
    "change",
    [
        {"name": "test_echo"},
        {"arguments": '{"text":"b", "wait": 1}'},
        {"arguments": '{"text":"a","wait":1}'},
        {"arguments": {"text": "a", "wait": 1}},
        {"conversation": "d"},
        {"conversation": ""},
        {"id": "another"},
        {"id": ""},
        {"binding": "x"},
        {"binding": "9999999999."},
        {"binding": "."},
        {"binding": "9999999999." + "0" * 64},
    ],
)
def test_a_binding_binds_all_of_a_call(
    site: Site, editor: Visitor, change: dict[str, object]
) -> None:
    for bound in (True, False):
        site.reset(bound_calls=bound)
        refused(editor.api("POST", "/calls", ask(editor) | change), 403, "toolwire_bad_binding")
    assert site.counted() == 0


def test_a_binding_is_of_one_time(site: Site, editor: Visitor) -> None:
    call = ask(editor)
    expires, code = call["binding"].split(".")
    later = {"binding": f"{int(expires) + 3600}.{code}"}
    refused(editor.api("POST", "/calls", call | later), 403, "toolwire_bad_binding")
    site.php("update_option('test_binding_seconds', -1);")
    try:
        refused(editor.api("POST", "/calls", ask(editor)), 410, "toolwire_binding_expired")
        site.php("update_option('test_binding_seconds', 10 ** 9);")
        expires, _ = ask(editor)["binding"].split(".")
        assert int(expires) <= site.php("return time();") + 86400, "no binding outlives its claim"
    finally:
        site.php("delete_option('test_binding_seconds');")
    assert site.counted() == 0


def test_a_binding_is_of_one_user(site: Site, users: dict[str, Visitor], editor: Visitor) -> None:
    call = ask(editor)
    for name in ("author", "admin"):
        refused(users[name].api("POST", "/calls", call), 403, "toolwire_bad_binding")
    assert site.counted() == 0
    assert editor.api("POST", "/calls", call).json()["state"] == "completed"


def test_a_call_that_was_only_found_in_a_text_does_not_run(
    site: Site, editor: Visitor, admin: Visitor
) -> None:
    text = '<tool:test_count>{"text":"a"}</tool>'
    (call,) = editor.api("POST", "/detect", {"text": text, "message": "m"}).json()["calls"]
    sent = {key: call[key] for key in ("id", "name", "arguments")}
    assert "binding" not in call
    for more in ({"origin": "text"}, {}, {"origin": "script"}, {"origin": "rest"}):
        refused(editor.api("POST", "/calls", sent | more), 403, "toolwire_unbound_call")
    refused(editor.call("test_count", {}, origin="text"), 403, "toolwire_unbound_call")
    assert origins(admin) == [("denied", "text"), ("denied", "text")]
    assert site.counted() == 0
    rows = admin.api("GET", "/log").json()
    assert {row["error"]["code"] for row in rows} == {"unbound_call"}


def test_a_call_of_the_assistant_without_its_binding_does_not_run(
    site: Site, editor: Visitor, admin: Visitor
) -> None:
    call = ask(editor)
    refused(editor.api("POST", "/calls", call | {"binding": ""}), 403, "toolwire_unbound_call")
    assert site.counted() == 0
    row = editor.api("POST", "/calls", call).json()
    assert (row["state"], row["error"], site.counted()) == ("completed", None, 1)


def test_a_site_that_takes_calls_from_text_marks_them(
    site: Site, editor: Visitor, admin: Visitor
) -> None:
    site.reset(bound_calls=False)
    (call,) = editor.api("POST", "/detect", {"text": "<tool:test_ask>{}</tool>"}).json()["calls"]
    assert (
        editor.api("POST", "/calls", {key: call[key] for key in ("id", "name")}).status_code == 202
    )
    (request,) = admin.api("GET", "/approvals").json()
    assert request["call"]["origin"] == "text"
    assert "anybody may have written it" in admin.get("/wp-admin/admin.php?page=toolwire").text


@pytest.mark.parametrize(("sent", "origin"), [({}, "rest"), ({"origin": "script"}, "script")])
def test_a_call_by_name_stays_possible_and_is_marked(
    site: Site, editor: Visitor, admin: Visitor, sent: dict[str, str], origin: str
) -> None:
    assert editor.call("test_ask", **sent).status_code == 202
    assert editor.call("test_count", **sent).json()["origin"] == origin
    (request,) = admin.api("GET", "/approvals").json()
    assert request["call"]["origin"] == origin
    headers = {"X-WP-Nonce": admin.nonce}
    found = admin.get("/wp-json/toolwire/v1/log", params={"origin": origin}, headers=headers)
    assert len(found.json()) == 2
    for claimed in ("assistant", "x", ["rest"]):
        refused(editor.call("test_count", origin=claimed), 400, "rest_invalid_param")
