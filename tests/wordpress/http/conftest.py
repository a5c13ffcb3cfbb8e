"""The site that tests/wordpress/up.sh brought up, for its visitors and users."""

import base64
import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from model_server import ModelServer, server  # noqa: F401 -- a fixture
from playwright.sync_api import Browser, Page
from watch import Open, Watch, chromium

ROOT = Path(os.environ["TOOLWIRE_SITE"]).parent
URL = os.environ["TOOLWIRE_URL"]
API = "/wp-json/toolwire/v1"


class Site:
    """The site from inside: code and data on the server."""

    def php(self, code: str) -> Any:
        """Run code inside WordPress; give its result, which passes through JSON."""
        script = (
            '$_SERVER += ["REQUEST_URI" => "/"]; require getenv("TOOLWIRE_SITE") . "/wp-load.php";'
            f"fwrite(STDERR, json_encode((static function () {{ {code} }})()));"
        )
        extension = f"extension={os.environ['TOOLWIRE_EXTENSION']}"
        run = subprocess.run(
            ["php", "-d", extension, "-d", "display_errors=0", "-r", script],
            capture_output=True,
            text=True,
            check=True,
        )
        return json.loads(run.stderr)

    def reset(self, **settings: object) -> None:
        """Empty the tables; these settings differ from the default."""
        chosen = json.dumps({"calls_per_minute": 10000, **settings})
        self.php(
            "global $wpdb; foreach (['store', 'calls', 'conversations'] as $table) {"
            '    $wpdb->query("TRUNCATE {$wpdb->prefix}toolwire_$table");'
            "}"
            "delete_option('test_count'); delete_option('test_meddle');"
            "delete_option('test_no_assistant'); delete_option('toolwire_model_key');"
            "delete_option('test_ai_provider'); delete_transient('toolwire_ai_without_text');"
            "update_option('toolwire_settings',"
            f"json_decode('{chosen}', true) + Toolwire\\WordPress\\Settings::DEFAULTS);"
        )

    def counted(self) -> int:
        """Give how often the tools that count have run."""
        return int(self.php("return (int) get_option('test_count');"))

    def a_post(self, title: str = "Before", content: str = "One\nTwo\n", **columns: object) -> int:
        """Write a post exactly as it is given, past all rights; give its id."""
        post = {"post_title": title, "post_content": content, "post_status": "publish", **columns}
        encoded = base64.b64encode(json.dumps(post).encode()).decode()
        write = f"wp_insert_post(wp_slash(json_decode(base64_decode('{encoded}'), true)))"
        return int(self.php(f"kses_remove_filters(); return {write};"))

    def user(self, name: str) -> int:
        """Return a user's id."""
        return int(self.php(f"return get_user_by('login', '{name}')->ID;"))

    def post(self, number: int) -> dict[str, str]:
        """Return a post's columns."""
        columns: dict[str, str] = self.php(f"return get_post({number})->to_array();")
        return columns


class Visitor(httpx.Client):
    """A browser without JavaScript, which may be logged in."""

    def __init__(self, name: str | None = None, url: str = URL) -> None:
        super().__init__(base_url=url, timeout=30)
        self.nonce = ""
        if name:
            self.cookies.set("wordpress_test_cookie", "WP Cookie check", domain="127.0.0.1")
            form = {"log": name, "pwd": "admin" if name == "admin" else name, "testcookie": "1"}
            assert self.post("/wp-login.php", data=form).status_code == 302
            self.nonce = self.get("/wp-admin/admin-ajax.php?action=rest-nonce").text

    def api(
        self, method: str, path: str, body: object = None, nonce: str | None = None
    ) -> httpx.Response:
        """Send a request to a route, with this user's nonce unless another one is given."""
        headers = {"X-WP-Nonce": self.nonce if nonce is None else nonce}
        sent = {name: value for name, value in headers.items() if value}
        if body is None:
            return self.request(method, API + path, headers=sent)
        return self.request(method, API + path, headers=sent, json=body)

    def call(self, name: str, arguments: object = None, **more: object) -> httpx.Response:
        """Ask the site to call a tool."""
        return self.api("POST", "/calls", {"name": name, "arguments": arguments or {}, **more})

    def waiting(self) -> dict[str, Any]:
        """Return the one request that waits, as the deciding person sees it."""
        (request,) = self.api("GET", "/approvals").json()
        return self.look(request["id"])

    def look(self, number: str) -> dict[str, Any]:
        """Return a request as the deciding person sees it."""
        return dict(self.api("GET", f"/approvals/{number}").json())

    def decide(
        self, request: dict[str, Any], granted: bool = True, reason: str = ""
    ) -> httpx.Response:
        """Decide on what waiting() or look() shows."""
        decision = {"granted": granted, "reason": reason, "seen": request["fingerprint"]}
        return self.api("POST", f"/approvals/{request['id']}", decision)

    def form_nonce(self, page: str, number: str) -> str:
        """Return the nonce of the form that holds an id, on a screen."""
        found = re.search(
            rf'value="{number}".*?name="_wpnonce" value="(\w+)"', self.get(page).text, re.S
        )
        assert found, f"no form for {number}"
        return found.group(1)


def cookies_of(name: str, url: str = URL) -> list[Any]:
    """Log a user in over HTTP, and return the cookies for a browser."""
    jar = Visitor(name, url).cookies.jar
    return [{"name": one.name, "value": str(one.value), "url": url} for one in jar]


def connect(site: Site, models: ModelServer, **settings: object) -> None:
    """Name the server in the settings; the site then has no function of its own."""
    site.reset(model_address=models.url, model_timeout=5, **settings)
    site.php(
        "update_option('test_no_assistant', 1);"
        "wp_unschedule_hook('toolwire_continue');"
        'global $wpdb; $wpdb->query("DELETE FROM $wpdb->options WHERE option_name LIKE '
        "'%toolwire_text_%'\"); wp_cache_flush();"
    )


@pytest.fixture(scope="session")
def bare_url() -> str:
    """Serve the same site on another port, with a PHP that lacks the extension."""
    port = int(URL.rsplit(":", 1)[1]) + 1
    serve = Path(__file__).parents[1] / "serve.sh"
    subprocess.run([str(serve), str(ROOT), str(port), "php"], check=True)
    return f"http://127.0.0.1:{port}"


@pytest.fixture(scope="session")
def bare_users(bare_url: str) -> dict[str, Visitor]:
    """Give users that are logged in there, by name."""
    return {name: Visitor(name, bare_url) for name in ("admin", "editor", "subscriber")}


@pytest.fixture(scope="session")
def users() -> dict[str, Visitor]:
    """Give the users that are logged in, by name."""
    return {name: Visitor(name) for name in ("admin", "editor", "author", "subscriber")}


@pytest.fixture
def site() -> Site:
    """Give the site with empty tables."""
    site = Site()
    site.reset()
    return site


@pytest.fixture
def connected(site: Site, server: ModelServer) -> Site:  # noqa: F811 -- a fixture
    """Give a site whose settings name the server, and which has no function of its own."""
    connect(site, server)
    return site


@pytest.fixture
def admin(users: dict[str, Visitor], site: Site) -> Visitor:
    """Give the administrator, on empty tables."""
    return users["admin"]


@pytest.fixture
def editor(users: dict[str, Visitor], site: Site) -> Visitor:
    """Give an editor, on empty tables."""
    return users["editor"]


@pytest.fixture
def subscriber(users: dict[str, Visitor], site: Site) -> Visitor:
    """Give a subscriber, on empty tables."""
    return users["subscriber"]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Start Chromium."""
    # Pictures of users are not fetched.
    with chromium("127.0.0.1") as running:
        yield running


@pytest.fixture
def bare_chat(browser: Browser, bare_url: str) -> Iterator[Page]:
    """Open the chat as an editor where PHP lacks the extension."""
    context = browser.new_context(base_url=bare_url, viewport={"width": 1280, "height": 800})
    context.add_cookies(cookies_of("editor", bare_url))
    page = context.new_page()
    page.goto("/chat/")
    yield page
    context.close()


@pytest.fixture
def watch(browser: Browser) -> Iterator[Open]:
    """Open a watched page, logged in where a name is given."""
    opened: list[Watch] = []

    def as_user(name: str | None = None) -> Watch:
        watch = Watch(browser, URL if name else None)
        opened.append(watch)
        if name:
            watch.context.add_cookies(cookies_of(name))
        return watch

    yield as_user
    for one in opened:
        one.close()
