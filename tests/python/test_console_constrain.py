"""The command ``toolwire constrain``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import toolwire
from toolwire.cli.main import main

TOOLS = [{"name": "set", "parameters": {"properties": {"place": {"type": "string"}}}}]
ODD = [{"name": "f", "parameters": {"properties": {"a": {"not": {"type": "string"}}}}}]


@pytest.fixture
def tools(tmp_path: Path) -> Path:
    path = tmp_path / "tools.json"
    path.write_text(json.dumps(TOOLS))
    return path


def test_the_members_of_a_request_are_printed(
    tools: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ("--tool-choice", "required", "--one-call", "--no-text", "--reasoning", "no")
    assert main(["constrain", "--model", "qwen3-8b", "--tools", str(tools), *options]) == 0
    printed, told = capsys.readouterr()
    made = toolwire.constrain(
        TOOLS,
        model="qwen3-8b",
        tool_choice="required",
        parallel=False,
        text=False,
        reasoning=False,
    )
    assert json.loads(printed) == made.request
    assert told == ""


def test_a_file_may_hold_the_tools_in_an_object(
    tools: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tools.write_text(json.dumps({"tools": TOOLS}))
    arguments = ["--format", "hermes", "--tools", str(tools), "--backend", "gbnf", "--grammar"]
    assert main(["constrain", *arguments]) == 0
    made = toolwire.constrain(TOOLS, format="hermes", backend="gbnf")
    assert capsys.readouterr().out == made.grammar


def test_special_tokens_are_named_to_lark(tools: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tokens = ("<tool_call>", "</tool_call>")
    arguments = ["--format", "hermes", "--tools", str(tools), "--backend", "lark"]
    assert main(["constrain", *arguments, "--grammar", "--special-tokens", *tokens]) == 0
    made = toolwire.constrain(TOOLS, format="hermes", backend="lark", special_tokens=tokens)
    assert capsys.readouterr().out == made.grammar


def test_what_is_not_held_is_told(tools: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tools.write_text(json.dumps(ODD))
    assert main(["constrain", "--format", "hermes", "--tools", str(tools)]) == 0
    assert "note: f/properties/a/not: not: " in capsys.readouterr().err
    assert main(["constrain", "--format", "hermes", "--tools", str(tools), "--strict"]) == 2
    assert "/properties/a/not" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--model", "nobody-knows-it"], "nobody-knows-it"),
        (["--model", "kimi-vl-a3b-instruct"], "kimi_vl knows no format of calls"),
        (["--format", "hermes", "--server", "llama.cpp"], "llama.cpp takes no structural_tag"),
        (["--format", "hermes", "--tool-choice", "later"], "later"),
    ],
)
def test_an_error_is_told(
    tools: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    assert main(["constrain", *arguments, "--tools", str(tools)]) == 2
    printed, told = capsys.readouterr()
    assert printed == ""
    assert words in told
