"""Many and large calls that wait for approval; a request has 128 MB of memory."""

import re

import pytest
from conftest import API, Site, Visitor

LIST = "/wp-admin/admin.php?page=toolwire"
LARGE = 500_000


def fill(site: Site, tool: str, arguments: str, times: int, user: str = "editor") -> list[str]:
    """Make calls that wait; give the ids of their requests. `arguments` is PHP code."""
    return list(
        site.php(
            f"""wp_set_current_user(get_user_by('login', '{user}')->ID);
            add_filter('toolwire_most_waiting_calls', fn () => 1000);
            $ids = [];
            $names = Toolwire\\WordPress\\plugin()->engines()->get()->ids;
            for ($i = 0; $i < {times}; $i++) {{
                $id = $names->run_id(get_current_user_id(), '', "call $i");
                $call = ['id' => $id, 'type' => 'function', 'function' => [
                    'name' => '{tool}', 'arguments' => json_encode({arguments})]];
                $call = Toolwire\\Provider::parse($call, 'openai')->calls[0];
                $row = Toolwire\\WordPress\\plugin()->runner()->run($call, "c$i", "call $i");
                $ids[] = is_array($row) ? $row['approval_id'] : $row->get_error_message();
            }}
            return $ids;"""
        )
    )


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("test_ask", f"['text' => str_repeat('x', {LARGE})]"),
        ("test_ask", f"['text' => str_repeat(\"x\\n\", {LARGE // 3})]"),
        ("test_ask", f"['options' => ['a' => array_fill(0, {LARGE // 4}, [])]]"),
        (
            "update_post",
            f"['post_id' => $GLOBALS['number'], 'content' => str_repeat(\"x\\n\", {LARGE // 3})]",
        ),
    ],
)
def test_large_calls_that_wait_are_listed_and_shown(
    site: Site, admin: Visitor, tool: str, arguments: str
) -> None:
    number = site.a_post()
    site.php(
        f"wp_update_post(['ID' => {number}, 'post_content' => str_repeat(\"y\\n\", {LARGE // 3})]);"
    )
    ids = fill(site, tool, arguments.replace("$GLOBALS['number']", str(number)), 30)
    assert admin.get(LIST).status_code == 200
    listed = admin.api("GET", "/approvals?per_page=100")
    assert (listed.status_code, len(listed.json())) == (200, 30)
    assert len(listed.content) < 1_000_000
    shown = admin.api("GET", f"/approvals/{ids[7]}")
    assert (shown.status_code, shown.json()["id"]) == (200, ids[7])
    page = admin.get(f"{LIST}&request={ids[7]}")
    assert page.status_code == 200
    assert "more character" in page.text
    assert len(shown.json()["arguments"]) > LARGE // 2
    assert page.text.count("<tr") < 600
    assert page.text.rstrip().endswith("</html>")
    assert admin.decide(shown.json(), granted=False).json()["state"] == "denied"


def test_many_calls_hide_no_later_one(site: Site, admin: Visitor) -> None:
    ids = fill(site, "test_ask", "['text' => 'small']", 61)
    found = []
    for page, number in ((1, 25), (2, 25), (3, 11), (4, 0)):
        answer = admin.api("GET", f"/approvals?per_page=25&page={page}")
        assert (answer.headers["X-WP-Total"], answer.headers["X-WP-TotalPages"]) == ("61", "3")
        assert len(answer.json()) == number
        found += [request["id"] for request in answer.json()]
    assert found == ids
    for query in ("page=0", "per_page=101", "per_page=x", "page[]=1"):
        assert admin.api("GET", f"/approvals?{query}").status_code == 400
    first = admin.get(LIST).text
    assert "61 calls wait. Page 1 of 4." in first
    assert ids[19] in first
    assert ids[20] not in first
    last = admin.get(f"{LIST}&paged=4").text
    assert ids[60] in last
    assert re.search(r'<nav class="toolwire-pages" aria-label="[^"]+">.*Previous page', last, re.S)
    for paged in ("99", "-1", "x", "[]"):
        assert admin.get(LIST, params={"paged": paged}).status_code == 200


def test_what_nobody_decided_in_time_leaves_the_page_to_others(site: Site, admin: Visitor) -> None:
    ids = fill(site, "test_ask", "['text' => 'small']", 5)
    for number in ids[:3]:
        site.php(f"Toolwire\\WordPress\\plugin()->engines()->get()->approvals->cancel('{number}');")
    answer = admin.api("GET", "/approvals?per_page=2")
    assert [request["id"] for request in answer.json()] == ids[3:]
    assert answer.headers["X-WP-Total"] == "2"


def test_arguments_beyond_the_limit_are_refused_when_they_are_sent(
    site: Site, editor: Visitor, admin: Visitor
) -> None:
    refused = editor.call("test_ask", {"text": "x" * 600_000}, id="large")
    assert (refused.status_code, refused.json()["code"]) == (413, "toolwire_arguments_too_large")
    assert admin.api("GET", "/approvals").json() == []
    assert editor.call("test_count", {"text": "x" * 600_000}).status_code == 200, (
        "it needs no approval"
    )
    assert editor.call("test_ask", {"text": "x"}, id="large").status_code == 202, (
        "the id is still free"
    )


def test_a_user_of_whom_enough_calls_wait_is_told(
    site: Site, users: dict[str, Visitor], editor: Visitor, admin: Visitor
) -> None:
    fill(site, "test_ask", "['text' => 'small']", 49)
    assert editor.call("test_ask", {"text": "last"}, id="last").status_code == 202
    refused = editor.call("test_ask", {"text": "more"}, id="more")
    assert (refused.status_code, refused.json()["code"]) == (429, "toolwire_too_many_waiting")
    assert editor.call("test_ask", {"text": "last"}, id="last").status_code == 202, (
        "it waits already"
    )
    assert editor.call("test_count").status_code == 200, "it needs no approval"
    assert users["author"].call("test_ask", {"text": "x"}).status_code == 202, (
        "others have their own limit"
    )
    assert (
        admin.decide(admin.look(admin.api("GET", "/approvals").json()[0]["id"])).status_code == 200
    )
    assert editor.call("test_ask", {"text": "more"}, id="more").status_code == 202


def test_a_decision_without_what_was_seen_is_refused(
    site: Site, editor: Visitor, admin: Visitor
) -> None:
    editor.call("test_ask", {"text": "x"})
    request = admin.waiting()
    for granted in (True, False):
        for seen in ({}, {"seen": ""}):
            refused = admin.post(
                f"{API}/approvals/{request['id']}",
                json={"granted": granted, **seen},
                headers={"X-WP-Nonce": admin.nonce},
            )
            assert (refused.status_code, refused.json()["code"]) == (
                400,
                "toolwire_fingerprint_missing",
            )
        form = {
            "action": "toolwire_decide",
            "id": request["id"],
            "granted": str(int(granted)),
            "_wpnonce": admin.form_nonce(f"{LIST}&request={request['id']}", request["id"]),
        }
        answer = admin.post("/wp-admin/admin-post.php", data=form, follow_redirects=True)
        assert "Nothing was decided; look again." in answer.text
    assert admin.decide({**request, "fingerprint": "0" * 64}).status_code == 409
    assert (admin.waiting()["call"]["state"], site.counted()) == ("waiting", 0)


def test_a_denied_call_that_begins_again_waits_like_a_new_one(
    site: Site, editor: Visitor, admin: Visitor
) -> None:
    editor.call("test_ask", {"text": "x"}, id="a")
    admin.decide(admin.waiting(), granted=False, reason="not today")
    denied = editor.call("test_ask", {"text": "x"}, id="a").json()
    assert denied["decision"]["reason"] == "not today"
    fill(site, "test_ask", "['text' => 'small']", 50)
    refused = editor.call("test_ask", {"text": "x"}, id="a", again=True)
    assert (refused.status_code, refused.json()["code"]) == (429, "toolwire_too_many_waiting")
    other = admin.api("GET", "/approvals").json()[0]["id"]
    assert admin.decide(admin.look(other)).json()["state"] == "completed"
    again = editor.call("test_ask", {"text": "x"}, id="a", again=True)
    assert (again.status_code, again.json()["id"]) == (202, denied["id"])
    assert (again.json()["decision"], again.json()["error"]) == (None, None)
    conflict = editor.call("test_ask", {"text": "y"}, id="a", again=True)
    assert (conflict.status_code, conflict.json()["code"]) == (409, "toolwire_conflict")
    (waiting,) = [
        request
        for request in admin.api("GET", "/approvals?per_page=100").json()
        if request["call"]["id"] == denied["id"]
    ]
    assert admin.decide(admin.look(waiting["id"])).json()["state"] == "completed"
    for more in ({"again": True}, {}):
        answer = editor.call("test_ask", {"text": "x"}, id="a", **more)
        assert answer.status_code == (409 if more else 200)
    (row,) = admin.api("GET", "/log?search=x&state=completed").json()[:1]
    assert row["state"] == "completed"
    assert site.counted() == 2


def test_a_call_of_another_tool_leaves_what_was_decided_as_it_is(
    site: Site, editor: Visitor, admin: Visitor
) -> None:
    editor.call("test_ask", {"text": "x"}, id="a")
    denied = admin.decide(admin.waiting(), granted=False, reason="not today").json()
    conflict = editor.call("test_ask", {"text": "y"}, id="a", again=True)
    assert (conflict.status_code, conflict.json()["code"]) == (409, "toolwire_conflict")
    assert editor.api("GET", f"/calls/{denied['id']}").json()["decision"] == denied["decision"]
