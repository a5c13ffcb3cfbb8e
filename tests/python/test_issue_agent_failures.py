"""Failing models, replies without an analysis: nothing is posted, and the next run tries again."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import toolwire
from issue_agent_server import (
    ANALYSIS,
    COMMENT,
    ISSUE,
    KEY,
    RECORD,
    TARGET,
    TOKEN,
    Fault,
    Server,
    State,
    record,
    run,
)
from toolwire.issue_agent import AnalysisError, FinalAnalyzer, read_record, write_record

GOOD = json.dumps(ANALYSIS)
CHAT = "/v1/chat/completions"


def fails_and_then_answers(server: Server, folder: Path, code: str, *arguments: str) -> str:
    """Run twice: the first run fails and leaves nothing on GitHub, the second answers the issue."""
    state = server.state
    status, out, errors = run(server, folder, *TARGET, *arguments)
    assert status == 1, out + errors
    assert f"error: {code}: " in out
    assert f"analysis_failed (failed, {code}): " in out
    assert "analysis: " not in out
    assert (state.comments, state.labels) == ([], [])
    made = record(folder)
    assert made["error"].startswith(f"{code}: ")
    assert made["final_analysis"] == {}
    (failed,) = made["actions_taken"]
    assert (failed["action"], failed["success"], failed["code"]) == ("analysis_failed", False, code)

    state.reply, state.faults, state.refusal, state.finish_reason = GOOD, [], None, "stop"
    status, second, errors = run(server, folder)
    assert status == 0, second + errors
    assert [one["body"].split("\n", 1)[1] for one in state.comments] == [COMMENT]
    return out


def test_an_error_of_the_model_is_not_posted(server: Server, state: State, tmp_path: Path) -> None:
    state.faults = [Fault("POST", CHAT, 404, {}, {"error": {"message": f"no model for {TOKEN}"}})]
    out = fails_and_then_answers(server, tmp_path, "model_failed")
    assert "no model for [redacted]" in out


def test_a_key_that_is_refused_is_not_posted(server: Server, state: State, tmp_path: Path) -> None:
    wrong = "sk-" + "w" * 40
    status, out, errors = run(server, tmp_path, OPENAI_API_KEY=wrong)
    assert status == 1
    assert "error: model_failed: AuthenticationError: Error code: 401" in out
    assert wrong not in out + errors + json.dumps(record(tmp_path))
    assert (state.comments, state.labels) == ([], [])


def test_a_time_out_of_the_model_is_not_posted(
    server: Server, state: State, tmp_path: Path
) -> None:
    state.faults = [Fault("POST", CHAT, delay=5.0)]
    out = fails_and_then_answers(server, tmp_path, "model_timeout", "--time-limit", "2")
    assert "the model gave no reply in time" in out


@pytest.mark.parametrize(
    ("refusal", "finish_reason", "told"),
    [
        ("I can't help with that.", "stop", "the model refused: I can't help with that."),
        (None, "content_filter", "held back by the server's content filter"),
    ],
)
def test_a_refusal_of_the_model_is_not_posted(
    server: Server, state: State, tmp_path: Path, refusal: str | None, finish_reason: str, told: str
) -> None:
    state.reply, state.refusal, state.finish_reason = "", refusal, finish_reason
    assert told in fails_and_then_answers(server, tmp_path, "model_refused")


@pytest.mark.parametrize(
    "reply",
    ["I am sorry, I can not tell you about this.", "", "[" * 10, "see `x`" * 100_000],
    ids=["prose", "empty", "brackets", "long"],
)
def test_a_reply_without_json_is_not_posted(
    server: Server, state: State, tmp_path: Path, reply: str
) -> None:
    state.reply = reply
    fails_and_then_answers(server, tmp_path, "reply_without_json")


def without(key: str) -> dict[str, Any]:
    return {name: value for name, value in ANALYSIS.items() if name != key}


MISMATCHES: dict[str, tuple[Any, str | None]] = {
    "confidence high": (
        {**ANALYSIS, "confidence": "high"},
        '/confidence: value is not of type "number"',
    ),
    "confidence in percent": ({**ANALYSIS, "confidence": 85}, "/confidence: "),
    "one label": (
        {**ANALYSIS, "recommended_labels": "bug"},
        '/recommended_labels: value is not of type "array"',
    ),
    "no summary": ({**ANALYSIS, "summary": None}, '/summary: value is not of type "string"'),
    "a list of a summary": ({**ANALYSIS, "summary": ["a", "b"]}, "/summary: "),
    "a list of a comment": ({**ANALYSIS, "user_comment": ["Hi"]}, "/user_comment: "),
    "a number of a comment": ({**ANALYSIS, "user_comment": 5}, "/user_comment: "),
    "an object of a comment": ({**ANALYSIS, "user_comment": {"text": "Hi"}}, "/user_comment: "),
    "an empty comment": ({**ANALYSIS, "user_comment": " "}, "/user_comment: says nothing"),
    "a comment of an empty object": (
        {**ANALYSIS, "user_comment": "{}"},
        "/user_comment: says nothing",
    ),
    "an odd kind": ({**ANALYSIS, "issue_type": "bug"}, "/issue_type: "),
    "no kind": (without("issue_type"), '/: "issue_type" is a required property'),
    "no comment": (without("user_comment"), '/: "user_comment" is a required property'),
    "an action that is a text": (
        {**ANALYSIS, "recommended_actions": ["close"]},
        "/recommended_actions/0: ",
    ),
    "a list": ([1], "/: value is not of type"),
    "a part": ('{"user_comment": "It is half', None),
    "braces": ("{" * 1_000_000, None),
}


@pytest.mark.parametrize("name", MISMATCHES)
def test_a_reply_that_does_not_fit_is_asked_for_once_more(name: str) -> None:
    value, told = MISMATCHES[name]
    replies, prompts = [value if isinstance(value, str) else json.dumps(value), GOOD], []

    async def model(prompt: str) -> str:
        prompts.append(prompt)
        return replies.pop(0)

    assert asyncio.run(FinalAnalyzer(model).generate(ISSUE, [])) == ANALYSIS
    first, second = prompts
    assert second.startswith(first)
    assert "Your last reply cannot be used." in second
    if told is not None:
        assert f"\n- {told}" in second


@pytest.mark.parametrize("name", MISMATCHES)
def test_a_reply_that_twice_does_not_fit_is_an_error(name: str) -> None:
    value, told = MISMATCHES[name]
    asked = 0

    async def model(prompt: str) -> str:
        nonlocal asked
        asked += 1
        return value if isinstance(value, str) else json.dumps(value)

    with pytest.raises(AnalysisError) as caught:
        asyncio.run(FinalAnalyzer(model).generate(ISSUE, []))
    assert asked == 2
    assert caught.value.code in ("reply_mismatch", "reply_without_json")
    assert len(caught.value.replies) == 2
    if told is not None:
        assert caught.value.code == "reply_mismatch"
        assert told in str(caught.value)


def test_a_mismatch_ends_the_run_with_its_code(
    server: Server, state: State, tmp_path: Path
) -> None:
    wrong = {**ANALYSIS, "confidence": "high", "summary": None, "detailed_analysis": KEY}
    state.reply = json.dumps(wrong)
    out = fails_and_then_answers(server, tmp_path, "reply_mismatch")
    assert "None" not in out
    assert len(state.prompts) == 3
    second = state.prompts[1]["messages"][0]["content"]
    assert '- /confidence: value is not of type "number"\n- /summary: ' in second
    assert KEY not in second


def test_a_mismatch_that_is_put_right_is_answered(
    server: Server, state: State, tmp_path: Path
) -> None:
    state.reply = [json.dumps({**ANALYSIS, "recommended_labels": "bug"}), GOOD]
    status, out, errors = run(server, tmp_path)
    assert (status, len(state.comments)) == (0, 1), out + errors
    assert "toolwire: reply_mismatch: /recommended_labels: " in errors
    assert record(tmp_path)["final_analysis"] == ANALYSIS


@pytest.mark.parametrize(
    ("replied", "code"),
    [(None, "model_failed"), (5, "model_failed"), (RuntimeError(TOKEN), "model_failed")],
)
def test_what_a_model_gives_that_is_no_text_is_an_error(replied: Any, code: str) -> None:
    async def model(prompt: str) -> Any:
        if isinstance(replied, Exception):
            raise replied
        return replied

    with pytest.raises(AnalysisError) as caught:
        asyncio.run(FinalAnalyzer(model).generate(ISSUE, []))
    assert caught.value.code == code
    assert TOKEN not in str(caught.value)
    live = asyncio.run(FinalAnalyzer(model, legacy=True).generate(ISSUE, []))
    assert live["summary"].startswith("Analysis failed: ")


def test_a_number_of_any_length_keeps_no_record_from_being_written(tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    long = toolwire.extract_json(f'{{"action": "add_label", "details": "x", "n": {"9" * 5000}}}')
    write_record({"tool_results": [], "final_analysis": {"recommended_actions": [long]}}, path)
    (action,) = read_record(path)["final_analysis"]["recommended_actions"]
    assert action["n"] == "<int with about 5000 digits>"


def summarize(folder: Path, name: str) -> tuple[int, str]:
    command = [sys.executable, "-m", "toolwire", "issue-agent", "summarize", name]
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=folder, timeout=60, check=False
    )
    assert done.stderr == ""
    return done.returncode, done.stdout


def test_a_summary_that_reads_like_a_failure_is_none(
    server: Server, state: State, tmp_path: Path
) -> None:
    summary = "Analysis failed: that is what the author's program prints."
    state.reply = json.dumps(
        {**ANALYSIS, "issue_type": "unknown", "confidence": 0, "summary": summary}
    )
    status, out, errors = run(server, tmp_path)
    assert (status, len(state.comments)) == (0, 1), out + errors
    assert summarize(tmp_path, RECORD)[0] == 0


def test_a_failure_in_a_record_of_the_live_agent_is_one(tmp_path: Path) -> None:
    async def model(prompt: str) -> str:
        raise RuntimeError("no answer")

    live = asyncio.run(FinalAnalyzer(model, legacy=True).generate(ISSUE, []))
    for summary in (live["summary"], "Failed."):
        held = {
            "tool_results": [],
            "final_analysis": {**live, "summary": summary},
            "actions_taken": [],
        }
        (tmp_path / "live.json").write_text(json.dumps(held))
        assert summarize(tmp_path, "live.json")[0] == 1


def test_an_answered_issue_is_answered_again_by_force(
    server: Server, state: State, tmp_path: Path
) -> None:
    assert run(server, tmp_path)[0] == 0
    assert run(server, tmp_path)[:2] == (0, "nothing to do: answered before\n")
    state.faults = [Fault("POST", "/repos/octo/repo/issues/7/comments", cut=True)]
    status, out, errors = run(server, tmp_path, *TARGET, "--force")
    assert status == 0, out + errors
    assert [one["body"].split("\n", 1)[1] for one in state.comments] == [COMMENT, COMMENT]


def test_a_record_with_wrong_types_shows_no_none(tmp_path: Path) -> None:
    odd = {"tool_results": [], "final_analysis": {"confidence": 0.5}, "actions_taken": ["x", {}]}
    (tmp_path / "odd.json").write_text(json.dumps(odd))
    assert "analysis: " not in summarize(tmp_path, "odd.json")[1]
