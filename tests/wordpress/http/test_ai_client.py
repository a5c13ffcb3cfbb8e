"""Conversations by WordPress' own AI client, through a provider that asks a model's server."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from conftest import Site, Visitor
from families import MARKS, ask
from model_server import ModelServer, calling
from playwright.sync_api import Browser, expect
from test_conversation import FAILURES, answer, open_chat, say
from test_model_test import SCREEN, press

CORE = Path(os.environ["TOOLWIRE_SITE"], "wp-includes/ai-client.php")
pytestmark = pytest.mark.skipif(not CORE.exists(), reason="WordPress 7.0 brought the AI client")


@pytest.fixture
def connected(site: Site, server: ModelServer) -> Site:
    """Give a site that has no address, and whose WordPress has a provider."""
    site.reset(model_timeout=5)
    site.php(
        "update_option('test_no_assistant', 1); wp_unschedule_hook('toolwire_continue');"
        f"update_option('test_ai_provider', '{server.url}'); wp_cache_flush();"
    )
    return site


def two_calls(text: str) -> dict[str, Any]:
    """Make a message with two calls."""
    message = calling("test_count", {"text": "a"}, text)
    other = json.loads(json.dumps(calling("test_count", {"text": "b"})["tool_calls"][0]))
    message["tool_calls"].append({**other, "id": "call_1"})
    return message


def test_a_thought_a_call_an_approval_and_an_answer(
    connected: Site, server: ModelServer, browser: Browser, admin: Visitor
) -> None:
    connected.php(
        f"update_option('test_no_assistant', 1); update_option('test_ai_provider', '{server.url}');"
    )
    number = connected.a_post("An old title", "The text.\n")
    arguments = {"post_id": number, "title": "A better title"}
    rename = calling("update_post", arguments, "I rename it.")
    server.script = [{**rename, "reasoning_content": "Which post?"}, "It is **renamed**."]
    page = open_chat(browser)
    say(page, "Rename the post")
    expect(answer(page).locator(".mpai-tool-call-pending")).to_have_text("Waiting")
    shown = answer(page).inner_text()
    assert "I rename it." in shown
    assert "Which post?" not in shown
    assert not MARKS.search(shown)
    answer(page).locator("summary").first.click()
    expect(answer(page).get_by_text("Which post?")).to_be_visible()
    assert admin.decide(admin.waiting()).json()["state"] == "completed"
    expect(answer(page).locator("strong")).to_have_text("renamed")
    assert connected.post(number)["post_title"] == "A better title"
    assert set(server.keys) == {"Bearer the key of the connector"}
    first, second = server.asked
    assert {tool["function"]["name"] for tool in first["tools"]} >= {"update_post", "site_info"}
    (schema,) = [
        tool["function"]["parameters"]
        for tool in first["tools"]
        if tool["function"]["name"] == "update_post"
    ]
    assert schema["required"] == ["post_id"]
    assert "stream" not in first
    told = second["messages"]
    roles = [one["role"] for one in told]
    assert roles == ["system", "user", "assistant", "assistant", "tool"]
    (call,) = told[3]["tool_calls"]
    assert json.loads(call["function"]["arguments"]) == arguments
    assert told[4]["tool_call_id"] == call["id"]
    assert json.loads(told[4]["content"])["title"] == "A better title"
    page.context.close()


def test_each_call_is_followed_by_its_result(
    connected: Site, server: ModelServer, users: dict[str, Visitor]
) -> None:
    server.script = [two_calls("Both."), "Counted."]
    told = ask(users["editor"], "Count twice")
    kinds = [part["type"] for part in told["parts"]]
    assert kinds == ["user", "text", "call", "call", "text"], told
    assert [call["state"] for call in told["calls"]] == ["completed", "completed"]
    said = server.asked[1]["messages"]
    roles = [one["role"] for one in said]
    assert roles == ["system", "user", "assistant", "assistant", "tool", "assistant", "tool"]
    calls = [call["id"] for one in said for call in one.get("tool_calls", [])]
    assert calls == [one["tool_call_id"] for one in said if one["role"] == "tool"]
    tokens = connected.php("return Toolwire\\WordPress\\plugin()->assistant()->budget()->count();")
    assert tokens == 30


def test_at_its_limit_the_model_is_asked_for_an_answer_alone(
    connected: Site, server: ModelServer, users: dict[str, Visitor]
) -> None:
    for number in range(8):
        server.script.append(calling("test_count", {"text": str(number)}, "Again."))
    server.script.append("That is all.")
    told = ask(users["editor"], "Count on")
    assert (told["state"], told["reason"]) == ("stopped", "limit_turns"), told
    assert told["parts"][-1]["text"] == "That is all."
    assert ["tools" in asked for asked in server.asked] == [True] * 8 + [False]


def test_a_model_without_tools_is_told_them_in_text(
    connected: Site, server: ModelServer, users: dict[str, Visitor]
) -> None:
    server.models = [{"id": "qwen3", "writes": True, "tools": False}]
    call = '<tool_call>{"name": "test_count", "arguments": {"text": "a"}}</tool_call>'
    server.script = [f"<think>Hm.</think>I count. {call}", "Counted."]
    told = ask(users["editor"], "Count")
    kinds = [part["type"] for part in told["parts"]]
    assert kinds == ["user", "reasoning", "text", "call", "text"], told
    assert "tools" not in server.asked[0]
    assert "test_count" in json.dumps(server.asked[0]["messages"][0])


def test_the_model_of_the_settings_is_preferred(
    connected: Site, server: ModelServer, users: dict[str, Visitor]
) -> None:
    server.models.append({"id": "model-2", "writes": True, "tools": True})
    server.script = ["One.", "Two."]
    ask(users["editor"], "Hello")
    connected.php(
        "$option = 'toolwire_settings';"
        "update_option($option, ['model' => 'model-2'] + get_option($option));"
    )
    ask(users["editor"], "Hello")
    assert [asked["model"] for asked in server.asked] == ["model-1", "model-2"]


@pytest.mark.parametrize("kind", FAILURES)
def test_a_provider_that_fails_can_be_asked_again(
    connected: Site, server: ModelServer, browser: Browser, kind: str
) -> None:
    server.script = [FAILURES[kind]] * 3
    page = open_chat(browser)
    say(page, "What posts are there?")
    expect(answer(page)).to_contain_text("did not answer", timeout=30_000)
    assert "secret" not in page.content()
    reason = connected.php("return (string) get_transient('toolwire_model_failure');")
    assert reason
    assert "the key of the connector" not in reason
    server.script = ["Here I am."]
    page.get_by_role("button", name="Try again").click()
    expect(answer(page)).to_have_text("Here I am.")
    page.context.close()


def test_an_outage_of_the_list_of_models_is_no_demo(
    connected: Site, server: ModelServer, users: dict[str, Visitor]
) -> None:
    connected.php("update_option('test_ai_provider', 'http://127.0.0.1:9/v1');")
    told = ask(users["admin"], "Hello")
    assert (told["state"], told["demo"]) == ("failed", False), told
    again = users["admin"].api("POST", f"/conversations/{told['id']}/retry", {}).json()
    assert again["state"] == "thinking"


def test_a_provider_that_writes_no_texts_is_none(
    connected: Site, server: ModelServer, users: dict[str, Visitor]
) -> None:
    server.models = [{"id": "pictures", "writes": False, "tools": False}]
    assert ask(users["editor"], "Hello")["state"] == "failed"
    assert server.asked == []
    page = users["editor"].get("/chat/").text
    assert "The assistant is not ready yet." in page


@pytest.mark.parametrize("off", ["wp_supports_ai", "wp_ai_client_prevent_prompt"])
def test_a_site_may_switch_it_off(
    connected: Site, server: ModelServer, users: dict[str, Visitor], off: str
) -> None:
    connected.php(f"update_option('test_ai_off', '{off}');")
    try:
        server.script = ["Hello."]
        response = users["editor"].api("POST", "/conversations", {"message": "Hello"})
        if off == "wp_supports_ai":
            assert response.status_code == 503
        else:
            assert ask(users["editor"], "Hello")["state"] == "failed"
        assert server.asked == []
    finally:
        connected.php("delete_option('test_ai_off');")


def test_an_address_goes_first(
    connected: Site, server: ModelServer, users: dict[str, Visitor]
) -> None:
    connected.php(
        "$option = 'toolwire_settings'; update_option($option,"
        f"['model_address' => '{server.url}'] + get_option($option));"
    )
    server.script = ["Hello.", 401]
    assert ask(users["editor"], "Hello")["state"] == "idle"
    assert ask(users["editor"], "Hello")["state"] == "failed"
    assert server.keys == ["", ""]


def test_the_settings_say_that_it_answers_and_test_it(
    connected: Site, server: ModelServer, admin: Visitor
) -> None:
    connected.php(
        f"update_option('test_no_assistant', 1); update_option('test_ai_provider', '{server.url}');"
    )
    assert "own AI client answers" in admin.get(SCREEN).text
    server.script = ["one two three"]
    words = press(admin)
    assert "Provider of the Tests has answered" in words
    assert "as a whole" in words
    server.script = [401]
    assert "refuses the request" in press(admin)
    server.models = [{"id": "pictures", "writes": False, "tools": False}]
    assert "gave no answer" in press(admin)
    assert "No model is connected." in admin.get(SCREEN).text
