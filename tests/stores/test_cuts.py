"""A connection that is cut at each request of a run, in front of it, in it and behind it.

By default every fifth request is cut; ``TOOLWIRE_CUTS=all`` cuts each of them.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import uuid
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from proxy import MODES, Cut
from servers import Server
from test_tampering import is_coded
from toolwire.tools import (
    AdvancedToolExecutor,
    Run,
    ToolDefinition,
    ToolInput,
    ToolOutput,
    UndoMetadata,
)

STEP = 1 if os.environ.get("TOOLWIRE_CUTS") == "all" else 5
TRIES = 3


class Person:
    """Somebody who does each step again until it works, and what ran for it."""

    def __init__(self) -> None:
        self.run_id = str(uuid.uuid4())
        self.ran: Counter[str] = Counter()
        self.wrong: list[str] = []

    def executor(self, store: Any) -> AdvancedToolExecutor:
        executor = AdvancedToolExecutor(store=store)
        executor.register(
            ToolDefinition(
                "edit",
                "EDIT",
                self.edit,
                requires_approval=True,
                undoable=True,
                undo_handler=self.undo,
                rate_limit=(100, 3600.0),
            )
        )
        return executor

    def edit(self, given: ToolInput) -> ToolOutput:
        self.ran["edit"] += 1
        if given.payload != {"n": 1}:
            self.wrong.append(f"got {given.payload}")
        return ToolOutput.ok({"done": 1}, undo_metadata={"was": 0})

    async def undo(self, _metadata: UndoMetadata) -> None:
        self.ran["undo"] += 1

    async def attempt(self, work: Callable[[], Any]) -> Any:
        for _ in range(TRIES):
            try:
                return await work()
            except Exception as error:
                if not is_coded(error):
                    self.wrong.append(repr(error))
        return None

    async def work(self, executor: AdvancedToolExecutor, granted: bool) -> Run | None:
        """Start a run, decide, go on, and undo it."""
        call = {"id": self.run_id, "type": "EDIT", "payload": {"n": 1}}
        run: Run | None = await self.attempt(lambda: executor.start(call))
        if run is not None and run.approval_id is not None:
            approval_id = uuid.UUID(run.approval_id)
            await self.attempt(lambda: executor.approvals.record_decision(approval_id, granted))
        run = await self.attempt(lambda: executor.resume(self.run_id))
        await self.attempt(lambda: executor.start(call))
        await self.attempt(executor.waiting)
        await self.attempt(executor.approvals.get_pending_requests)
        await self.attempt(lambda: executor.undo_action(uuid.UUID(self.run_id), {}))
        return run


@pytest.mark.parametrize("granted", [True, False])
@pytest.mark.parametrize("mode", MODES)
def test_a_cut_at_any_request_runs_nothing_twice(
    make: Callable[..., Any], server: Server, mode: str, granted: bool
) -> None:
    direct, faults, completed = make(), [], 0
    for request in itertools.count(1, STEP):
        person = Person()
        with make(port=server.proxy.port) as store:
            server.proxy.plan(Cut(request, mode, request % 7))
            run = asyncio.run(person.work(person.executor(store), granted))
        was_cut = server.proxy.plan(None)
        # Nobody cuts the one who comes later, and does everything again.
        later = asyncio.run(person.work(person.executor(direct), granted))
        stands = asyncio.run(person.executor(direct).run(person.run_id))
        where = f"request {request} {mode}: "
        faults += [where + fault for fault in person.wrong]
        if person.ran["edit"] > granted or person.ran["undo"] > person.ran["edit"]:
            faults.append(f"{where}ran {dict(person.ran)}")
        states = {one.state for one in (run, later, stands) if one is not None}
        if "completed" in states and not person.ran["edit"]:
            faults.append(f"{where}completed, and nothing ran")
        completed += "completed" in states
        if not was_cut:
            break
    assert not faults, "\n".join(faults[:40])
    assert request > 20, "each request was cut in turn"
    assert bool(completed) == granted
