"""Runs the Python examples of the README."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

README = Path(__file__).resolve().parents[2] / "README.md"


def printed(number: int, capsys: pytest.CaptureFixture[str]) -> list[str]:
    examples = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    assert len(examples) == 7
    exec(compile(examples[number], str(README), "exec"), {})
    return capsys.readouterr().out.splitlines()


def test_the_example_does_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(0, capsys)
    assert lines[0] == "wp_api list"
    assert lines[1] == "I will look. "
    assert "**rag_search** (Success, Confidence: 30.0%):" in lines
    assert lines[-1] == "0.5"


def test_the_example_of_providers_does_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(3, capsys)
    assert lines == ["{'functionCall': {'id': 'c1', 'name': 'weather', 'args': {'city': 'Oslo'}}}"]


def test_the_example_of_formats_does_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(1, capsys)
    assert lines == ["add {'n': 5} qwen3_coder", "['text', 'call_start', 'arguments_delta']"]


def test_the_example_of_logs_does_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(4, capsys) == ["add success 5", "1.0 0"]


def test_the_example_of_replies_does_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(2, capsys) == ["{'severity': 'low', 'labels': ['bug']}"]


def test_the_example_of_tools_does_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(6, capsys) == ["{'published': 7}", "behavior_not_allowed"]


def test_the_example_of_the_issue_agent_does_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(5, capsys)
    assert lines[1:3] == ["**logs** (Success, Confidence: 90.0%):", "- crashes: 1 items"]
    assert lines[-2] == "**code_search** (Failed): Tool code_search not implemented"
