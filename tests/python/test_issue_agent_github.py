"""What the issue agent asks of GitHub: rights, identity, waits, labels, search, and what it leaves alone."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from issue_agent_server import (
    ANALYSIS,
    COMMENTS,
    ISSUE,
    TARGET,
    TOKEN,
    Fault,
    Server,
    State,
    new_state,
    record,
    run,
)
from toolwire.issue_agent import Clock, Deadline, GitHubClient, GitHubError

MARKER = "<!-- toolwire:issue-agent issue-7 -->\n"
CHAT = "/v1/chat/completions"
LABELS = "/repos/octo/repo/issues/7/labels"


@pytest.fixture
def state() -> State:
    return new_state()


@pytest.fixture
def server(state: State) -> Iterator[Server]:
    with Server(state) as server:
        yield server


class Still(Clock):
    """A clock that only waiting moves."""

    def __init__(self) -> None:
        self.at = 1_000_000.0
        self.waits: list[float] = []

    def time(self) -> float:
        return self.at

    def monotonic(self) -> float:
        return self.at

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.at += seconds


def ask(
    server: Server, work: Callable[[GitHubClient], Awaitable[Any]], limit: float | None = None, **options: Any
) -> tuple[Any, list[float]]:
    """Let a client work; gives what came of it, and how long it waited each time."""
    clock = Still()

    async def main() -> Any:
        deadline = Deadline(limit, clock)
        options.setdefault("token", TOKEN)
        address = {"api_url": server.address, "deadline": deadline}
        async with GitHubClient("octo/repo", 7, **{**address, **options}) as client:
            return await work(client)

    return asyncio.run(main()), clock.waits


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
        # Primary: until the reset, which is told in whole seconds.
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
    state.faults = [Fault("POST", LABELS, 403, {}, {"message": "Resource not accessible by integration"})]
    with pytest.raises(GitHubError) as caught:
        ask(server, lambda client: client.add_labels(["bug"]))
    assert caught.value.code == "refused"


# The token


def checked(server: Server, folder: Path, code: str, *arguments: str, **environment: str) -> str:
    """Run with a token that will not do: the run ends with a code, and no model was asked."""
    status, out, errors = run(server, folder, *(arguments or TARGET), **environment)
    assert (status, out) == (2, ""), out + errors
    assert f"toolwire: {code}: " in errors
    assert server.state.prompts == []
    assert {method for method, path in server.state.requests if path != "/graphql"} <= {"GET"}
    return errors


def test_a_bad_token_is_told_before_the_model_is_asked(server: Server, tmp_path: Path) -> None:
    errors = checked(server, tmp_path, "token_invalid", GITHUB_TOKEN="ghp_" + "wrong" * 8)
    assert "status 401: Bad credentials" in errors
    assert "set GITHUB_TOKEN" in errors


def test_no_token_is_told_before_the_model_is_asked(server: Server, tmp_path: Path) -> None:
    checked(server, tmp_path, "token_missing", GITHUB_TOKEN="", GH_TOKEN="")
    assert server.state.requests == []


def test_a_token_without_the_scope_is_told_before_the_model_is_asked(
    server: Server, state: State, tmp_path: Path
) -> None:
    state.scopes = ""
    assert "lacks the scope public_repo or repo" in checked(server, tmp_path, "token_scope")
    state.scopes, state.repository["private"] = "public_repo, gist", True
    assert "lacks the scope repo:" in checked(server, tmp_path, "token_scope")


def test_an_account_that_may_not_label_is_told_before_the_model_is_asked(
    server: Server, state: State, tmp_path: Path
) -> None:
    state.repository["permissions"] = {"pull": True, "triage": False, "push": False}
    assert "give it the role triage, or use --no-labels" in checked(server, tmp_path, "may_not_label")
    state.reply = json.dumps({**ANALYSIS, "recommended_labels": [], "recommended_actions": []})
    status, out, errors = run(server, tmp_path, *TARGET, "--no-labels")
    assert status == 0, out + errors
    assert (len(state.comments), state.labels) == (1, [])
    assert "(there are none)" in state.prompts[0]["messages"][0]["content"]


def test_an_archived_or_hidden_repository_is_told_before_the_model_is_asked(
    server: Server, state: State, tmp_path: Path
) -> None:
    state.repository["archived"] = True
    checked(server, tmp_path, "repository_archived")
    checked(server, tmp_path, "repository_not_found", "--repo", "octo/other", "--issue", "7")


def test_a_token_without_single_sign_on_is_told(server: Server, state: State, tmp_path: Path) -> None:
    headers = {"X-GitHub-SSO": "required; url=https://x.example"}
    state.faults = [Fault("GET", "/repos/octo/repo", 403, headers, {"message": "Resource protected"})]
    checked(server, tmp_path, "sso_required")


def test_what_cannot_be_known_of_a_token_is_said(server: Server, state: State) -> None:
    state.scopes = None
    access, _ = ask(server, lambda client: client.check_access())
    assert (access.login, access.kind) == ("octo-bot", "unknown")
    assert "GitHub does not tell the rights of this token (unknown)" in access.notes[0]
    state.scopes = "repo"
    access, _ = ask(server, lambda client: client.check_access())
    assert (access.kind, access.notes) == ("classic", ())


def test_a_token_without_a_known_owner_is_told_before_the_model_is_asked(
    server: Server, state: State, tmp_path: Path
) -> None:
    state.login = state.app = state.scopes = None
    assert "give --login NAME" in checked(server, tmp_path, "identity_unknown")
    state.app = "octo-app[bot]"
    assert run(server, tmp_path, *TARGET, "--login", "octo-app[bot]")[0] == 0
    assert run(server, tmp_path, *TARGET, "--login", "octo-app[bot]")[1] == "nothing to do: answered before\n"


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
    # A quoted mark is no mark.
    state.comments[0]["body"] = f"> {MARKER}hello"
    assert ask(server, lambda client: client.has_comment(), token=token)[0] is False


def test_a_marker_of_somebody_else_does_not_silence_the_agent(
    server: Server, state: State, tmp_path: Path
) -> None:
    marker = "<!-- toolwire:issue-agent issue-7 -->\n"
    state.comments = [
        {"id": n, "user": {"login": "eve", "type": "User"}, "body": f"{marker}{n}"} for n in range(1, 6)
    ]
    assert run(server, tmp_path)[0] == 0
    assert len(state.comments) == 6
    assert run(server, tmp_path)[:2] == (0, "nothing to do: answered before\n")
    assert len(state.comments) == 6


def test_the_agents_own_comment_is_not_answered(server: Server, state: State, tmp_path: Path) -> None:
    user = {"login": "octo-bot", "type": "User"}
    for body, answered in ((f"{MARKER}hello", 0), ("/agent hello", 1)):
        comment = {"id": 9, "body": body, "user": user}
        event = {"issue": ISSUE, "comment": comment, "repository": {"full_name": "octo/repo"}}
        (tmp_path / "event.json").write_text(json.dumps(event))
        assert run(server, tmp_path, "--event", "event.json")[0] == 0
        assert len(state.comments) == answered
    assert len(state.prompts) == 1


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
    # The event says what the issue was like; it may have been closed since.
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
    state.reply = json.dumps({**ANALYSIS, "recommended_labels": ["bug", "BUG", "spam", "a\nb", "x" * 51]})
    status, out, _ = run(server, tmp_path)
    assert status == 1
    assert state.labels == ["Bug", "Crash"]
    refused = [one for one in record(tmp_path)["actions_taken"] if one["action"] == "action_denied"]
    assert [(one["code"], one["success"]) for one in refused] == [
        ("unknown_label", False),
        ("unknown_label", False),
        ("invalid_label", False),
    ]
    assert "action_denied (failed, unknown_label): Label not allowed: spam\n" in out
    told = (
        "===== The labels that may be recommended, one in each line\n\none\ntwo\nthree\nBug\nMACOS\nCrash\n"
    )
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
