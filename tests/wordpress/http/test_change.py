"""A person changes the arguments of a call in Chromium, and approves the changed ones."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from conftest import URL, Site, Visitor, cookies_of
from playwright.sync_api import Browser, Page, expect

SCREEN = "/wp-admin/admin.php?page=toolwire&request="
ATTACK = '"></textarea><script>window.attacked=1</script><img src=x onerror=window.attacked=1>'
TEXTS = ["one", "two"]
# The machine may be busy.
expect.set_options(timeout=20_000)


@pytest.fixture(params=[True, False], ids=["with scripts", "without scripts"])
def page(browser: Browser, site: Site, request: pytest.FixtureRequest) -> Iterator[Page]:
    """Give the administrator a page, with JavaScript and without it."""
    context = browser.new_context(
        base_url=URL, viewport={"width": 360, "height": 740}, java_script_enabled=request.param
    )
    context.add_cookies(cookies_of("admin"))
    page = context.new_page()
    yield page
    if request.param:
        assert page.evaluate("window.attacked") is None
    context.close()


def waiting(name: str, arguments: dict[str, object]) -> str:
    """Have the editor ask for a tool; give the id of the request for approval."""
    assert Visitor("editor").call(name, arguments).status_code == 202
    return str(Visitor("admin").waiting()["id"])


def change(page: Page, label: str, text: str) -> None:
    """Write into a field of the form, and have the site show what would change."""
    way = page.get_by_role("link", name="Change the arguments")
    if way.count():
        way.click()
    page.get_by_label(label, exact=True).fill(text)
    page.get_by_role("button", name="Show what would change").click()


def test_who_approves_changes_the_arguments_first(page: Page, site: Site) -> None:
    number = site.a_post("Old", f"One\n{ATTACK}\n")
    request = waiting(
        "update_post", {"post_id": number, "title": "Wrong", "content": f"Two\n{ATTACK}\n"}
    )
    page.goto(SCREEN + request)
    change(page, "title", "Right")
    expect(page.get_by_text("You have changed the arguments.")).to_be_visible()
    diff = page.locator(".toolwire-diff", has_text="Title")
    expect(diff).to_contain_text("Right")
    expect(diff).not_to_contain_text("Wrong")
    expect(diff).not_to_contain_text("No newline")
    expect(page.get_by_role("heading", name="Before your change")).to_be_visible()
    assert site.post(number)["post_title"] == "Old"
    page.get_by_role("button", name="Approve").click()
    expect(page.get_by_text("Approved. The call has run.").first).to_be_visible()
    assert site.post(number)["post_title"] == "Right"
    page.goto("/wp-admin/admin.php?page=toolwire-log")
    expect(page.locator("tbody tr")).to_contain_text("arguments changed by admin")


def test_what_does_not_fit_is_said_and_nothing_is_lost(page: Page, site: Site) -> None:
    request = waiting("test_ask", {"text": "x", "password": "hunter2hunter2", "wait": 1})
    page.goto(SCREEN + request)
    change(page, "wait", ATTACK)
    field = page.get_by_label("wait", exact=True)
    expect(field).to_have_value(ATTACK)
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_label("password", exact=True)).to_have_value("[redacted]")
    assert "hunter2" not in page.content()
    change(page, "wait", "2")
    expect(page.get_by_text("You have changed the arguments.")).to_be_visible()
    page.get_by_role("button", name="Change again").click()
    expect(page.get_by_role("button", name="Approve")).to_have_count(0)
    expect(page.get_by_label("wait", exact=True)).to_have_value("2")
    page.get_by_role("link", name="Back to the call as it was asked for").click()
    expect(page.get_by_text("You have changed the arguments.")).to_have_count(0)
    page.get_by_role("button", name="Deny").click()
    expect(page.get_by_text("Denied. The call has not run.").first).to_be_visible()
    assert site.counted() == 0


def test_the_form_is_usable_by_all_and_fits_a_phone(browser: Browser, site: Site) -> None:
    request = waiting("test_ask", {"text": f"x\u202e {ATTACK}", "options": {"a": []}})
    context = browser.new_context(base_url=URL, viewport={"width": 360, "height": 740})
    context.add_cookies(cookies_of("admin"))
    page = context.new_page()
    page.goto(SCREEN + request)
    change(page, "wait", "soon")
    expect(page.get_by_text("⟨U+202E⟩").first).to_be_visible()
    rules = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]}
    found = Axe().run(page, context=".toolwire", options=rules)
    assert found.violations_count == 0, found.generate_report()
    root = "document.documentElement"
    assert page.evaluate(f"{root}.scrollWidth <= {root}.clientWidth")
    assert page.evaluate("window.attacked") is None
    context.close()


def test_a_post_that_somebody_edits_waits(page: Page, site: Site) -> None:
    number = site.a_post("Old", "One")
    request = waiting("update_post", {"post_id": number, "title": "New"})
    author = site.user("author")
    lock = f"update_post_meta({number}, '_edit_lock', time() . ':{author}')"
    site.php(f"return {lock};")
    page.goto(SCREEN + request)
    expect(page.get_by_text("author edits this post now.")).to_be_visible()
    page.get_by_role("button", name="Approve").click()
    expect(page.locator(".notice-error").first).to_be_visible()
    assert site.post(number)["post_title"] == "Old"
    site.php(f"return delete_post_meta({number}, '_edit_lock');")
    page.goto(SCREEN + request)
    page.get_by_role("button", name="Approve").click()
    expect(page.get_by_text("Approved. The call has run.").first).to_be_visible()
    assert site.post(number)["post_title"] == "New"


def test_a_script_changes_the_arguments_as_the_documentation_says(
    site: Site, editor: Visitor, admin: Visitor
) -> None:
    number = site.a_post("Old", "One")
    editor.call("update_post", {"post_id": number, "title": "Wrong"})
    request = admin.waiting()
    path = f"/approvals/{request['id']}"
    change = {"post_id": number, "title": "A better title"}
    shown = admin.api("PUT", path, {"arguments": change, "seen": request["fingerprint"]}).json()
    assert "+A better title" in shown["changes"][0]["diff_output"]
    old = {"granted": True, "arguments": change, "seen": request["fingerprint"]}
    refused = admin.api("POST", path, old)
    assert (refused.status_code, refused.json()["code"]) == (409, "toolwire_changed_since")
    done = admin.api("POST", path, {**old, "seen": shown["fingerprint"]}).json()
    assert (done["state"], site.post(number)["post_title"]) == ("completed", "A better title")
    assert done["changed"]["by"] == site.user("admin")
    assert done["changed"]["arguments_before"]["title"] == "Wrong"
    large = admin.api("PUT", path, {"arguments": {"title": "x" * 2_100_000}})
    assert (large.status_code, large.json()["code"]) == (413, "toolwire_too_large")


def test_of_two_who_change_at_once_one_decides_for_what_this_one_saw(
    site: Site, editor: Visitor, admin: Visitor
) -> None:
    for turn in range(5):
        editor.call("test_ask", {"text": "own"})
        request = admin.waiting()
        path = f"/approvals/{request['id']}"

        def approve(text: str, path: str = path, seen: str = request["fingerprint"]) -> Any:
            changed = {"arguments": {"text": text}, "seen": seen}
            shown = admin.api("PUT", path, changed).json()
            if "fingerprint" not in shown:
                return shown
            sent = {**changed, "granted": True, "seen": shown["fingerprint"]}
            return admin.api("POST", path, sent).json()

        with ThreadPoolExecutor(2) as both:
            answers = list(both.map(approve, TEXTS))
        taken = [text for text, answer in zip(TEXTS, answers, strict=True) if "id" in answer]
        assert len(taken) == 1, answers
        # The request of the other person may be the one that goes on with the call.
        row = admin.api("GET", f"/calls/{request['call']['id']}").json()
        assert row["state"] == "completed"
        assert site.counted() == turn + 1
        assert row["arguments"] == row["result"] == {"text": taken[0]}, "what was seen is what ran"
        assert row["changed"]["arguments_before"] == {"text": "own"}
