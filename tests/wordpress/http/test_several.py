"""Several calls decided at once on the list of approvals, with JavaScript and without."""

import html
import re

from conftest import Site, Visitor
from playwright.sync_api import expect
from test_browser import Login, check_accessibility, login
from test_screens import FORM, screen

__all__ = ["login"]

LIST = screen("toolwire")


def boxes(page: str) -> dict[str, str]:
    """Return the fields of the boxes on the list, with the fingerprints that they send."""
    found = re.findall(r'<input type="checkbox" name="(seen\[[^"]+\])" value="([^"]+)"', page)
    return dict(found)


def nonce_of(page: str) -> str:
    """Return the nonce of the form around the list."""
    found = re.search(r'toolwire-several.*?name="_wpnonce" value="(\w+)"', page, re.DOTALL)
    assert found, "there is no form"
    return found.group(1)


def titles(site: Site, *posts: int) -> list[str]:
    return [site.post(number)["post_title"] for number in posts]


def three_calls(site: Site, editor: Visitor) -> tuple[int, int]:
    """Have two calls wait that change one post, and one that changes another."""
    first, second = site.a_post("Hello world!"), site.a_post("Second")
    for number, title in ((first, "Hello"), (first, "Later"), (second, "2nd")):
        assert editor.call("update_post", {"post_id": number, "title": title}).status_code == 202
    return first, second


def test_several_are_approved_by_a_form(site: Site, editor: Visitor, admin: Visitor) -> None:
    first, second = three_calls(site, editor)
    page = admin.get(LIST).text
    assert "<del>Hello world!</del>" in page
    assert "<ins>Hello</ins>" in page
    assert "No newline" not in page
    form = {"action": "toolwire_decide_several", "_wpnonce": nonce_of(page), **boxes(page)}
    assert len(boxes(page)) == 3
    for refused in (
        editor.post(FORM, data={**form, "granted": "1"}),
        admin.post(FORM, data={**form, "granted": "1", "_wpnonce": "0123456789"}),
    ):
        assert refused.status_code == 403
    assert titles(site, first, second) == ["Hello world!", "Second"]
    answer = admin.post(FORM, data={**form, "granted": "1"}, follow_redirects=True)
    assert "2 approved. 1 has changed: look again." in html.unescape(answer.text)
    assert titles(site, first, second) == ["Hello", "2nd"]
    again = {**form, **boxes(answer.text), "granted": "0", "reason": "Too many."}
    answer = admin.post(FORM, data=again, follow_redirects=True)
    assert "1 denied. 2 wait no longer" in answer.text
    states = [call["state"] for call in admin.api("GET", "/log").json()]
    assert states == ["completed", "denied", "completed"]
    nothing = {"action": "toolwire_decide_several", "_wpnonce": form["_wpnonce"], "granted": "1"}
    answer = admin.post(FORM, data=nothing, follow_redirects=True)
    assert "Nothing was decided." in answer.text
    unsaid = {**form, **boxes(admin.get(LIST).text), "granted": ""}
    assert "Nothing was decided." in admin.post(FORM, data=unsaid, follow_redirects=True).text
    many = {**nothing, **{f"seen[{number:032x}]": "x" for number in range(51)}}
    answer = admin.post(FORM, data=many, follow_redirects=True)
    assert "Too many calls were chosen at once." in answer.text


def test_several_are_decided_in_the_browser_by_keyboard(
    login: Login, site: Site, editor: Visitor
) -> None:
    first, second = three_calls(site, editor)
    editor.call("test_ask", {"text": "x" * 4000})
    page = login("admin")
    page.goto(LIST)
    expect(page.get_by_role("checkbox", name=re.compile("Choose this call"))).to_have_count(3)
    expect(page.get_by_role("link", name=re.compile("Look and decide"))).to_have_count(4)
    approve = page.get_by_role("button", name=re.compile("Approve"))
    expect(approve).to_have_text("Approve 0")
    expect(approve).to_be_disabled()
    check_accessibility(page, ".toolwire")
    every = page.get_by_role("checkbox", name="Choose all that can be decided here")
    every.focus()
    page.keyboard.press("Space")
    expect(approve).to_have_text("Approve 3")
    expect(page.get_by_role("button", name="Deny 3")).to_be_enabled()
    reason = page.get_by_label("Reason (optional)")
    reason.fill("All right")
    reason.press("Enter")
    page.wait_for_timeout(300)
    assert titles(site, first, second) == ["Hello world!", "Second"], "Enter decides nothing"
    approve.focus()
    page.keyboard.press("Enter")
    said = page.get_by_text("2 approved. 1 has changed: look again.").first
    expect(said).to_be_visible()
    expect(page.locator(".toolwire-bar .notice")).to_be_focused()
    assert titles(site, first, second) == ["Hello", "2nd"]
    expect(page.get_by_text("Approved. The call has run.")).to_have_count(2)
    expect(page.get_by_text("would change something else by now")).to_have_count(1)
    expect(page.get_by_role("checkbox", name=re.compile("Choose this call"))).to_have_count(0)
    expect(page.get_by_role("link", name=re.compile("Look and decide"))).to_have_count(2)
    expect(approve).to_be_disabled()
    check_accessibility(page, ".toolwire")


def test_enter_decides_nothing_without_javascript(
    login: Login, site: Site, editor: Visitor
) -> None:
    first, second = three_calls(site, editor)
    page = login("admin", java_script_enabled=False)
    for field in (page.get_by_label("Reason (optional)"), page.get_by_role("checkbox").first):
        page.goto(LIST)
        for box in page.get_by_role("checkbox").all():
            box.check()
        field.press("Enter")
        page.wait_for_timeout(500)
        assert titles(site, first, second) == ["Hello world!", "Second"]
    page.goto(LIST)
    for box in page.get_by_role("checkbox").all():
        box.check()
    page.get_by_role("button", name="Approve the chosen").click()
    expect(page.get_by_text("2 approved. 1 has changed: look again.")).to_be_visible()
    assert titles(site, first, second) == ["Hello", "2nd"]
