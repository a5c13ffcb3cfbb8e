"""The button of the settings that tests the model."""

import html
import re
from typing import Any

import pytest
from conftest import Site, Visitor, connect
from model_server import ModelServer, calling
from playwright.sync_api import Browser, expect
from test_conversation import FAILURES, KEY, open_chat

SCREEN = "/wp-admin/admin.php?page=toolwire-settings"
NUMBERS = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen"


def press(visitor: Visitor, **fields: str) -> str:
    """Press the button; give what the screen says then."""
    page = visitor.get(SCREEN).text
    form = re.search(r'<form id="toolwire-test-model".*?</form>', page, re.S)
    assert form
    nonce = re.search(r'name="_wpnonce" value="(\w+)"', form.group(0))
    assert nonce
    sent = {"action": "toolwire_test_model", "_wpnonce": nonce.group(1), **fields}
    answer = visitor.post("/wp-admin/admin-post.php", data=sent)
    if answer.status_code != 302:
        return f"status {answer.status_code}"
    assert answer.headers["Location"].endswith(f"{SCREEN}#toolwire-model-test")
    return said(visitor)


def said(visitor: Visitor) -> str:
    """Give what the screen says of a test."""
    page = visitor.get(SCREEN).text
    row = re.search(r'<tr id="toolwire-model-test">.*?</tr>', page, re.S)
    assert row
    notice = re.search(r'<div role="status".*?</div>', row.group(0), re.S)
    return html.unescape(re.sub("<[^>]+>", " ", notice.group(0))) if notice else ""


def test_it_tells_how_the_model_answers(
    connected: Site, server: ModelServer, admin: Visitor
) -> None:
    connect(connected, server, model="qwen3")
    server.piece, server.pause = 9, 0.02
    server.script = [NUMBERS]
    words = press(admin)
    assert re.search(r"qwen3 has answered in \d\.\d seconds\.", words), words
    assert "while they are written" in words
    (asked,) = server.asked
    assert asked["messages"][-1]["content"].startswith("This is a test.")
    assert {tool["function"]["name"] for tool in asked["tools"]} >= {"site_info"}
    assert said(admin) == ""
    server.streams = False
    server.script = [NUMBERS]
    assert "as a whole" in press(admin)
    kept = connected.php(
        'global $wpdb; return $wpdb->get_var("SELECT COUNT(*) FROM {$wpdb->prefix}toolwire_store '
        "WHERE name LIKE '%test %'\");"
    )
    assert kept in (0, "0")


def test_a_call_of_the_test_does_not_run(
    connected: Site, server: ModelServer, admin: Visitor
) -> None:
    server.script = [calling("test_count", {"text": "a"}), "never asked"]
    assert "has answered" in press(admin)
    assert connected.counted() == 0
    assert len(server.asked) == 1
    assert connected.php("return Toolwire\\WordPress\\plugin()->call_log()->count('refused');") == 0


FAILED = {
    "401": "refuses the request",
    "429": "left alone",
    "500": "not reached, or it failed",
    "no JSON": "no answer of a model",
    "empty": "no answer of a model",
    "silence": "not reached, or it failed",
}


@pytest.mark.parametrize("kind", FAILED)
def test_a_failure_is_a_sentence(
    connected: Site, server: ModelServer, admin: Visitor, kind: str
) -> None:
    server.script = [FAILURES[kind]] * 3
    words = press(admin)
    assert FAILED[kind] in words, words
    assert "never shown" not in words


def test_what_the_server_says_is_shown_as_text_and_without_the_key(
    connected: Site, server: ModelServer, browser: Browser, admin: Visitor
) -> None:
    connected.php(f"Toolwire\\WordPress\\plugin()->assistant()->key()->set('{KEY}');")
    odd = f"<script>window.ran = 1</script> &lt; no key {KEY} \N{RIGHT-TO-LEFT OVERRIDE}"

    def refuse(reply: Any) -> None:
        reply.whole(401, {"error": {"message": odd}})

    server.script = [refuse]
    page = open_chat(browser, "admin")
    page.goto(SCREEN)
    page.get_by_role("button", name="Test", exact=True).click()
    notice = page.locator("#toolwire-model-test [role=status]")
    expect(notice).to_contain_text("refuses the request")
    expect(notice).to_contain_text("<script>window.ran = 1</script> &lt; no key")
    assert page.evaluate("window.ran") is None
    assert KEY[5:] not in page.content()
    assert "\N{RIGHT-TO-LEFT OVERRIDE}" not in notice.inner_text()
    page.context.close()


def test_it_is_for_who_may_change_the_settings(
    connected: Site, server: ModelServer, users: dict[str, Visitor], admin: Visitor
) -> None:
    sent = {"action": "toolwire_test_model", "_wpnonce": "0123456789"}
    assert users["editor"].post("/wp-admin/admin-post.php", data=sent).status_code == 403
    assert press(admin, _wpnonce="0123456789") == "status 403"
    assert press(admin, _wpnonce="") == "status 403"
    assert server.asked == []


def test_it_is_not_asked_too_often(connected: Site, server: ModelServer, admin: Visitor) -> None:
    for _ in range(5):
        server.script = ["One."]
        assert "has answered" in press(admin)
    assert "You have tested often." in press(admin)
    assert len(server.asked) == 5
