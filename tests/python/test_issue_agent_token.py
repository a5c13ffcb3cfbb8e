"""The token of the issue agent is checked before a model is asked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from issue_agent_client import ask
from issue_agent_server import (
    ANALYSIS,
    TARGET,
    Fault,
    Server,
    State,
    run,
)
from toolwire.issue_agent import GitHubError

MARKER = "<!-- toolwire:issue-agent issue-7 -->\n"
CHAT = "/v1/chat/completions"
LABELS = "/repos/octo/repo/issues/7/labels"


def checked(server: Server, folder: Path, code: str, *arguments: str, **environment: str) -> str:
    """Run with an unusable token: the run ends with a code, and no model is asked."""
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
    assert "give it the role triage, or use --no-labels" in checked(
        server, tmp_path, "may_not_label"
    )
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


@pytest.mark.parametrize("status", [404, 410])
def test_an_issue_that_is_not_there_is_named(
    server: Server, state: State, tmp_path: Path, status: int
) -> None:
    told = "toolwire: issue_not_found: there is no issue octo/repo#8, or the token may not see it\n"
    state.faults = [Fault("GET", "/repos/octo/repo/issues/8", status, {}, {"message": "Not Found"})]
    errors = checked(server, tmp_path, "issue_not_found", "--repo", "octo/repo", "--issue", "8")
    assert told in errors


def test_a_write_to_an_issue_that_is_not_there_names_it(server: Server, state: State) -> None:
    state.faults = [Fault("POST", LABELS, 404, {}, {"message": "Not Found"})]
    told = "there is no issue octo/repo#7, or the token may not write to it"
    with pytest.raises(GitHubError, match=told) as caught:
        ask(server, lambda client: client.add_labels(["bug"]))
    assert (caught.value.code, caught.value.status) == ("issue_not_found", 404)


def test_a_token_without_single_sign_on_is_told(
    server: Server, state: State, tmp_path: Path
) -> None:
    headers = {"X-GitHub-SSO": "required; url=https://x.example"}
    state.faults = [
        Fault("GET", "/repos/octo/repo", 403, headers, {"message": "Resource protected"})
    ]
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
    assert (
        run(server, tmp_path, *TARGET, "--login", "octo-app[bot]")[1]
        == "nothing to do: answered before\n"
    )
