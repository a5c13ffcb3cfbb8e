"""The screens of wp-admin without JavaScript."""

import html
import re
from typing import Any

import pytest
from conftest import Site, Visitor

SCREENS = ["toolwire", "toolwire-log", "toolwire-settings"]
FORM = "/wp-admin/admin-post.php"
ATTACK = (
    "<script>window.attacked=1</script><img src=x onerror=window.attacked=1>"
    "\"'><svg onload=alert(1)>"
)


def screen(page: str) -> str:
    return f"/wp-admin/admin.php?page={page}"


def deciding(request: dict[str, Any]) -> str:
    return screen("toolwire") + f"&request={request['id']}"


@pytest.mark.parametrize("page", SCREENS)
def test_screens_are_for_administrators(site: Site, users: dict[str, Visitor], page: str) -> None:
    assert users["admin"].get(screen(page)).status_code == 200
    for name in ("subscriber", "author", "editor"):
        assert users[name].get(screen(page)).status_code == 403
        menu = set(re.findall(r"page=(toolwire[\w-]*)", users[name].get("/wp-admin/").text))
        assert menu == (set() if name == "subscriber" else {"toolwire-mine"})
    away = Visitor().get(screen(page))
    assert (away.status_code, "wp-login.php" in away.headers["Location"]) == (302, True)


def test_a_call_is_read_approved_and_undone_without_javascript(
    site: Site, editor: Visitor, admin: Visitor
) -> None:
    number = site.a_post()
    call = editor.call(
        "update_post", {"post_id": number, "content": "One\n2\n"}, reason="Digits."
    ).json()
    request = admin.waiting()
    assert deciding(request) in html.unescape(admin.get(screen("toolwire")).text)
    page = admin.get(deciding(request)).text
    for shown in (
        "update_post",
        "editor",
        "Digits.",
        "<del>Two</del>",
        "<ins>2</ins>",
        "Change this post?",
    ):
        assert shown in page, shown
    fields = dict(
        re.findall(
            r'<input type="hidden"[^>]*name="(\w+)" value="([^"]*)"',
            page[page.index("toolwire-decide") :],
        )
    )
    assert fields["id"] == request["id"]
    answer = admin.post(
        FORM, data={**fields, "granted": "1", "reason": "All right"}, follow_redirects=True
    )
    assert "Approved. The call has run." in answer.text
    assert "Nothing waits for you." in answer.text
    assert site.post(number)["post_content"] == "One\n2\n"
    log = admin.get(screen("toolwire-log")).text
    assert "approved by admin" in log
    assert "All right" in log
    nonce = admin.form_nonce(screen("toolwire-log"), call["id"])
    form = {"action": "toolwire_undo", "id": call["id"], "_wpnonce": nonce}
    assert "Undone." in admin.post(FORM, data=form, follow_redirects=True).text
    assert site.post(number)["post_content"] == "One\nTwo\n"
    assert "cannot be, or is too old" in admin.post(FORM, data=form, follow_redirects=True).text
    assert "undone by admin" in admin.get(screen("toolwire-log")).text


def test_users_see_and_undo_their_own_calls_alone(
    site: Site, users: dict[str, Visitor], editor: Visitor, admin: Visitor
) -> None:
    mine = screen("toolwire-mine")
    author = users["author"]
    ours = editor.call("test_count", {"text": "of the editor"}).json()
    theirs = author.call("test_count", {"text": "of the author"}).json()
    editor.call("test_throw")
    page = editor.get(mine).text
    for shown in ("of the editor", "The tool failed."):
        assert shown in page, shown
    for hidden in ("of the author", "/etc/shadow", theirs["id"], "toolwire_retry"):
        assert hidden not in page, hidden
    assert "of the editor" not in author.get(mine).text
    for name in ("subscriber", "admin"):
        assert users[name].get(mine).status_code == 403, "the log is for those who may read it"
    nonce = editor.form_nonce(mine, ours["id"])
    form = {"action": "toolwire_undo", "id": ours["id"], "_wpnonce": nonce}
    for visitor, sent in (
        (author, form),
        (author, {**form, "_wpnonce": author.form_nonce(mine, theirs["id"])}),
        (editor, {**form, "id": theirs["id"]}),
    ):
        assert visitor.post(FORM, data=sent).status_code == 403
    assert site.counted() == 2
    answer = editor.post(FORM, data=form, follow_redirects=True)
    assert "Undone." in answer.text
    assert "page=toolwire-mine" in str(answer.url)
    assert "undone by editor" in answer.text
    states = {call["id"]: call["state"] for call in editor.api("GET", "/calls").json()}
    assert states[ours["id"]] == "undone"
    assert theirs["id"] not in states


def test_an_interrupted_call_is_tried_again_by_a_button(
    site: Site, editor: Visitor, admin: Visitor
) -> None:
    editor.call("test_exit", id="x")
    (call,) = admin.api("GET", "/log").json()
    nonce = admin.form_nonce(screen("toolwire-log"), call["id"])
    form = {"action": "toolwire_retry", "id": call["id"], "_wpnonce": nonce}
    site.php("update_option('test_stays', 1);")
    try:
        said = admin.post(FORM, data=form, follow_redirects=True).text
        assert "The call has run once more." in said
        said = admin.post(FORM, data=form, follow_redirects=True).text
        assert "is not interrupted any more" in said
    finally:
        site.php("delete_option('test_stays');")


def test_forms_need_their_own_nonce_and_the_right(
    site: Site, users: dict[str, Visitor], admin: Visitor
) -> None:
    users["editor"].call("test_ask", {"text": "x"})
    done = users["editor"].call("test_count").json()
    request = admin.waiting()
    ours = admin.form_nonce(deciding(request), request["id"])
    undo = admin.form_nonce(screen("toolwire-log"), done["id"])
    decide = {
        "action": "toolwire_decide",
        "id": request["id"],
        "granted": "1",
        "seen": request["fingerprint"],
    }
    undone = {"action": "toolwire_undo", "id": done["id"]}
    attempts: list[tuple[Visitor, dict[str, str], dict[str, str | list[str]]]] = [
        (admin, decide, {}),
        (admin, decide, {"_wpnonce": "0123456789"}),
        (admin, decide, {"_wpnonce": undo}),
        (admin, decide, {"_wpnonce": admin.nonce}),
        (admin, decide, {"_wpnonce": ["x"]}),
        (admin, {**decide, "id": "another"}, {"_wpnonce": ours}),
        (admin, undone, {}),
        (admin, undone, {"_wpnonce": ours}),
        (users["editor"], decide, {"_wpnonce": ours}),
        (users["editor"], undone, {"_wpnonce": undo}),
        (users["subscriber"], decide, {"_wpnonce": ours}),
        (users["subscriber"], undone, {"_wpnonce": undo}),
    ]
    for visitor, form, nonce in attempts:
        assert visitor.post(FORM, data={**form, **nonce}).status_code == 403, (form, nonce)
    assert Visitor().post(FORM, data={**decide, "_wpnonce": ours}).status_code in (
        302,
        400,
        403,
        200,
    )
    assert admin.get(FORM, params={**decide, "_wpnonce": ours}).status_code in (302, 403), (
        "an address decides nothing"
    )
    assert [row["state"] for row in admin.api("GET", "/log").json()] == ["completed", "waiting"]
    assert site.counted() == 1
    assert admin.post(FORM, data={**decide, "_wpnonce": ours}).status_code == 302
    assert site.counted() == 2


def test_nothing_that_was_sent_becomes_markup(site: Site, editor: Visitor, admin: Visitor) -> None:
    editor.call("test_ask", {"text": ATTACK}, id=ATTACK[:200], reason=ATTACK)
    editor.call("test_echo", {"text": ATTACK, ATTACK: 1}, reason=ATTACK)
    editor.call("test_count", {ATTACK: ATTACK})
    request = admin.waiting()
    pages = [admin.get(screen(page)).text for page in SCREENS]
    pages.append(admin.get(deciding(request)).text)
    pages.append(
        admin.get(
            screen("toolwire-log"),
            params={"s": ATTACK, "tool": ATTACK, "state": ATTACK, "from": ATTACK},
        ).text
    )
    pages.append(admin.get(screen("toolwire"), params={"said": ATTACK, "request": ATTACK}).text)
    assert admin.decide(request, granted=False, reason=ATTACK).json()["state"] == "denied"
    pages.append(admin.get(screen("toolwire-log")).text)
    for page in pages:
        for bad in ("<script>window.attacked", "<img src=x", "<svg onload"):
            assert bad not in page
    assert html.escape("<svg onload=alert(1)>") in pages[0]


def test_settings_are_kept_within_their_ranges(
    site: Site, users: dict[str, Visitor], admin: Visitor
) -> None:
    page = admin.get(screen("toolwire-settings")).text
    fields = dict(
        re.findall(
            r"""<input type=["']hidden["'][^>]*name=["'](\w+)["'] value=["']([^"']*)["']""", page
        )
    )
    nonce = re.search(r'name="_wpnonce" value="(\w+)"', page)
    assert nonce
    assert fields["option_page"] == "toolwire"
    form = {
        "option_page": "toolwire",
        "action": "update",
        "_wpnonce": nonce.group(1),
        "toolwire_settings[approval]": "all",
        "toolwire_settings[retention_days]": "-5",
        "toolwire_settings[calls_per_minute]": "999999999",
        "toolwire_settings[undo_hours]": ATTACK,
        "toolwire_settings[built_in]": "1",
        "toolwire_settings[abilities]": "0",
        "toolwire_settings[nonsense]": ATTACK,
    }
    kept = "return get_option('toolwire_settings');"
    before = site.php(kept)
    for visitor, changed in ((users["editor"], form), (admin, {**form, "_wpnonce": "0"})):
        assert visitor.post("/wp-admin/options.php", data=changed).status_code == 403
        assert site.php(kept) == before
    assert admin.post("/wp-admin/options.php", data=form).status_code == 302
    assert site.php(kept) == {
        "approval": "all",
        "approval_hours": 24,
        "undo_hours": 24,
        "calls_per_minute": 10000,
        "retention_days": 1,
        "chat_days": 30,
        "model_address": "",
        "model_timeout": 60,
        "grammar": "none",
        "tokens_per_month": 0,
        "formats": "auto",
        "model": "",
        "reasoning": "folded",
        "bound_calls": True,
        "others_approve": False,
        "mail": "off",
        "built_in": True,
        "abilities": False,
        "served": [],
        "gate": "none",
    }


def test_saving_some_settings_leaves_the_others(site: Site, admin: Visitor) -> None:
    site.reset(approval="all", undo_hours=7, others_approve=True)
    page = admin.get(screen("toolwire-settings")).text
    nonce = re.search(r'name="_wpnonce" value="(\w+)"', page)
    assert nonce
    form = {"option_page": "toolwire", "action": "update", "_wpnonce": nonce.group(1)}
    for sent in ({"toolwire_settings[retention_days]": "3"}, {"toolwire_settings": ATTACK}, {}):
        assert admin.post("/wp-admin/options.php", data={**form, **sent}).status_code == 302
        kept = site.php("return get_option('toolwire_settings');")
        assert (
            kept["approval"],
            kept["undo_hours"],
            kept["others_approve"],
            kept["abilities"],
        ) == (
            "all",
            7,
            True,
            True,
        )
        assert kept["retention_days"] == 3
    boxes = re.findall(r'<input type="hidden" name="toolwire_settings\[(\w+)\]" value="0">', page)
    assert sorted(boxes) == ["abilities", "bound_calls", "built_in", "others_approve"]


def test_nobody_approves_a_call_of_their_own(site: Site, admin: Visitor, editor: Visitor) -> None:
    site.reset(others_approve=True)
    admin.call("test_ask", {"text": "mine"})
    request = admin.waiting()
    refused = admin.decide(request)
    assert (refused.status_code, refused.json()["code"]) == (403, "toolwire_own_call")
    page = admin.get(deciding(request)).text
    assert "Somebody else must approve it." in page
    assert 'value="1" class="button' not in page
    form = {
        "action": "toolwire_decide",
        "id": request["id"],
        "granted": "1",
        "seen": request["fingerprint"],
        "_wpnonce": admin.form_nonce(deciding(request), request["id"]),
    }
    answer = admin.post(FORM, data=form, follow_redirects=True)
    assert "Nobody approves a call of their own on this site." in answer.text
    assert site.counted() == 0
