"""One run of a tool, from step to step.

The core decides which step comes next; a :class:`Runner` takes the step and reports the outcome.

>>> from toolwire.tools.runner import is_coroutine_function
>>> is_coroutine_function(print)
False
"""

from __future__ import annotations

import asyncio
import contextlib
import copy
import inspect
import logging
from types import SimpleNamespace
from typing import Any

from toolwire._native import ApprovalDetail, ToolRun, ToolStep
from toolwire.events import get_event_sink, try_tell_observers
from toolwire.tools.approver import decide_by
from toolwire.tools.base import ExecuteOf
from toolwire.tools.definitions import (
    Action,
    ToolDefinition,
    ToolInput,
    ToolOutput,
    UndoMetadata,
)
from toolwire.tools.errors import ToolDeniedError, ToolExecutionError
from toolwire.tools.failures import error_of
from toolwire.tools.outcome import Outcome
from toolwire.tools.progress import handling
from toolwire.tools.runs import KeptRun, RunLostError, StoreFailedError, storing
from toolwire.tools.services import RunServices
from toolwire.tools.sinks import sink_of, tell

__all__ = ["Runner", "is_coroutine_function"]

logger = logging.getLogger("stageflow.tools.executor")


class Runner:
    """Takes the steps that the core asks for in one run, and reports each outcome."""

    __slots__ = (
        "_action",
        "ctx",
        "kept",
        "outcome",
        "request",
        "run",
        "services",
        "sink",
        "told",
        "tool",
        "was_approved",
    )

    def __init__(self, services: RunServices, run: ToolRun, action: Action, ctx: Any) -> None:
        self.services = services
        self.run = run
        self.tool: ToolDefinition = run.tool
        self._action = action
        self.ctx = ctx
        self.sink = sink_of(ctx)
        self.outcome = Outcome()
        self.kept: KeptRun | None = None
        self.request: Any = None
        self.was_approved = False
        self.told: list[dict[str, Any]] | None = None

    @property
    def action(self) -> Action:
        """The action, with the validated payload."""
        payload = self.run.payload
        if self._action.payload is not payload:
            self._action = with_payload(self._action, payload)
        return self._action

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

    async def drive(self, step: ToolStep | None = None) -> None:
        """Go from step to step to the end; a cancelled task reports the cancellation.

        A run of the store stops where a person has to decide, and is ``suspended``. It also stops
        where another process has taken it up, and is ``lost``.
        """
        cancelled: asyncio.CancelledError | None = None
        step = self.run.done() if step is None else step
        while step.kind != "finished":
            try:
                if step.kind == "await" and self.kept is not None:
                    await self.suspend(self.kept)
                    return
                step = await self.take(step)
            except RunLostError:
                self.outcome.lost = True
                return
            except StoreFailedError as failed:
                step = await self.halted(failed.error)
            except asyncio.CancelledError as error:
                cancelled = error
                step = self.run.cancelled()
            except BaseException:
                self.abandon()
                raise
        if self.kept is not None:
            self.outcome.not_kept = await self.kept.settle(self.run, self.outcome.output)
        if cancelled is not None:
            raise cancelled
        self.outcome.code = step.code
        if self.outcome.code is not None:
            self.outcome.error = self.failure(self.outcome.code, step.details)

    async def halted(self, error: Exception) -> ToolStep:
        """Answer for a step before the handler at which the store failed.

        A run of the store has no outcome then. It is given back, so that it can be started or
        resumed again, and the error is raised.
        """
        if self.kept is not None:
            await self.kept.give_back()
            raise error
        self.outcome.cause = error
        return self.run.raised(error)

    async def suspend(self, kept: KeptRun) -> None:
        """Give the run back while a person decides."""
        try:
            await kept.suspend(self.run)
        except RunLostError:
            raise
        except Exception as error:
            # The store may have taken the run although it answered with an error.
            if not await kept.waits_for(self.request.id):
                # The request is of no use without its run. It expires if this fails too.
                with contextlib.suppress(Exception):
                    await self.services.approvals.cancel_request(self.request.id)
                raise StoreFailedError(error) from error
        self.outcome.suspended = True

    async def take(self, step: ToolStep) -> ToolStep:
        """Take a step, and give the next."""
        kind = step.kind
        if kind == "emit":
            if self.told is not None:
                self.told.append({"type": step.event, "data": step.data})
            await tell(self.sink, step.event, step.data, self)
            return self.run.done()
        if kind == "run":
            return await self.handle()
        if kind == "keep":
            return await self.keep()
        if kind == "withdraw":
            await self.services.approvals.cancel_request(self.request.id)
            return self.run.done()
        try:
            return await self.check(step)
        except StoreFailedError:
            raise
        except Exception as error:
            # A policy failed: the tool did not run.
            self.outcome.cause = error
            return self.run.raised(error)

    async def check(self, step: ToolStep) -> ToolStep:
        """Take a step that decides whether the tool may run."""
        if step.kind == "request":
            return await self.ask(step.message, step.summary)
        if step.kind == "await":
            return await self.wait()
        if step.kind == "verify":
            return self.run.verified((await self.detail()).fingerprint)
        if step.kind == "permission":
            return await self.check_permission(step.capability)
        return await self.check_limit()

    async def handle(self) -> ToolStep:
        """Run the handler."""
        given = self.input()
        if self.kept is not None:
            with storing():
                await self.kept.start(self.run)
        try:
            self.outcome.ran = True
            with handling(self.sink, given, None if self.kept is None else self.kept.has_run):
                output = await self.output(given)
            handed = self.run.output(output)
        except RunLostError:
            raise
        except Exception as error:
            self.outcome.cause = error
            return self.run.raised(error)
        self.outcome.output = output
        return handed

    async def output(self, given: ToolInput) -> ToolOutput:
        """Give the handler's output, and keep the run of a store meanwhile."""
        seconds = getattr(self.tool, "timeout_seconds", None)
        if seconds is None:
            seconds = self.services.config.handler_timeout_seconds
        if self.kept is None:
            return await self.output_in_time(given, seconds)
        async with self.kept.renewed(seconds):
            return await self.output_in_time(given, seconds)

    async def output_in_time(self, given: ToolInput, seconds: float | None) -> ToolOutput:
        """Give the handler's output, within the time that it has."""
        handler = self.tool.handler
        with_ctx = (self.ctx,) if isinstance(handler, ExecuteOf) else ()
        if seconds is None:
            return await outcome_of(handler, given, *with_ctx)
        try:
            return await asyncio.wait_for(outcome_of(handler, given, *with_ctx), seconds)
        except asyncio.TimeoutError as error:
            late = TimeoutError(f"the handler did not finish within {seconds:g} seconds")
            if self.kept is None or is_coroutine_function(handler):
                raise late from error
            # Nobody can stop its thread, so what it does is not known.
            self.outcome.cause = late
            await self.kept.interrupt()
            raise RunLostError(self.tool.name) from error

    def input(self) -> ToolInput:
        """Make the input of the handler."""
        ctx, action = self.ctx, self.action
        return ToolInput(
            action.id,
            self.tool.name,
            self.run.payload,
            ctx.execution_mode,
            ctx.pipeline_run_id,
            ctx.request_id,
            action=action,
            idempotency_key=self.run.idempotency_key,
        )

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
        metadata = UndoMetadata(self.action.id, self.tool.name, self.outcome.output.undo_metadata)
        try:
            await services.undo.store(metadata, ttl_seconds=services.config.undo_ttl_seconds)
        except Exception as error:
            logger.warning("what undoes %s was not stored", self.tool.name, exc_info=True)
            return self.run.raised(error)
        return self.run.done()

    async def ask(self, message: str, summary: dict[str, Any]) -> ToolStep:
        """Make the request for approval."""
        detail = await self.detail()
        if self.kept is not None and self.kept.taken_over:
            with storing():
                asked = await self.services.approvals.find_request(self.action.id)
            # A cancelled request was withdrawn, since the run was not stored.
            is_open = asked is not None and str(asked.status) != "cancelled"
            if asked is not None and is_open and asked.fingerprint == detail.fingerprint:
                self.request = asked
                return self.run.requested(asked.id, detail.fingerprint)
        more: dict[str, Any] = {}
        if self.services.takes_detail:
            more = {
                "detail": detail,
                "timeout_seconds": self.services.config.approval_timeout_seconds,
            }
        with storing():
            self.request = await self.services.approvals.request_approval(
                action_id=self.action.id,
                tool_name=self.tool.name,
                pipeline_run_id=self.ctx.pipeline_run_id,
                approval_message=message,
                payload_summary=summary,
                **more,
            )
        return self.run.requested(self.request.id, detail.fingerprint)

    async def wait(self) -> ToolStep:
        """Wait for the decision."""
        if self.services.approver is not None:
            await decide_by(self.services.approver, self.services.approvals, self.request.id)
        timeout = self.services.config.approval_timeout_seconds
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
        verdict = policy(self.tool, self.action, self.ctx)
        if inspect.isawaitable(verdict):
            verdict = await verdict
        if verdict is True:
            return self.run.granted()
        return self.run.refused(verdict if isinstance(verdict, str) else "not permitted")

    async def check_limit(self) -> ToolStep:
        """Count the run."""
        services = self.services
        limiter, caller = services.limiters[self.tool.action_type], services.caller(self.ctx)
        with storing():
            permit = await services.limit_calls.write(limiter.check, self.tool.name, caller)
        return (
            self.run.granted() if permit.allowed else self.run.limited(permit.retry_after_seconds)
        )

    def abandon(self) -> None:
        """End the run in code that cannot await."""
        step = self.run.cancelled()
        while step.kind != "finished":
            try:
                if step.kind == "emit":
                    try_tell_observers(step.event, step.data)
                    sink = get_event_sink() if self.sink is None else self.sink
                    sink.try_emit(type=step.event, data=step.data)
                elif step.kind == "withdraw":
                    self.services.approvals.abandon(self.request.id)
            except Exception:
                logger.warning(
                    "the run of %s was not ended in order", self.tool.name, exc_info=True
                )
            step = self.run.done()
        if self.kept is not None:
            with contextlib.suppress(Exception):
                self.kept.settle_now(self.run)

    def failure(self, code: str, details: dict[str, Any]) -> Exception:
        """Make the error for a failure."""
        tool = self.tool
        if code == "behavior_not_allowed":
            return ToolDeniedError(tool.name, self.ctx.execution_mode, tool.allowed_behaviors)
        if code not in ("raised", "cancelled"):
            if code == "approval_timeout":
                timeout = self.services.config.approval_timeout_seconds
                details = {**details, "timeout_seconds": timeout}
            request_id = getattr(self.request, "id", None)
            return error_of(code, details, tool.name, self.action.id, request_id)
        cause = self.run.error if self.outcome.cause is None else self.outcome.cause
        if not self.outcome.ran and isinstance(cause, Exception):
            # A policy or a store failed, not the tool.
            self.outcome.cause = cause.__cause__
            return cause
        return ToolExecutionError(tool.name, self.action.id, cause)


async def outcome_of(handler: Any, *given: Any) -> ToolOutput:
    """Run a handler, and give its output.

    A plain function runs in a thread, so that it does not hold up the event loop. What is no output
    becomes the data of one.
    """
    if is_coroutine_function(handler):
        output = await handler(*given)
    else:
        output = await asyncio.to_thread(handler, *given)
        if inspect.isawaitable(output):
            output = await output
    return output if hasattr(output, "success") else ToolOutput.ok(data=output)


def is_coroutine_function(handler: Any) -> bool:
    """Say whether calling a handler only makes a coroutine."""
    call = getattr(handler, "__call__", None)  # noqa: B004
    return inspect.iscoroutinefunction(handler) or inspect.iscoroutinefunction(call)


def with_payload(action: Any, payload: Any) -> Any:
    """Copy an action with another payload; one that cannot be copied is replaced by its fields."""
    try:
        copied = copy.copy(action)
        object.__setattr__(copied, "payload", payload)
        if copied is not action and copied.payload is payload:
            return copied
    except Exception:
        logger.debug("an action of %s cannot be copied", type(action).__name__)
    return SimpleNamespace(id=action.id, type=action.type, payload=payload)
