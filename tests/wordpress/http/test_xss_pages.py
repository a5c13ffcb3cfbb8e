"""Hostile texts in the chat, in exported data and in a transcript, in Chromium: no script runs."""

import io
import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from conftest import URL, Site, Visitor
from naughty import DECODED, HOSTILE, PAYLOADS, inside, packed, shown
from naughty import print_count as print_count
from playwright.sync_api import Browser, Route
from test_privacy import EXPORT, answers
from watch import Open, Watch

pytestmark = pytest.mark.usefixtures("print_count")


def alone(route: Route, body: str) -> None:
    """Answer the request for the home page with a page, and any other request with nothing."""
    home = route.request.url == f"{URL}/"
    route.fulfill(status=200 if home else 404, content_type="text/html", body=body if home else "")


def test_the_watch_notices_what_runs(browser: Browser) -> None:
    """On a page that escapes nothing scripts run, and the watch reports them."""
    watch = Watch(browser, URL)
    try:
        bodies = [
            text for text in dict.fromkeys([*PAYLOADS, *DECODED]) if "<" in text and "(" in text
        ][:60]
        pages = {f"/{number}": f"<!doctype html><body>{text}" for number, text in enumerate(bodies)}
        paths = list(pages)
        frames = {
            f"/frames{start}": "".join(
                f'<iframe src="{path}"></iframe>' for path in paths[start : start + 40]
            )
            for start in range(0, len(paths), 40)
        }

        def answer(route: Route) -> None:
            body = {**pages, **frames}.get(route.request.url.removeprefix(URL))
            route.fulfill(status=200 if body else 404, content_type="text/html", body=body or "")

        watch.page.route("**/*", answer)
        for path in frames:
            watch.page.goto(path)
            watch.page.wait_for_timeout(100)
        alerts = [one for one in watch.ran if one.startswith(("alert", "prompt", "window."))]
        assert len(alerts) >= 5, f"{len(alerts)} of {len(pages)} texts ran"
        for body in (
            "<div id=x onmouseover='confirm(1)'>x</div>",
            "<a href='java\tscript:alert(1)'><b>x</b></a>",
            "<details ontoggle=print()><summary>x</summary></details>",
            "<input onfocus='window.attacked = 1'>",
            "<button onclick=window.open('/')><span>x</span></button>",
            "<script>throw 1</script>x",
            "<img src=http://attacker.example/x>",
            "<img src=x>",
        ):
            found = (watch.ran, watch.asked, watch.missing)
            for one in found:
                one.clear()
            watch.page.unroute("**/*")
            watch.page.route("**/*", lambda route, *, body=body: alone(route, body))
            watch.page.goto("/")
            with pytest.raises(AssertionError):
                watch.touch("body")
            watch.page.wait_for_timeout(50)
            assert any(found), body
    finally:
        watch.close()


def test_the_chat_runs_no_script(site: Site, watch: Open) -> None:
    """The texts stand in replies of the assistant, in its calls, and in input of the scripts."""
    editor = watch("editor")
    editor.page.goto("/chat/")
    for texts in packed(HOSTILE, 2500):
        written = "\n".join(texts)
        call = json.dumps({text: text for text in texts})
        replies = editor.page.locator(".toolwire-assistant")
        before = replies.count()
        editor.page.get_by_label("Message").fill(f"say: {written}\n\n<tool:test_echo>{call}</tool>")
        editor.page.get_by_role("button", name="Send").click()
        editor.page.wait_for_function(
            f"() => document.querySelectorAll('.toolwire-assistant').length > {before}",
            timeout=20_000,
        )
        status = replies.last.locator(".mpai-tool-call-status").last
        status.get_by_text(re.compile("Done|did not work")).wait_for(timeout=20_000)
        shown(editor, ".toolwire-messages", texts)
    editor.touch(".toolwire-chat")
    markup = editor.page.evaluate(
        """(texts) => {
            const box = document.createElement('div');
            box.className = 'made';
            document.body.append(box);
            box.innerHTML = texts.map((text) =>
                Toolwire.createToolCallHTML(text, { [text]: text }, text)
                + Toolwire.createToolCallHTML(text, text, text)).join('');
            return box.querySelectorAll('.mpai-tool-call').length;
        }""",
        HOSTILE,
    )
    assert markup == 2 * len(HOSTILE)
    editor.touch(".made")
    shown(editor, ".made", HOSTILE)
    found = editor.page.evaluate(
        """async (packs) => {
            const box = document.querySelector('.made');
            for (const [index, text] of packs.entries()) {
                const ids = { conversation: text.slice(0, 200), message: text.slice(0, 99) };
                await Toolwire.processToolCalls(text, { container: box, ...ids });
            }
            return box.textContent.length;
        }""",
        ["\n".join(texts) for texts in packed(HOSTILE, 6000)],
    )
    assert found > 0
    editor.touch(".made")


def test_exported_personal_data_runs_no_script(site: Site, watch: Open, tmp_path: Path) -> None:
    """The texts stand in the page that WordPress makes of a person's data, and on its screens."""
    calls: list[dict[str, object]] = [
        {
            "name": "test_echo",
            "reason": "\n".join(texts),
            "arguments": {text: text for text in texts},
        }
        for texts in packed(HOSTILE, 1800)
    ]
    inside(site, "editor", calls)
    visitor = Visitor("admin")
    *_, last = answers(visitor, EXPORT, "editor@example.test", "toolwire")
    with zipfile.ZipFile(io.BytesIO(visitor.get(str(last["url"])).content)) as archive:
        archive.extract("index.html", tmp_path)
    reader = watch()
    reader.page.goto((tmp_path / "index.html").as_uri())
    reader.touch("body")
    shown(reader, "body", HOSTILE)
    admin = watch("admin")
    for screen in (
        "export-personal-data.php",
        "erase-personal-data.php",
        "options-privacy.php?tab=policyguide",
    ):
        admin.page.goto(f"/wp-admin/{screen}")
        admin.touch("#wpbody-content")


def test_the_page_of_a_transcript_runs_no_script(watch: Open, tmp_path: Path) -> None:
    """The texts stand in messages, names, ids, arguments, results, errors and diffs."""
    lines: list[dict[str, object]] = []
    for index, text in enumerate(HOSTILE):
        call = {"id": text, "function": {"name": text, "arguments": json.dumps({text: text})}}
        edit = {"file_path": text, "old_string": text, "new_string": f"{text} more"}
        lines += [
            {"role": "user", "content": text},
            {"role": "assistant", "content": text, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": text, "content": text, "is_error": index % 2 == 0},
            {
                "role": "assistant",
                "tool_calls": [
                    {"id": f"d{index}", "function": {"name": "Edit", "arguments": json.dumps(edit)}}
                ],
            },
        ]
    log, page = tmp_path / "log.jsonl", tmp_path / "log.html"
    log.write_text("\n".join(json.dumps(line) for line in lines))
    done = subprocess.run(
        [sys.executable, "-m", "toolwire", "transcript", "--html", str(page), str(log)], check=False
    )
    assert done.returncode in (0, 1)
    reader = watch()
    reader.page.goto(page.as_uri())
    reader.page.get_by_role("button", name="show all").click()
    reader.page.locator("#count", has_text="ready to print").wait_for()
    reader.page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    reader.page.wait_for_timeout(100)
    reader.touch("#feed")
    shown(reader, "#feed", HOSTILE)
    for part in ("header", "#tools"):
        reader.touch(part)
