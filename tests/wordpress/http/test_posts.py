"""The tool `update_post`: what it writes, shows, and undoes."""

from typing import Any

import pytest
from conftest import Site, Visitor

MARKUP = (
    '<iframe src="https://example.test/film"></iframe><script>let a = 1 && 2;</script>\n\\o/ <b>A\n'
)
CLEANED = "let a = 1 &amp;&amp; 2;\n\\o/ <b>A\n"
COLUMNS = 'global $wpdb; return $wpdb->get_row("SELECT * FROM {$wpdb->posts} WHERE ID = %d");'
REVISION = "return current(wp_get_post_revisions(%d))->to_array();"
CHANGED = {"post_title", "post_modified", "post_modified_gmt"}


@pytest.fixture
def author(users: dict[str, Visitor], site: Site) -> Visitor:
    """Give an author, who may not write all markup, on empty tables."""
    return users["author"]


def column(site: Site, number: int) -> dict[str, Any]:
    """Return a post's row in the database."""
    row: dict[str, Any] = site.php(COLUMNS % number)
    return row


@pytest.mark.parametrize("status", ["publish", "draft", "pending", "private", "future"])
def test_a_title_only_change_strips_nothing_from_the_content(
    site: Site, author: Visitor, admin: Visitor, status: str
) -> None:
    number = site.a_post(
        "Before",
        MARKUP,
        post_author=site.user("author"),
        post_excerpt=MARKUP,
        post_status=status,
        post_date="2099-01-01 00:00:00" if status == "future" else "",
        tags_input=["R&D", "a"],
    )
    before = column(site, number)
    assert "<iframe" in before["post_content"]
    author.call("update_post", {"post_id": number, "title": "After"})
    request = admin.waiting()
    assert [change["label"] for change in request["changes"]] == ["Title"]
    assert admin.decide(request).json()["state"] == "completed"
    after = column(site, number)
    assert {key for key in after if after[key] != before[key]} <= CHANGED
    assert after["post_title"] == "After"
    if status == "publish":
        assert site.php(REVISION % number)["post_content"] == before["post_content"]
    (call,) = admin.api("GET", "/log").json()
    assert author.api("POST", f"/log/{call['id']}/undo", {}).json()["state"] == "undone"
    undone = column(site, number)
    assert {key for key in undone if undone[key] != before[key]} <= CHANGED - {"post_title"}


@pytest.mark.parametrize(("name", "stored"), [("author", CLEANED), ("editor", MARKUP)])
def test_the_preview_shows_what_is_stored_for_the_user_whose_call_it_is(
    site: Site, users: dict[str, Visitor], admin: Visitor, name: str, stored: str
) -> None:
    number = site.a_post("Before", "Old\n", post_author=site.user("author"))
    users[name].call(
        "update_post", {"post_id": number, "title": "  <b>New</b> ", "content": MARKUP}
    )
    request = admin.waiting()
    title, content = (change["diff_output"] for change in request["changes"])
    assert "+<b>New</b>" in title.splitlines()
    shown = "".join(
        line[1:] for line in content.splitlines(keepends=True)[3:] if line.startswith("+")
    )
    assert shown == stored
    assert admin.decide(request).json()["state"] == "completed"
    assert column(site, number)["post_content"] == stored


def test_undo_brings_back_markup_that_its_user_may_not_write(
    site: Site, author: Visitor, admin: Visitor
) -> None:
    number = site.a_post("Before", MARKUP, post_author=site.user("author"))
    call = author.call("update_post", {"post_id": number, "content": "Plain"}).json()
    assert admin.decide(admin.waiting()).json()["state"] == "completed"
    assert column(site, number)["post_content"] == "Plain"
    undone = author.api("POST", f"/log/{call['id']}/undo", {})
    assert (undone.status_code, undone.json()["state"]) == (200, "undone")
    assert column(site, number)["post_content"] == MARKUP
    assert site.php(REVISION % number)["post_content"] == MARKUP


def test_undo_fails_and_keeps_its_data_when_the_post_is_not_what_it_was(
    site: Site, admin: Visitor
) -> None:
    number = site.a_post()
    call = admin.call("update_post", {"post_id": number, "title": "After"}).json()
    admin.decide(admin.waiting())
    meddle = "update_option('test_meddle', %s);"
    site.php(meddle % "'1'")
    failed = admin.api("POST", f"/log/{call['id']}/undo", {})
    assert (failed.status_code, failed.json()["code"]) == (409, "toolwire_undo_failed")
    assert "did not store the post as it was before" in failed.json()["message"]
    (row,) = admin.api("GET", "/log").json()
    assert (row["state"], row["can_undo"]) == ("completed", True)
    site.php(meddle % "''")
    assert admin.api("POST", f"/log/{call['id']}/undo", {}).json()["state"] == "undone"
    assert column(site, number)["post_title"] == "Before"
