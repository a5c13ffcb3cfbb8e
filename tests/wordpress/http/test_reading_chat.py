"""The chat without the extension: what it asks again, tests, and undoes; what it knows already."""

from conftest import API, Site, Visitor, connect
from families import ask
from model_server import ModelServer, calling
from playwright.sync_api import Page, expect
from test_conversation import FAILURES, answer
from test_model_test import press


def look(visitor: Visitor, number: str, tag: str = "") -> tuple[int, str]:
    """Ask how a conversation stands; give the status and the `ETag`."""
    headers = {"X-WP-Nonce": visitor.nonce, "If-None-Match": tag}
    got = visitor.get(f"{API}/conversations/{number}", headers=headers)
    return got.status_code, got.headers["ETag"]


def test_what_has_not_changed_is_not_told_again(
    connected: Site, server: ModelServer, bare_users: dict[str, Visitor]
) -> None:
    editor = bare_users["editor"]
    server.script = [calling("test_look", {"text": "a"}), "Seen."]
    told = ask(editor, "Look")
    status, tag = look(editor, told["id"])
    assert status == 200
    assert look(editor, told["id"], tag) == (304, tag)
    path = f"/conversations/{told['id']}?after={told['next']}&known="
    assert editor.api("GET", path + told["known"]).json()["calls"] == []
    assert len(editor.api("GET", path).json()["calls"]) == 1
    server.script = ["Once more."]
    editor.api("POST", f"/conversations/{told['id']}/messages", {"message": "And?"})
    editor.api("POST", f"/conversations/{told['id']}/step", {})
    assert look(editor, told["id"], tag)[0] == 200


def test_a_page_that_loses_the_extension_is_told_what_no_longer_works(
    connected: Site, server: ModelServer, bare_users: dict[str, Visitor], users: dict[str, Visitor]
) -> None:
    server.script = [calling("test_count", {"text": "a"}), "Counted."]
    told = ask(users["editor"], "Count")
    assert told["calls"][0]["can_undo"] is True
    tag = look(users["editor"], told["id"])[1]
    assert look(bare_users["editor"], told["id"], tag)[0] == 200
    path = f"/conversations/{told['id']}?after={told['next']}&known={told['known']}"
    (call,) = bare_users["editor"].api("GET", path).json()["calls"]
    assert call["can_undo"] is False
    undone = bare_users["editor"].api("POST", f"/log/{call['id']}/undo", {})
    assert (undone.status_code, undone.json()["code"]) == (409, "toolwire_only_reads")
    assert users["editor"].api("POST", f"/log/{call['id']}/undo", {}).json()["state"] == "undone"


def test_nobody_is_asked_again_where_nobody_can_decide(
    connected: Site,
    server: ModelServer,
    bare_chat: Page,
    bare_users: dict[str, Visitor],
    users: dict[str, Visitor],
) -> None:
    connect(connected, server, approval_hours=0.3 / 3600)
    server.script = [calling("test_ask", {"text": "x"}), "Nobody was there."]
    told = ask(users["editor"], "Ask somebody")
    bare_chat.wait_for_timeout(400)
    path = f"/conversations/{told['id']}"
    told = users["editor"].api("POST", f"{path}/step", {}).json()
    assert [(one["state"], one["can_ask"]) for one in told["calls"]] == [("expired", True)]
    told = bare_users["editor"].api("GET", path).json()
    assert [(one["state"], one["can_ask"]) for one in told["calls"]] == [("expired", False)]
    bare_chat.get_by_role("button", name="Past").click()
    bare_chat.get_by_role("button", name="Ask somebody").click()
    expect(answer(bare_chat)).to_contain_text("Nobody decided in time")
    expect(answer(bare_chat)).to_contain_text("Nobody was there.")
    expect(bare_chat.get_by_role("button", name="Ask again")).to_have_count(0)


def test_the_model_is_tested(
    connected: Site, server: ModelServer, bare_users: dict[str, Visitor]
) -> None:
    admin = bare_users["admin"]
    server.script = ["one two three"]
    words = press(admin)
    assert "has answered in" in words
    assert "as a whole" in words
    names = {tool["function"]["name"] for tool in server.asked[0]["tools"]}
    assert "site_info" in names
    assert not {"update_post", "test_ask", "test_count"} & names
    server.script = [calling("test_look", {"text": "a"}), "never asked"]
    assert "has answered in" in press(admin)
    assert len(server.asked) == 2
    server.script = [FAILURES["401"]]
    assert "refuses the request" in press(admin)
    kept = connected.php(
        'global $wpdb; return $wpdb->get_var("SELECT COUNT(*) FROM {$wpdb->prefix}toolwire_store '
        "WHERE name LIKE '%test %'\");"
    )
    assert int(kept) == 0
    assert connected.counted() == 0
