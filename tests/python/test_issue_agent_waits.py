"""Runs of the issue agent over a slow, cut or refusing GitHub."""

from __future__ import annotations

import time
from pathlib import Path

from issue_agent_server import (
    COMMENTS,
    TARGET,
    TOKEN,
    Fault,
    Server,
    State,
    run,
)


def test_the_server_s_waits_are_kept(server: Server, state: State, tmp_path: Path) -> None:
    reset = str(int(time.time()) + 2)
    state.faults = [
        Fault("GET", "/repos/octo/repo/issues/7", 502, body="<html>bad gateway"),
        Fault("POST", ".*/labels", 503, {"Retry-After": "1"}, {"message": "slow down"}),
        Fault(
            "POST",
            COMMENTS,
            403,
            {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": reset},
            {"message": "API rate limit exceeded"},
        ),
        Fault(
            "POST",
            "/v1/chat/completions",
            429,
            {"Retry-After": "1"},
            {"error": {"message": "busy"}},
        ),
        Fault("POST", "/v1/chat/completions", 500, {}, {"error": {"message": "oops"}}),
    ]
    status, out, errors = run(server, tmp_path)
    assert status == 0, out + errors
    assert state.faults == []
    assert len(state.comments) == 1
    assert state.labels == ["bug", "macOS", "crash"]
    labelled = [
        at
        for at, (_, path) in zip(state.times, state.requests, strict=True)
        if path.endswith("7/labels")
    ]
    assert labelled[1] - labelled[0] >= 1
    assert "GitHub: POST: rate limit, status 403; again in " in errors


def test_an_answer_that_is_cut_adds_no_second_comment(
    server: Server, state: State, tmp_path: Path
) -> None:
    state.faults = [
        Fault("POST", COMMENTS, cut=True),
        Fault("GET", COMMENTS, cut=True),
        Fault("POST", ".*/labels", cut=True),
        Fault("POST", "/v1/chat/completions", cut=True),
    ]
    status, out, errors = run(server, tmp_path)
    assert status == 0, out + errors
    assert state.faults == []
    assert len(state.comments) == 1
    assert state.labels == ["bug", "macOS", "crash"]


def test_a_wait_longer_than_the_run_is_an_error(
    server: Server, state: State, tmp_path: Path
) -> None:
    message = {"message": "You have exceeded a secondary rate limit."}
    state.faults = [Fault("POST", COMMENTS, 403, {}, message)]
    status, out, _ = run(server, tmp_path, *TARGET, "--time-limit", "30")
    assert status == 1
    assert (
        "add_comment (failed, rate_limited): Failed: POST: secondary rate limit, status 403: "
        in out
    )
    assert "GitHub asks to wait 60 s; the run has " in out
    assert state.comments == []


def test_a_refusal_is_told_without_the_token(server: Server, state: State, tmp_path: Path) -> None:
    state.faults = [Fault("POST", COMMENTS, 403, {}, {"message": f"Forbidden for {TOKEN}"})]
    status, out, _ = run(server, tmp_path)
    assert status == 1
    assert "Failed: GitHub refused with status 403: Forbidden for [redacted]\n" in out
