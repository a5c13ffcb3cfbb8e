"""One run of a tool, from step to step.

The core decides what comes next, for a run of a store too; a :class:`Runner` takes the step, or
performs the operation on the store, and reports the outcome.

>>> from toolwire.runs.runner import ENDS
>>> "finished" in ENDS
True
"""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import Awaitable, Callable, Coroutine
from types import SimpleNamespace
from typing import Any

from toolwire._native import ApprovalDetail, RunClaim, RunRecord, ToolRun, ToolStep
from toolwire.events import get_event_sink, try_tell_observers
from toolwire.runs.action import Action
from toolwire.runs.approval_request import ApprovalRequest, write_summary
from toolwire.runs.approver import decide_by
from toolwire.runs.asking import ask, asked_by, find_asked
from toolwire.runs.context import mode_of
from toolwire.runs.errors import ToolRunLostError
from toolwire.runs.failures import error_of
from toolwire.runs.handler import StillWorkingError, as_output, working
from toolwire.runs.input import HandlerInput
from toolwire.runs.outcome import Outcome
from toolwire.runs.progress import Handling
from toolwire.runs.request import CallAction, with_payload
from toolwire.runs.run import RunKeeper, fields_of, id_of
from toolwire.runs.services import RunServices
from toolwire.runs.sinks import sink_of, tell
from toolwire.runs.tool import id_of_tool, modes_of

__all__ = ["Runner"]

logger = logging.getLogger("toolwire.runs")

ENDS = frozenset(
    ("finished", "suspended", "standing", "reused", "unknown", "forgotten", "proposed", "failed")
)
"""The kinds of steps after which nothing more is asked."""

STORED = frozenset({"read", "write", "settle", "hear", "find", "request", "ask", "withdraw"})
"""The kinds of steps whose failure is one of the store, or of the service of approvals."""


class Runner:
    """Takes the steps that the core asks for in one run, and reports the outcome.

    A run of a store has a ``keeper``. One that is resumed gets its action, and its context if none
    is given, from the store's record.
    """

    __slots__ = (
        "_action",
        "_failure",
        "_let_go",
        "_shown",
        "ctx",
        "keeper",
        "outcome",
        "request",
        "run",
        "services",
        "sink",
        "told",
        "tool",
        "was_approved",
    )

    def __init__(
        self,
        services: RunServices,
        run: ToolRun,
        action: Action | None,
        ctx: Any,
        keeper: RunKeeper | None = None,
    ) -> None:
        self.services = services
        self.run = run
        # None for a run that is resumed, until its record is read.
        self.tool: Any = run.tool
        self._action: Any = action
        self.ctx = ctx
        self.sink = sink_of(self.ctx)
        self.keeper = keeper
        self.outcome = Outcome()
        self.request: Any = None
        self.was_approved = False
        self.told: list[dict[str, Any]] | None = None
        self._failure: Exception | None = None
        self._shown: ApprovalDetail | None = None
        self._let_go: Callable[[], Any] | None = None

    @property
    def action(self) -> Action:
        """The action, with the validated payload."""
        payload = self.run.payload
        if self._action.payload is not payload:
            self._action = with_payload(self._action, payload)
        action: Action = self._action
        return action

    @property
    def arguments(self) -> Any:
        """The whole arguments."""
        return self.run.payload

    @property
    def result(self) -> Any:
        """The data of the output."""
        return getattr(self.outcome.output, "data", None)

    @property
    def description(self) -> str:
        """What the tool does."""
        return str(getattr(self.tool, "description", None) or "")

    async def drive(self) -> ToolStep:
        """Go from step to step to the end, and give that; a cancelled task reports it.

        Raises what failed in the store before the handler: the run has no outcome by that.
        """
        cancelled: asyncio.CancelledError | None = None
        try:
            step = self.run.done()
            while (kind := step.kind) not in ENDS:
                try:
                    if kind == "emit":
                        await self.emitting(step)
                        step = self.run.done()
                    else:
                        step = await (self.handle() if kind == "run" else self.take(step))
                except asyncio.CancelledError as error:
                    cancelled = error
                    step = self.run.cancelled()
                except BaseException:
                    self.abandon()
                    raise
        finally:
            if self._let_go is not None:
                self._let_go()
        if cancelled is not None:
            raise cancelled
        if step.kind == "failed":
            raise self._failure or RuntimeError("the run cannot go on")
        if step.kind == "finished":
            self.finish(step)
        return step

    def finish(self, step: ToolStep) -> None:
        """Note how the run ended."""
        outcome = self.outcome
        outcome.code = step.code
        if outcome.code is not None:
            outcome.error = self.failure(outcome.code, step.details)
        if step.is_lost is not None:
            lost = ToolRunLostError(self.tool.name, str(self.action.id))
            outcome.not_kept = lost if step.is_lost else self._failure
            name = self.tool.name
            logger.warning("the end of a run of %s was not kept", name, exc_info=outcome.not_kept)

    def emitting(self, step: ToolStep) -> Coroutine[Any, Any, None]:
        """Note an event, and give what tells it when it is awaited."""
        event, data = step.event, step.data
        if self.told is not None:
            self.told.append({"type": event, "data": data})
        return tell(self.sink, event, data, self)

    async def take(self, step: ToolStep) -> ToolStep:
        """Take a step other than an event and the handler, and give the next."""
        kind = step.kind
        if kind == "keep":
            return await self.keep()
        if kind == "tool":
            return self.equip(step.record)
        if kind == "raise":
            self.outcome.cause = self._failure
            return self.run.raised(self._failure or RuntimeError())
        if kind in STORED:
            try:
                return await self.store(step)
            except Exception as error:
                return self.store_failed(error)
        try:
            return await self.check(step)
        except Exception as error:
            # A policy failed: the tool did not run.
            self.outcome.cause = error
            return self.run.raised(error)

    def store_failed(self, error: Exception) -> ToolStep:
        """Answer that the store failed."""
        self._failure = error
        return self.run.store_failed()

    async def check(self, step: ToolStep) -> ToolStep:
        """Take a step that decides whether the tool may run."""
        if step.kind == "show":
            self._shown = await self.detail()
            return self.run.shown(self._shown, self.summary())
        if step.kind == "await":
            if self.services.approver is not None:
                await decide_by(self.services.approver, self.services.approvals, self.request.id)
            return await self.decision(self.services.config.approval_timeout_seconds)
        if step.kind == "verify":
            return self.run.verified((await self.detail()).fingerprint)
        if step.kind == "permission":
            return await self.check_permission(step.capability)
        return await self.check_limit()

    async def store(self, step: ToolStep) -> ToolStep:
        """Take a step that the store takes, or the service of approvals."""
        approvals, keeper = self.services.approvals, self.keeper
        if step.kind == "request":
            self.request = await ask(self.services, self.action, self.ctx, step, self._shown)
            return self.run.requested(self.request.id)
        if step.kind == "find":
            self.request = await find_asked(approvals, self.action.id, self._shown, step.began)
            return self.run.found(getattr(self.request, "id", None))
        if step.kind == "hear":
            return await self.hear(step.record)
        if step.kind == "withdraw" or keeper is None:
            await approvals.cancel_request(self.withdrawn(step))
            return self.run.done()
        if step.kind == "ask":
            reply = await keeper.write(step.ask, keeper.table, self.services.requests)
            if reply.request_id is not None:
                self.request = SimpleNamespace(id=id_of(reply.request_id))
            return self.run.stored(reply)
        calls = {"read": keeper.read, "write": keeper.write, "settle": keeper.write_whole}
        return self.run.stored(await calls[step.kind](step.perform, keeper.table))

    def withdrawn(self, step: ToolStep) -> Any:
        """Give the id of the request that is to be cancelled, as the service knows it."""
        return id_of(step.request_id) if self.request is None else self.request.id

    def summary(self) -> str | None:
        """Write the summary that a person sees first, if the store gets it with the run."""
        if self.keeper is None or self.services.requests is None:
            return None
        return write_summary(self.services.secrets.summarize(self.run.payload))

    def equip(self, record: RunRecord) -> ToolStep:
        """Find the tool of a run that the store has, and take over its action and context."""
        if self.ctx is None:
            self.ctx = self.services.contexts.restored(record)
        self.sink = sink_of(self.ctx)
        if record.approval_id is not None:
            self.request = SimpleNamespace(id=id_of(record.approval_id))
        step = None if self.keeper is None else self.keeper.tools.restore(self.run, record)
        if step is None:
            raise self.services.words.not_found(record.tool_id)
        self.tool = self.run.tool
        self._action = CallAction(id_of(record.id), record.tool_id, self.run.payload, "")
        return step

    async def handle(self) -> ToolStep:
        """Run the handler."""
        given, claim = self.input(), None if self.keeper is None else self.run.claim
        has_run = None if claim is None else lambda: not claim.is_over
        try:
            self.outcome.ran = True
            with Handling(self.sink, given, has_run, self.services.words):
                output = as_output(await self.working(given, claim))
            handed = self.run.output(output, None if claim is None else fields_of(output))
        except StillWorkingError as working:
            self._failure = self.outcome.cause = late = TimeoutError(str(working))
            late.__cause__ = working.__cause__
            return self.run.still_working()
        except Exception as error:
            self.outcome.cause = error
            return self.run.raised(error)
        self.outcome.output = output
        return handed

    def working(self, given: HandlerInput, claim: RunClaim | None) -> Awaitable[Any]:
        """Give what runs the handler when it is awaited, and keep the run of a store meanwhile."""
        tool = self.tool
        seconds = getattr(tool, "timeout_seconds", None)
        if seconds is None:
            seconds = self.services.config.handler_timeout_seconds
        if self.keeper is not None and claim is not None:
            self._let_go = self.keeper.hold(claim, seconds)
        return working(tool.handler, given, self.ctx, seconds)

    def input(self) -> HandlerInput:
        """Make the input of the handler."""
        key = self.run.idempotency_key
        given: HandlerInput = self.tool.make_input(self.action, self.run.payload, self.ctx, key)
        return given

    async def detail(self) -> ApprovalDetail:
        """Put together the present arguments and changes, which a person approves."""
        says = self.services.changes
        if says is None:
            return self.run.detail()
        changes = says(self.input(), self.tool)
        if inspect.isawaitable(changes):
            changes = await changes
        return self.run.detail((changes,))

    async def keep(self) -> ToolStep:
        """Keep the data that undo the run."""
        services = self.services
        data = self.outcome.output.undo_metadata
        metadata = services.words.undo_data(self.action.id, self.tool.name, data)
        try:
            await services.undo.store(metadata, ttl_seconds=services.config.undo_ttl_seconds)
        except Exception as error:
            logger.warning("what undoes %s was not stored", self.tool.name, exc_info=True)
            return self.run.raised(error)
        return self.run.done()

    async def hear(self, record: RunRecord) -> ToolStep:
        """Read the decision on a run of the store."""
        request = await asked_by(self.services.approvals, record.id, self.request.id)
        if request is None:
            return self.run.decided(False, "cancelled", None)
        status = str(request.status)
        if status == "pending":
            return self.run.pending()
        if status not in ("approved", "denied") or not isinstance(request, ApprovalRequest):
            # A service of the program's own says the reason with its decision.
            return await self.decision(0)
        self.was_approved = status == "approved"
        return self.run.decided(self.was_approved, request.reason, request.decided_fingerprint)

    async def decision(self, timeout: float) -> ToolStep:
        """Wait for the decision, and answer with it."""
        try:
            decision = await self.services.approvals.await_decision(self.request.id, timeout)
        except (TimeoutError, asyncio.TimeoutError) as error:
            self.outcome.cause = error
            return self.run.timed_out()
        self.was_approved = bool(decision.granted)
        seen = getattr(decision, "fingerprint", None)
        return self.run.decided(self.was_approved, decision.reason, seen)

    async def check_permission(self, capability: str | None) -> ToolStep:
        """Ask the policy."""
        policy = self.services.permission
        if policy is None:
            return self.run.refused(f"no policy says who has the capability {capability!r}")
        verdict = policy(self)
        if inspect.isawaitable(verdict):
            verdict = await verdict
        if verdict is True:
            return self.run.granted()
        return self.run.refused(verdict if isinstance(verdict, str) else "not permitted")

    async def check_limit(self) -> ToolStep:
        """Count the run."""
        services = self.services
        limiter, caller = services.limiters[id_of_tool(self.tool)], services.caller(self.ctx)
        try:
            permit = await services.limit_calls.write(limiter.check, self.tool.name, caller)
        except Exception as error:
            return self.store_failed(error)
        return (
            self.run.granted() if permit.allowed else self.run.limited(permit.retry_after_seconds)
        )

    def abandon(self) -> None:
        """End the run in code that cannot await."""
        step = self.run.cancelled()
        while step.kind not in ENDS:
            try:
                step = self.end_now(step)
            except Exception as error:
                logger.warning("a run was not ended in order", exc_info=True)
                is_stored = step.kind in STORED
                step = self.store_failed(error) if is_stored else self.run.done()

    def end_now(self, step: ToolStep) -> ToolStep:
        """Take a step of the end of a run that is given up."""
        if step.kind == "emit":
            try_tell_observers(step.event, step.data)
            sink = get_event_sink() if self.sink is None else self.sink
            sink.try_emit(type=step.event, data=step.data)
        elif step.kind == "withdraw":
            self.services.approvals.abandon(self.withdrawn(step))
        elif self.keeper is not None:
            return self.run.stored(step.perform(self.keeper.table))
        return self.run.done()

    def failure(self, code: str, details: dict[str, Any]) -> Exception:
        """Make the error for a failure."""
        tool, words = self.tool, self.services.words
        if code not in ("raised", "cancelled"):
            if code == "mode_not_allowed":
                details = {"mode": mode_of(self.ctx), "allowed": modes_of(tool)}
            if code == "approval_timeout":
                timeout = self.services.config.approval_timeout_seconds
                details = {**details, "timeout_seconds": timeout}
            request_id = getattr(self.request, "id", None)
            return error_of(code, details, tool.name, self.action.id, request_id, words)
        cause = self.run.error if self.outcome.cause is None else self.outcome.cause
        if not self.outcome.ran and isinstance(cause, Exception):
            # A policy or a store failed, not the tool.
            self.outcome.cause = cause.__cause__
            return cause
        return words.raised(tool.name, self.action.id, cause)
