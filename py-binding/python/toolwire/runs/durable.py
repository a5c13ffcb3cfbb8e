"""Starting, resuming and awaiting the runs of a store, for an executor.

>>> import asyncio
>>> from toolwire.runs import Executor, MemoryStore, Tool
>>> executor = Executor(MemoryStore())
>>> executor.register(Tool("wipe", lambda given: "gone", requires_approval=True))
>>> async def main():
...     run = await executor.start({"id": "call_1", "name": "wipe", "arguments": {}})
...     print(run.state, [one.id == run.id for one in await executor.waiting()])
...     await executor.approvals.decide(run.approval_id, True)
...     print((await executor.resume(run.id)).result().data)
>>> asyncio.run(main())
waiting [True]
gone
"""

from __future__ import annotations

import asyncio
import dataclasses
import logging
import uuid
from datetime import datetime, timezone
from typing import Any

from toolwire._native import ToolRun, ToolStep
from toolwire.runs.approval_request import ApprovalRequest
from toolwire.runs.approver import decide_by
from toolwire.runs.errors import ApprovalRefusedError, ToolCallIdReusedError, ToolError
from toolwire.runs.ids import run_of
from toolwire.runs.run import Run, RunKeeper, id_of
from toolwire.runs.runner import Runner
from toolwire.runs.services import RunServices

__all__ = ["DurableRuns", "ended_run"]

logger = logging.getLogger("toolwire.runs")

LOOK_EVERY_SECONDS = 0.1
"""How often a run of another process is looked at."""

DECIDED = ("approval_denied", "approval_timeout")
"""The codes of runs that have ended before any process has taken note of it."""


class DurableRuns:
    """The runs of an executor that has a store."""

    def __init__(self, keeper: RunKeeper, services: RunServices) -> None:
        self.keeper = keeper
        self._services = services

    def _runner(self, run: ToolRun, ctx: Any) -> Runner:
        """Give what goes on with a run of the store."""
        context = self._services.contexts.of(ctx)
        return Runner(self._services, run, None, context, self.keeper)

    async def start(self, runner: Runner) -> Run:
        """Begin a run, or give the one that the call has."""
        run = await self._go(runner)
        if run is None:
            raise ToolError("the store has no run of the call", runner.tool.name)
        return run

    async def resume(self, run_id: Any, ctx: Any = None) -> Run | None:
        """Go on with a run that no process has; give it as it stands otherwise."""
        run = ToolRun.resume(str(run_id), self._services.settings())
        return await self._go(self._runner(run, ctx))

    async def get(self, run_id: Any, ctx: Any = None) -> Run | None:
        """Give a run as it stands."""
        run = ToolRun.look(str(run_id), self._services.settings())
        return await self._go(self._runner(run, ctx))

    async def waiting(self, limit: int | None, after: Any = None) -> list[Run]:
        """Give the runs that have not ended, the oldest first, or a page of them."""
        last = None if after is None else str(after)
        words = self._services.words
        return [Run.of(record, words) for record in await self.keeper.open(limit, last)]

    async def retry(self, run_id: Any, ctx: Any = None) -> Run:
        """Make an interrupted run ready to run once more."""
        run = ToolRun.retry(str(run_id), self._services.settings())
        end = await self._go(self._runner(run, ctx))
        assert end is not None
        return end

    async def propose(
        self, request: ApprovalRequest, arguments: dict[str, Any], ctx: Any = None
    ) -> str | None:
        """Check arguments that a person would approve for a run that waits, and keep them.

        Gives the fingerprint of the run with them; None if no run waits for the request.
        """
        # A run that was forgotten and begun again waits for another request.
        run_id = str(run_of(request))
        record = await self.keeper.get(run_id)
        if record is None or record.approval_id != str(request.id):
            return None
        run = ToolRun.propose(run_id, self._services.settings(), arguments)
        runner = self._runner(run, ctx)
        end = await runner.drive()
        if end.kind == "finished":
            raise ApprovalRefusedError(request.id, runner.outcome.error)
        return end.fingerprint if end.kind == "proposed" else None

    async def undone(self, run_id: Any) -> None:
        """Note that what a run did was undone; a failure of the store is logged."""
        try:
            await self.keeper.write(self.keeper.table.undone, str(run_id))
        except Exception:
            logger.warning("the run %s was undone, and the store lacks it", run_id, exc_info=True)

    async def forget(self, run_id: Any) -> bool:
        """Delete a run, and say whether there was one."""
        return await self.keeper.write(self.keeper.table.forget, str(run_id))

    async def wait(self, run: Run, ctx: Any = None) -> Run:
        """Wait until a run has ended, and go on with it when a person has decided."""
        while not run.is_ended or run.code in DECIDED:
            if run.state == "waiting" and run.approval_id is not None:
                await self._wait_for_decision(id_of(run.approval_id))
            elif run.state == "running":
                await asyncio.sleep(LOOK_EVERY_SECONDS)
            resumed = await self.resume(run.id, ctx)
            if resumed is None:
                return run
            run = resumed
            if run.is_ended:
                break
        return run

    async def _go(self, runner: Runner) -> Run | None:
        """Drive a run in this process, and give it as it stands; None if the store has none."""
        runner.told = []
        end = await runner.drive()
        if end.kind == "unknown":
            return None
        if end.kind == "standing":
            run = dataclasses.replace(Run.of(end.record, self._services.words), events=runner.told)
            if run.error is not None:
                run.error.__cause__ = runner.outcome.cause
            return run
        run_id, tool = str(runner.action.id), runner.tool.name
        if end.kind == "reused":
            refusal = ToolCallIdReusedError(tool)
            return Run(run_id, "denied", tool, error=refusal, code="call_id_reused")
        if end.kind == "forgotten":
            raise ToolError(f"another process has taken up and forgotten the run {run_id}", tool)
        if end.kind == "suspended":
            waits = dataclasses.replace(self._waiting(run_id, runner), events=runner.told)
            return await self._decide_here(waits, runner)
        return ended_run(runner, end)

    def _waiting(self, run_id: str, runner: Runner) -> Run:
        """Give a run that this process has made wait."""
        record = runner.run.record
        if record is not None:
            return Run.of(record, self._services.words)
        request_id = None if runner.request is None else str(runner.request.id)
        return Run(run_id, "waiting", runner.tool.name, approval_id=request_id)

    async def _decide_here(self, run: Run, runner: Runner) -> Run:
        """Let the approver of this process decide, if it has one, and go on."""
        approver = self._services.approver
        if approver is None:
            return run
        # A store that lost its answer has told the run's record alone.
        request_id = id_of(run.approval_id or "") if runner.request is None else runner.request.id
        await decide_by(approver, self._services.approvals, request_id)
        resumed = await self.resume(run.id, runner.ctx)
        if resumed is None:
            return run
        return dataclasses.replace(resumed, events=[*run.events, *resumed.events])

    async def _wait_for_decision(self, request_id: uuid.UUID) -> None:
        """Wait until a request is closed or its time is over."""
        approvals = self._services.approvals
        request = await approvals.get_request(request_id)
        if request is None:
            return
        timeout = self._services.config.approval_timeout_seconds
        if request.expires_at is not None:
            until = datetime.fromisoformat(request.expires_at)
            timeout = max(0.0, (until - datetime.now(timezone.utc)).total_seconds())
        try:
            await approvals.await_decision(request_id, timeout)
        except (TimeoutError, KeyError):
            return


def ended_run(runner: Runner, end: ToolStep) -> Run:
    """Give a run that has ended in this process."""
    record, outcome = runner.run.record, runner.outcome
    run_id, tool = str(runner.action.id), runner.tool.name
    words = runner.services.words
    stands = Run(run_id, end.state, tool) if record is None else Run.of(record, words)
    error = outcome.error
    if error is not None and error.__cause__ is None:
        error.__cause__ = outcome.cause
    return dataclasses.replace(
        stands,
        state=end.state,
        code=end.code,
        output=outcome.output if error is None else None,
        error=error,
        not_kept=outcome.not_kept,
        events=runner.told or [],
    )
