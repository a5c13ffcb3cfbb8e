"""Hostile texts on every screen of the admin area, in Chromium: no script runs, none is lost."""

import base64
import json
from urllib.parse import quote

import pytest
from conftest import ROOT, Site, Visitor
from naughty import (
    HOSTILE,
    LONGEST_ID,
    LONGEST_NAME,
    PAYLOADS,
    SCREEN,
    ids,
    inside,
    packed,
)
from naughty import print_count as print_count
from watch import Open, Watch, joined, readable

pytestmark = pytest.mark.usefixtures("print_count")


def test_requests_for_approval_run_no_script(site: Site, watch: Open) -> None:
    """The texts stand in reasons, ids, names and values of arguments, and diffs of a post."""
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
        assert {one["body"].get("state") for one in sent} == {"waiting"}, sent
        listed = look_at_approvals(admin)
        lost = [
            text
            for text in texts
            if readable(text) and not any(one in listed for one in written(text))
        ]
        assert lost == [], f"{len(lost)} texts are not shown"
    site.reset()
    every = ids(PAYLOADS)
    # These screens show no id, but they show the reason, which has the same text.
    named: list[dict[str, object]] = [
        {"name": "test_ask", "id": one, "reason": one} for one in every
    ]
    # No more than 50 calls of a user may wait.
    sent = inside(site, "admin", named[::2]) + inside(site, "editor", named[1::2])
    assert {one["body"].get("state") for one in sent} == {"waiting"}, sent
    listed, views = list_of_approvals(admin)
    assert len(views) == len(every)
    listed += "".join(look_at(admin, view) for view in views[:10])
    lost = [text for text in PAYLOADS if readable(text) and joined(text) not in listed]
    assert lost == [], f"{len(lost)} texts are not shown"


def written(text: str) -> list[str]:
    """Return the forms in which a page may show a text: as it is, or inside JSON."""
    inside = json.dumps(text, ensure_ascii=False)[1:-1]
    return [joined(one) for one in (text, inside, inside.replace("/", "\\/"))]


def look_at(admin: Watch, address: str) -> str:
    """Open a screen and use all of it; give its text."""
    admin.page.goto(address)
    admin.touch(".toolwire")
    return admin.text(".toolwire")


def list_of_approvals(admin: Watch) -> tuple[str, list[str]]:
    """Open all pages of the list; give their text, and the addresses of the calls' own views."""
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
    """Open all pages of the list and each call's own view; give their text."""
    seen, views = list_of_approvals(admin)
    return joined("\n".join([seen, *(look_at(admin, view) for view in views)]))


def test_an_id_that_is_too_long_is_refused(site: Site, editor: Visitor) -> None:
    for text in (text for text in HOSTILE if len(text) > LONGEST_ID):
        answer = editor.call("test_echo", id=text)
        assert (answer.status_code, answer.json()["code"]) == (400, "rest_invalid_param")
    assert site.php("return Toolwire\\WordPress\\plugin()->call_log()->count('completed');") == 0


def test_the_log_runs_no_script(site: Site, watch: Open) -> None:
    """The texts stand in names, ids, reasons, arguments, results, errors and decisions."""
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
    # The route refuses most of these names, so the test writes them into the log.
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
        "    Toolwire\\WordPress\\plugin()->runner()->resume($request->runId);"
        "    global $wpdb; $table = Toolwire\\WordPress\\plugin()->schema()->calls_table();"
        "    $columns = ['decision_reason' => $reasons[$index]];"
        "    $columns += ['decided_by' => 1, 'decision' => 'denied'];"
        "    $wpdb->update($table, $columns, ['action_id' => $request->runId]);"
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
    """The texts stand in filters of the log, codes of notices, and a damaged option."""
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
    """Encode a text for an address."""
    return quote(text, safe="")
