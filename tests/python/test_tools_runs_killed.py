"""Runs of processes that are killed: while they wait, in the checks, in the handler."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
import uuid
from pathlib import Path
from typing import Any

from toolwire.tools import (
    AdvancedToolExecutor,
    SqliteStore,
    ToolDefinition,
    ToolInput,
    ToolInterruptedError,
)

CALL = {"id": "call_1", "type": "MAIL", "payload": {"to": "ann"}}
SENT: list[Any] = []


def executor_of(path: Path, *, asks: bool = False) -> AdvancedToolExecutor:
    executor = AdvancedToolExecutor(store=SqliteStore(path / "runs.db"))
    executor.register(ToolDefinition("mail", "MAIL", mail, requires_approval=asks))
    return executor


def mail(input: ToolInput) -> None:
    SENT.append(input.payload["to"])


AGENT = """
import asyncio, os, signal, sys
from pathlib import Path
from toolwire.tools import AdvancedToolExecutor, SqliteStore, ToolDefinition
folder, how = Path(sys.argv[1]), sys.argv[2]

def mail(input):
    with open(folder / "sent", "a") as sent:
        sent.write(input.idempotency_key + "\\n")
    if how == "die in the handler":
        os.kill(os.getpid(), signal.SIGKILL)
    return {"to": input.payload["to"]}

def permission(tool, action, ctx):
    if how == "die in the checks":
        os.kill(os.getpid(), signal.SIGKILL)
    return True

executor = AdvancedToolExecutor(store=SqliteStore(folder / "runs.db"), permission=permission)
executor.register(ToolDefinition("mail", "MAIL", mail, requires_approval=how == "wait"))
call = {"id": "call_1", "type": "MAIL", "payload": {"to": "ann"}}

async def main():
    run = await executor.start(call)
    print(run.state, run.id, run.approval_id, flush=True)
    if how == "wait":
        await executor.execute(call)
        print((await executor.run(run.id)).state, flush=True)

asyncio.run(main())
"""


def agent(folder: Path, how: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", AGENT, str(folder), how]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def told(process: subprocess.Popen[str]) -> list[str]:
    assert process.stdout is not None
    return process.stdout.readline().split()


def end_lease(folder: Path) -> None:
    """Let the minute of the process that has the run be over."""
    with SqliteStore(folder / "runs.db") as store:
        ((key, value, version, expires_at),) = store.scan("run/id/", None, 9, 0)
        record = json.loads(value)
        record["lease"]["until"] = "2020-01-01T00:00:00+00:00"
        assert store.put(key, json.dumps(record).encode(), version, expires_at, 0) is not None


def sent(folder: Path) -> int:
    path = folder / "sent"
    return len(path.read_text().splitlines()) if path.exists() else 0


def test_a_process_that_is_killed_while_it_waits_loses_nothing(tmp_path: Path) -> None:
    first = agent(tmp_path, "wait")
    state, run_id, approval_id = told(first)
    assert state == "waiting"
    first.send_signal(signal.SIGKILL)
    first.wait()
    executor = executor_of(tmp_path, asks=True)
    asyncio.run(executor.approvals.decide(uuid.UUID(approval_id), True))
    second = agent(tmp_path, "wait")
    assert told(second) == ["approved", run_id, approval_id]
    assert told(second) == ["completed"]
    assert second.wait() == 0
    assert sent(tmp_path) == 1


def test_a_handler_that_may_have_run_is_not_run_again(tmp_path: Path) -> None:
    first = agent(tmp_path, "die in the handler")
    assert first.wait() == -signal.SIGKILL
    assert sent(tmp_path) == 1
    second = agent(tmp_path, "go on")
    assert told(second)[0] == "running"
    assert second.wait() == 0
    assert sent(tmp_path) == 1
    end_lease(tmp_path)
    executor = executor_of(tmp_path)
    run = asyncio.run(executor.start(CALL))
    assert run.state == "interrupted"
    assert isinstance(run.error, ToolInterruptedError)
    resumed = asyncio.run(executor.resume(run.id))
    assert resumed is not None
    assert resumed.state == "interrupted"
    assert sent(tmp_path) == 1


def test_a_process_that_is_killed_before_the_handler_is_replaced(tmp_path: Path) -> None:
    first = agent(tmp_path, "die in the checks")
    assert first.wait() == -signal.SIGKILL
    executor = executor_of(tmp_path)
    SENT.clear()
    (run,) = asyncio.run(executor.waiting())
    early = asyncio.run(executor.resume(run.id))
    assert early is not None
    assert early.state == "running"
    end_lease(tmp_path)
    resumed = asyncio.run(executor.resume(run.id))
    assert resumed is not None
    assert resumed.state == "completed"
    assert SENT == ["ann"]
    assert sent(tmp_path) == 0
