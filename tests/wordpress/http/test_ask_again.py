"""A call on which nobody decides, in the chat."""

from conftest import Site, Visitor, connect
from model_server import ModelServer, calling
from playwright.sync_api import Browser, expect
from test_conversation import answer, open_chat, say


def test_what_nobody_decided_on_in_time_is_asked_for_again(
    connected: Site, server: ModelServer, browser: Browser, admin: Visitor
) -> None:
    connect(connected, server, approval_hours=1 / 3600)
    server.script = [
        calling("test_ask", {"text": "x"}),
        "Nobody was there.",
        calling("test_ask", {"text": "x"}, "I ask again."),
        "Somebody has agreed.",
    ]
    page = open_chat(browser)
    page.clock.install()
    page.reload()
    say(page, "Ask somebody")
    expect(answer(page).locator(".mpai-tool-call-pending")).to_be_visible()
    page.wait_for_timeout(1100)
    page.clock.fast_forward(61_000)
    expect(answer(page)).to_contain_text("Nobody was there.")
    again = page.get_by_role("button", name="Ask again")
    expect(answer(page).locator(".mpai-tool-call-status")).to_have_text("Nobody decided in time")
    expect(again).to_have_count(1)
    # Also in a page that was opened later.
    page.reload()
    page.get_by_role("button", name="Past").click()
    page.get_by_role("button", name="Ask somebody").click()
    connected.php(
        "$option = 'toolwire_settings';"
        "update_option($option, ['approval_hours' => 1] + get_option($option));"
    )
    again.click()
    expect(page.locator(".toolwire-user").last).to_contain_text("Nobody decided on test_ask")
    expect(answer(page).locator(".mpai-tool-call-pending")).to_be_visible()
    expect(again).to_have_count(0)
    admin.decide(admin.waiting())
    expect(answer(page)).to_contain_text("Somebody has agreed.")
    told = [one["role"] for one in server.asked[2]["messages"]]
    assert told == ["system", "user", "assistant", "tool", "assistant", "user"]
    page.reload()
    page.get_by_role("button", name="Past").click()
    page.get_by_role("button", name="Ask somebody").click()
    expect(answer(page)).to_contain_text("Somebody has agreed.")
    expect(again).to_have_count(0)
    page.context.close()
