"""Counts the lines of the programs of ``docs/compare.md``, and runs what the page says of them.

``TOOLWIRE_PEERS`` is a Python with the packages of ``examples/compare/peers/requirements.txt``.
Without it, pydantic-ai alone is run, which the other tests use too.
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from agent_programs_case import CALL, COMPARE, ROOT, ModelServer, approve, serving

PAGE = ROOT / "docs" / "compare.md"
PYTHON = os.environ.get("TOOLWIRE_PEERS") or sys.executable
# How many lines the programs may have that are neither empty nor comments.
MOST_LINES = {"compare/agent.py": 25, "compare/agent.php": 30, "rust/agent/src/main.rs": 40}
# Runs a program whose handler stays at its print until a file is there.
SLOW = """
import builtins, pathlib, runpy, sys, time
began, go, usual = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), print
def slow(*words, **options):
    usual(*words, **options)
    if words[0] == "wiping" and not began.exists():
        began.touch()
        while not go.exists():
            time.sleep(0.02)
builtins.print, sys.argv = slow, sys.argv[3:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def packages() -> dict[str, str]:
    """Give the version of each package that the peers' programs take."""
    required = (COMPARE / "peers" / "requirements.txt").read_text(encoding="utf-8")
    return dict(re.findall(r"(?m)^([\w-]+)[^=\n]*==(.+)$", required))


def code(file: Path) -> list[str]:
    """Give the lines of a program that are neither empty nor comments, nor the head of the file."""
    source = file.read_text(encoding="utf-8")
    lines = source.splitlines()
    if file.suffix == ".py":
        lines = lines[ast.parse(source).body[0].end_lineno :]
    marks = ("#", "//", "<?php")
    return [line for line in lines if line and not line.lstrip().startswith(marks)]


@pytest.mark.parametrize("name", MOST_LINES)
def test_the_programs_are_as_short_as_is_said(name: str) -> None:
    assert 15 < len(code(ROOT / "examples" / name)) <= MOST_LINES[name]


def test_the_page_has_the_counts_and_the_versions() -> None:
    page = PAGE.read_text(encoding="utf-8")
    rows = re.findall(r"(?m)^\|[^|]*\]\(\.\./examples/([^)]+)\) \| (\d+) \|", page)
    examples = ROOT / "examples"
    files = [*(examples / name for name in MOST_LINES), *(COMPARE / "peers").glob("*.py")]
    counted = {str(file.relative_to(examples)): len(code(file)) for file in files}
    assert {name: int(lines) for name, lines in rows} == counted
    named = dict(re.findall(r"`([\w-]+) (\d[\d.]*)`", page))
    assert named == packages()


def test_the_peers_tests_take_the_versions_of_the_page() -> None:
    required = (ROOT / "requirements-dev.txt").read_text(encoding="utf-8")
    for name in ("langchain-openai", "pydantic-ai-slim"):
        assert re.search(rf"(?m)^{name}\b.*=={re.escape(packages()[name])}$", required)


class NativeModel(ModelServer):
    """Writes its calls as the API has them; with ``raw``, in the text."""

    raw = False

    def message(self, asked: dict[str, Any]) -> dict[str, Any]:
        if self.raw:
            return super().message(asked)
        if any(one["role"] == "tool" for one in asked["messages"]):
            return {"role": "assistant", "content": "Disk 7 is wiped."}
        function = {"name": "wipe", "arguments": '{"disk": 7}'}
        calls = [{"id": "call_0", "type": "function", "function": function}]
        return {"role": "assistant", "content": "I wipe it.", "tool_calls": calls}


@pytest.fixture
def server() -> Iterator[NativeModel]:
    with serving(NativeModel()) as made:
        yield made


@pytest.fixture(params=["agent", "with_langgraph", "with_openai_agents", "with_pydantic_ai"])
def program(request: pytest.FixtureRequest) -> Path:
    if request.param == "agent":
        return COMPARE / "agent.py"
    if request.param != "with_pydantic_ai" and "TOOLWIRE_PEERS" not in os.environ:
        pytest.skip("TOOLWIRE_PEERS names no Python")
    return COMPARE / "peers" / f"{request.param}.py"


def begun(program: Path, *words: str) -> subprocess.Popen[str]:
    """Start a program, whose handler waits if it is the first one."""
    file = Path(words[1])
    python = sys.executable if program.name == "agent.py" else PYTHON
    gates = [str(file.with_suffix(".began")), str(file.with_suffix(".go"))]
    return subprocess.Popen(
        [python, "-c", SLOW, *gates, str(program), *words],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "OPENAI_AGENTS_DISABLE_TRACING": "1"},
    )


def said(program: Path, *words: str) -> str:
    """Run a program to its good end; give what it printed."""
    running = begun(program, *words)
    out, _ = running.communicate(timeout=60)
    assert running.returncode == 0
    return out


def approval(program: Path, file: Path, request: str) -> list[str]:
    """Approve on the console, or give what has the next process approve."""
    if program.name == "agent.py":
        approve(file, request)
        return []
    return ["", request]


@pytest.mark.parametrize("is_killed", [True, False], ids=["killed", "at work"])
def test_a_second_process_resumes_what_the_first_one_is_in(
    program: Path, is_killed: bool, server: NativeModel, tmp_path: Path
) -> None:
    """The peers run the handler a second time."""
    file = tmp_path / "state.db"
    request = said(program, server.url, str(file), "Wipe disk 7.").split()[-1]
    resumes = [server.url, str(file), *approval(program, file, request)]
    first = begun(program, *resumes)
    end = time.monotonic() + 60
    while not file.with_suffix(".began").exists():
        assert first.poll() is None
        assert time.monotonic() < end
        time.sleep(0.02)
    if is_killed:
        first.kill()
        first.wait()
    again = said(program, *resumes)
    file.with_suffix(".go").touch()
    out, _ = first.communicate(timeout=60)
    # A killed process has its run until the lease ends, which the test does not wait for.
    assert ("wipe running: " in again) == (program.name == "agent.py")
    assert ("wiping 7\n" in again) == (program.name != "agent.py")
    assert "wiping 7\n" in out
    assert ("Disk 7 is wiped.\n" in out) != is_killed


def test_a_call_in_the_text_is_the_answer_of_the_peers(
    program: Path, server: NativeModel, tmp_path: Path
) -> None:
    server.raw = True
    out = said(program, server.url, str(tmp_path / "state.db"), "Wipe disk 7.")
    assert (CALL in out) == (program.name != "agent.py")
    assert ("wipe waiting: " in out) == (program.name == "agent.py")
