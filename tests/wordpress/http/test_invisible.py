"""Every screen shows marks for invisible characters and for those that turn text round."""

import base64
import random
from collections.abc import Iterator

import pytest
from conftest import ROOT, URL, Site, Visitor
from playwright.sync_api import Browser, Page, Route

# Right to left, no width, an isolate, a soft hyphen; and characters that stay as they are.
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
    call = editor.call(
        "test_echo", {"text": f"x{HIDDEN}"}, reason=f"why{HIDDEN}", id=f"id{HIDDEN}"
    ).json()
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


def marked(shown: str) -> None:
    """Check the text in a browser, where WordPress has replaced the emoji by a picture."""
    assert MARKS.removesuffix("😀") in shown
    assert not set(HIDDEN[:4]) & set(shown)


@pytest.fixture
def chat(browser: Browser, site: Site) -> Iterator[Page]:
    """Open the page with the chat box, as an editor."""
    context = browser.new_context(base_url=URL)
    cookies = [
        {"name": one.name, "value": str(one.value), "url": URL}
        for one in Visitor("editor").cookies.jar
    ]
    context.add_cookies(cookies)  # type: ignore[arg-type]
    page = context.new_page()
    page.goto("/chat/")
    yield page
    context.close()


def test_the_users_own_message_is_shown_with_marks(chat: Page) -> None:
    chat.get_by_label("Message").fill(f"say: fine{HIDDEN}")
    chat.get_by_role("button", name="Send").click()
    chat.locator(".toolwire-assistant").get_by_text("fine").wait_for()
    marked(chat.locator(".toolwire-user").inner_text())
    marked(chat.locator(".toolwire-assistant").inner_text())


def test_a_quote_is_shown_with_marks(chat: Page) -> None:
    shown = "(text) => Toolwire.quote(text).textContent"
    assert chat.evaluate(shown, f"x{HIDDEN}") == f"x{MARKS}"
    within = """async (text) => {
        const box = document.createElement('div'), theirs = document.createElement('p');
        theirs.dataset.toolwireQuote = '';
        theirs.textContent = text;
        await Toolwire.processToolCalls([theirs, Toolwire.quote(text)], { container: box });
        return box.textContent;
    }"""
    assert chat.evaluate(within, f"x{HIDDEN}") == f"x{MARKS}" * 2


@pytest.mark.parametrize("status", [0, 413, 429, 500])
def test_a_text_that_could_not_be_searched_is_shown_with_marks(chat: Page, status: int) -> None:
    def refuse(route: Route) -> None:
        if status:
            route.fulfill(status=status, content_type="application/json", body='{"message":"no"}')
        else:
            route.abort()

    chat.route("**/toolwire/v1/detect", refuse)
    shown = """async (text) => {
        const box = document.createElement('div');
        const parts = [text, Toolwire.quote(text)];
        const found = await Toolwire.processToolCalls(parts, { container: box });
        return [box.textContent, found.hasToolCalls];
    }"""
    assert chat.evaluate(shown, f"x{HIDDEN} ") == [f"x{MARKS} " * 2, False]


def test_a_call_that_a_script_makes_is_shown_with_marks(chat: Page) -> None:
    shown = "(text) => Toolwire.createToolCallHTML(text, { text }, 'id')"
    box = chat.evaluate(f"(text) => {{ document.body.innerHTML = ({shown})(text); }}", f"x{HIDDEN}")
    assert box is None
    marked(chat.locator(".mpai-tool-call-name").inner_text())
    marked(chat.locator(".mpai-tool-call-parameters").inner_text())


def test_the_script_marks_what_the_server_marks(site: Site, chat: Page) -> None:
    """Every character alone, and mixtures of characters that are harmless only beside others."""
    every = "\n".join(
        chr(code) for code in range(1, 0x110000) if not 0xD800 <= code < 0xE000 and code != 10
    )
    pieces = [
        "a",
        "7",
        "#",
        "\r",
        "\n",
        "\ufe0e",
        "\ufe0f",
        "\u20e3",
        "\u200c",
        "\u200d",
        "\u200b",
        "\u0645",
    ]
    pieces += [
        "\u0915",
        "\u094d",
        "\U0001f469",
        "\U0001f4bb",
        "\U0001f3fd",
        "\U0001f3f4",
        "\u2764",
        "\xad",
    ]
    pieces += [chr(0xE0000 + ord(letter)) for letter in "gbengscot"] + [
        "\U000e007f",
        "é",
        "\u0e01",
        "\u2800",
    ]
    choose = random.Random(14)
    mixed = "".join(choose.choice(pieces) for _ in range(60_000))
    file = ROOT / "visible.txt"
    for text in (
        every,
        mixed,
        "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
    ):
        file.write_bytes(text.encode())
        encoded = site.php(
            f"return base64_encode(Toolwire\\Text::visible(file_get_contents('{file}')));"
        )
        shown = chat.evaluate("(text) => toolwireVisible(text)", text)
        assert shown == base64.b64decode(encoded).decode()
    assert chat.evaluate("() => toolwireVisible('\\0a\\ud83d')") == "⟨U+0000⟩a⟨U+D83D⟩"
