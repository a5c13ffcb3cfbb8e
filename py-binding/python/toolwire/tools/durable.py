"""Starting, resuming and awaiting the runs of a store, for an executor.

>>> import asyncio
>>> from toolwire.tools import AdvancedToolExecutor, MemoryStore, ToolDefinition
>>> executor = AdvancedToolExecutor(store=MemoryStore())
>>> executor.register(
...     ToolDefinition("wipe", "WIPE", lambda input: "gone", requires_approval=True)
... )
>>> async def main():
...     run = await executor.start({"id": "call_1", "type": "WIPE", "payload": {}})
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
from types import SimpleNamespace
from typing import Any

from toolwire._native import RunRecord, ToolRun, ToolStep, ToolTable
from toolwire.tools.adapters import DictContextAdapter
from toolwire.tools.approver import decide_by
from toolwire.tools.errors import (
    StoreError,
    ToolCallIdReusedError,
    ToolError,
    ToolNotFoundError,
)
from toolwire.tools.request import CallAction
from toolwire.tools.runner import Runner
from toolwire.tools.runs import KeptRun, Run, RunKeeper, id_of
from toolwire.tools.services import RunServices
from toolwire.tools.store import Store

__all__ = ["DurableRuns"]

logger = logging.getLogger("toolwire.tools.runs")

LOOK_EVERY_SECONDS = 0.1
"""How often a run of another process is looked at."""

DECIDED = ("approval_denied", "approval_timeout")
"""The codes of runs that have ended before any process has taken note of it."""


class DurableRuns:
    """The runs of an executor that has a store."""

    def __init__(self, store: Store, services: RunServices, tools: ToolTable) -> None:
        self._keeper = RunKeeper(store)
        self._services = services
        self._tools = tools

    async def start(self, runner: Runner, again: bool = False) -> Run:
        """Begin a run, or give the one that the call has.

        With ``again``, one that was denied or has expired begins once more.
        """
        if runner.run.bad_number() is not None:
            # It is denied, and has no place in the store.
            return await self._denied(runner)
        caller = self._services.caller(runner.ctx)
        named = getattr(runner.action, "named", "own")
        answer = await self._keeper.begin(runner.run, named, caller, again)
        record = answer.record
        if answer.status == "known" and record is not None and record.is_abandoned:
            resumed = await self.resume(record.id, runner.ctx)
            return Run.of(record) if resumed is None else resumed
        if answer.claim is None:
            return self._known(answer.status, record, runner)
        runner.kept = KeptRun(self._keeper, answer.claim)
        return await self._go(runner, None)

    async def _denied(self, runner: Runner) -> Run:
        runner.told = []
        await runner.drive()
        id, tool, outcome = str(runner.action.id), runner.tool.name, runner.outcome
        return Run(id, "denied", tool, error=outcome.error, code=outcome.code, events=runner.told)

    async def resume(self, run_id: Any, ctx: Any = None) -> Run | None:
        """Go on with a run that no process has; give it as it stands otherwise."""
        record = await self._keeper.get(str(run_id))
        if record is None:
            return None
        if not record.is_free:
            return Run.of(record)
        run = self._tools.restore(record, self._services.settings())
        if run is None:
            raise ToolNotFoundError(record.action_type)
        runner = self._runner(record, run, ctx)
        decision = await self._decision(record)
        if decision == "pending":
            return Run.of(record)
        answer = await self._keeper.claim(record.id)
        if answer.claim is None:
            return None if answer.record is None else Run.of(answer.record)
        runner.kept = KeptRun(self._keeper, answer.claim)
        return await self._go(runner, self._decided(runner, decision))

    async def get(self, run_id: Any) -> Run | None:
        """Give a run as it stands."""
        record = await self._keeper.get(str(run_id))
        return None if record is None else Run.of(record)

    async def waiting(self, limit: int | None, after: Any = None) -> list[Run]:
        """Give the runs that have not ended, the oldest first, or a page of them."""
        last = None if after is None else str(after)
        return [Run.of(record) for record in await self._keeper.open(limit, last)]

    async def retry(self, run_id: Any) -> Run:
        """Make an interrupted run ready to run once more."""
        return Run.of(await self._keeper.write(self._keeper.table.retry, str(run_id)))

    async def undone(self, run_id: Any) -> None:
        """Note that what a run did was undone; a failure of the store is logged."""
        try:
            await self._keeper.write(self._keeper.table.undone, str(run_id))
        except Exception:
            logger.warning("the run %s was undone, and the store lacks it", run_id, exc_info=True)

    async def forget(self, run_id: Any) -> bool:
        """Delete a run, and say whether there was one."""
        return await self._keeper.write(self._keeper.table.forget, str(run_id))

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

    async def _go(self, runner: Runner, step: ToolStep | None) -> Run:
        runner.told = []
        await runner.drive(step)
        run_id, tool, outcome = str(runner.action.id), runner.tool.name, runner.outcome
        record = await self._keeper.get(run_id)
        if outcome.lost:
            if record is None:
                raise ToolError(
                    f"another process has taken up and forgotten the run {run_id}", tool
                )
            lost = dataclasses.replace(Run.of(record), events=runner.told)
            if lost.error is not None:
                lost.error.__cause__ = outcome.cause
            return lost
        stands = Run(run_id, "running", tool) if record is None else Run.of(record)
        if outcome.suspended:
            return await self._decide_here(dataclasses.replace(stands, events=runner.told), runner)
        error = outcome.error
        if error is not None and error.__cause__ is None:
            error.__cause__ = outcome.cause
        state = stands.state
        if outcome.not_kept is not None:
            # The store did not take the end of the run, which this process knows all the same.
            state = "completed" if error is None else "failed"
        return dataclasses.replace(
            stands,
            state=state,
            output=outcome.output if error is None else None,
            error=error,
            not_kept=outcome.not_kept,
            events=runner.told,
        )

    async def _decide_here(self, run: Run, runner: Runner) -> Run:
        """Let the approver of this process decide, if it has one, and go on."""
        approver = self._services.approver
        if approver is None:
            return run
        await decide_by(approver, self._services.approvals, runner.request.id)
        resumed = await self.resume(run.id, runner.ctx)
        if resumed is None:
            return run
        return dataclasses.replace(resumed, events=[*run.events, *resumed.events])

    def _known(self, status: str, record: RunRecord | None, runner: Runner) -> Run:
        tool = runner.tool.name
        if record is None or status == "other":
            error = ToolCallIdReusedError(tool)
            return Run(str(runner.action.id), "denied", tool, error=error, code="call_id_reused")
        return Run.of(record)

    def _runner(self, record: RunRecord, run: ToolRun, ctx: Any) -> Runner:
        """Make the runner of a restored run, in the context that it began with or another one."""
        action = CallAction(id_of(record.id), record.action_type, run.payload, "")
        if ctx is None:
            ctx = {
                "execution_mode": record.behavior,
                "pipeline_run_id": record.pipeline_run_id,
                "request_id": record.request_id,
                "user_id": record.caller,
            }
        if isinstance(ctx, dict):
            ctx = DictContextAdapter(ctx)
        runner = Runner(self._services, run, action, ctx)
        if record.approval_id is not None:
            runner.request = SimpleNamespace(id=id_of(record.approval_id))
        return runner

    async def _decision(self, record: RunRecord) -> Any:
        """Give the decision on a run: ``pending``, None if nobody was asked, or the decision."""
        if record.approval_id is None:
            return None
        approvals, request_id = self._services.approvals, id_of(record.approval_id)
        request = await approvals.get_request(request_id)
        # A run that a closed request has refused is not granted if that request is put back.
        is_open = request is not None and str(request.status) in ("pending", "approved")
        if request is None or (record.is_refused and is_open):
            return SimpleNamespace(granted=False, reason="cancelled", fingerprint=None)
        if str(request.action_id) != record.id:
            message = f"the run {record.id} waits for the request of another run; restore a backup"
            raise StoreError(message, "corrupt")
        if str(request.status) == "pending":
            return "pending"
        try:
            return await approvals.await_decision(request_id, 0)
        except TimeoutError as error:
            return error

    def _decided(self, runner: Runner, decision: Any) -> ToolStep | None:
        """Give the decision to the run."""
        if decision is None:
            return None
        if isinstance(decision, Exception):
            runner.outcome.cause = decision
            return runner.run.timed_out()
        runner.was_approved = bool(decision.granted)
        return runner.run.decided(runner.was_approved, decision.reason, decision.fingerprint)

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
