r"""A public list of hostile texts, on every screen, in Chromium: no script runs, none is lost.

The list is the Big List of Naughty Strings (MIT), which `.ci/setup-wordpress` installs from npm.
Each text is used as it is, once more behind what ends attributes, comments and elements, and where
it has `\xNN`, once more with that decoded.
"""

import base64
import io
import json
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from conftest import ROOT, URL, Site, Visitor
from playwright.sync_api import Browser, Route
from test_privacy import EXPORT, answers
from watch import Watch, joined, readable

LIST = Path(__file__).parents[3] / "build/npm/node_modules/big-list-of-naughty-strings/blns.json"
BREAK_OUT = "\"'`--></pre></textarea></title></style></script></template></select>"
SCREEN = "/wp-admin/admin.php?page="
Open = Callable[..., Watch]


def payloads() -> list[str]:
    """Return the texts of the list, each once, in its order."""
    assert LIST.is_file(), "the list is missing; .ci/setup-wordpress installs it"
    texts = list(
        dict.fromkeys(text for text in json.loads(LIST.read_text(encoding="utf-8")) if text.strip())
    )
    assert len(texts) > 400
    return texts


PAYLOADS = payloads()
# The list writes some characters as \xNN; a program that decodes them shows those.
DECODED = [
    re.sub(r"\\x([0-9A-Fa-f]{2})", lambda code: chr(int(code[1], 16)), text) for text in PAYLOADS
]
FORMS = [*PAYLOADS, *(BREAK_OUT + text for text in PAYLOADS), *DECODED]
HOSTILE = list(dict.fromkeys(text.replace("\0", "") for text in FORMS))
LONGEST_ID, LONGEST_NAME = 256, 128


def packed(texts: list[str], most: int) -> list[list[str]]:
    """Put texts into lists of at most so many characters, with a line break after each text."""
    lists: list[list[str]] = [[]]
    length = 0
    for text in texts:
        if lists[-1] and length + len(text) + 1 > most:
            lists.append([])
            length = 0
        lists[-1].append(text)
        length += len(text) + 1
    return lists


def ids(texts: list[str]) -> list[str]:
    """Return ids that hold as many texts as fit; a text that is too long is left out."""
    fit = [text for text in texts if len(text) <= LONGEST_ID]
    return [" ".join(pack) for pack in packed(fit, LONGEST_ID)]


def shown(watch: Watch, root: str, texts: list[str]) -> None:
    """Check that each readable text can be read below a selector."""
    page = watch.text(root)
    lost = [text for text in texts if readable(text) and joined(text) not in page]
    assert lost == [], f"{len(lost)} texts are not shown"


@pytest.fixture
def watch(browser: Browser) -> Iterator[Open]:
    """Open a watched page, logged in where a name is given."""
    opened: list[Watch] = []

    def as_user(name: str | None = None) -> Watch:
        watch = Watch(browser, URL if name else None)
        opened.append(watch)
        if name:
            visitor = Visitor(name)
            cookies = [
                {"name": one.name, "value": str(one.value), "url": URL}
                for one in visitor.cookies.jar
            ]
            watch.context.add_cookies(cookies)  # type: ignore[arg-type]
        return watch

    yield as_user
    for one in opened:
        one.close()


@pytest.fixture(scope="module")
def print_count() -> Iterator[None]:
    """Say at the end how many texts there were."""
    yield
    texts = f"{len(PAYLOADS)} texts of the Big List of Naughty Strings"
    print(f"\n{texts}, in {len(HOSTILE)} forms: no script ran")


@pytest.fixture(autouse=True)
def _counted(print_count: None) -> None:
    """Have the count printed."""


def inside(site: Site, user: str, calls: list[dict[str, object]]) -> list[dict[str, Any]]:
    """Send calls to the route from inside WordPress, which is faster; what it answers."""
    file = ROOT / "xss-calls.json"
    file.write_text(json.dumps(calls))
    return site.php(  # type: ignore[no-any-return]
        f"wp_set_current_user(get_user_by('login', '{user}')->ID); $answers = [];"
        f"foreach (json_decode(file_get_contents('{file}')) as $call) {{"
        "    $request = new WP_REST_Request('POST', '/toolwire/v1/calls');"
        "    $request->set_header('Content-Type', 'application/json');"
        "    $request->set_body(json_encode($call));"
        "    $response = rest_do_request($request);"
        "    $answers[] = ['status' => $response->get_status(), 'body' => $response->get_data()];"
        "} return $answers;"
    )


def alone(route: Route, body: str) -> None:
    """Answer a request with a page, and any other with nothing."""
    home = route.request.url == f"{URL}/"
    route.fulfill(status=200 if home else 404, content_type="text/html", body=body if home else "")


def test_the_watch_notices_what_runs(browser: Browser) -> None:
    """A page that escapes nothing: it shows that the other tests would see a script run."""
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


def test_requests_for_approval_run_no_script(site: Site, watch: Open) -> None:
    """In the reason, the id, the arguments' names and values, and the diffs of a post."""
    number = site.a_post(content="\n".join(PAYLOADS))
    titles = packed(PAYLOADS, 900)
    whole = packed(HOSTILE, 6000)
    edits: list[dict[str, object]] = [
        {
            "name": "update_post",
            "reason": "\n".join(texts),
            "arguments": {"post_id": number, "title": " ".join(texts)},
        }
        for texts in titles
    ]
    edits += [
        {"name": "update_post", "arguments": {"post_id": number, "content": "\n".join(texts)}}
        for texts in packed(HOSTILE, 24000)
    ]
    asks: list[dict[str, object]] = [
        {
            "name": "test_ask",
            "reason": "\n".join(texts)[:1900],
            "arguments": {"text": "\n".join(texts), "options": {text: text for text in texts}},
        }
        for texts in whole
    ]
    admin = watch("admin")
    for calls, texts in ((edits, PAYLOADS), (asks, HOSTILE)):
        site.reset()
        sent = inside(site, "admin", calls)
        assert {one["body"].get("state") for one in sent} == {"pending"}, sent
        listed = look_at_approvals(admin)
        lost = [
            text
            for text in texts
            if readable(text) and not any(one in listed for one in written(text))
        ]
        assert lost == [], f"{len(lost)} texts are not shown"
    site.reset()
    every = ids(PAYLOADS)
    # These screens show no id; they show the reason, which says the same.
    named: list[dict[str, object]] = [
        {"name": "test_ask", "id": one, "reason": one} for one in every
    ]
    # No more than 50 calls of a user may wait.
    sent = inside(site, "admin", named[::2]) + inside(site, "editor", named[1::2])
    assert {one["body"].get("state") for one in sent} == {"pending"}, sent
    listed, views = list_of_approvals(admin)
    assert len(views) == len(every)
    listed += "".join(look_at(admin, view) for view in views[:10])
    lost = [text for text in PAYLOADS if readable(text) and joined(text) not in listed]
    assert lost == [], f"{len(lost)} texts are not shown"


def written(text: str) -> list[str]:
    """Return the ways in which a page may show a text: as it is, or inside JSON."""
    inside = json.dumps(text, ensure_ascii=False)[1:-1]
    return [joined(one) for one in (text, inside, inside.replace("/", "\\/"))]


def look_at(admin: Watch, address: str) -> str:
    """Look at a screen; what can be read there."""
    admin.page.goto(address)
    admin.touch(".toolwire")
    return admin.text(".toolwire")


def list_of_approvals(admin: Watch) -> tuple[str, list[str]]:
    """Look at all pages of the list; its text, and the addresses of the calls' own views."""
    seen, views = [], []
    for page in range(1, 100):
        seen.append(look_at(admin, f"{SCREEN}toolwire&paged={page}"))
        views += admin.page.evaluate(
            "() => [...document.querySelectorAll('.toolwire a[href*=\"request=\"]')]"
            ".map((link) => link.href)"
        )
        if not admin.page.locator(".toolwire a.next").count():
            return joined("\n".join(seen)), list(dict.fromkeys(views))
    raise AssertionError("the screen has no end")


def look_at_approvals(admin: Watch) -> str:
    """Look at all pages of the list and at each call's own view; all that can be read there."""
    seen, views = list_of_approvals(admin)
    return joined("\n".join([seen, *(look_at(admin, view) for view in views)]))


def test_an_id_that_is_too_long_is_refused(site: Site, editor: Visitor) -> None:
    for text in (text for text in HOSTILE if len(text) > LONGEST_ID):
        answer = editor.call("test_echo", id=text)
        assert (answer.status_code, answer.json()["code"]) == (400, "rest_invalid_param")
    assert site.php("return Toolwire\\WordPress\\plugin()->call_log()->count('completed');") == 0


def test_the_log_runs_no_script(site: Site, watch: Open) -> None:
    """In names, ids, reasons, arguments, results, errors and the reasons of decisions."""
    calls: list[dict[str, object]] = []
    packs = packed(HOSTILE, 1800)
    for texts in packs:
        joint = "\n".join(texts)
        arguments = {text: text for text in texts}
        calls.append({"name": "test_echo", "reason": joint, "arguments": arguments})
        calls.append({"name": "test_refuse", "arguments": {"text": joint}})
    every = ids(HOSTILE)
    calls += [{"name": "test_echo"} for _ in every[len(calls) :]]
    calls = [{**call, "id": one} for call, one in zip(calls, every, strict=True)]
    sent = inside(site, "editor", calls)
    assert {call["status"] for call in sent} == {200}, sent
    # The route refuses most of these as names, so the log is given them beside it.
    inside(site, "editor", [{"name": text} for text in PAYLOADS])
    names = ROOT / "xss-names.json"
    names.write_text(json.dumps([" ".join(texts) for texts in packed(PAYLOADS, LONGEST_NAME)]))
    decide = ROOT / "xss-reasons.json"
    decide.write_text(json.dumps(["\n".join(texts) for texts in packs]))
    inside(site, "editor", [{"name": "test_ask", "id": f"a{n}"} for n in range(len(packs))])
    decided = site.php(
        "wp_set_current_user(1);"
        "$approvals = Toolwire\\WordPress\\plugin()->engines()->get()->approvals;"
        f"$reasons = json_decode(file_get_contents('{decide}')); $pending = $approvals->pending();"
        "foreach ($pending as $index => $request) {"
        "    $approvals->decide($request->id, false, 'user:1', $reasons[$index]);"
        "    Toolwire\\WordPress\\plugin()->runner()->resume($request->actionId);"
        "    global $wpdb; $table = Toolwire\\WordPress\\plugin()->schema()->calls_table();"
        "    $columns = ['decision_reason' => $reasons[$index]];"
        "    $columns += ['decided_by' => 1, 'decision' => 'denied'];"
        "    $wpdb->update($table, $columns, ['action_id' => $request->actionId]);"
        "}"
        f"foreach (json_decode(file_get_contents('{names}')) as $index => $name) {{"
        "    $wpdb->update($table, ['tool' => mb_substr($name, 0, 128)], ['id' => 1 + $index]);"
        "} return count($pending);"
    )
    assert decided == len(packs)
    admin = watch("admin")
    read = []
    for page in range(1, 200):
        admin.page.goto(f"{SCREEN}toolwire-log&paged={page}")
        admin.touch(".toolwire")
        read.append(admin.text(".toolwire"))
        if not admin.page.locator("a.next-page").count():
            break
    assert len(read) > 20
    everything = joined("\n".join(read))
    lost = [text for text in HOSTILE if readable(text) and joined(text) not in everything]
    assert lost == [], f"{len(lost)} texts are not shown"


def test_addresses_and_settings_run_no_script(site: Site, watch: Open) -> None:
    """In the filters of the log, the code of a notice, and an option that somebody spoiled."""
    admin = watch("admin")
    names = ("s", "tool", "state", "user", "from", "to", "origin", "paged", "said", "orderby", "id")
    for texts in packed(PAYLOADS, 200):
        text = "\n".join(texts)
        for page in ("toolwire-log",):
            query = "&".join(f"{name}={encoded(text)}" for name in names)
            admin.page.goto(f"{SCREEN}{page}&{query}")
            admin.touch(".toolwire")
    for texts in packed(HOSTILE, 3000):
        text = encoded(" ".join(texts))
        admin.page.goto(f"{SCREEN}toolwire&said={text}&id={text}&paged={text}&request={text}")
        admin.touch(".toolwire")
        spoiled = base64.b64encode(" ".join(texts).encode()).decode()
        site.php(
            f"$text = base64_decode('{spoiled}'); $set = Toolwire\\WordPress\\Settings::DEFAULTS;"
            "return update_option('toolwire_settings', array_fill_keys(array_keys($set), $text));"
        )
        admin.page.goto(f"{SCREEN}toolwire-settings&said={text}")
        admin.touch(".toolwire")


def encoded(text: str) -> str:
    """Return a text as an address holds it."""
    return quote(text, safe="")


def test_the_chat_runs_no_script(site: Site, watch: Open) -> None:
    """In what the assistant says, in its calls, and in what the site's scripts are given."""
    editor = watch("editor")
    editor.page.goto("/chat/")
    for texts in packed(HOSTILE, 6000):
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
        status.get_by_text(re.compile("Success|Error")).wait_for(timeout=20_000)
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
    """In the page that WordPress makes of a person's data, and on its screens."""
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
    """In messages, names, ids, arguments, results, errors and diffs."""
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
    reader.touch("body")
    shown(reader, "body", HOSTILE)
