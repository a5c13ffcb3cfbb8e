"""Conversations in Chromium with a model's server: thoughts, calls, approvals, failures."""

import base64
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from conftest import URL, Site, Visitor, connect, cookies_of
from families import FAMILIES, MARKS, ask, reply_with_call, show_no_marks
from model_server import ModelServer, Reply, calling
from playwright.sync_api import Browser, Page, expect

KEY = "sk-proj-aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1v"
SCREENSHOTS = Path(os.environ["TOOLWIRE_SCREENSHOTS"])


def open_chat(browser: Browser, user: str = "editor", **options: Any) -> Page:
    context = browser.new_context(
        base_url=URL, **{"viewport": {"width": 1280, "height": 800}, **options}
    )
    context.add_cookies(cookies_of(user))
    page = context.new_page()
    page.goto("/chat/")
    return page


def say(page: Page, text: str) -> None:
    page.get_by_label("Message").fill(text)
    page.get_by_role("button", name="Send").click()


def answer(page: Page) -> Any:
    return page.locator(".toolwire-assistant .toolwire-body").last


def test_a_thought_a_call_an_approval_and_an_answer(
    connected: Site, server: ModelServer, browser: Browser, admin: Visitor
) -> None:
    connect(connected, server)
    number = connected.a_post("An old title", "The text.\n")
    arguments = {"post_id": number, "title": "A better title"}
    call = json.dumps({"name": "update_post", "arguments": arguments})
    server.script = [
        f"<think>Which post?</think>I rename it.\n<tool_call>\n{call}\n</tool_call>",
        "It is **renamed**:\n\n- one [link](https://example.com/a)\n- `code`",
    ]
    page = open_chat(browser)
    say(page, "Rename the post")
    expect(answer(page).locator(".mpai-tool-call-pending")).to_have_text("Waiting")
    expect(page.get_by_text("You can leave this page.").first).to_be_visible()
    shown = answer(page).inner_text()
    assert "I rename it." in shown
    assert "Which post?" not in shown
    assert not MARKS.search(shown)
    assert connected.post(number)["post_title"] == "An old title"
    assert admin.decide(admin.waiting()).json()["state"] == "completed"
    expect(answer(page).locator("strong")).to_have_text("renamed")
    expect(answer(page).locator("li a")).to_have_attribute("href", "https://example.com/a")
    expect(answer(page).locator(".mpai-tool-call-status")).to_have_text("Done")
    assert connected.post(number)["post_title"] == "A better title"
    told = server.asked[1]["messages"]
    assert [one["role"] for one in told] == ["system", "user", "assistant", "tool"]
    assert "A better title" in told[-1]["content"]
    answer(page).get_by_role("button", name="Undo").click()
    expect(answer(page).locator(".mpai-tool-call-status")).to_have_text("Undone")
    assert connected.post(number)["post_title"] == "An old title"
    page.reload()
    page.get_by_role("button", name="Past").click()
    page.get_by_role("button", name="Rename the post").click()
    expect(answer(page).locator("strong")).to_have_text("renamed")
    page.context.close()


def test_a_message_that_comes_too_early_holds_nothing_up(
    connected: Site, server: ModelServer, browser: Browser, admin: Visitor
) -> None:
    connect(connected, server)
    server.script = [calling("test_ask", {"text": "x"}), "Somebody has agreed.", "Again."]
    page = open_chat(browser)
    say(page, "Ask somebody")
    expect(answer(page).locator(".mpai-tool-call-pending")).to_be_visible()
    say(page, "And now?")
    expect(page.get_by_text("Something waits for approval here.")).to_be_visible()
    assert page.get_by_label("Message").input_value() == "And now?"
    admin.decide(admin.waiting())
    expect(answer(page)).to_contain_text("Somebody has agreed.")
    page.get_by_role("button", name="Send").click()
    expect(answer(page)).to_have_text("Again.")
    assert page.locator(".toolwire-user").count() == 2
    page.context.close()


def test_it_goes_on_while_no_page_is_open(
    connected: Site, server: ModelServer, browser: Browser, admin: Visitor
) -> None:
    connect(connected, server)
    server.script = [calling("test_ask", {"text": "x"}, "I ask."), "Somebody has agreed."]
    page = open_chat(browser)
    say(page, "Ask somebody")
    expect(answer(page).locator(".mpai-tool-call-pending")).to_be_visible()
    page.context.close()
    admin.decide(admin.waiting())
    assert len(server.asked) == 1
    assert Visitor().get("/wp-cron.php").status_code == 200
    assert len(server.asked) == 2
    page = open_chat(browser)
    page.get_by_role("button", name="Past").click()
    page.get_by_role("button", name="Ask somebody").click()
    expect(answer(page)).to_contain_text("Somebody has agreed.")
    page.context.close()


def test_an_answer_is_shown_while_it_comes(
    connected: Site, server: ModelServer, browser: Browser
) -> None:
    server.pause, server.piece = 0.15, 12
    hidden = "<think>not this</think>"
    server.script = [f"{hidden}The first words come early, and the last words come late."]
    page = open_chat(browser)
    page.evaluate(
        """() => {
            window.seen = [];
            const look = () => window.seen.push(
                document.querySelector('.toolwire-messages').innerText
            );
            new MutationObserver(look).observe(
                document.querySelector('.toolwire-messages'), { childList: true, subtree: true }
            );
        }"""
    )
    say(page, "Tell me")
    expect(answer(page)).to_contain_text("come late.")
    seen = page.evaluate("window.seen")
    assert any("first words" in text and "come late" not in text for text in seen)
    assert not any(MARKS.search(text) or "not this" in text for text in seen)
    assert server.asked[0]["stream"] is True
    page.context.close()


@pytest.mark.parametrize("family", FAMILIES)
def test_no_mark_of_a_family_is_shown(
    connected: Site, server: ModelServer, browser: Browser, users: dict[str, Visitor], family: str
) -> None:
    connect(connected, server, model=family)
    reply = reply_with_call(connected, family, "test_count")
    show_no_marks(users["editor"], server, reply)
    server.script = [reply, "Done."]
    page = open_chat(browser)
    say(page, "the whole")
    expect(answer(page)).to_contain_text("Done.")
    assert not MARKS.search(answer(page).inner_text())
    page.context.close()


def silent(reply: Reply) -> None:
    """Close the connection without a word."""
    reply.close_connection = True


FAILURES: dict[str, Any] = {
    "401": 401,
    "500": 500,
    "429": 429,
    "silence": silent,
    "no JSON": lambda reply: reply.whole(200, b"<html>the secret reason</html>"),
    "empty": lambda reply: reply.whole(200, b""),
    "too long": lambda reply: reply.whole(200, b'{"choices": "' + b"x" * 3_000_000 + b'"}'),
    "redirect": lambda reply: (
        reply.send_response(302),
        reply.send_header("Location", "http://127.0.0.1:9/"),
        reply.end_headers(),
    ),
}


@pytest.mark.parametrize("kind", FAILURES)
def test_a_model_that_fails_can_be_asked_again(
    connected: Site, server: ModelServer, browser: Browser, kind: str
) -> None:
    connect(connected, server)
    server.script = [FAILURES[kind]] * 3
    page = open_chat(browser)
    say(page, "What posts are there?")
    expect(answer(page)).to_contain_text("did not answer", timeout=30_000)
    assert "secret" not in page.content()
    assert "script" not in answer(page).inner_text()
    server.script = ["Here I am."]
    page.get_by_role("button", name="Try again").click()
    expect(answer(page)).to_have_text("Here I am.")
    assert page.locator(".toolwire-user").count() == 1
    page.context.close()


def test_a_server_that_takes_no_tools_is_told_them_in_text(
    connected: Site, server: ModelServer, users: dict[str, Visitor]
) -> None:
    connect(connected, server, model="qwen3")
    server.takes_tools = False
    call = '<tool_call>{"name": "test_count", "arguments": {"text": "a"}}</tool_call>'
    server.script = [f"I count. {call}", "Counted."]
    told = ask(users["editor"], "Count")
    assert [part["type"] for part in told["parts"]] == ["user", "text", "call", "text"], told
    assert "test_count" in server.asked[0]["messages"][0]["content"]
    roles = [one["role"] for one in server.asked[1]["messages"]]
    assert roles == ["system", "user", "assistant", "user"]
    assert call.replace(" ", "") in server.asked[1]["messages"][2]["content"].replace(
        "\n", ""
    ).replace(" ", "")
    assert len(server.asked) == 2


def test_the_key_goes_to_the_server_alone(
    connected: Site, server: ModelServer, users: dict[str, Visitor]
) -> None:
    connect(connected, server)
    admin = users["admin"]
    page = admin.get("/wp-admin/admin.php?page=toolwire-settings").text
    nonce = re.search(r'name="_wpnonce" value="(\w+)"', page)
    assert nonce
    form = {
        "option_page": "toolwire",
        "action": "update",
        "_wpnonce": nonce.group(1),
        "toolwire_settings[model_address]": server.url,
        "toolwire_settings[model_key]": KEY,
    }
    assert admin.post("/wp-admin/options.php", data=form).status_code == 302
    server.script = ["Hello.", 401, 401, 401]
    assert ask(users["editor"], "Hello")["state"] == "idle"
    assert server.keys == [f"Bearer {KEY}"]
    assert ask(users["editor"], "Hello")["state"] == "failed"
    rows = connected.php(
        "global $wpdb; $all = [];"
        "$ours = ['toolwire_store', 'toolwire_calls', 'toolwire_conversations'];"
        "foreach (['options', ...$ours] as $table) {"
        '    $rows = $wpdb->get_results("SELECT * FROM $wpdb->prefix$table", ARRAY_A);'
        "    $all[] = base64_encode(serialize($rows));"
        "} return $all;"
    )
    for table in rows:
        assert KEY[5:].encode() not in base64.b64decode(table)
    page = admin.get("/wp-admin/admin.php?page=toolwire-settings").text
    assert KEY[5:] not in page
    assert f"•••• {KEY[-4:]}" in page
    form = {**form, "toolwire_settings[model_key]": "", "toolwire_settings[forget_key]": "1"}
    admin.post("/wp-admin/options.php", data=form)
    assert connected.php("return get_option('toolwire_model_key', 'none');") == "none"
    for bad in ("http://models.example.com/v1", "ftp://127.0.0.1", "javascript:alert(1)"):
        form["toolwire_settings[model_address]"] = bad
        admin.post("/wp-admin/options.php", data=form)
        kept = connected.php("return get_option('toolwire_settings')['model_address'];")
        assert kept == server.url, bad


def test_a_page_that_was_left_open_goes_on(
    connected: Site, server: ModelServer, browser: Browser
) -> None:
    """Its nonce is too old, and then its user is signed out."""
    server.script = ["One.", "Two."]
    page = open_chat(browser)
    page.evaluate("window.toolwireSettings.nonce = '0123456789'")
    say(page, "First")
    expect(answer(page)).to_have_text("One.")
    page.context.clear_cookies()
    say(page, "Second")
    expect(answer(page)).to_contain_text("You are signed out.")
    assert page.get_by_label("Message").input_value() == "Second"
    assert len(server.asked) == 1
    page.context.close()


def test_two_tabs_and_a_double_click_ask_once(
    connected: Site, server: ModelServer, browser: Browser
) -> None:
    server.pause = 0.05
    server.script = [calling("test_count", {"text": "a"}), "Counted once."]
    page = open_chat(browser)
    page.get_by_label("Message").fill("Count")
    page.get_by_role("button", name="Send").dblclick()
    other = page.context.new_page()
    other.goto("/chat/")
    other.get_by_role("button", name="Past").click()
    other.get_by_role("button", name="Count").click()
    for one in (page, other):
        expect(answer(one)).to_contain_text("Counted once.", timeout=20_000)
    assert connected.counted() == 1
    assert len(server.asked) == 2
    page.context.close()


def test_a_user_stops_it(connected: Site, server: ModelServer, browser: Browser) -> None:
    server.script = [calling("test_ask", {"text": "x"}), "never asked"]
    page = open_chat(browser)
    say(page, "Ask")
    expect(answer(page).locator(".mpai-tool-call-pending")).to_be_visible()
    page.get_by_role("button", name="Stop").click()
    expect(answer(page).locator(".mpai-tool-call-status")).to_have_text("Not approved")
    assert len(server.asked) == 1
    page.context.close()


def test_what_a_model_writes_is_inert(
    connected: Site, server: ModelServer, browser: Browser
) -> None:
    server.script = [
        "<img src=x onerror=alert(1)> [a](javascript:alert(1)) ![p](https://evil.example/?q=1) "
        "[b](data:text/html,x) <script>alert(1)</script>\n\n> # Head\n\n| a | b |\n|---|---|\n"
        "| <b>1</b> | 2 |\n\n```html\n<i>x</i>\n```\n" + "**" * 3000 + "[" * 3000 + "> " * 500
    ]
    page = open_chat(browser)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    say(page, "Attack")
    expect(answer(page).locator("table")).to_be_visible()
    body = answer(page)
    assert body.locator("img, script, iframe, b, i").count() == 0
    links = [link.get_attribute("href") for link in body.locator("a").all()]
    assert links == ["https://evil.example/?q=1"]
    assert "evil.example" in body.inner_text()
    assert not [url for url in asked if "evil" in url]
    expect(body.locator("pre code")).to_have_text("<i>x</i>")
    page.context.close()


def test_markdown_loses_no_word_and_takes_any_length(
    connected: Site, server: ModelServer, browser: Browser
) -> None:
    page = open_chat(browser)
    shown = "(text) => { const box = document.createElement('div');"
    shown += " for (const one of toolwireMarkdown(text)) { box.append(one); }"
    shown += " return box.textContent; }"
    for text in (
        "- item\n bcd tail\n\t- more",
        "```echo hi``` then\nand on",
        "call handlers[0](event) and a[1](2)",
        "- [ ] do it, see [docs](https://x.org/a)",
        "a | b\n--- | ---\n" + " | ".join(f"cell{number}" for number in range(80)),
        "# Head ## two #\n\n1. one\n2. two\n   - within\n\n> said\n> `code` **bold _both_**",
        "~~~js\nlet a = `b`;\n~~~\n![alt](javascript:alert(1)) [c](no address)",
    ):
        told = page.evaluate(shown, text)
        for word in re.findall(r"[a-z][a-z0-9]+", re.sub(r"~~~js|\(https:\S+", "", text)):
            assert word in told, (word, told)
    for long in (
        "a|b\n" + " " * 200_000 + "x",
        "# x" + " " * 200_000 + "x",
        "> " * 100_000,
        "*a " * 70_000,
        "[" * 200_000,
        "`" * 200_000,
        "- " * 100_000,
        "|" * 200_000 + "\n" + "|-" * 100_000,
    ):
        assert page.evaluate(shown, long) is not None
    page.context.close()


@pytest.mark.parametrize("look", ["1280", "360", "dark", "rtl"])
def test_the_chat_looks_right(
    connected: Site, server: ModelServer, browser: Browser, look: str
) -> None:
    number = connected.a_post("An old title", "The text.\n")
    server.script = [
        {"content": "<think>The user wants a new title.</think>I rename the post.",
            "tool_calls": calling("update_post", {"post_id": number, "title": "A better title"})[
                "tool_calls"
            ]
        },
    ]  # fmt: skip
    options: dict[str, Any] = {}
    if look == "360":
        options["viewport"] = {"width": 360, "height": 700}
    if look == "dark":
        options["color_scheme"] = "dark"
    page = open_chat(browser, "admin", **options)
    if look == "rtl":
        page.evaluate("document.documentElement.dir = 'rtl'")
    say(page, "Rename my post to A better title")
    expect(answer(page).locator(".mpai-tool-call-pending")).to_be_visible()
    expect(answer(page).get_by_role("link", name="Look and decide")).to_be_visible()
    width = page.evaluate("document.querySelector('.toolwire-chat').scrollWidth")
    assert width <= page.evaluate("document.querySelector('.toolwire-chat').clientWidth")
    rules = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]}
    found = Axe().run(page, context=".toolwire-chat", options=rules)
    assert found.violations_count == 0, found.generate_report()
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    page.locator(".toolwire-chat").screenshot(path=SCREENSHOTS / f"assistant-{look}.png")
    page.context.close()
