"""The page of a session in Chromium: what it shows, by keyboard alone, and that no text runs."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from toolwire import transcript

pytest.importorskip("playwright", reason="playwright is not there for this Python")
from playwright.sync_api import Browser

TESTS = Path(__file__).resolve().parents[1]
sys.path.append(str(TESTS / "wordpress" / "http"))
from watch import Watch, chromium, joined, readable  # type: ignore[import-not-found]  # noqa: E402

# The public list, if the tests of WordPress have fetched it; some texts in any case.
LIST = TESTS.parent / "build/npm/node_modules/big-list-of-naughty-strings/blns.json"
BREAK_OUT = "\"'`--></pre></textarea></title></style></script></noscript></template></select>"
TEXTS = [
    "<script>alert(1)</script>",
    "</script><script>alert(1)</script>",
    "<!--<script>alert(1)//",
    "</noscript><img src=x onerror=alert(1)>",
    "[a](javascript:alert(1)) <javascript:alert(1)> ![a](https://example.com/a.png)",
    "`<img src=x onerror=alert(1)>` **<svg onload=alert(1)>**",
    "```html\n<iframe src=javascript:alert(1)>\n```\n# <b onclick=alert(1)>x</b>",
    "</title><script>document.title = 'taken'</script>",
    "</pre></article></main></body><script>document.title = 'taken'</script>",
    "&lt;b&gt; \"quoted\" 'single' -->",
    "a\u2028alert(1)\u2029b\u202eb\u0000c",
]
MOST = 20
Show = Callable[[str], Watch]


def payloads() -> list[str]:
    listed = json.loads(LIST.read_text(encoding="utf-8")) if LIST.is_file() else []
    texts = [*TEXTS, *(text for text in listed if text.strip())]
    return list(dict.fromkeys([*texts, *(BREAK_OUT + text for text in texts)]))


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as running:
        yield running


@pytest.fixture
def show(browser: Browser, tmp_path: Path) -> Iterator[Show]:
    """Open a page from a file, in a browser that reports what runs."""
    watch = Watch(browser)

    def opened(html: str) -> Watch:
        file = tmp_path / "page.html"
        file.write_text(html, encoding="utf-8")
        watch.page.goto(file.as_uri())
        watch.page.wait_for_selector("#count:not(:empty)", state="attached")
        return watch

    yield opened
    watch.check()
    watch.close()


def said(role: str, content: Any, **fields: Any) -> str:
    """Write a line of Claude Code's log."""
    message = {"role": role, "content": content, **fields.pop("message", {})}
    return json.dumps({"type": role, "sessionId": "s", "message": message, **fields})


def call(number: int, name: str, arguments: dict[str, Any], result: str, **fields: Any) -> str:
    """Write a call and its result, which failed if the result says so."""
    clock = {"timestamp": f"2026-03-01T10:{number // 60 % 60:02}:{number % 60:02}.000Z"}
    later = {"timestamp": clock["timestamp"].replace(".000", ".750")}
    asked = {"type": "tool_use", "id": f"t{number}", "name": name, "input": arguments}
    given: dict[str, Any] = {"type": "tool_result", "tool_use_id": f"t{number}", "content": result}
    given["is_error"] = result.startswith("error")
    asking = said("assistant", [asked], **clock, **fields)
    return asking + "\n" + said("user", [given], **later, **fields)


SESSION = "\n".join(
    [
        said("user", "# Fix it\n\nPlease **fix** `a.py`, see https://example.com/x:\n- one\n- two"),
        call(1, "Read", {"file_path": "/srv/a.py"}, "x = 1", cwd="/srv"),
        call(2, "Task", {"prompt": "look", "description": "look"}, "done"),
        call(3, "Bash", {"command": "make"}, "error: no rule", parent_tool_use_id="t2"),
        call(
            4,
            "Edit",
            {"file_path": "/srv/a.py", "old_string": "x = 1", "new_string": "x = 2"},
            "ok",
        ),
        call(5, "Bash", {"command": "make test"}, "error: failed"),
        said("assistant", "Done.\n\n```\nlong\n```\n1. one\n2. two\n\n" + "word " * 1000),
    ]
)


def session() -> str:
    return transcript.normalize(SESSION).to_html()


def names(watch: Watch) -> list[str]:
    return [one.inner_text() for one in watch.page.locator("article .name").all()]


def focused(watch: Watch) -> str:
    """Give the heading of the entry that has the focus."""
    heading = "document.activeElement.closest('article')?.querySelector('h2').innerText ?? ''"
    return str(joined(watch.page.evaluate(heading)))


def test_the_page_shows_sums_markdown_changes_clocks_and_nested_agents(show: Show) -> None:
    watch = show(session())
    page = watch.page
    head = page.locator("header").inner_text()
    assert "7 entries" in head
    assert "5 calls" in head
    assert "2 failed" in head
    assert "3.75 s in tools" in head
    assert "claude_code" in head
    assert page.locator("#time").get_attribute("aria-label") == (
        "calls from 2026-03-01 10:00:01 to 2026-03-01 10:00:05"
    )
    first = page.locator("article").first
    assert first.locator(".heading").inner_text() == "Fix it"
    assert [one.inner_text() for one in first.locator("li").all()] == ["one", "two"]
    assert first.locator("code").inner_text() == "a.py"
    link = first.locator("a")
    assert (link.get_attribute("href"), link.get_attribute("rel")) == (
        "https://example.com/x", "noreferrer noopener",
    )  # fmt: skip
    read = page.locator("article", has_text="read").first
    assert read.locator("pre").first.inner_text() == "a.py"
    assert "2026-03-01 10:00:01" in read.locator("h2").inner_text()
    nested = page.locator("article.depth1")
    assert (nested.count(), nested.locator(".state").inner_text()) == (1, "failed: tool_error")
    nested.locator("button").click()
    assert focused(watch).startswith("Task")
    page.locator("summary", has_text="changes").click()
    assert page.locator(".added").last.inner_text() == "+x = 2"
    assert page.locator(".removed").last.inner_text() == "-x = 1"
    last = page.locator("article").last
    assert last.locator("p").count() == 0
    last.locator("summary").click()
    assert last.locator("p").last.inner_text().startswith("word word")


def test_entries_are_filtered(show: Show) -> None:
    watch = show(session())
    page = watch.page
    page.get_by_label("all states").select_option("failed")
    assert names(watch) == ["bash", "bash"]
    assert page.locator("article").last.get_attribute("aria-setsize") == "2"
    page.get_by_label("all states").select_option("")
    page.get_by_label("all tools").select_option("edit")
    assert names(watch) == ["edit"]
    page.get_by_label("all tools").select_option("")
    page.get_by_label("text", exact=True).fill("MAKE TEST")
    page.wait_for_selector("article[aria-setsize='1']")
    assert page.locator("#count").inner_text() == "1 of 7 entries"


def test_the_keyboard_reaches_everything(show: Show) -> None:
    watch = show(session())
    keys = watch.page.keyboard
    keys.press("j")
    assert focused(watch).startswith("user")
    keys.press("n")
    assert focused(watch).startswith("bash failed")
    watch.page.keyboard.press("Tab")
    assert watch.page.evaluate("document.activeElement.textContent") == "go to its call"
    keys.press("Enter")
    assert focused(watch).startswith("Task")
    for key, start in (("n", "bash"), ("n", "bash"), ("j", "assistant"), ("k", "bash")):
        keys.press(key)
        assert focused(watch).startswith(start)
    assert watch.page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    keys.press("p")
    assert watch.page.evaluate("document.activeElement.getAttribute('aria-posinset')") == "4"
    keys.press("/")
    keys.type("job")
    assert watch.page.evaluate("document.activeElement.value") == "job"
    keys.press("Escape")
    assert watch.page.evaluate("document.activeElement.tagName") == "BODY"
    reached = set()
    for _ in range(60):
        keys.press("Tab")
        reached.add(watch.page.evaluate("document.activeElement.tagName"))
    assert reached >= {"INPUT", "SELECT", "BUTTON", "CANVAS"}


def test_the_keyboard_goes_along_the_time_line(show: Show) -> None:
    watch = show(session())
    line, keys = watch.page.get_by_role("slider"), watch.page.keyboard
    line.focus()
    assert line.get_attribute("aria-valuemax") == "5"
    assert line.get_attribute("aria-valuetext") == "read, success, 2026-03-01 10:00:01, 0.75 s"
    for key, place in (("ArrowRight", "2"), ("End", "5"), ("ArrowRight", "5"), ("ArrowLeft", "4")):
        keys.press(key)
        assert line.get_attribute("aria-valuenow") == place
    assert watch.page.locator("#count").inner_text().startswith("edit, success")
    keys.press("Enter")
    assert focused(watch).startswith("edit")
    line.click(position={"x": 1, "y": 20})
    assert focused(watch).startswith("read")


def test_the_entries_of_a_subagent_fold(show: Show) -> None:
    watch = show(session())
    page, task = watch.page, watch.page.locator("article", has_text="Task").first
    page.get_by_role("button", name="hide 1 inside, 1 failed").click()
    assert focused(watch).startswith("Task")
    assert page.locator("#count").inner_text() == "6 of 7 entries"
    assert names(watch).count("bash") == 1
    assert task.get_by_role("button").get_attribute("aria-expanded") == "false"
    # A filter finds what is folded, and leaves it folded.
    page.get_by_label("all states").select_option("failed")
    assert names(watch) == ["bash", "bash"]
    page.get_by_label("all states").select_option("")
    assert names(watch).count("bash") == 1
    # So does the time line.
    page.get_by_role("slider").focus()
    for key in ("Home", "ArrowRight", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    assert focused(watch).startswith("bash failed")
    for count in ("6 of 7 entries", "7 of 7 entries"):
        page.get_by_role("button", name="fold subagents").click()
        assert page.locator("#count").inner_text() == count


def hostile(texts: list[str]) -> str:
    """Write a log that has each text in every field."""
    lines = []
    for index, text in enumerate(texts):
        fields = {
            "agentId": text, "parent_tool_use_id": text, "cwd": text,
            "sessionId": text, "message": {"model": text, "stop_reason": text},
        }  # fmt: skip
        edit = {"file_path": text, "old_string": text, "new_string": ""}
        lines += [
            said("user", text, **fields),
            said("assistant", f"{text}\n\n- {text}", **fields),
            call(3 * index, text, {text: text}, text),
            call(3 * index + 1, "Edit", edit, f"error{text}"),
            call(3 * index + 2, "Bash", {"command": text}, text, **fields),
        ]  # fmt: skip
    return "\n".join(lines)


def test_no_text_of_a_log_runs_loads_or_is_markup(show: Show) -> None:
    texts = payloads()
    for start in range(0, len(texts), 200):
        some = texts[start : start + 200]
        watch = show(transcript.normalize(hostile(some)).to_html())
        page = watch.page
        page.get_by_role("button", name="show all").click()
        page.locator("#count", has_text="ready to print").wait_for()
        page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
        page.wait_for_timeout(100)
        watch.touch("#feed")
        shown = watch.text("#feed")
        for part in ("header", "#tools"):
            watch.touch(part)
        plain = [text for text in some if readable(text)]
        # Markdown takes the signs of a message away, but not those of a result.
        assert [text for text in plain if joined(text) not in shown] == []
        assert "\u202e" not in page.content()
        assert "\u2028" not in page.content()
    print(f"\n{len(texts)} texts in every field: no script, no dialog, no request")


def test_a_browser_without_scripts_shows_the_first_entries(
    browser: Browser, tmp_path: Path
) -> None:
    context = browser.new_context(java_script_enabled=False)
    asked: list[str] = []
    context.on("request", lambda request: asked.append(request.url))
    file = tmp_path / "page.html"
    texts = payloads()[:40]
    file.write_text(transcript.normalize(hostile(texts)).to_html(), encoding="utf-8")
    page = context.new_page()
    page.goto(file.as_uri())
    text = page.locator("body").inner_text()
    assert f"the first 100 of {5 * len(texts)} entries" in text
    assert "<script>alert(1)</script>" in text
    assert page.locator("article").count() == 100
    assert page.locator("img, svg, iframe").count() == 0
    assert asked == [file.as_uri()]
    context.close()


def test_a_text_of_brackets_and_a_time_of_no_calendar_stop_nothing(show: Show) -> None:
    lines = [said("user", sign * 200_000) for sign in ("[", "*", "`", "[a](http://", "> ", "~~~\n")]
    far = {"role": "user", "content": "far", "timestamp": 9_000_000_000_000_000_000}
    watch = show(transcript.normalize("\n".join([*lines, json.dumps(far)])).to_html())
    watch.page.set_default_timeout(MOST * 1000)
    for summary in watch.page.locator("article > details > summary").all():
        summary.click()
        watch.page.evaluate("1")


def test_a_hundred_thousand_entries_open(browser: Browser, tmp_path: Path) -> None:
    lines = (
        call(n, "Bash", {"command": f"make {n}"}, "error" if n % 5000 == 4999 else "line\n" * 20)
        if n % 2
        else said("user", f"Question {n} of a **long** session, with `code`.")
        for n in range(100_000)
    )
    file = tmp_path / "page.html"
    file.write_text(transcript.normalize("\n".join(lines)).to_html(), encoding="utf-8")
    page = browser.new_page()
    page.goto(file.as_uri(), wait_until="commit")
    page.wait_for_selector("body[data-ready]", timeout=MOST * 1000)
    ready = page.evaluate("performance.now()") / 1000
    paint = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")
    metrics = session.send("Performance.getMetrics")["metrics"]
    heap = next(one["value"] for one in metrics if one["name"] == "JSHeapUsedSize") / 1e6
    size = file.stat().st_size / 1e6
    print(
        f"\n100,000 entries, {size:.0f} MB: first paint {paint:.0f} ms, ready {ready:.2f} s, "
        f"heap {heap:.0f} MB"
    )
    assert page.locator("article").count() < 500
    page.keyboard.press("n")
    page.keyboard.press("n")
    assert page.evaluate("document.activeElement.id") == "entry-9999"
    page.evaluate("window.scrollTo(0, document.body.scrollHeight)")
    page.wait_for_selector("article[aria-posinset='100000']", timeout=MOST * 1000)
    assert page.locator("article").count() < 1000
    page.close()


def test_the_index_lists_sessions_and_filters_them(show: Show) -> None:
    rows = [(f"{text}.html", transcript.normalize(hostile([text]))) for text in payloads()[:60]]
    rows.append(("a b.html", transcript.normalize(SESSION)))
    watch = show(transcript.index_html(iter(rows)))
    page = watch.page
    watch.touch("header")
    watch.touch("main")
    assert page.locator("#sessions tr").count() == len(rows)
    link = page.locator("a", has_text="s").and_(page.locator("[href='./a%20b.html']"))
    assert link.count() == 1
    page.keyboard.press("/")
    page.keyboard.type("please CLAUDE_CODE")
    page.get_by_text(f"1 of {len(rows)} sessions", exact=True).wait_for()
    assert joined(page.locator("#sessions tr:visible").inner_text()).endswith("5 2")


def test_folded_parts_are_printed_open(show: Show) -> None:
    page = show(session()).page
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert page.locator("details:not([open])").count() == 0
    assert page.locator(".added").last.inner_text() == "+x = 2"
    assert page.locator("article").last.locator("p").last.inner_text().startswith("word word")
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert page.locator("details[open]").count() == 0


def test_the_paper_says_how_many_entries_it_shows(show: Show) -> None:
    lines = [said("user", f"Question {number}") for number in range(6000)]
    page = show(transcript.normalize("\n".join(lines)).to_html()).page
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert "Printed are 5000 of 6000 entries" in (page.locator(".printed").text_content() or "")
    page.get_by_role("button", name="show all").click()
    page.locator("#count", has_text="all 6000 shown").wait_for()
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert "Printed are 6000 of 6000" in (page.locator(".printed").text_content() or "")
