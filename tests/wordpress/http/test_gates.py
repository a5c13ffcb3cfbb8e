"""The order of checks before a call runs; a call runs only as the person saw it."""

import json
from typing import Any

import pytest
from conftest import API, Site, Visitor

SECRET = "ghp_" + "a1B2" * 9
WAYS = ["{}.0", "{}e0", "{}0e-1"]


@pytest.fixture
def author(users: dict[str, Visitor], site: Site) -> Visitor:
    """Give an author, on empty tables."""
    return users["author"]


def send(visitor: Visitor, name: str, arguments: str, as_text: bool) -> Any:
    """Call a tool; the text of the arguments is sent as it is given."""
    sent = json.dumps(arguments) if as_text else arguments
    body = f'{{"name": "{name}", "arguments": {sent}}}'
    headers = {"X-WP-Nonce": visitor.nonce, "Content-Type": "application/json"}
    return visitor.post(API + "/calls", content=body, headers=headers)


@pytest.mark.parametrize("as_text", [True, False])
@pytest.mark.parametrize("way", WAYS)
def test_an_integral_float_is_no_way_round_the_permission_to_edit_a_post(
    site: Site, author: Visitor, admin: Visitor, way: str, as_text: bool
) -> None:
    number = site.a_post("Private", post_author=1, post_status="private")
    arguments = f'{{"post_id": {way.format(number)}, "title": "Owned"}}'
    refused = send(author, "update_post", arguments, as_text)
    assert (refused.status_code, refused.json()["code"]) == (403, "toolwire_permission_denied")
    assert admin.api("GET", "/approvals").json() == []
    assert site.post(number)["post_title"] == "Private"


def test_an_integral_float_is_an_integer(site: Site, author: Visitor, admin: Visitor) -> None:
    number = site.a_post(post_author=site.user("author"))
    assert (
        send(
            author, "update_post", f'{{"post_id": {number}.0, "title": "After"}}', False
        ).status_code
        == 202
    )
    assert admin.decide(admin.waiting()).json()["state"] == "completed"
    assert site.post(number)["post_title"] == "After"


def test_the_person_who_decides_sees_the_whole_arguments_without_secrets(
    site: Site, editor: Visitor, admin: Visitor
) -> None:
    text = " ".join(f"word{number}" for number in range(2000))
    options = {
        f"key{number}": {"list": [number, {"deep": f"leaf{number}"}], "empty": {}}
        for number in range(40)
    }
    sent = {
        "text": text,
        "password": "hunter2",
        "options": {**options, "note": f"use {SECRET} for it"},
    }
    editor.call("test_ask", sent)
    request = admin.waiting()
    seen = json.loads(request["arguments"])
    assert seen["text"] == text
    assert {key: seen["options"][key] for key in options} == options
    page = admin.get(f"/wp-admin/admin.php?page=toolwire&request={request['id']}").text
    assert "word0 " in page
    assert " word1999" in page
    assert "leaf39" in page
    assert "more characters" in page
    listed = admin.get("/wp-admin/admin.php?page=toolwire").text
    for shown in (request["arguments"], page, listed, admin.api("GET", "/approvals").text):
        assert "hunter2" not in shown
        assert SECRET not in shown


def test_a_diff_shows_no_secret_and_no_hidden_character(
    site: Site, editor: Visitor, admin: Visitor
) -> None:
    number = site.a_post()
    hidden = "photo\u202egpj.exe \u200bend"
    editor.call("update_post", {"post_id": number, "title": f"{SECRET} {hidden}"}, reason=hidden)
    request = admin.waiting()
    page = admin.get(f"/wp-admin/admin.php?page=toolwire&request={request['id']}").text
    listed = admin.get("/wp-admin/admin.php?page=toolwire").text
    for shown in (page, listed):
        assert "⟨U+202E⟩" in shown
        assert "\u202e" not in shown
        assert "\u200b" not in shown
    for shown in (page, listed, admin.api("GET", f"/approvals/{request['id']}").text):
        assert SECRET not in shown
    assert admin.decide(request).json()["state"] == "completed"
    assert site.post(number)["post_title"] == f"{SECRET} {hidden}", "what runs is what was sent"


def test_a_fingerprint_binds_the_arguments_of_a_tool_without_a_preview(
    site: Site, editor: Visitor, admin: Visitor
) -> None:
    beginning = "x" * 300
    for end in ("a", "b"):
        editor.call("test_ask", {"text": beginning + end})
    first, second = (admin.look(item["id"]) for item in admin.api("GET", "/approvals").json())
    assert first["changes"] == []
    assert len({first["fingerprint"], second["fingerprint"]}) == 2
    mixed_up = {**first, "fingerprint": second["fingerprint"]}
    other = admin.decide(mixed_up)
    assert (other.status_code, other.json()["code"]) == (409, "toolwire_changed_since")
    assert admin.decide(second).json()["state"] == "completed"
    assert admin.decide(mixed_up, False).json()["state"] == "denied", "nothing has to fit to deny"
    assert site.counted() == 1
    (row,) = admin.api("GET", "/log?state=completed").json()
    assert row["decision"]["fingerprint"] == second["fingerprint"], "it is kept with the decision"


def approve_and_die(site: Site, request: dict[str, Any]) -> None:
    """Approve a call in a process that ends before it runs the call."""
    site.php(
        "Toolwire\\WordPress\\plugin()->engines()->get()->approvals"
        f"->decide('{request['id']}', true, 'user:1', fingerprint: '{request['fingerprint']}');"
    )


def approved_edit(
    site: Site, editor: Visitor, admin: Visitor
) -> tuple[int, dict[str, Any], dict[str, Any]]:
    """Have an edit of a post approved but not run; give the post's id, the call, the request."""
    number = site.a_post()
    call = editor.call("update_post", {"post_id": number, "title": "After"}).json()
    request = admin.waiting()
    approve_and_die(site, request)
    return number, call, request


def test_a_post_that_was_edited_after_the_approval_is_not_overwritten(
    site: Site, editor: Visitor, admin: Visitor
) -> None:
    number, call, request = approved_edit(site, editor, admin)
    site.php(f"wp_update_post(['ID' => {number}, 'post_title' => 'A person wrote this']);")
    told = editor.api("GET", f"/calls/{call['id']}").json()
    assert (told["state"], told["error"]["code"]) == ("denied", "changed_since")
    assert site.post(number)["post_title"] == "A person wrote this"
    (row,) = admin.api("GET", "/log").json()
    assert (row["state"], row["error"]["code"]) == ("denied", "changed_since")
    decided = (row["decision"]["decision"], row["decision"]["by"], row["decision"]["fingerprint"])
    assert decided == ("approved", 1, request["fingerprint"])
    assert "changed_since" in admin.get("/wp-admin/admin.php?page=toolwire-log").text
    assert admin.api("GET", "/approvals").json() == []
    assert admin.decide(request).status_code == 409


def test_what_was_decided_and_not_changed_since_runs(
    site: Site, editor: Visitor, admin: Visitor
) -> None:
    number, call, _ = approved_edit(site, editor, admin)
    site.php(f"wp_update_post(['ID' => {number}, 'post_content' => 'Another column']);")
    assert editor.api("GET", f"/calls/{call['id']}").json()["state"] == "completed"
    post = site.post(number)
    assert (post["post_title"], post["post_content"]) == ("After", "Another column")


def test_a_call_whose_tool_is_gone_can_be_denied(
    site: Site, editor: Visitor, admin: Visitor
) -> None:
    editor.call("update_post", {"post_id": site.a_post(), "title": "After"})
    site.php(
        "$settings = get_option('toolwire_settings');"
        "update_option('toolwire_settings', ['built_in' => false] + $settings);"
    )
    request = admin.waiting()
    assert request["changes"] is None
    page = admin.get(f"/wp-admin/admin.php?page=toolwire&request={request['id']}").text
    assert "The tool could not say what it would change." in page
    assert admin.decide(request, granted=False).status_code == 200


def test_a_right_that_was_lost_before_the_approval_is_told(
    site: Site, users: dict[str, Visitor], author: Visitor, admin: Visitor
) -> None:
    author.call("test_ask", {"text": "x"})
    request = admin.waiting()
    address = f"/wp-admin/admin.php?page=toolwire&request={request['id']}"
    form = {
        "action": "toolwire_decide",
        "id": request["id"],
        "granted": "1",
        "seen": request["fingerprint"],
        "_wpnonce": admin.form_nonce(address, request["id"]),
    }
    role = f"get_user_by('id', {site.user('author')})->set_role('%s');"
    site.php(role % "subscriber")
    try:
        answer = admin.post("/wp-admin/admin-post.php", data=form, follow_redirects=True)
    finally:
        site.php(role % "author")
    assert "Approved, but the call was refused and has not run." in answer.text
    (row,) = admin.api("GET", "/log").json()
    assert (row["state"], row["error"]["code"]) == ("denied", "permission_denied")
    assert site.counted() == 0
