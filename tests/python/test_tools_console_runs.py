"""The console's ``toolwire runs`` and ``toolwire undo apply``, with a program's own handlers."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import select
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from tools_console import TOKEN, console
from toolwire.tools import AdvancedToolExecutor, SqliteStore, ToolDefinition, ToolError, ToolOutput

AGENT = """
import sys
from pathlib import Path
from toolwire.tools import AdvancedToolExecutor, ToolDefinition, ToolOutput

sent = Path(__file__).parent / "sent"

def mail(input):
    sent.write_text(input.payload["to"])
    return ToolOutput.ok({"to": input.payload["to"]}, undo_metadata={"to": input.payload["to"]})

async def take_back(metadata):
    sent.write_text("not " + metadata.undo_data["to"])

tool = ToolDefinition(
    "mail", "MAIL", mail, requires_approval=True, undoable=True, undo_handler=take_back
)

def executor(store):
    made = AdvancedToolExecutor(store=store, approver=approver)
    made.register(tool)
    return made

approver = None
alone = AdvancedToolExecutor()
number = 7

if __name__ == "__main__":
    import asyncio
    from toolwire.tools import SqliteStore
    approver = "terminal"
    call = {"id": "call_2", "type": "MAIL", "payload": {"to": "bob"}}
    print((asyncio.run(executor(SqliteStore(sys.argv[1])).start(call))).state)
"""
CALL = {"id": "call_1", "type": "MAIL", "payload": {"to": "ann"}}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "agent.py").write_text(AGENT, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def waiting(folder: Path) -> tuple[str, str]:
    """Start a run that waits; give its id and that of its request."""
    executor = AdvancedToolExecutor(store=SqliteStore(folder / "tools.db"))
    executor.register(ToolDefinition("mail", "MAIL", print, requires_approval=True))
    run = asyncio.run(executor.start(CALL))
    assert run.approval_id is not None
    return run.id, run.approval_id


def test_a_run_is_listed_approved_resumed_and_undone(folder: Path) -> None:
    run_id, request_id = waiting(folder)
    status, listed = console("list", "tools.db", command="runs")
    assert status == 0
    assert listed.split() == [run_id, listed.split()[1], "waiting", "mail"]
    status, still = console("resume", "tools.db", run_id, "--app", "agent:executor", command="runs")
    assert (status, "waiting" in still) == (1, True)
    fingerprint = json.loads(console("show", "--json", "tools.db", request_id)[1])["fingerprint"]
    decided = console("approve", "tools.db", request_id, "--fingerprint", fingerprint)
    assert "goes on when it is taken up" in decided[1]
    status, done = console(
        "resume", "tools.db", run_id, "--app", "agent:executor", "--json", command="runs"
    )
    assert (status, json.loads(done)["output"]["data"]) == (0, {"to": "ann"})
    assert (folder / "sent").read_text() == "ann"
    assert console("list", "tools.db", command="runs") == (0, "")
    (every,) = json.loads(console("list", "--all", "--json", "tools.db", command="runs")[1])
    assert every["state"] == "completed"
    status, said = console("apply", "tools.db", run_id, "--app", "agent:executor", command="undo")
    assert (status, said) == (0, f"{run_id}: undone\n")
    assert (folder / "sent").read_text() == "not ann"
    status, said = console("apply", "tools.db", run_id, "--app", "agent:executor", command="undo")
    assert (status, "nothing to undo" in said) == (1, True)


def test_a_run_is_shown_without_secrets(folder: Path) -> None:
    executor = AdvancedToolExecutor(store=SqliteStore(folder / "tools.db"))
    output = ToolOutput.ok({"password": "hunter2", "note": f"use {TOKEN}"})
    executor.register(ToolDefinition("mail", "MAIL", lambda input: output))

    def fails(input: Any) -> None:
        raise LookupError(f"not with {TOKEN}")

    executor.register(ToolDefinition("fail", "FAIL", fails))
    done = asyncio.run(executor.start(CALL))
    failed = asyncio.run(executor.start({**CALL, "id": "call_2", "type": "FAIL"}))
    for run, status in ((done, 0), (failed, 1)):
        for more in ((), ("--json",)):
            shown = console("show", "tools.db", run.id, *more, command="runs")
            assert shown[0] == status
            assert "redacted" in shown[1]
            assert "hunter2" not in shown[1]
            assert TOKEN not in shown[1]
    assert console("show", "tools.db", "none", command="runs")[0] == 1


@pytest.mark.parametrize(
    ("app", "said"),
    [
        ("agent", "MODULE:NAME"),
        ("nowhere:executor", "cannot import nowhere"),
        ("agent:nothing", "has no nothing"),
        ("agent:number", "is no Executor"),
        ("agent:alone", "keeps no runs"),
    ],
)
def test_a_wrong_program_is_named(folder: Path, app: str, said: str) -> None:
    run_id, _ = waiting(folder)
    command = [sys.executable, "-m", "toolwire", "runs", "resume", "tools.db", run_id, "--app", app]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, said in done.stderr) == (2, True)


def test_a_watched_list_tells_what_is_new(folder: Path) -> None:
    with SqliteStore(folder / "tools.db"):
        pass
    command = [sys.executable, "-m", "toolwire", "runs", "list", "--watch", "tools.db"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as watching:
        time.sleep(1.5)
        run_id, _ = waiting(folder)
        assert watching.stdout is not None
        assert watching.stdout.readline().startswith(run_id)
        watching.terminate()


@pytest.mark.parametrize(("answer", "state"), [("y", "completed"), ("n", "denied")])
def test_a_program_asks_at_its_terminal(folder: Path, answer: str, state: str) -> None:
    ours, theirs = pty.openpty()
    command = [sys.executable, "agent.py", "tools.db"]
    asking = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    try:
        said = read_until(ours, "[y/N]")
        assert "mail: Approve mail?" in said
        assert '"bob"' in said
        os.write(ours, f"{answer}\n".encode())
        assert state in read_until(ours, state)
        assert asking.wait(30) == 0
    finally:
        asking.kill()
        asking.wait()
        os.close(ours)


def read_until(terminal: int, word: str) -> str:
    said = ""
    while word not in said and select.select([terminal], [], [], 30.0)[0]:
        said += os.read(terminal, 4096).decode()
    return said


def test_without_a_terminal_nothing_runs(folder: Path) -> None:
    executor = AdvancedToolExecutor(approver="terminal")
    executor.register(ToolDefinition("mail", "MAIL", print, requires_approval=True))
    with pytest.raises(ToolError, match="toolwire approvals approve"):
        asyncio.run(executor.execute(CALL))
    with pytest.raises(TypeError, match="terminal"):
        AdvancedToolExecutor(approver="phone")  # type: ignore[arg-type]
