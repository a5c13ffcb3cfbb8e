"""Characters that nobody sees, or that turn text round, are marks wherever people read what others wrote."""

import pytest
from conftest import Site, Visitor

# Right to left, no width, an isolate, a soft hyphen, and what is to stay.
HIDDEN = "\u202e\u200b\u2066\u00adé😀"
MARKS = "⟨U+202E⟩⟨U+200B⟩⟨U+2066⟩⟨U+00AD⟩é😀"


def readable(page: str) -> None:
    assert MARKS in page
    assert not set(HIDDEN[:4]) & set(page)


def test_who_decides_sees_invisible_characters(site: Site, editor: Visitor, admin: Visitor) -> None:
    editor.call("test_ask", {"text": f"x{HIDDEN}"}, reason=f"why{HIDDEN}", id=f"id{HIDDEN}")
    readable(admin.get("/wp-admin/admin.php?page=toolwire").text)
    (item,) = admin.api("GET", "/approvals").json()
    page = admin.get(f"/wp-admin/admin.php?page=toolwire&request={item['id']}").text
    readable(page)
    for word in ("x", "why"):
        assert word + MARKS in page
    assert item["call"]["reason"] == f"why{HIDDEN}", "REST tells what was sent"


def test_a_diff_shows_invisible_characters(site: Site, editor: Visitor, admin: Visitor) -> None:
    number = site.a_post("Before", "One")
    editor.call("update_post", {"post_id": number, "content": "One \u202e\u200b"})
    (item,) = admin.api("GET", "/approvals").json()
    page = admin.get(f"/wp-admin/admin.php?page=toolwire&request={item['id']}").text
    assert "<ins>One ⟨U+202E⟩⟨U+200B⟩</ins>" in page
    assert "\u202e" not in page


def test_the_log_shows_invisible_characters(site: Site, editor: Visitor, admin: Visitor) -> None:
    call = editor.call("test_echo", {"text": f"x{HIDDEN}"}, reason=f"why{HIDDEN}", id=f"id{HIDDEN}").json()
    readable(call["html"])
    assert call["result"] == {"text": f"x{HIDDEN}"}
    page = admin.get("/wp-admin/admin.php?page=toolwire-log").text
    readable(page)
    for word in ("x", "why", "id"):
        assert word + MARKS in page


@pytest.mark.parametrize("route", ["detect", "assistant"])
def test_the_chat_is_given_marks(site: Site, editor: Visitor, route: str) -> None:
    text = f'Hi{HIDDEN} <tool:test_echo>{{"text":"\u202e"}}</tool>'
    body = {"text": text} if route == "detect" else {"message": f"say: {text}"}
    found = editor.api("POST", f"/{route}", body).json()
    assert found["segments"][0] == {"type": "text", "text": f"Hi{HIDDEN} ", "shown": f"Hi{MARKS} "}
    assert found["calls"][0]["shown"] == '{"text":"⟨U+202E⟩"}'
    assert found["calls"][0]["arguments"] == '{"text":"\u202e"}'
