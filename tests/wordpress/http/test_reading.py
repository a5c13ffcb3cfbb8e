"""The site without the extension: conversations, tools that only read, the log, the notice."""

import json
import re
from typing import Any

import pytest
from conftest import API, Site, Visitor, connect
from families import FAMILIES, MARKS, ask, reply_with_call, show_no_marks
from model_server import ModelServer, calling
from playwright.sync_api import Page, expect
from test_conversation import FAILURES, answer, say

SENTENCE = "On this host the assistant only reads. To change things, PHP needs the extension."
THOUGHT = "<think>Which one?</think>I look.\n<tool_call>\n{}\n</tool_call>"


def rows(bare_users: dict[str, Visitor]) -> list[dict[str, Any]]:
    """Return the log, the newest call first."""
    return list(bare_users["admin"].api("GET", "/log").json())


def test_a_thought_a_call_its_result_and_an_answer(
    connected: Site, server: ModelServer, bare_chat: Page, bare_users: dict[str, Visitor]
) -> None:
    call = {"name": "test_look", "arguments": {"text": "a", "password": "hunter2hunter2"}}
    server.script = [THOUGHT.format(json.dumps(call)), "It is **there**:\n\n- one"]
    expect(bare_chat.locator(".toolwire-note")).to_have_text(SENTENCE)
    say(bare_chat, "Look it up")
    expect(answer(bare_chat).locator("strong")).to_have_text("there")
    expect(answer(bare_chat).locator(".mpai-tool-call-status")).to_have_text("Done")
    shown = answer(bare_chat).inner_text()
    assert "I look." in shown
    assert "Which one?" not in shown
    assert not MARKS.search(shown)
    told = server.asked[1]["messages"]
    assert [one["role"] for one in told] == ["system", "user", "assistant", "tool"]
    assert "only read" in told[0]["content"]
    assert json.loads(told[-1]["content"]) == {"text": "a"}
    names = [tool["function"]["name"] for tool in server.asked[0]["tools"]]
    assert {"site_info", "list_posts", "test_look"} <= set(names)
    assert not {"update_post", "test_ask", "test_count"} & set(names)
    (row,) = rows(bare_users)
    assert (row["state"], row["origin"], row["result"]) == ("completed", "assistant", {"text": "a"})
    assert row["arguments"] == {"text": "a", "password": "[redacted]"}
    assert connected.counted() == 1
    bare_chat.reload()
    bare_chat.get_by_role("button", name="Past").click()
    bare_chat.get_by_role("button", name="Look it up").click()
    expect(answer(bare_chat).locator("strong")).to_have_text("there")
    assert not MARKS.search(answer(bare_chat).inner_text())
    assert connected.counted() == 1


def test_a_tool_that_writes_is_refused_with_a_sentence(
    connected: Site, server: ModelServer, bare_chat: Page, bare_users: dict[str, Visitor]
) -> None:
    number = connected.a_post("An old title", "The text.\n")
    change = {"post_id": number, "title": "Taken over"}
    written = json.dumps({"name": "update_post", "arguments": change})
    server.script = [
        calling("update_post", change, "I rename it."),
        THOUGHT.format(written),
        "I cannot.",
    ]
    say(bare_chat, "Rename the post")
    expect(answer(bare_chat)).to_contain_text("I cannot.")
    # The words come as they are written; what was before them may come after.
    expect(answer(bare_chat)).to_contain_text(SENTENCE)
    shown = answer(bare_chat).inner_text()
    assert not MARKS.search(shown)
    assert connected.post(number)["post_title"] == "An old title"
    found = [(row["state"], row["error"]["code"], row["tool"]) for row in rows(bare_users)]
    assert found == [("refused", "only_reads", "update_post")] * 2
    assert "There is no tool 'update_post'" in server.asked[1]["messages"][-1]["content"]


def test_damaged_and_refused_calls_are_rows(
    connected: Site, server: ModelServer, bare_users: dict[str, Visitor]
) -> None:
    damaged = THOUGHT.format('{"name": "test_look", "arguments": {"text": ')
    server.script = [
        damaged,
        calling("test_look", {"text": ""}),
        calling("test_look", {"text": "x", "more": 1}),
        calling("test_broken", {}),
        calling("test_broken", {"how": "error"}),
        calling("site_info", {}),
        "So.",
    ]
    told = ask(bare_users["editor"], "Try")
    assert told["state"] == "idle", told
    assert "rejection" in [part["type"] for part in told["parts"]]
    states = [
        (row["state"], (row["error"] or {}).get("code")) for row in reversed(rows(bare_users))
    ]
    assert states == [
        ("refused", "unreadable"),
        ("denied", "invalid_input"),
        ("denied", "invalid_input"),
        ("failed", "raised"),
        ("failed", "tool_error"),
        ("completed", None),
    ]
    asked = json.dumps(server.asked[-1]["messages"])
    assert "the secret of" not in asked
    assert "the secret of" not in json.dumps(told)
    assert "/more" in asked or "'more' was unexpected" in asked
    assert "It is gone." in asked
    assert connected.counted() == 0
    other = bare_users["subscriber"].api("POST", "/conversations", {"message": "Me too"})
    assert other.status_code == 403


def test_a_tool_that_ends_the_request_leaves_its_row(
    connected: Site, server: ModelServer, bare_users: dict[str, Visitor]
) -> None:
    editor = bare_users["editor"]
    server.script = [calling("test_broken", {"how": "exit"}), "I do not know."]
    told = editor.api("POST", "/conversations", {"message": "Break"}).json()
    editor.api("POST", f"/conversations/{told['id']}/step", {})
    (row,) = rows(bare_users)
    assert (row["state"], row["error"]["code"]) == ("interrupted", "interrupted")
    connected.php(
        "global $wpdb; $table = $wpdb->prefix . 'toolwire_conversations';"
        '$wpdb->query("UPDATE $table SET claimed_until = 0");'
    )
    told = editor.api("POST", f"/conversations/{told['id']}/step", {}).json()
    assert told["state"] == "idle", told
    assert "It is not known" in server.asked[1]["messages"][-1]["content"]
    again = bare_users["admin"].api("POST", f"/log/{row['id']}/retry", {})
    assert (again.status_code, again.json()["code"]) == (409, "toolwire_only_reads")


@pytest.mark.parametrize("family", FAMILIES)
def test_no_mark_of_a_family_is_shown(
    connected: Site,
    server: ModelServer,
    bare_chat: Page,
    bare_users: dict[str, Visitor],
    family: str,
) -> None:
    connect(connected, server, model=family)
    reply = reply_with_call(connected, family, "test_look")
    show_no_marks(bare_users["editor"], server, reply)
    server.script = [reply, "Done."]
    say(bare_chat, "the whole")
    expect(answer(bare_chat)).to_contain_text("Done.")
    assert not MARKS.search(answer(bare_chat).inner_text())


@pytest.mark.parametrize("kind", FAILURES)
def test_a_model_that_fails_can_be_asked_again(
    connected: Site, server: ModelServer, bare_chat: Page, kind: str
) -> None:
    server.script = [FAILURES[kind]] * 3
    say(bare_chat, "What posts are there?")
    expect(answer(bare_chat)).to_contain_text("did not answer", timeout=30_000)
    assert "secret" not in bare_chat.content()
    server.script = ["Here I am."]
    bare_chat.get_by_role("button", name="Try again").click()
    expect(answer(bare_chat)).to_have_text("Here I am.")
    assert bare_chat.locator(".toolwire-user").count() == 1


def test_a_server_that_takes_no_tools_is_told_them_in_text(
    connected: Site, server: ModelServer, bare_users: dict[str, Visitor]
) -> None:
    call = '<tool_call>{"name": "test_look", "arguments": {"text": "a"}}</tool_call>'
    for model in ("", "qwen3", "zai-org/GLM-4.5"):
        connect(connected, server, model=model)
        server.asked.clear()
        server.takes_tools = False
        server.script = [f"I look. {call}", "Seen."]
        told = ask(bare_users["editor"], "Look")
        assert [part["type"] for part in told["parts"]] == ["user", "text", "call", "text"], told
        assert [one["state"] for one in told["calls"]] == ["completed"]
        assert "test_look" in server.asked[0]["messages"][0]["content"]
        roles = [one["role"] for one in server.asked[1]["messages"]]
        assert roles == ["system", "user", "assistant", "user"]


def test_it_goes_on_while_no_page_is_open(
    connected: Site, server: ModelServer, bare_users: dict[str, Visitor], bare_url: str
) -> None:
    server.script = [calling("test_look", {"text": "x"}), "Seen."]
    told = bare_users["editor"].api("POST", "/conversations", {"message": "Look"}).json()
    assert told["state"] == "thinking"
    connected.php(
        "foreach (_get_cron_array() as $time => $hooks) {"
        "    foreach ($hooks['toolwire_continue'] ?? [] as $event) {"
        "        wp_clear_scheduled_hook('toolwire_continue', $event['args']);"
        "        wp_schedule_single_event(time() - 1, 'toolwire_continue', $event['args']);"
        "    } }"
    )
    assert Visitor(None, bare_url).get("/wp-cron.php").status_code == 200
    told = bare_users["editor"].api("GET", f"/conversations/{told['id']}").json()
    assert (told["state"], told["parts"][-1]["text"]) == ("idle", "Seen.")


def test_a_conversation_goes_on_where_the_extension_comes_or_goes(
    connected: Site, server: ModelServer, bare_users: dict[str, Visitor], users: dict[str, Visitor]
) -> None:
    server.script = [calling("test_look", {"text": "one"}), "Seen with it."]
    told = ask(users["editor"], "Look")
    path = f"/conversations/{told['id']}"
    for visitor, text in ((bare_users["editor"], "And without?"), (users["editor"], "And again?")):
        server.script = [calling("test_look", {"text": text}), f"Seen: {text}"]
        assert visitor.api("POST", f"{path}/messages", {"message": text}).status_code == 202
        told = visitor.api("POST", f"{path}/step", {}).json()
        assert (told["state"], told["parts"][-1]["text"]) == ("idle", f"Seen: {text}"), told
        shown = [one.api("GET", path).json() for one in (bare_users["editor"], users["editor"])]
        assert shown[0]["parts"] == shown[1]["parts"]
    roles = [one["role"] for one in server.asked[-1]["messages"]]
    assert roles == ["system", *["user", "assistant", "tool", "assistant"] * 3][:-1]
    assert connected.counted() == 3


def test_what_waits_stays_waiting_and_can_be_taken_back(
    connected: Site, server: ModelServer, bare_users: dict[str, Visitor], users: dict[str, Visitor]
) -> None:
    server.script = [calling("test_ask", {"text": "x"}), "never asked"]
    told = ask(users["editor"], "Ask somebody")
    path = f"/conversations/{told['id']}"
    bare = bare_users["editor"]
    for _ in range(2):
        told = bare.api("POST", f"{path}/step", {}).json()
        assert told["state"] == "waiting", told
        assert told["calls"][0]["decide_url"] is None
        assert told["calls"][0]["held"].startswith("On this host the assistant only reads.")
    assert users["editor"].api("GET", path).json()["calls"][0]["held"] is None
    assert bare.api("POST", f"{path}/messages", {"message": "Now?"}).status_code == 409
    request = users["admin"].waiting()
    told = bare.api("POST", f"{path}/stop", {}).json()
    assert (told["state"], told["calls"][0]["state"]) == ("stopped", "denied")
    assert users["admin"].decide(request).status_code == 409
    assert connected.counted() == 0
    assert len(server.asked) == 1


def test_limits_hold(connected: Site, server: ModelServer, bare_users: dict[str, Visitor]) -> None:
    editor = bare_users["editor"]
    server.script = [calling("test_look", {"text": "x"})] * 20
    told = ask(editor, "Again and again")
    assert (told["state"], told["reason"]) == ("stopped", "limit_same_call"), told
    connect(connected, server, tokens_per_month=1)
    server.script = ["One."]
    ask(editor, "Hello")
    answered = editor.api("POST", "/conversations", {"message": "Hello again"})
    assert (answered.status_code, answered.json()["code"]) == (429, "toolwire_tokens_spent")


def test_the_screens_and_the_notice_say_what_works(
    connected: Site, server: ModelServer, bare_users: dict[str, Visitor]
) -> None:
    server.script = [calling("test_look", {"text": "<script>alert(1)</script>"}), "Seen."]
    ask(bare_users["editor"], "Look")
    admin = bare_users["admin"]
    log = admin.get("/wp-admin/admin.php?page=toolwire-log").text
    for shown in (SENTENCE, "test_look", "&lt;script&gt;alert(1)", "toolwire-state-completed"):
        assert shown in log, shown
    assert "toolwire_undo" not in log
    settings = admin.get("/wp-admin/admin.php?page=toolwire-settings").text
    assert SENTENCE in settings
    assert "toolwire-model_address" in settings
    assert "toolwire-grammar" not in settings
    assert "toolwire-approval" in settings
    for hidden in ("toolwire-undo_hours", "toolwire-gate", "toolwire-mail", "toolwire-served"):
        assert f'id="{hidden}"' not in settings, hidden
    for page, told in (("plugins.php", True), ("index.php", False)):
        text = admin.get(f"/wp-admin/{page}").text
        assert ("the chat answers as a whole" in text.lower()) is told, page
        assert ("extension <code>toolwire</code> is not loaded" in text) is told, page
    mine = bare_users["editor"].get("/wp-admin/admin.php?page=toolwire-mine").text
    assert SENTENCE in mine
    assert "test_look" in mine
    assert "is not loaded" not in mine
    assert bare_users["editor"].get("/wp-admin/admin.php?page=toolwire").status_code == 403


def test_saving_the_settings_there_leaves_the_others(
    connected: Site, bare_users: dict[str, Visitor]
) -> None:
    connected.reset(approval="all", others_approve=True, mail="hourly", gate="all")
    admin = bare_users["admin"]
    page = admin.get("/wp-admin/admin.php?page=toolwire-settings").text
    nonce = re.search(r'name="_wpnonce" value="(\w+)"', page)
    assert nonce
    form = {"option_page": "toolwire", "action": "update", "_wpnonce": nonce.group(1)}
    form["toolwire_settings[retention_days]"] = "3"
    assert admin.post("/wp-admin/options.php", data=form).status_code == 302
    kept = connected.php("return get_option('toolwire_settings');")
    names = ("approval", "others_approve", "mail", "gate", "retention_days")
    assert [kept[name] for name in names] == ["all", True, "hourly", "all", 3]


def test_only_conversations_and_the_log_have_routes(
    connected: Site, bare_users: dict[str, Visitor], bare_url: str
) -> None:
    routes = Visitor(None, bare_url).get("/wp-json/toolwire/v1").json()["routes"]
    names = {route.split("/")[3] for route in routes if route.count("/") > 2}
    assert names == {"conversations", "log"}
    for path in ("/calls", "/approvals", "/detect"):
        answered = bare_users["editor"].api("POST", path, {"name": "test_ask"})
        assert answered.status_code == 404, path
    assert Visitor(None, bare_url).get(API + "/log").status_code == 401
    assert Visitor(None, bare_url).post(API + "/conversations", json={"message": "x"}).is_error


def test_without_the_library_too_it_says_that_nothing_works(
    connected: Site, bare_users: dict[str, Visitor]
) -> None:
    move = "$folder = WP_PLUGIN_DIR . '/toolwire/vendor'; return rename({}, {});"
    assert connected.php(move.format("$folder", "$folder . '-away'"))
    try:
        page = bare_users["admin"].get("/wp-admin/index.php").text
        assert "Toolwire does nothing yet." in page
        assert "extension <code>toolwire</code> is not loaded" in page
        chat = bare_users["editor"].get("/chat/")
        assert (chat.status_code, "toolwire" in chat.text) == (200, False)
        assert bare_users["admin"].api("GET", "/log").status_code == 404
    finally:
        assert connected.php(move.format("$folder . '-away'", "$folder"))


def test_visitors_cost_no_query(connected: Site, bare_url: str) -> None:
    def queries(**query: str) -> int:
        page = Visitor(None, bare_url).get("/", params=query).text
        found = re.search(r"<!-- cost (\d+) ", page)
        assert found
        return int(found.group(1))

    queries()
    assert queries() == queries(without="1")
