"""What the processes do that the tests start, and that some of them kill.

Each step that the store has acknowledged becomes a line of a file.
"""

from __future__ import annotations

import asyncio
import os
import random
import sys
import time
import uuid
from typing import Any

from server_stores import open_store
from toolwire import ToolwireError
from toolwire.tools import (
    AdvancedToolExecutor,
    ApprovalClosedError,
    ApprovalService,
    RunNotRetriedError,
    StoreError,
    ToolDefinition,
    ToolError,
    ToolInput,
    ToolOutput,
    UndoStore,
)

LEASE_SECONDS = 3600.0


class Report:
    """Writes lines to a file, each at once."""

    def __init__(self, path: str) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)

    def say(self, *words: object) -> None:
        os.write(self._file, (" ".join(map(str, words)) + "\n").encode())


def count(url: str, name: str, path: str, times: int, ready: Any) -> None:
    """Count up so many times, by compare-and-swap, and report each number."""
    store, report, counted = open_store(url, name), Report(path), 0
    ready.wait()
    while counted < times:
        entry = store.get("counter", 0)
        number = 1 if entry is None else int(entry[0]) + 1
        expect = "absent" if entry is None else entry[1]
        version = store.put("counter", str(number).encode(), expect, None, 0)
        if version is not None:
            report.say("counted", number, version)
            counted += 1


def batches(url: str, name: str, path: str, times: int, ready: Any) -> None:
    """Make batches that only one process can make as a whole, and report who won each."""
    store, report, who = open_store(url, name), Report(path), os.path.basename(path)[:1]
    ready.wait()
    for turn in range(times):
        made = store.batch(
            [
                ("put", f"tried/{who}/{turn:03}", b"", "absent", None),
                ("put", f"turn/{turn:03}", who.encode(), "absent", None),
                ("put", f"owner/{turn:03}", who.encode(), "any", None),
                ("put", f"stays/{turn:03}", who.encode(), "absent", None),
                ("delete", f"stays/{turn:03}", "any"),
            ],
            0,
        )
        assert len(made) in (2, 5)
        report.say("won" if len(made) == 5 else "lost", turn)


def decide(url: str, name: str, path: str, seed: int, ready: Any) -> None:
    """Try to decide every pending request, each process in an order of its own."""
    asyncio.run(_decide(open_store(url, name), Report(path), seed, ready))


async def _decide(store: Any, report: Report, seed: int, ready: Any) -> None:
    service = ApprovalService(store=store)
    pending = await service.get_pending_requests()
    random.Random(seed).shuffle(pending)
    ready.wait()
    for request in pending:
        try:
            await service.record_decision(request.id, seed % 2 == 0, reason=str(seed))
            report.say("decided", request.id, seed)
        except ApprovalClosedError:
            report.say("refused", request.id, seed)


def start_and_end(url: str, name: str, path: str) -> None:
    """Start a run, and end in its handler."""
    executor, report = AdvancedToolExecutor(store=open_store(url, name)), Report(path)

    def edit(given: ToolInput) -> None:
        report.say("ran", str(given.action_id))
        os._exit(9)

    executor.register(ToolDefinition("edit", "EDIT", edit))
    asyncio.run(executor.start({"id": "call_1", "type": "EDIT", "payload": {"n": 1}}))


def retry(url: str, name: str, path: str, run_id: str, ready: Any) -> None:
    """Retry a run, and go on with it."""
    executor, report = AdvancedToolExecutor(store=open_store(url, name)), Report(path)

    def edit(given: ToolInput) -> None:
        report.say("ran", str(given.action_id), given.payload["n"])

    executor.register(ToolDefinition("edit", "EDIT", edit))
    ready.wait()
    try:
        asyncio.run(executor.retry(run_id))
        report.say("retried", run_id)
    except RunNotRetriedError as refusal:
        report.say(refusal.code, run_id)
    asyncio.run(executor.resume(run_id))


def live(url: str, name: str, path: str, seed: int) -> None:
    """Start, decide, resume, keep and claim at random until the process is killed."""
    asyncio.run(_live(open_store(url, name), Report(path), random.Random(seed)))


async def _live(store: Any, report: Report, rolled: random.Random) -> None:
    service, undo = ApprovalService(store=store), UndoStore(store=store)
    executor, ran = AdvancedToolExecutor(store=store), set()

    async def edit(given: ToolInput) -> ToolOutput:
        ran.add(str(given.action_id))
        report.say("ran", given.action_id)
        return ToolOutput.ok()

    executor.register(ToolDefinition("edit", "EDIT", edit, requires_approval=True))
    report.say("ready")
    while True:
        for request in rolled.sample(pending := await service.get_pending_requests(), len(pending)):
            granted = rolled.random() < 0.5
            try:
                await service.record_decision(request.id, granted)
                report.say("approved" if granted else "denied", request.id)
            except ApprovalClosedError:
                pass
            resumed = await executor.resume(request.action_id)
            if resumed is not None and resumed.state == "completed" and resumed.id in ran:
                ran.remove(resumed.id)
                report.say("completed", resumed.id)
            run = await executor.start({"id": str(uuid.uuid4()), "type": "EDIT", "payload": {}})
            report.say("asked", run.approval_id)
            action = uuid.uuid4()
            await undo.store(action, "edit", {})
            report.say("kept", action)
            kept = await undo.get_all()
            for metadata in rolled.sample(kept, min(2, len(kept))):
                claim = await undo.claim(metadata.action_id, LEASE_SECONDS)
                if not isinstance(claim, str):
                    report.say("claimed", metadata.action_id)


def resume_all(url: str, name: str, path: str, runs: list[str], seed: int, ready: Any) -> None:
    """Try to go on with each run, in an order of its own, and report what ran here."""
    executor, report = AdvancedToolExecutor(store=open_store(url, name)), Report(path)

    def edit(given: ToolInput) -> ToolOutput:
        report.say("ran", given.action_id)
        return ToolOutput.ok()

    executor.register(ToolDefinition("edit", "EDIT", edit, requires_approval=True))
    order = random.Random(seed).sample(runs, len(runs))
    ready.wait()
    for run_id in order:
        resumed = asyncio.run(executor.resume(run_id))
        report.say("saw", run_id, "nothing" if resumed is None else resumed.state)


def clocked(url: str, name: str, path: str) -> None:
    """Do what the lines of standard input say, each at the time that the process has then."""
    executor, report = AdvancedToolExecutor(store=open_store(url, name)), Report(path)

    def edit(given: ToolInput) -> ToolOutput:
        report.say("ran", given.action_id)
        return ToolOutput.ok(undo_metadata={})

    async def undo(metadata: Any) -> None:
        report.say("undone", metadata.action_id)

    executor.register(
        ToolDefinition(
            "edit",
            "EDIT",
            edit,
            requires_approval=True,
            undoable=True,
            undo_handler=undo,
            rate_limit=(100, 60.0),
        )
    )
    print(f"ready {time.time():.0f}", flush=True)
    for line in sys.stdin:
        words = line.split()
        try:
            print(asyncio.run(_clocked(executor, *words)), flush=True)
        except (ToolError, ToolwireError, StoreError) as error:
            print(f"refused {type(error).__name__}", flush=True)


async def _clocked(executor: AdvancedToolExecutor, step: str, run_id: str, *more: str) -> str:
    if step == "start":
        run = await executor.start({"id": run_id, "type": "EDIT", "payload": {"n": 1}})
        return f"{run.state} {run.approval_id}"
    if step == "decide":
        await executor.approvals.record_decision(uuid.UUID(run_id), more == ("yes",))
        return "decided"
    if step == "undo":
        return str(await executor.undo_action(uuid.UUID(run_id), {}))
    resumed = await executor.resume(run_id)
    return "nothing" if resumed is None else resumed.state


if __name__ == "__main__":
    clocked(*sys.argv[1:])
