"""The routes refuse users without the right, and requests that are wrong."""

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from conftest import API, ROOT, URL, Site, Visitor

SOME_ID = "0123456789abcdef0123456789abcdef"
ROUTES = [
    ("POST", "/detect", {"text": "<tool:test_count>{}</tool>"}, "editor"),
    ("POST", "/calls", {"name": "test_count", "arguments": {}}, "editor"),
    ("GET", "/calls", None, "editor"),
    ("GET", f"/calls/{SOME_ID}", None, "editor"),
    ("POST", "/assistant", {"message": "hello"}, "editor"),
    ("GET", "/approvals", None, "admin"),
    ("GET", f"/approvals/{SOME_ID}", None, "admin"),
    ("PUT", f"/approvals/{SOME_ID}", {"arguments": {}}, "admin"),
    ("POST", f"/approvals/{SOME_ID}", {"granted": True}, "admin"),
    ("POST", "/approvals/decide", {"decisions": [{"id": SOME_ID, "granted": True}]}, "admin"),
    ("GET", "/log", None, "admin"),
    ("POST", f"/log/{SOME_ID}/undo", {}, "editor"),
]
LOWER = {"editor": ["subscriber"], "admin": ["subscriber", "author", "editor"]}


@pytest.mark.parametrize(("method", "path", "body", "least"), ROUTES)
def test_who_may_not_is_refused(
    site: Site, users: dict[str, Visitor], method: str, path: str, body: object, least: str
) -> None:
    user, other = users[least], users["author"]
    anonymous = Visitor()
    assert anonymous.api(method, path, body).status_code == 401
    assert anonymous.api(method, path, body, nonce="0123456789").status_code in (401, 403)
    assert user.api(method, path, body, nonce="").status_code == 401, (
        "a cookie without a nonce is nobody"
    )
    for nonce in ("0123456789", other.nonce, "' OR 1=1 --"):
        refused = user.api(method, path, body, nonce=nonce)
        assert (refused.status_code, refused.json()["code"]) == (403, "rest_cookie_invalid_nonce")
    for name in LOWER[least]:
        refused = users[name].api(method, path, body)
        assert (refused.status_code, refused.json()["code"]) == (403, "toolwire_forbidden")
    assert site.counted() == 0
    assert user.api(method, path, body).status_code not in (401, 403)


def test_an_application_password_is_enough(site: Site) -> None:
    passwords = json.loads((ROOT / "passwords.json").read_text())
    body = {"name": "test_count", "arguments": {"text": "hi"}}
    answer = httpx.post(URL + API + "/calls", json=body, auth=("editor", passwords["editor"]))
    assert (answer.status_code, answer.json()["result"]) == (200, {"text": "hi"})
    assert httpx.post(URL + API + "/calls", json=body, auth=("editor", "wrong")).status_code == 401
    assert (
        httpx.post(
            URL + API + "/calls", json=body, auth=("subscriber", passwords["subscriber"])
        ).status_code
        == 403
    )


@pytest.mark.parametrize(
    ("name", "arguments", "status", "code", "paths"),
    [
        ("nobody", {}, 404, "toolwire_tool_not_found", None),
        ("test_admin", {}, 403, "toolwire_permission_denied", None),
        ("test_count", {"text": 5}, 400, "toolwire_invalid_input", ["/text"]),
        (
            "test_count",
            {"text": ["x"], "wait": "soon"},
            400,
            "toolwire_invalid_input",
            ["/text", "/wait"],
        ),
        ("test_count", {"extra": 1}, 400, "toolwire_invalid_input", [""]),
        ("test_count", {"options": []}, 400, "toolwire_invalid_input", ["/options"]),
        (
            "update_post",
            {"post_id": {"$gt": 0}, "title": "x"},
            400,
            "toolwire_invalid_input",
            ["/post_id"],
        ),
        ("update_post", {"post_id": 999999, "title": "x"}, 403, "toolwire_permission_denied", None),
        ("list_posts", {"number": 10**30}, 400, "toolwire_invalid_input", ["/number"]),
        ("bad name", {}, 400, "toolwire_bad_name", None),
        ("<img src=x onerror=alert(1)>", {}, 400, "toolwire_bad_name", None),
        ("x" * 129, {}, 400, "toolwire_bad_name", None),
        ("", {}, 400, "toolwire_missing_name", None),
        ("test_count", "{'a': 1}", 400, "toolwire_bad_json", None),
        ("test_count", "[1]", 400, "toolwire_not_an_object", None),
        ("test_count", '"x"', 400, "toolwire_not_an_object", None),
        ("test_count", 7, 400, "rest_invalid_param", None),
        ("test_count", '{"deep":' + "[" * 300 + "]" * 300 + "}", 400, "toolwire_too_deep", None),
        ("test_count", '{"deep":' + '{"a":' * 100000, 400, "toolwire_too_deep", None),
    ],
)
def test_what_cannot_run_is_refused_with_a_code(
    site: Site,
    editor: Visitor,
    name: str,
    arguments: object,
    status: int,
    code: str,
    paths: list[str] | None,
) -> None:
    answer = editor.api("POST", "/calls", {"name": name, "arguments": arguments})
    assert (answer.status_code, answer.json()["code"]) == (status, code), answer.text[:500]
    if paths is not None:
        problems = answer.json()["data"]["call"]["error"]["problems"]
        assert sorted(problem["path"] for problem in problems) == paths
    assert site.counted() == 0


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400),
        (b"{", 400),
        (b"[]", 400),
        (b'"x"', 400),
        (b"null", 400),
        (b'{"name": "test_count", "arguments": {"text": "\xff\xfe"}}', 400),
        (b'{"name": ["test_count"], "arguments": {}}', 400),
        (b'{"name": "test_count", "id": {"a": 1}}', 400),
        (b'{"name": "test_count", "id": "' + b"x" * 300 + b'"}', 400),
        (b'{"name": "test_count", "arguments": ' + b"[" * 100000, 400),
        (b'{"name": "test_count", "arguments": {"text": "' + b"x" * 3_000_000 + b'"}}', 413),
    ],
)
def test_what_is_no_call_is_refused(site: Site, editor: Visitor, body: bytes, status: int) -> None:
    headers = {"X-WP-Nonce": editor.nonce, "Content-Type": "application/json"}
    answer = editor.post(API + "/calls", content=body, headers=headers)
    assert answer.status_code == status, answer.text[:500]
    assert answer.json()["code"]
    assert site.counted() == 0


def test_a_large_argument_passes_and_is_cut_in_the_log(
    site: Site, editor: Visitor, admin: Visitor
) -> None:
    answer = editor.call("test_echo", {"text": "x" * 1_000_000})
    assert (answer.status_code, answer.json()["state"]) == (200, "completed")
    (row,) = admin.api("GET", "/log").json()
    assert len(row["arguments"]["text"]) < 300
    assert row["result"]["omitted_bytes"] > 1_000_000


def test_arguments_come_back_as_they_were_sent(site: Site, editor: Visitor) -> None:
    sent: dict[str, Any] = {
        "s": "é😀\u0000 </script>",
        "n": -1,
        "f": 1.5,
        "l": [1, {"a": None}],
        "t": True,
    }
    assert editor.call("test_echo", sent).json()["result"] == sent
    assert editor.call("test_count", {"options": {}}).json()["state"] == "completed"


def test_the_same_call_at_once_runs_once(site: Site, editor: Visitor) -> None:
    visitors = [Visitor("editor") for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        answers = list(
            pool.map(
                lambda visitor: visitor.call("test_count", {"wait": 400}, id="call_1"), visitors
            )
        )
    assert site.counted() == 1
    assert {answer.status_code for answer in answers} <= {200, 202}
    assert len({answer.json()["id"] for answer in answers}) == 1
    after = editor.call("test_count", {"wait": 400}, id="call_1")
    assert (after.status_code, after.json()["state"], site.counted()) == (200, "completed", 1)
    assert editor.call("test_count", {"wait": 1}, id="call_1").status_code == 409
    assert (
        editor.call("test_count", {"wait": 1}, id="call_1", conversation="another").status_code
        == 200
    )
    assert site.counted() == 2


def test_of_decisions_at_once_one_counts(site: Site, editor: Visitor, admin: Visitor) -> None:
    editor.call("test_ask", {"text": "x"})
    request = admin.waiting()
    visitors = [Visitor("admin") for _ in range(4)]

    def decide(pair: tuple[int, Visitor]) -> int:
        return pair[1].decide(request, pair[0] % 2 == 0).status_code

    with ThreadPoolExecutor(4) as pool:
        statuses = sorted(pool.map(decide, enumerate(visitors)))
    assert statuses == [200, 409, 409, 409]
    (row,) = admin.api("GET", "/log").json()
    assert site.counted() == (1 if row["decision"]["decision"] == "approved" else 0)


def test_of_undos_at_once_one_does(site: Site, editor: Visitor, admin: Visitor) -> None:
    call = editor.call("test_count").json()
    visitors = [Visitor("admin") for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        statuses = sorted(
            pool.map(
                lambda visitor: visitor.api("POST", f"/log/{call['id']}/undo", {}).status_code,
                visitors,
            )
        )
    assert statuses == [200, 409, 409, 409]
    assert site.counted() == 0


def test_nobody_sees_or_undoes_anothers_call(
    site: Site, users: dict[str, Visitor], editor: Visitor
) -> None:
    call = editor.call("test_count").json()
    assert editor.api("GET", f"/calls/{call['id']}").status_code == 200
    assert users["author"].api("GET", f"/calls/{call['id']}").status_code == 404
    assert users["author"].api("POST", f"/log/{call['id']}/undo", {}).status_code == 404
    assert site.counted() == 1
    assert editor.api("POST", f"/log/{call['id']}/undo", {}).json()["state"] == "undone"


def test_an_approval_takes_what_was_shown(site: Site, editor: Visitor, admin: Visitor) -> None:
    number = site.a_post()
    editor.call("update_post", {"post_id": number, "title": "After"}, reason="It reads better.")
    request = admin.waiting()
    assert (request["call"]["reason"], request["changes"][0]["label"]) == (
        "It reads better.",
        "Title",
    )
    site.php(f"wp_update_post(['ID' => {number}, 'post_title' => 'Meanwhile']);")
    refused = admin.decide(request)
    assert (refused.status_code, refused.json()["code"]) == (409, "toolwire_changed_since")
    assert admin.decide(admin.waiting()).json()["state"] == "completed"
    assert site.post(number)["post_title"] == "After"


def test_too_many_calls_are_told_when_to_come_back(
    site: Site, editor: Visitor, admin: Visitor
) -> None:
    assert editor.call("test_limited").status_code == 200
    limited = editor.call("test_limited")
    assert (limited.status_code, limited.json()["code"]) == (429, "toolwire_rate_limited")
    assert 3590 <= int(limited.headers["Retry-After"]) <= 3600
    site.reset(calls_per_minute=2)
    statuses = [editor.call("test_count").status_code for _ in range(3)]
    assert statuses == [200, 200, 429]
    assert 1 <= int(editor.call("test_count").headers["Retry-After"]) <= 60
    assert admin.call("test_count").status_code == 200, "each user has a limit of its own"
    assert editor.api("POST", "/detect", {"text": "hi"}).status_code == 200


def test_an_exception_is_for_the_log_alone(site: Site, editor: Visitor, admin: Visitor) -> None:
    answer = editor.call("test_throw")
    assert (answer.status_code, answer.json()["code"]) == (500, "toolwire_raised")
    assert "shadow" not in answer.text
    assert "RuntimeException" not in answer.text
    (row,) = admin.api("GET", "/log").json()
    assert "the secret of /etc/shadow" in row["error"]["message"]


@pytest.mark.parametrize("tool", ["test_fatal", "test_exit"])
def test_a_tool_that_ends_the_request_is_recorded(
    site: Site, editor: Visitor, admin: Visitor, tool: str
) -> None:
    answer = editor.call(tool, id="x")
    assert "memory" not in answer.text
    assert "tools.php" not in answer.text
    (row,) = admin.api("GET", "/log").json()
    assert (row["tool"], row["state"], row["error"]["code"]) == (tool, "interrupted", "interrupted")
    again = editor.call(tool, id="x")
    assert (again.status_code, again.json()["code"]) == (500, "toolwire_interrupted"), (
        "it is not run again"
    )


def test_an_interrupted_call_runs_once_more_when_somebody_who_decides_wants_that(
    site: Site, editor: Visitor, admin: Visitor
) -> None:
    editor.call("test_exit", id="x")
    (row,) = admin.api("GET", "/log").json()
    path = f"/log/{row['id']}/retry"
    assert editor.api("POST", path, {}).status_code == 403, "not the one who asked"
    site.php("update_option('test_stays', 1);")
    try:
        again = admin.api("POST", path, {})
        assert (again.status_code, again.json()["state"]) == (200, "completed")
        assert (again.json()["user"], again.json()["error"]) == (row["user"], None)
        refused = admin.api("POST", path, {})
        assert (refused.status_code, refused.json()["code"]) == (409, "toolwire_not_interrupted")
    finally:
        site.php("delete_option('test_stays');")
    assert editor.call("test_exit", id="x").json()["state"] == "completed"


def test_an_approved_tool_that_ends_the_request_is_recorded(
    site: Site, editor: Visitor, admin: Visitor
) -> None:
    site.reset(approval="all")
    assert editor.call("test_fatal").status_code == 202
    request = admin.waiting()
    assert admin.decide(request).status_code == 500
    (row,) = admin.api("GET", "/log").json()
    assert (row["state"], row["error"]["code"], row["decision"]["decision"]) == (
        "interrupted",
        "interrupted",
        "approved",
    )
    assert admin.decide(request).status_code == 409
    assert admin.api("GET", "/approvals").json() == []


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", f"/calls/{SOME_ID}"),
        ("GET", f"/approvals/{SOME_ID}"),
        ("POST", f"/approvals/{SOME_ID}"),
        ("POST", f"/log/{SOME_ID}/undo"),
        ("POST", f"/log/{SOME_ID}/retry"),
    ],
)
def test_a_list_for_an_id_is_refused(site: Site, admin: Visitor, method: str, path: str) -> None:
    body = {"granted": True} if method == "POST" else None
    for query in ("?id[]=x", "?id[a][b]=x"):
        answer = admin.api(method, path + query, body)
        assert (answer.status_code, answer.json()["code"]) == (400, "rest_invalid_param")
    if method == "POST":
        assert admin.api(method, path, {"granted": True, "id": ["x"]}).status_code == 400


def test_the_id_of_the_address_counts(site: Site, editor: Visitor) -> None:
    mine, other = editor.call("test_count").json()["id"], editor.call("test_echo").json()["id"]
    assert editor.api("GET", f"/calls/{mine}?id={other}").json()["id"] == mine


def test_texts_are_searched_by_the_extension(site: Site, editor: Visitor, admin: Visitor) -> None:
    site.reset(bound_calls=False)
    text = (
        'Hi <tool:test_count>{"text":"</tool>"}</tool>, '
        "and <tool:nobody>{}</tool> and <tool:<b>>{}</tool>."
    )
    found = editor.api("POST", "/detect", {"text": text, "message": "m1"}).json()
    assert [(call["id"], call["name"], call["arguments"]) for call in found["calls"]] == [
        ("m1:0", "test_count", '{"text":"</tool>"}')
    ]
    assert [rejection["code"] for rejection in found["rejections"]] == ["unknown_tool", "bad_name"]
    assert "".join(segment.get("text", "CALL") for segment in found["segments"]).startswith(
        "Hi CALL, and <tool:nobody>"
    )
    (row,) = admin.api("GET", "/log").json()
    assert (row["state"], row["given_id"]) == ("seen", "m1:0")
    call = found["calls"][0]
    assert (
        editor.call(call["name"], call["arguments"], id=call["id"]).json()["state"] == "completed"
    )
    assert [(row["state"], row["origin"]) for row in admin.api("GET", "/log").json()] == [
        ("completed", "text")
    ]


def test_hostile_text_is_searched_in_time(site: Site, editor: Visitor) -> None:
    for piece in ("```json {", "<tool:", '<tool:a>{"', "<div class=mpai-tool-call ", '{"name":'):
        answer = editor.api("POST", "/detect", {"text": piece * (180_000 // len(piece))})
        assert answer.status_code == 200
        assert answer.elapsed.total_seconds() < 5


def test_an_id_is_kept_whole_or_refused(site: Site, editor: Visitor, admin: Visitor) -> None:
    longest = "<b>" + "x" * 250 + "end"
    assert editor.call("test_count", id=longest).status_code == 200
    assert admin.api("GET", "/log").json()[0]["given_id"] == longest
    refused = editor.call("test_count", id=f"{longest}!")
    assert (refused.status_code, refused.json()["code"]) == (400, "rest_invalid_param")
    assert site.counted() == 1
