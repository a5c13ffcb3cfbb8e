"""Leases of handlers: kept while a handler works, lost by one that stood still for longer."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from toolwire._native import RunTable
from toolwire.tools import (
    AdvancedToolExecutor,
    MemoryStore,
    SqliteStore,
    ToolDefinition,
    ToolInput,
    ToolRunLostError,
    report_progress,
)

CALL = {"id": "call_1", "type": "WORK", "payload": {}}

WORKER = """
import asyncio, sys, time
from toolwire.tools import AdvancedToolExecutor, SqliteStore, ToolDefinition, report_progress

async def work(input):
    print("works", flush=True)
    time.sleep(float(sys.argv[2]))
    return report_progress(1)

executor = AdvancedToolExecutor(store=SqliteStore(sys.argv[1]))
executor.register(ToolDefinition("work", "WORK", work))
run = asyncio.run(executor.start({"id": "call_1", "type": "WORK", "payload": {}}))
print(run.state, run.output.data, getattr(run.not_kept, "code", None), flush=True)
"""


def worker(path: Path, seconds: float) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WORKER, str(path), str(seconds)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "works\n"
    return process


def state(path: Path) -> str:
    with SqliteStore(path) as store:
        (run,) = RunTable(store).all()
        return run.state


def test_a_working_handler_keeps_its_run_and_a_stopped_one_loses_it(tmp_path: Path) -> None:
    """It takes a little longer than a lease, with an event loop that is held up all the time."""
    works, stops = tmp_path / "works.db", tmp_path / "stops.db"
    working, stopped = worker(works, RunTable.LEASE_SECONDS + 6), worker(stops, 1)
    stopped.send_signal(signal.SIGSTOP)
    time.sleep(RunTable.LEASE_SECONDS + 3)
    assert (state(works), state(stops)) == ("running", "interrupted")
    stopped.send_signal(signal.SIGCONT)
    assert stopped.communicate()[0] == "completed False run_lost\n"
    assert state(stops) == "interrupted"
    assert working.communicate()[0] == "completed True None\n"
    assert state(works) == "completed"


def started(handler: Callable[[ToolInput], Any], store: Any, **options: Any) -> Any:
    executor = AdvancedToolExecutor(store=store)
    executor.register(ToolDefinition("work", "WORK", handler, **options))
    return asyncio.run(executor.start(CALL))


def test_a_handler_is_told_whether_it_has_its_run() -> None:
    said: list[bool] = []

    def work(input: ToolInput) -> None:
        said.append(report_progress(1))

    assert started(work, MemoryStore()).state == "completed"
    executor = AdvancedToolExecutor()
    executor.register(ToolDefinition("work", "WORK", work))
    asyncio.run(executor.execute(CALL))
    assert said == [True, True]
    assert report_progress(1) is False, "no handler calls it"


def test_the_end_of_a_run_that_was_taken_on_is_told_to_its_caller_alone() -> None:
    store = MemoryStore()

    def work(input: ToolInput) -> str:
        (entry,) = store.scan("run/id/", None, 9, 0)
        key, value, version, until = entry
        robbed = value.replace(b'"owner":"', b'"owner":"another ')
        assert store.put(key, robbed, version, until, 0) is not None
        return "done"

    run = started(work, store)
    assert (run.state, run.output.data) == ("completed", "done")
    assert isinstance(run.not_kept, ToolRunLostError)
    assert run.not_kept.to_dict()["code"] == "run_lost"
    assert run.id in str(run.not_kept)
    kept = RunTable(store).get(run.id)
    assert kept is not None
    assert kept.state == "running"


def test_a_lease_is_renewed_while_a_block_lasts(tmp_path: Path) -> None:
    """Many threads and blocks that nest share the one thread that renews."""
    with SqliteStore(tmp_path / "runs.db") as store:
        executor = AdvancedToolExecutor(store=store)

        def work(input: ToolInput) -> int:
            number: int = input.payload["n"]
            if number:
                call = {"id": f"call_{number}", "type": "WORK", "payload": {"n": number - 1}}
                asyncio.run(executor.start(call))
            return number

        executor.register(ToolDefinition("work", "WORK", work))

        async def all_of_them() -> list[Any]:
            calls = [{"id": f"a{n}", "type": "WORK", "payload": {"n": n % 4}} for n in range(40)]
            return await asyncio.gather(*[executor.start(call) for call in calls])

        assert [run.state for run in asyncio.run(all_of_them())] == ["completed"] * 40
