"""The agents of `examples`: killed while they wait, approved at the console, started again."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from agent_case import Model
from agent_programs_case import EXTENSION, serving
from server_stores import url_of
from servers import Server

ROOT = Path(__file__).resolve().parents[2]
NUMBERS = itertools.count()
EXAMPLES = ROOT / "examples" / "python"
PHP = ["php", "-d", f"extension={EXTENSION}", str(ROOT / "examples" / "php" / "agent.php")]


@pytest.fixture(params=["sqlite", "redis", "postgres"])
def place(request: pytest.FixtureRequest, servers: dict[str, Server], tmp_path: Path) -> str:
    """Give the place of a new store, as the agent and the console take it."""
    if request.param == "sqlite":
        return str(tmp_path / "agent.db")
    return f"{url_of(servers[request.param])}#agent{next(NUMBERS)}"


def console(*arguments: str, folder: Path) -> str:
    """Run the console; gives what it printed."""
    done = subprocess.run(
        [sys.executable, "-m", "toolwire", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(EXAMPLES), "NOTES": str(folder / "notes")},
    )
    return done.stdout


def approve(place: str, request_id: str, folder: Path) -> None:
    """Approve what the console shows of a request."""
    shown = json.loads(console("approvals", "show", "--json", place, request_id, folder=folder))
    assert shown["arguments"]["text"] == "Ann called."
    fingerprint = ("--fingerprint", shown["fingerprint"])
    console("approvals", "approve", place, request_id, *fingerprint, folder=folder)


def begun(model: Model, place: str, folder: Path, *question: str) -> subprocess.Popen[str]:
    """Start the agent of Python."""
    command = [sys.executable, str(EXAMPLES / "agent.py"), model.url, *question]
    return subprocess.Popen(
        [*command, "--store", place, "--chat", "ann"],
        cwd=folder,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "NOTES": str(folder / "notes")},
    )


def said(running: subprocess.Popen[str]) -> str:
    """Give what a process prints to its good end."""
    out, _ = running.communicate(timeout=60)
    assert running.returncode == 0
    return out


@pytest.mark.parametrize("style", ["native", "raw"])
def test_an_agent_that_is_killed_goes_on(place: str, style: str, tmp_path: Path) -> None:
    with serving(Model(style)) as model:
        model.killed = begun(model, place, tmp_path, "Note that Ann called.")
        model.killed.communicate(timeout=60)
        waits = said(begun(model, place, tmp_path))
        assert waits.startswith("waiting for approval of write_note: ")
        assert not (tmp_path / "notes").exists()
        assert said(begun(model, place, tmp_path)) == waits
        approve(place, waits.split()[-1], tmp_path)

        model.killed = begun(model, place, tmp_path)
        model.killed.communicate(timeout=60)
        note = tmp_path / "notes" / "Ann.txt"
        assert note.read_text() == "Ann called.\n"
        last = 'The tool said {"written":"Ann"}\n'
        assert said(begun(model, place, tmp_path)) == last
        assert len(model.asked) == 4

        assert said(begun(model, place, tmp_path)) == last
        assert note.read_text() == "Ann called.\n"
        (run,) = json.loads(console("runs", "list", "--all", "--json", place, folder=tmp_path))
        console("undo", "apply", place, run["id"], "--app", "agent:executor", folder=tmp_path)
        assert not note.exists()


def php_store(kind: str, servers: dict[str, Server], folder: Path) -> tuple[str, str]:
    """Give the place of a store as PHP takes it, and as the console does."""
    if kind == "sqlite":
        return "", str(folder / "agent.db")
    server = servers[kind]
    if kind == "redis":
        return url_of(server), url_of(server)
    parts = f"host=127.0.0.1;port={server.port};dbname=shop;user=shop;password={server.password}"
    return f"pgsql:{parts}", url_of(server)


@pytest.mark.parametrize("kind", ["sqlite", "redis", "postgres"])
@pytest.mark.parametrize("style", ["native", "raw"])
def test_an_agent_of_php_goes_on_in_the_next_request(
    kind: str, style: str, servers: dict[str, Server], tmp_path: Path
) -> None:
    named, place = php_store(kind, servers, tmp_path)
    with serving(Model(style)) as model:

        def request(*question: str) -> str:
            command = [*PHP, model.url, str(tmp_path), *question]
            environment = {**os.environ, "AGENT_STORE": named}
            done = subprocess.run(command, capture_output=True, text=True, env=environment)
            assert done.returncode == 0, done.stderr
            return done.stdout

        waits = request("Note that Ann called.")
        assert waits.startswith("waiting for approval of write_note: "), waits
        assert request() == waits
        approve(place, waits.split()[-1], tmp_path)
        assert request() == 'The tool said {"written":"Ann called."}\n'
        assert request() == 'The tool said {"written":"Ann called."}\n'
        assert (tmp_path / "notes.txt").read_text() == "Ann called.\n"
        assert len(model.asked) == 2


@pytest.mark.parametrize("language", ["python", "php"])
def test_an_agent_tells_the_model_what_was_refused(language: str, tmp_path: Path) -> None:
    with serving(Model("broken")) as model:
        if language == "php":
            command = [*PHP, model.url, str(tmp_path), "Note that Ann called."]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            waits = done.stdout
        else:
            waits = said(begun(model, "agent.db", tmp_path, "Note that Ann called."))
    assert waits.startswith("waiting for approval of write_note: "), waits
    told = model.asked[-1]["messages"][-1]
    assert told["role"] == "user"
    assert told["content"].startswith("Your tool call was not run (bad_json) at line 3")
    assert len(model.asked) == 2
