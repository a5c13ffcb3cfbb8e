"""Hostile requests to every route and screen: no answer is a 500, and PHP logs nothing."""

import re
from collections.abc import Iterator

import pytest
from conftest import API, ROOT, Site, Visitor

LOG = ROOT / "debug.log"
SOME_ID = "0123456789abcdef0123456789abcdef"
# These stand in the query, which is sent byte for byte.
VALUES = [
    "[]=x",
    "[a][b][]=x",
    "=%FF%FE%C0%80",
    "=a%00b",
    "=" + "9" * 400,
    "=-1",
    "=1e999",
    "=%E2%80%AE%27%22%3Cscript%3E%5C",
    "=" + "x" * 1000,
    "",
]
BODIES = [
    b"",
    b"{",
    b"[]",
    b'"x"',
    b"7",
    b"null",
    b'{"id":["x"]}',
    b'{"text":"\xff"}',
    b'{"granted":1e999}',
    b"\0",
]


@pytest.fixture
def quiet() -> Iterator[None]:
    """Fail when PHP wrote to its log during a test."""
    before = LOG.stat().st_size if LOG.exists() else 0
    yield
    written = LOG.read_bytes()[before:].decode(errors="replace") if LOG.exists() else ""
    assert written == ""


def routes(site: Site) -> list[tuple[str, str, list[str]]]:
    """Give each route of the plugin: a method, the path, and the names of its parameters."""
    listed = site.php(
        "$found = [];"
        "foreach (rest_get_server()->get_routes('toolwire/v1') as $path => $handlers) {"
        "    foreach ($handlers as $handler) {"
        "        foreach ($handler['methods'] as $method => $yes) {"
        "            $found[] = [$method, $path, array_keys($handler['args'] ?? [])];"
        "        }"
        "    }"
        "}"
        "return $found;"
    )
    listed = [
        route for route in listed if route[1] != "/toolwire/v1"
    ]  # the index is a route of WordPress
    assert len(listed) > 7
    return [
        (method, re.sub(r"\(\?P<\w+>[^()]*\)", SOME_ID, path.removeprefix("/toolwire/v1")), names)
        for method, path, names in listed
    ]


@pytest.mark.usefixtures("quiet")
def test_no_route_fails(site: Site, admin: Visitor) -> None:
    headers = {"X-WP-Nonce": admin.nonce}
    for method, path, names in routes(site):
        for value in VALUES:
            query = "&".join(f"{name}{value}" for name in [*names, "id", "context"])
            form = {**headers, "Content-Type": "application/x-www-form-urlencoded"}
            answers = [admin.request(method, f"{API}{path}?{query}", headers=headers)]
            if method != "GET":
                answers.append(admin.request(method, API + path, content=query, headers=form))
            for answer in answers:
                assert answer.status_code < 500, (method, path, value, answer.text[:500])
        for body in BODIES if method != "GET" else []:
            sent = {**headers, "Content-Type": "application/json"}
            answer = admin.request(method, API + path, content=body, headers=sent)
            assert answer.status_code < 500, (method, path, body, answer.text[:500])
        for piece in ("%FF", "%00", "9" * 70, "[]", "%E2%80%AE"):
            bad = path.replace(SOME_ID, piece) if SOME_ID in path else path + "/" + piece
            assert admin.request(method, API + bad, headers=headers).status_code in (400, 404), bad


@pytest.mark.usefixtures("quiet")
def test_no_screen_fails(site: Site, admin: Visitor, editor: Visitor) -> None:
    editor.call("test_ask", {"text": "x"})
    editor.call("test_count")
    menu = admin.get("/wp-admin/").text
    screens = sorted(set(re.findall(r"page=(toolwire[\w-]*)", menu)))
    assert len(screens) >= 3
    for page in screens:
        names = re.findall(r'name="(\w+)"', admin.get(f"/wp-admin/admin.php?page={page}").text)
        known = {"said", "paged", "orderby", "order", "id", "s", "shown", "from", "to", *names} - {
            "page",
            "action",
        }
        for value in VALUES:
            query = "&".join(f"{name}{value}" for name in sorted(known))
            answer = admin.get(f"/wp-admin/admin.php?page={page}&{query}")
            assert answer.status_code < 500, (page, value)
            assert "</html>" in answer.text, (page, value)


@pytest.mark.usefixtures("quiet")
def test_no_form_fails(site: Site, admin: Visitor, editor: Visitor) -> None:
    editor.call("test_ask", {"text": "x"})
    actions = site.php(
        "return array_values(preg_filter('/^admin_post_(toolwire_.*)/', '$1',"
        "    array_keys($GLOBALS['wp_filter'])));"
    )
    assert len(actions) >= 2
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    for action in actions:
        for value in VALUES:
            query = "&".join(
                f"{name}{value}" for name in ("id", "granted", "reason", "seen", "_wpnonce")
            )
            sent = f"action={action}&{query}"
            answer = admin.post("/wp-admin/admin-post.php", content=sent, headers=form)
            assert answer.status_code in (302, 400, 403, 404), (action, value)
