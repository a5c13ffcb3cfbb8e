"""The chat behind a web server as hosts have it: live, or by asking every few seconds.

run.sh runs this once for each server of up.sh: TOOLWIRE_SERVER names it, TOOLWIRE_URL is its
address.
"""

import json
import os
import re
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import API, URL, Site, Visitor, cookies_of
from model_server import ModelServer, Reply
from playwright.sync_api import Browser, Page, expect

NAME = os.environ["TOOLWIRE_SERVER"]
MEASURED = Path(os.environ["TOOLWIRE_MEASURED"])
# These keep the stream back until its end, or until they have some kilobytes.
KEEPS_BACK = {"apache-fcgid", "nginx-ignoring", "nginx-nginx"}
WORDS = " ".join(f"word{number}" for number in range(60))
# The page notes each text that it shows of the answer, with the milliseconds since the click.
WATCH = """() => {
    const box = document.querySelector('.toolwire-messages');
    window.seen = [];
    const began = Date.now();
    const note = () => {
        const bodies = [...box.querySelectorAll('.toolwire-assistant .toolwire-said')];
        const text = bodies.map((one) => one.textContent).join('|').trim();
        const last = window.seen.at(-1);
        if (text && (!last || last[1] !== text)) {
            window.seen.push([Date.now() - began, text]);
        }
    };
    const all = { childList: true, subtree: true, characterData: true };
    new MutationObserver(note).observe(box, all);
}"""

only = pytest.mark.skipif
usual = only(NAME == "nginx-short", reason="its processes are killed")


@pytest.fixture
def connected(site: Site, server: ModelServer) -> Site:
    """Give a site whose settings name the server of the model."""
    site.reset(model_address=server.url, model_timeout=20)
    site.php("update_option('test_no_assistant', 1); wp_unschedule_hook('toolwire_continue');")
    return site


@pytest.fixture
def page(connected: Site, browser: Browser) -> Iterator[Page]:
    """Open the chat as an editor."""
    context = browser.new_context(base_url=URL)
    context.add_cookies(cookies_of("editor"))
    page = context.new_page()
    page.goto("/chat/")
    yield page
    context.close()


def ask(page: Page) -> None:
    """Say something, when there are processes that answer."""
    visitor = Visitor()
    threads = [threading.Thread(target=visitor.get, args=("/wp-login.php",)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    page.evaluate(WATCH)
    page.get_by_label("Message").fill("Say the words")
    page.get_by_role("button", name="Send").click()


def note(**what: object) -> None:
    """Add what was measured to the file that run.sh shows."""
    with MEASURED.open("a") as file:
        file.write(json.dumps({"server": NAME, **what}) + "\n")


@usual
def test_an_answer_is_shown_while_it_comes(page: Page, server: ModelServer) -> None:
    server.script = [WORDS]
    server.piece = 12
    server.pause = 6.0 / (len(WORDS) / server.piece)
    ask(page)
    body = page.locator(".toolwire-assistant .toolwire-body").last
    expect(body).to_have_text(WORDS, timeout=20_000)
    expect(page.get_by_role("button", name="Send")).to_be_visible()
    expect(body).to_have_text(WORDS)
    seen = page.evaluate("window.seen")
    for _, text in seen:
        assert WORDS.startswith(text), text
    lengths = [len(text) for _, text in seen]
    assert lengths == sorted(lengths), lengths
    assert len(server.asked) == 1
    first, end = seen[0][0] / 1000, seen[-1][0] / 1000
    note(first=first, texts=len(seen), end=end)
    # The model has begun to write when the first is shown, and writes for 6 seconds.
    assert end > 5
    if NAME in KEEPS_BACK:
        assert first < 3.5
        assert len(seen) >= 3
    else:
        assert first < 2
        assert len(seen) >= 20


@usual
def test_the_stream_is_what_it_says(connected: Site, server: ModelServer) -> None:
    server.script = [WORDS]
    server.pause = 0.04
    visitor = Visitor("editor")
    begun = visitor.api("POST", "/conversations", {"message": "Say the words"}).json()
    came: list[float] = []
    text = ""
    headers = {"X-WP-Nonce": visitor.nonce, "Accept": "text/event-stream"}
    step = f"{API}/conversations/{begun['id']}/step"
    began = time.monotonic()
    with visitor.stream("POST", step, headers=headers, json={"after": 0}) as response:
        assert response.status_code == 200
        assert response.headers["Content-Type"] == "text/event-stream; charset=UTF-8"
        assert "no-transform" in response.headers["Cache-Control"]
        for piece in response.iter_text():
            came.append(time.monotonic() - began)
            text += piece
    events = re.findall(r"event: (\w+)\n(?:id: \d+\n)?data: (.*)\n\n", text)
    names = [name for name, _ in events]
    assert [names[0], names[-1]] == ["open", "end"]
    assert json.loads(events[-1][1])["parts"] == [
        {"type": "user", "text": "Say the words"},
        {"type": "text", "text": WORDS},
    ]
    encoding = response.headers.get("Content-Encoding")
    note(encoding=encoding, first_byte=round(came[0], 2), pieces=len(came), end=round(came[-1], 2))
    assert encoding in (None, "none")
    if NAME not in KEEPS_BACK:
        assert came[0] < came[-1] / 2
        assert len(came) > 5


@usual
def test_what_has_not_changed_is_not_sent_again(connected: Site, server: ModelServer) -> None:
    server.script = ["Hello."]
    visitor = Visitor("editor")
    begun = visitor.api("POST", "/conversations", {"message": "Hello"}).json()
    path = f"{API}/conversations/{begun['id']}"
    visitor.api("POST", f"/conversations/{begun['id']}/step", {})
    first = visitor.get(path, headers={"X-WP-Nonce": visitor.nonce})
    assert first.json()["state"] == "idle"
    headers = {"X-WP-Nonce": visitor.nonce, "If-None-Match": first.headers["ETag"]}
    again = visitor.get(path, headers=headers)
    assert (again.status_code, again.content) == (304, b"")


@usual
def test_an_answer_is_whole_when_the_page_is_closed(
    connected: Site, page: Page, server: ModelServer
) -> None:
    server.script = [WORDS]
    server.pause = 0.05
    ask(page)
    expect(page.locator(".toolwire-assistant .toolwire-said")).to_be_visible()
    page.close()
    visitor = Visitor("editor")
    for _ in range(100):
        (told,) = visitor.api("GET", "/conversations").json()
        if told["state"] != "thinking":
            break
        time.sleep(0.2)
    whole = visitor.api("GET", f"/conversations/{told['id']}").json()
    assert (whole["state"], whole["parts"][-1]["text"]) == ("idle", WORDS)
    assert len(server.asked) == 1


class Working:
    """Counts how many answers a model writes at once."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.lock = threading.Lock()
        self.now = 0
        self.most = 0

    def __call__(self, reply: Reply) -> None:
        with self.lock:
            self.now += 1
            self.most = max(self.most, self.now)
        time.sleep(self.seconds)
        with self.lock:
            self.now -= 1
        reply.say({"role": "assistant", "content": "At last."}, {})


@only(NAME != "nginx", reason="one server shows it")
def test_five_slow_answers_leave_the_site_open(connected: Site, server: ModelServer) -> None:
    """PHP-FPM has five processes."""
    working = Working(4)
    server.script = [working] * 5
    states: list[str] = []

    def converse(visitor: Visitor) -> None:
        told = visitor.api("POST", "/conversations", {"message": "Slowly"}).json()
        step = f"/conversations/{told['id']}/step"
        deadline = time.monotonic() + 60
        while told["state"] == "thinking" and time.monotonic() < deadline:
            answer = visitor.api("POST", step, {})
            if answer.status_code == 429:
                assert answer.headers["Retry-After"] == "5"
                assert answer.json()["code"] == "toolwire_assistant_full"
                time.sleep(1)
            told = visitor.api("GET", f"/conversations/{told['id']}").json()
        states.append(told["state"])

    # WordPress forgets a session when a user signs in twice at the same moment.
    visitors = [Visitor(name) for name in ("editor", "editor", "editor", "author", "admin")]
    threads = [threading.Thread(target=converse, args=(visitor,)) for visitor in visitors]
    for thread in threads:
        thread.start()
    visitor = Visitor()
    slowest = 0.0
    while any(thread.is_alive() for thread in threads):
        began = time.monotonic()
        assert visitor.get("/").status_code == 200
        slowest = max(slowest, time.monotonic() - began)
        time.sleep(0.2)
    for thread in threads:
        thread.join()
    note(slowest_page=round(slowest, 2), answers_at_once=working.most)
    assert states == ["idle"] * 5
    assert working.most == 3
    assert slowest < 2


@only(NAME != "nginx-short", reason="a process of the others may take its time")
def test_a_model_is_not_asked_forever_where_php_is_killed(
    connected: Site, server: ModelServer
) -> None:
    working = Working(6)
    server.script = [working] * 9
    visitor = Visitor("editor")
    told: dict[str, Any] = visitor.api("POST", "/conversations", {"message": "Slowly"}).json()
    path = f"/conversations/{told['id']}"
    tries = 0
    for _ in range(5):
        tries += 1
        if visitor.api("POST", f"{path}/step", {}).status_code == 200:
            break
        assert visitor.api("GET", path).json()["state"] == "thinking"
        # The claim of the dead process would end by itself, in a minute or two.
        connected.php(
            "global $wpdb; return $wpdb->query("
            '"UPDATE {$wpdb->prefix}toolwire_conversations SET claimed_until = 1");'
        )
    told = visitor.api("GET", path).json()
    assert (told["state"], told["reason"], tries) == ("failed", "model_failed", 4)
    assert len(server.asked) == 3
    server.script = ["Quickly."]
    assert visitor.api("POST", f"{path}/retry", {}).status_code == 200
    told = visitor.api("POST", f"{path}/step", {}).json()
    assert told["parts"][-1]["text"] == "Quickly."


def test_nobody_complained() -> None:
    log = Path(os.environ["TOOLWIRE_SITE"]).parent / "debug.log"
    lines = log.read_text(errors="replace").splitlines() if log.exists() else []
    assert [line for line in lines if "plugins/toolwire/" in line] == []
