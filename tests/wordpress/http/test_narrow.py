"""The screens on a narrow page: nothing makes it scroll sideways."""

import pytest
from conftest import Site, Visitor
from playwright.sync_api import Page
from test_browser import Login, login
from test_screens import deciding, screen

__all__ = ["login"]

LONG = "wwwwwwwwww" * 30
WIDTHS = (360, 390, 782, 1280)
# What is wider than its place, for whoever reads a failure.
WIDEST = """() => [...document.querySelectorAll('body *')]
    .filter((one) => one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 0)
    .filter((one) => getComputedStyle(one).overflowX === 'visible')
    .map((one) => one.outerHTML.slice(0, 150)).slice(-6)"""


def check_width(page: Page, address: str) -> None:
    """Open a screen on pages of several widths, and unfold all that is folded on it."""
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 740})
        page.goto(address)
        page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")
        for button in page.locator("#wpbody-content .toggle-row").all():
            if button.is_visible():
                button.click()
        size = page.evaluate(
            "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"
        )
        assert size[0] <= size[1], (address, width, size, page.evaluate(WIDEST))


@pytest.fixture
def full(site: Site, editor: Visitor, admin: Visitor) -> str:
    """Have calls of all kinds with long words; give the address of a call that waits."""
    post = site.a_post(LONG, LONG + "\nTwo\n")
    editor.call("test_count", {"text": LONG}, id=LONG[:200], reason=LONG)
    editor.call("test_fail", {"text": LONG})
    editor.call("test_exit")
    editor.call("test_ask", {"text": LONG})
    admin.decide(admin.waiting(), reason=LONG)
    editor.call("test_ask", {"text": LONG}, reason=LONG)
    editor.call("update_post", {"post_id": post, "title": LONG + "2"}, reason="Short.")
    editor.call("update_post", {"post_id": post, "content": LONG * 20})
    requests = admin.api("GET", "/approvals").json()
    return deciding(requests[-1])


def test_no_screen_scrolls_sideways(login: Login, full: str) -> None:
    page = login("admin")
    for address in (screen("toolwire"), full, screen("toolwire-log"), screen("toolwire-settings")):
        check_width(page, address)
    check_width(login("editor"), screen("toolwire-mine"))
