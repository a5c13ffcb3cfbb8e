"""Notices every script of a text that runs in a page."""

import contextlib
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import (
    Browser,
    BrowserContext,
    Dialog,
    Page,
    Request,
    Response,
    sync_playwright,
)

SCRIPT = (Path(__file__).parent / "watch.js").read_text(encoding="utf-8").strip()


@contextlib.contextmanager
def chromium(*reached: str) -> Iterator[Browser]:
    """Start Chromium, for which all hosts but those named lead nowhere."""
    program = shutil.which("chromium")
    assert program, "chromium is missing; .ci/setup installs it"
    names = ", ".join(["MAP * ~NOTFOUND", *(f"EXCLUDE {host}" for host in reached)])
    flags = ["--no-sandbox", f"--host-resolver-rules={names}"]
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=program, args=flags)
        yield running
        running.close()


class Watch:
    """A browser that records each script that runs and each request that a text causes."""

    def __init__(self, browser: Browser, url: str | None = None) -> None:
        """Watch pages; requests of the site at `url` itself are no finding."""
        self.ran: list[str] = []
        self.asked: list[str] = []
        self.missing: list[str] = []
        self.host = urlsplit(url).netloc if url else ""
        self.context: BrowserContext = browser.new_context(
            base_url=url, viewport={"width": 1100, "height": 900}
        )
        self.context.expose_binding("scriptRan", lambda source, what: self.ran.append(what))
        self.context.add_init_script(f"{SCRIPT}.init()")
        self.context.on("request", self._request)
        self.context.on("response", self._response)
        self.context.on("dialog", self._dialog)
        self.context.on("weberror", lambda error: self.ran.append(f"error {error.error}"))
        self.page: Page = self.context.new_page()

    def _dialog(self, dialog: Dialog) -> None:
        self.ran.append(dialog.message)
        dialog.dismiss()

    def _request(self, request: Request) -> None:
        host = urlsplit(request.url).netloc
        # WordPress itself requests pictures of users and of emoji.
        if host != self.host and not re.search(r"(^|\.)(gravatar\.com|w\.org)$", host) and host:
            self.asked.append(request.url)

    def _response(self, response: Response) -> None:
        if response.status == 404:
            self.missing.append(response.url)

    def touch(self, root: str) -> None:
        """Use all elements below a selector; fail when a text runs, loads anything or is markup."""
        assert self.page.evaluate(f"(root) => {SCRIPT}.touch(root)", root) > 0, (
            f"there is no {root}"
        )
        assert self.page.evaluate(f"(root) => {SCRIPT}.foreign(root)", root) == []
        self.check()

    def check(self) -> None:
        """Fail when a script has run, or a page has requested something that it does not need."""
        assert (self.ran, self.asked, self.missing) == ([], [], [])

    def text(self, root: str) -> str:
        """Return the visible text below a selector; any white space is one space."""
        shown = self.page.evaluate(
            "(root) => [...document.querySelectorAll(root)]"
            ".map((element) => element.innerText).join('\\n')",
            root,
        )
        return joined(shown)

    def close(self) -> None:
        """Close the pages."""
        self.context.close()


Open = Callable[..., Watch]


def joined(text: str) -> str:
    """Return a text as a page shows it: any white space is one space."""
    return " ".join(text.split())


def readable(text: str) -> bool:
    """Say whether a page shows a text as it is, without marks or pictures in it."""
    return all(32 <= ord(character) < 127 for character in text) and text.strip() != ""
