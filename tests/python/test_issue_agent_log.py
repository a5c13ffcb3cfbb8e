"""No output of the issue agent is a command to a terminal or to a runner of workflows."""

from __future__ import annotations

import json
import re
import unicodedata
from pathlib import Path

import pytest
from issue_agent_server import ANALYSIS, TARGET, Fault, Server, State, record, run
from toolwire.cli.issue_agent.log import log_line, log_lines

CHAT = "/v1/chat/completions"
COMMANDS = [
    "::add-mask::x",
    "  ::set-env name=PATH::/evil",
    "\t\u00a0\u3000::error::x",
    "\u200b::warning::x",
    "\u2060\ufeff:\u00ad:group::x",
    "\U000e0001::notice::x",
    "\x1b::debug::x",
    "\r::save-state name=a::b",
    "\u2028::set-output name=a::b",
    "\x85::add-path::/evil",
    "fine so far ##[error]x",
    "##[group]x",
    "#\u200d#\ufe0f[endgroup]x",
    "###[command]x",
    "##[add-mask]x",
]


def is_command(line: str) -> bool:
    """Say whether a runner may read a line as a command: it trims it, and skips invisible ones."""
    ignored = ("Cf", "Cc", "Cs", "Zl", "Zp")
    seen = "".join(
        letter
        for letter in line
        if unicodedata.category(letter) not in ignored
        and not 0xFE00 <= ord(letter) <= 0xFE0F
        and not 0xE0000 <= ord(letter) <= 0xE0FFF
    )
    return seen.lstrip().startswith("::") or "##[" in seen


def runner_lines(text: str) -> list[str]:
    return re.split(r"\r\n|[\r\n\x0b\x0c\x85\u2028\u2029]", text)


@pytest.mark.parametrize("command", COMMANDS)
def test_no_text_is_a_command(command: str) -> None:
    assert any(is_command(line) for line in runner_lines(command)), "the case is none"
    for text in (command, f"one\n{command}\ntwo", f"{command}\r{command}", command * 3):
        for shown in (log_lines(text), log_line(text)):
            assert not any(map(is_command, runner_lines(shown))), repr(shown)
        assert "\n" not in log_line(text)


def test_other_text_is_shown_as_it_is() -> None:
    text = "a ::b:: c\nstd::vector\n# Title\n## [link](x)\nword: :x\n"
    assert log_lines(text) == text
    assert log_lines("\u200bword: :x\n") == "⟨U+200B⟩word: :x\n"
    assert log_lines("\n" * 200_000 + "#" * 200_000 + ":" * 200_000 + " " * 200_000)


def assert_no_command(text: str) -> None:
    found = [line for line in runner_lines(text) if is_command(line)]
    assert found == []


def check_log(out: str, errors: str) -> None:
    """Check a workflow's log: commands are switched off around it, and no line is a command."""
    first = re.match(r"::stop-commands::([0-9a-f]{32})\n", out)
    assert first, out
    last = f"\n::{first[1]}::\n"
    assert out.endswith(last)
    inner = out[first.end() : -len(last)]
    assert first[1] not in inner
    assert_no_command(inner)
    assert_no_command(errors)


@pytest.mark.parametrize("arguments", [(), ("--dry-run",)], ids=["run", "dry run"])
def test_no_line_of_the_log_is_a_command(
    server: Server, state: State, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    hostile = "\n".join(["x", *COMMANDS])
    state.issue["title"] = hostile
    state.reply = json.dumps(
        {
            **ANALYSIS,
            "summary": hostile,
            "user_comment": hostile,
            "recommended_labels": ["##[error]", *COMMANDS],
            "recommended_actions": [{"action": "close_issue", "details": hostile}],
        }
    )
    (tmp_path / "mytools.py").write_text(
        "class Fails:\n    def execute(self, issue, comment=None):\n"
        f"        raise ValueError({hostile!r})\n"
        "registry = {'\\n::error::name': Fails()}\n"
    )
    first = run(
        server, tmp_path, *TARGET, "--tools", "mytools:registry", *arguments, GITHUB_ACTIONS="true"
    )
    assert first[0] == 1
    check_log(first[1], first[2])
    assert "summary: x" in first[1]
    if arguments:
        body = next(one["comment"] for one in record(tmp_path)["actions_taken"] if "comment" in one)
        assert body.count("\n") > 5
        assert "\\::add-mask::x" in first[1]
        assert "backslashes in the comment as it is shown" in first[2]


def test_no_error_is_a_command(server: Server, state: State, tmp_path: Path) -> None:
    hostile = "\n".join(COMMANDS)
    state.faults = [Fault("POST", CHAT, 404, {}, {"error": {"message": hostile}})]
    status, out, errors = run(server, tmp_path, *TARGET, GITHUB_ACTIONS="true")
    assert status == 1
    check_log(out, errors)
    state.faults = [Fault("GET", "/repos/octo/repo", 401, {}, {"message": hostile})]
    status, out, errors = run(server, tmp_path, *TARGET, GITHUB_ACTIONS="true")
    assert status == 2
    check_log(out, errors)
    state.reply = [hostile, hostile]
    status, out, errors = run(server, tmp_path, *TARGET, GITHUB_ACTIONS="true")
    assert status == 1
    check_log(out, errors)
    assert state.comments == []


def test_what_a_tool_prints_itself_is_no_command(
    server: Server, state: State, tmp_path: Path
) -> None:
    (tmp_path / "mytools.py").write_text(
        "class Prints:\n    def execute(self, issue, comment=None):\n"
        "        print('::add-path::/evil', end='')\n        return {}\n"
        "registry = {'prints': Prints()}\n"
    )
    _, out, _ = run(server, tmp_path, *TARGET, "--tools", "mytools:registry", GITHUB_ACTIONS="true")
    token = out.split("\n", 1)[0].removeprefix("::stop-commands::")
    assert (
        out.index("::stop-commands::") < out.index("::add-path::") < out.index(f"\n::{token}::\n")
    )
