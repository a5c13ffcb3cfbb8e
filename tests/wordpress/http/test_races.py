"""Requests of the same moment, on any database: nothing runs twice, nothing is lost."""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import httpx
from conftest import Site, Visitor
from model_server import ModelServer, calling

AT_ONCE = 6


def together(*acts: Callable[[], httpx.Response]) -> list[httpx.Response]:
    """Do several things at the same moment."""
    with ThreadPoolExecutor(len(acts)) as pool:
        return [future.result() for future in [pool.submit(act) for act in acts]]


def again(visitor: Visitor) -> Visitor:
    """Give the same session with connections of its own."""
    other = Visitor()
    other.cookies.update(visitor.cookies)
    other.nonce = visitor.nonce
    return other


def test_one_process_at_a_time_goes_on_with_a_conversation(
    site: Site, server: ModelServer, users: dict[str, Visitor]
) -> None:
    site.reset(model_address=server.url, model_timeout=20)
    site.php("update_option('test_no_assistant', 1);")
    server.pause = 0.02
    for _ in range(5):
        server.asked.clear()
        server.script = [calling("test_count", {"text": "a"}), "Counted once, and said so slowly."]
        before = site.counted()
        told = users["editor"].api("POST", "/conversations", {"message": "Count"}).json()
        step = f"/conversations/{told['id']}/step"
        visitors = [again(users["editor"]) for _ in range(AT_ONCE)]
        answers = together(*[partial(one.api, "POST", step, {}) for one in visitors])
        assert {answer.status_code for answer in answers} <= {200, 409}
        done = users["editor"].api("POST", step, {}).json()
        assert done["state"] == "idle", done
        assert len(server.asked) == 2
        assert site.counted() == before + 1


def test_a_decision_counts_once(site: Site, users: dict[str, Visitor]) -> None:
    for number in range(1, 6):
        users["editor"].call("test_ask", {"text": str(number)})
        request = users["admin"].waiting()
        visitors = [again(users["admin"]) for _ in range(AT_ONCE)]
        answers = together(
            *[partial(one.decide, request, index % 3 > 0) for index, one in enumerate(visitors)]
        )
        assert {answer.status_code for answer in answers} <= {200, 404, 409}, [
            answer.text for answer in answers
        ]
        (row,) = users["admin"].api("GET", "/log?per_page=1").json()
        assert row["state"] in ("completed", "denied")
    rows = users["admin"].api("GET", "/log?per_page=100").json()
    assert site.counted() == len([row for row in rows if row["state"] == "completed"])


def test_a_call_that_comes_several_times_runs_once(site: Site, users: dict[str, Visitor]) -> None:
    for number in range(1, 6):
        visitors = [again(users["editor"]) for _ in range(AT_ONCE)]
        sent: dict[str, Any] = {"id": f"call {number}", "conversation": "c"}
        answers = together(
            *[partial(one.call, "test_count", {"wait": 50}, **sent) for one in visitors]
        )
        assert {answer.status_code for answer in answers} <= {200, 202}, [
            answer.text for answer in answers
        ]
        assert site.counted() == number


def test_no_call_is_lost_among_others(site: Site, users: dict[str, Visitor]) -> None:
    for round_ in range(1, 6):
        visitors = [again(users[name]) for name in ("editor", "author", "admin") * 2]
        answers = together(*[partial(one.call, "test_count", {"text": "x"}) for one in visitors])
        assert [answer.status_code for answer in answers] == [200] * len(visitors), [
            json.dumps(answer.json()) for answer in answers
        ]
        assert site.counted() == round_ * len(visitors)
