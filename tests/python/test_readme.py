"""Runs the Python example of the README."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

README = Path(__file__).resolve().parents[2] / "README.md"


def test_the_example_does_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    examples = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    assert len(examples) == 1
    exec(compile(examples[0], str(README), "exec"), {})
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "wp_api list"
    assert lines[1] == "I will look. "
    assert "**rag_search** (Success, Confidence: 30.0%):" in lines
    assert lines[-1] == "0.5"
