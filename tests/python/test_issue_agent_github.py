"""The issue agent's requests to GitHub: rights, identity, waits, labels, search, exceptions."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from issue_agent_client import Still, ask
from issue_agent_server import (
    ANALYSIS,
    COMMENTS,
    ISSUE,
    PAGE,
    TARGET,
    TOKEN,
    Fault,
    Server,
    State,
    record,
    run,
)
from toolwire.issue_agent import Deadline, GitHubClient, GitHubError
from toolwire.issue_agent.github_http import MOST_PAGES

MARKER = "<!-- toolwire:issue-agent issue-7 -->\n"
CHAT = "/v1/chat/completions"
LABELS = "/repos/octo/repo/issues/7/labels"


# Rate limits


def test_a_secondary_limit_without_a_time_waits_a_minute_and_longer_each_time(
    server: Server, state: State, caplog: pytest.LogCaptureFixture
) -> None:
    message = {"message": "You have exceeded a secondary rate limit. Please wait a few minutes."}
    state.faults = [Fault("POST", LABELS, 403, {}, message) for _ in range(3)]
    done, waits = ask(server, lambda client: client.add_labels(["bug"]))
    assert (done, waits) == (True, [60, 120, 240])
    assert [record.levelname for record in caplog.records] == ["WARNING"] * 3
    assert "secondary rate limit, status 403; again in 60.0 s" in caplog.text


@pytest.mark.parametrize(
    ("status", "headers", "waits"),
    [
        (429, {}, [60]),
        (429, {"Retry-After": "5"}, [60]),
        (429, {"Retry-After": "90"}, [90]),
        (403, {"Retry-After": "75"}, [75]),
        (403, {"Retry-After": "Mon, 12 Jan 1970 13:48:20 GMT"}, [100]),
        (429, {"Retry-After": "soon"}, [60]),
        # The primary limit: the client waits until the reset, which GitHub gives in whole seconds.
        (403, {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1000030"}, [31]),
        (429, {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1000030"}, [31]),
        (403, {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "999000"}, [0]),
        (503, {"Retry-After": "5"}, [5]),
        (502, {}, [0.5]),
    ],
)
def test_a_limit_is_waited_for(
    server: Server, state: State, status: int, headers: dict[str, str], waits: list[float]
) -> None:
    state.faults = [Fault("POST", LABELS, status, headers, {"message": "slow down"})]
    assert ask(server, lambda client: client.add_labels(["bug"])) == (True, waits)


@pytest.mark.parametrize(
    ("headers", "waits"),
    [
        ({"X-RateLimit-Reset": "999995"}, [60, 120]),
        ({"X-RateLimit-Reset": "1000300"}, [301, 120]),
        ({"X-RateLimit-Reset": "999995", "Retry-After": "90"}, [90, 120]),
    ],
)
def test_a_secondary_limit_with_headers_of_the_primary_one_waits_a_minute_at_least(
    server: Server, state: State, headers: dict[str, str], waits: list[float]
) -> None:
    message = {"message": "You have exceeded a secondary rate limit."}
    given = {"X-RateLimit-Remaining": "0", **headers}
    state.faults = [Fault("POST", LABELS, 403, given, message) for _ in range(2)]
    assert ask(server, lambda client: client.add_labels(["bug"])) == (True, waits)


def test_a_limit_that_outlasts_the_run_is_not_waited_for(server: Server, state: State) -> None:
    message = {"message": "secondary rate limit"}
    state.faults = [Fault("POST", LABELS, 403, {}, message) for _ in range(5)]
    clock = Still()

    async def main() -> None:
        deadline = Deadline(200, clock)
        async with GitHubClient(
            "octo/repo", 7, token=TOKEN, api_url=server.address, deadline=deadline
        ) as client:
            await client.add_labels(["bug"])

    with pytest.raises(GitHubError, match=r"asks to wait 240 s; the run has 20 s left") as caught:
        asyncio.run(main())
    assert (caught.value.code, clock.waits) == ("rate_limited", [60, 120])


def test_a_refusal_is_no_limit(server: Server, state: State) -> None:
    state.faults = [
        Fault("POST", LABELS, 403, {}, {"message": "Resource not accessible by integration"})
    ]
    with pytest.raises(GitHubError) as caught:
        ask(server, lambda client: client.add_labels(["bug"]))
    assert caught.value.code == "refused"


# Whose comments count


@pytest.mark.parametrize(
    ("login", "user", "own"),
    [
        ("octo-bot", {"login": "Octo-Bot", "type": "User"}, True),
        ("octo-bot", {"login": "eve", "type": "User"}, False),
        ("octo-bot", {"login": "other[bot]", "type": "Bot"}, False),
        ("octo-bot", None, False),
        (None, {"login": "github-actions[bot]", "type": "Bot"}, True),
        (None, {"login": "other[bot]", "type": "Bot"}, False),
        (None, {"login": "github-actions", "type": "User"}, False),
    ],
)
def test_only_comments_of_the_agents_own_account_count(
    server: Server, state: State, login: str | None, user: Any, own: bool
) -> None:
    state.login, state.scopes = login, "repo" if login else None
    token = TOKEN if login else "ghs_" + TOKEN[4:]
    server.token = token
    state.comments = [{"id": 1, "user": user, "body": f"{MARKER}hello"}]
    assert ask(server, lambda client: client.has_comment(), token=token)[0] is own
    # A quoted marker does not count.
    state.comments[0]["body"] = f"> {MARKER}hello"
    assert ask(server, lambda client: client.has_comment(), token=token)[0] is False


def test_a_marker_of_somebody_else_does_not_silence_the_agent(
    server: Server, state: State, tmp_path: Path
) -> None:
    marker = "<!-- toolwire:issue-agent issue-7 -->\n"
    state.comments = [
        {"id": n, "user": {"login": "eve", "type": "User"}, "body": f"{marker}{n}"}
        for n in range(1, 6)
    ]
    assert run(server, tmp_path)[0] == 0
    assert len(state.comments) == 6
    assert run(server, tmp_path)[:2] == (0, "nothing to do: answered before\n")
    assert len(state.comments) == 6


def test_the_agents_own_comment_is_not_answered(
    server: Server, state: State, tmp_path: Path
) -> None:
    user = {"login": "octo-bot", "type": "User"}
    for body, answered in ((f"{MARKER}hello", 0), ("/agent hello", 1)):
        comment = {"id": 9, "body": body, "user": user}
        event = {"issue": ISSUE, "comment": comment, "repository": {"full_name": "octo/repo"}}
        (tmp_path / "event.json").write_text(json.dumps(event))
        assert run(server, tmp_path, "--event", "event.json")[0] == 0
        assert len(state.comments) == answered
    assert len(state.prompts) == 1


# Lists


def test_an_own_comment_beyond_the_pages_that_are_read_is_not_paid_for_again(
    server: Server, state: State, tmp_path: Path
) -> None:
    user = {"login": "eve", "type": "User"}
    own = {"login": "octo-bot", "type": "User"}
    others = [{"id": n, "user": user, "body": "me too"} for n in range(1, PAGE * MOST_PAGES)]
    state.comments = [*others, {"id": len(others) + 1, "user": own, "body": f"{MARKER}hello"}]
    # As many pages as the client may read; the last one is full.
    assert ask(server, lambda client: client.has_comment())[0] is True
    state.comments.insert(0, {"id": 999, "user": user, "body": "first"})
    with pytest.raises(GitHubError, match="more than 50 pages") as caught:
        ask(server, lambda client: client.has_comment())
    assert caught.value.code == "list_too_long"
    status, out, errors = run(server, tmp_path)
    assert status == 1, out + errors
    assert "error: list_too_long: " in out
    assert (state.prompts, state.labels, len(state.comments)) == ([], [], PAGE * MOST_PAGES + 1)


@pytest.mark.parametrize(
    ("headers", "body"),
    [({}, {"message": "odd"}), ({"Link": '<https://x.example/comments?page=2>; rel="next"'}, [])],
)
def test_a_list_that_is_none_or_goes_on_elsewhere_is_an_error(
    server: Server, state: State, headers: dict[str, str], body: Any
) -> None:
    state.faults = [Fault("GET", COMMENTS, 200, headers, body)]
    with pytest.raises(GitHubError) as caught:
        ask(server, lambda client: client.has_comment())
    assert caught.value.code == "bad_answer"


# What is left alone


@pytest.mark.parametrize(
    ("change", "option", "reason"),
    [
        ({"pull_request": {"url": "x"}}, "--pull-requests", "a pull request"),
        ({"state": "closed"}, "--closed", "a closed issue"),
    ],
)
def test_pull_requests_and_closed_issues_are_left_alone(
    server: Server, state: State, tmp_path: Path, change: dict[str, Any], option: str, reason: str
) -> None:
    state.issue |= change
    told = f"nothing to do: {reason}; {option} answers it\n"
    assert run(server, tmp_path)[:2] == (0, told)
    # The event has the issue's state at that time; the issue may be closed by now.
    for issue in (ISSUE, {**ISSUE, **change}):
        event = {"issue": issue, "repository": {"full_name": "octo/repo"}}
        (tmp_path / "event.json").write_text(json.dumps(event))
        assert run(server, tmp_path, "--event", "event.json")[:2] == (0, told)
    assert (state.prompts, state.comments, state.labels) == ([], [], [])
    assert run(server, tmp_path, *TARGET, option)[0] == 0
    assert len(state.comments) == 1


# Labels


def test_labels_are_the_repositorys_own(server: Server, state: State, tmp_path: Path) -> None:
    state.repository_labels = ["one", "two", "three", "Bug", "MACOS", "Crash"]
    state.reply = json.dumps(
        {**ANALYSIS, "recommended_labels": ["bug", "BUG", "spam", "a\nb", "x" * 51]}
    )
    status, out, _ = run(server, tmp_path)
    assert status == 1
    assert state.labels == ["Bug", "Crash"]
    refused = [one for one in record(tmp_path)["actions_taken"] if one["action"] == "action_denied"]
    assert [(one["code"], one["success"]) for one in refused] == [
        ("unknown_label", False),
        ("unknown_label", False),
        ("invalid_label", False),
    ]
    assert "action_denied (note, unknown_label): The repository has no label spam\n" in out
    head = "===== The labels that may be recommended, one in each line"
    told = f"{head}\n\none\ntwo\nthree\nBug\nMACOS\nCrash\n"
    assert told in state.prompts[0]["messages"][0]["content"]
    state.comments.clear()
    run(server, tmp_path, *TARGET, "--create-labels")
    assert "spam" in state.labels


# Search


def test_a_search_takes_every_word_for_a_word(server: Server, state: State) -> None:
    here = {"number": 3, "repository_url": "https://api.github.com/repos/Octo/Repo"}
    state.found = [
        here,
        {"number": 4, "repository_url": "https://api.github.com/repos/other/x"},
        {"number": 5, "repository_url": "https://api.github.com/repos/evil/octo/repo2"},
        {"number": 6},
    ]
    words = 'repo:other/x OR is:pr author:eve NOT "quoted" -label:bug'
    found, _ = ask(server, lambda client: client.search_issues(words))
    assert found == [here]
    (query,) = state.queries
    quoted = '"repo" "other" "x" "OR" "is" "pr" "author" "eve" "NOT" "quoted" "label" "bug"'
    assert query == f"repo:octo/repo is:issue {quoted}"
    assert ask(server, lambda client: client.search_issues("?!"))[0] == []
    assert ask(server, lambda client: client.search_issues("word " * 99))[0] == [here]
    assert len(state.queries) == 2
    assert len(state.queries[1]) < 256
    assert state.queries[1].count('"') % 2 == 0


def test_enterprise_has_graphql_beside_the_rest_api(server: Server, state: State) -> None:
    token = "ghs_" + TOKEN[4:]
    address = f"{server.address}/api/v3"
    with pytest.raises(GitHubError):
        ask(server, lambda client: client.check_access(), api_url=address, token=token)
    state.comments = [{"id": 1, "user": {}, "body": MARKER}]
    state.faults = [Fault("GET", f"/api/v3{COMMENTS}", 200, {}, state.comments)]
    ask(server, lambda client: client.has_comment(), api_url=address, token=token)
    assert state.made("POST", "/api/graphql") == 1
