"""Interrupted runs that somebody retries, runs that are forgotten, and pages of runs."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from tools_console import console
from toolwire.tools import (
    AdvancedToolExecutor,
    MemoryStore,
    Run,
    RunNotFoundError,
    RunNotRetriedError,
    SqliteStore,
    ToolDefinition,
    ToolInput,
)

PROGRAM = """
import os, signal, sys
from pathlib import Path
from toolwire.tools import AdvancedToolExecutor, SqliteStore, ToolDefinition

folder = Path(__file__).parent
dies = False

def mail(input):
    with open(folder / "sent", "a") as sent:
        sent.write(f"{input.idempotency_key} {input.payload['to']}\\n")
    if dies:
        os.kill(os.getpid(), signal.SIGKILL)
    return "sent"

def executor(store, **options):
    made = AdvancedToolExecutor(store=store, **options)
    made.register(ToolDefinition("mail", "MAIL", mail, requires_approval=bool(options)))
    return made

if __name__ == "__main__":
    import asyncio
    dies = True
    options = {}
    if "asks" in sys.argv:
        title = (folder / "title").read_text
        options = {"approver": lambda *_: True, "changes": lambda *_: title()}
    store = SqliteStore(folder / "tools.db")
    call = {"id": "call_1", "type": "MAIL", "payload": {"to": "ann"}}
    asyncio.run(executor(store, **options).start(call))
"""
CALL = {"id": "call_1", "type": "MAIL", "payload": {"to": "ann"}}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "agent.py").write_text(PROGRAM)
    (tmp_path / "title").write_text("Old")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def interrupted(folder: Path, *words: str) -> str:
    """Let a process die in its handler, and let its lease end; gives the id of the run."""
    died = subprocess.run([sys.executable, "agent.py", *words])
    assert died.returncode == -signal.SIGKILL
    with SqliteStore(folder / "tools.db") as store:
        ((key, value, version, expires_at),) = store.scan("run/id/", None, 9, 0)
        record = json.loads(value)
        record["lease"]["until"] = "2020-01-01T00:00:00+00:00"
        assert store.put(key, json.dumps(record).encode(), version, expires_at, 0) is not None
    return str(record["id"])


def sent(folder: Path) -> list[str]:
    return (folder / "sent").read_text().splitlines()


def executor(folder: Path, **options: Any) -> AdvancedToolExecutor:
    made = AdvancedToolExecutor(store=SqliteStore(folder / "tools.db"), **options)

    def mail(input: ToolInput) -> str:
        with (folder / "sent").open("a") as sent:
            sent.write(f"{input.idempotency_key} {input.payload['to']}\n")
        return "sent"

    made.register(ToolDefinition("mail", "MAIL", mail, requires_approval=bool(options)))
    return made


def test_a_retried_run_goes_on_with_the_same_key(folder: Path) -> None:
    run_id = interrupted(folder)
    made = executor(folder)
    stands = asyncio.run(made.start(CALL))
    assert (stands.id, stands.state) == (run_id, "interrupted")
    ready = asyncio.run(made.retry(run_id))
    assert (ready.state, ready.error) == ("approved", None)
    assert [run.id for run in asyncio.run(made.waiting())] == [run_id]
    done = asyncio.run(made.resume(run_id))
    assert done is not None
    assert (done.state, done.result().data) == ("completed", "sent")
    # Both attempts had the same key and the same arguments.
    first, second = sent(folder)
    assert first == second
    assert first.endswith(" ann")
    assert run_id not in first
    assert asyncio.run(made.start(CALL)).state == "completed"


@pytest.mark.parametrize(("title", "state"), [("Old", "completed"), ("Edited", "denied")])
def test_a_retried_run_does_only_what_was_approved(folder: Path, title: str, state: str) -> None:
    run_id = interrupted(folder, "asks")
    (folder / "title").write_text(title)
    made = executor(folder, changes=lambda *_: (folder / "title").read_text())
    asyncio.run(made.retry(run_id))
    done = asyncio.run(made.resume(run_id))
    assert done is not None
    assert (done.state, len(sent(folder))) == (state, 2 if state == "completed" else 1)


def test_only_an_interrupted_run_is_retried(folder: Path) -> None:
    made = executor(folder)
    done = asyncio.run(made.start(CALL))
    with pytest.raises(RunNotRetriedError, match="is completed") as refused:
        asyncio.run(made.retry(done.id))
    assert refused.value.to_dict()["code"] == "not_interrupted"
    with pytest.raises(RunNotFoundError, match="run none not found"):
        asyncio.run(made.retry("none"))
    with pytest.raises(TypeError, match="store"):
        asyncio.run(AdvancedToolExecutor().retry(done.id))


def test_of_many_who_retry_one_succeeds(folder: Path) -> None:
    run_id = interrupted(folder)

    def retry(_: int) -> str:
        try:
            return asyncio.run(executor(folder).retry(run_id)).state
        except RunNotRetriedError as error:
            return error.code

    with ThreadPoolExecutor(8) as threads:
        said = sorted(threads.map(retry, range(8)))
    assert said == ["approved"] + ["not_interrupted"] * 7


def test_the_console_retries_a_run(folder: Path) -> None:
    run_id = interrupted(folder)
    assert "interrupted" in console("list", "tools.db", command="runs")[1]
    status, said = console("retry", "tools.db", run_id, "--json", command="runs")
    assert (status, json.loads(said)["state"]) == (0, "approved")
    status, said = console("retry", "tools.db", run_id, command="runs")
    assert (status, "(not_interrupted)" in said) == (1, True)
    status, said = console("retry", "tools.db", "none", command="runs")
    assert (status, "(unknown_run)" in said) == (1, True)
    app = ("--app", "agent:executor", "--json")
    status, said = console("resume", "tools.db", run_id, *app, command="runs")
    assert (status, json.loads(said)["output"]["data"]) == (0, "sent")


def test_the_console_retries_and_goes_on_at_once(folder: Path) -> None:
    run_id = interrupted(folder)
    app = ("--app", "agent:executor", "--json")
    status, said = console("retry", "tools.db", run_id, *app, command="runs")
    assert (status, json.loads(said)["state"]) == (0, "completed")
    assert len(sent(folder)) == 2


def test_a_forgotten_run_begins_anew(folder: Path) -> None:
    made = executor(folder)
    done = asyncio.run(made.start(CALL))
    assert asyncio.run(made.forget(done.id)) is True
    assert asyncio.run(made.forget(done.id)) is False
    assert asyncio.run(made.run(done.id)) is None
    again = asyncio.run(made.start(CALL))
    assert (again.id, len(sent(folder))) == (done.id, 2)


def test_a_forgotten_run_is_waited_for_no_more(folder: Path) -> None:
    made = executor(folder, changes=lambda *_: None)
    waiting = asyncio.run(made.start(CALL))
    assert waiting.state == "waiting"
    assert asyncio.run(made.forget(waiting.id)) is True
    assert asyncio.run(made.waiting()) == []
    assert asyncio.run(made.resume(waiting.id)) is None


def test_the_waiting_runs_come_in_pages() -> None:
    made = AdvancedToolExecutor(store=MemoryStore())
    made.register(ToolDefinition("mail", "MAIL", print, requires_approval=True))
    started = [asyncio.run(made.start({**CALL, "id": f"c{number}"})).id for number in range(5)]

    def page(after: Any = None, limit: int | None = 2) -> list[Run]:
        return asyncio.run(made.waiting(limit, after=after))

    first = page()
    second = page(first[-1].id)
    assert [run.id for run in [*first, *second, *page(second[-1].id)]] == started
    assert [run.id for run in page(None, None)] == started
    with pytest.raises(RunNotFoundError):
        page("none")
    with pytest.raises(ValueError, match="at least 1"):
        page(None, 0)


@pytest.mark.parametrize("more", [[], ["--all"]])
def test_the_console_lists_runs_in_pages(folder: Path, more: list[str]) -> None:
    made = executor(folder, changes=lambda *_: None)
    started = [asyncio.run(made.start({**CALL, "id": f"c{number}"})).id for number in range(3)]
    whole = list(reversed(started)) if more else started

    def page(*options: str) -> tuple[int, str]:
        return console("list", "tools.db", *more, *options, command="runs")

    first = [line.split()[0] for line in page("--limit", "2")[1].splitlines()]
    after = page("--limit", "2", "--after", first[-1])[1]
    assert first + [line.split()[0] for line in after.splitlines()] == whole
    assert page("--after", "none") == (1, "run none not found\n")
