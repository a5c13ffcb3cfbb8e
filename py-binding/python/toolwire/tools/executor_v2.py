"""The executor: checks whether a tool may run, asks whom it must, runs it, tells what happens, and undoes.

What comes next is decided by a machine in the core; here it is done.

>>> import asyncio, uuid
>>> from types import SimpleNamespace
>>> from toolwire.tools import AdvancedToolExecutor, ToolDefinition, ToolOutput
>>> async def greet(input):
...     return ToolOutput.ok(data={"message": f"Hello, {input.payload['name']}!"})
>>> executor = AdvancedToolExecutor()
>>> executor.register(ToolDefinition("greet", "GREET", greet, allowed_behaviors=("chat",)))
>>> action = SimpleNamespace(id=uuid.uuid4(), type="GREET", payload={"name": "Ada"})
>>> asyncio.run(executor.execute(action, {"execution_mode": "chat"})).data
{'message': 'Hello, Ada!'}
>>> asyncio.run(executor.execute_detailed(action, {"execution_mode": "batch"})).denial_reason
'behavior_not_allowed'
"""

from __future__ import annotations

import asyncio
import copy
import inspect
import logging
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any
from uuid import UUID

from toolwire._native import ApprovalDetail, RunSettings, Secrets, ToolRun, ToolSpec, ToolTable
from toolwire.events import EventSink, get_event_sink
from toolwire.tools.adapters import DictContextAdapter, adapt_context
from toolwire.tools.approval import ApprovalService, get_approval_service
from toolwire.tools.definitions import Action, ToolDefinition, ToolInput, ToolOutput, UndoMetadata
from toolwire.tools.errors import (
    ToolApprovalDeniedError,
    ToolApprovalTimeoutError,
    ToolChangedSinceError,
    ToolDeniedError,
    ToolExecutionError,
    ToolInputError,
    ToolNotFoundError,
    ToolPermissionError,
    ToolRateLimitError,
    ToolUndoError,
)
from toolwire.tools.limits import RateLimiter
from toolwire.tools.store import MemoryStore, SqliteStore, Store
from toolwire.tools.undo import UndoClaim, UndoStore, get_undo_store

__all__ = ["AdvancedToolExecutor", "ExecutionResult", "ToolExecutorConfig"]

logger = logging.getLogger("stageflow.tools.executor")


@dataclass
class ToolExecutorConfig:
    """What an executor wants of its runs; read anew for each."""

    approval_timeout_seconds: float = 60.0
    undo_ttl_seconds: float = 3600.0
    emit_events: bool = True
    log_level: int = logging.INFO
    store_undo_data: bool = True
    require_approval_for_risky: bool = True


@dataclass
class ExecutionResult:
    """What became of a run.

    ``denial_reason`` is the code of a denial, as ``tool.denied`` tells it, or ``approval_denied``; ``events``
    are what was told, each with its ``type`` and ``data``.
    """

    success: bool
    output: ToolOutput | None = None
    error: str | None = None
    duration_ms: float = 0.0
    was_approved: bool = False
    was_denied: bool = False
    denial_reason: str | None = None
    events: list[dict[str, Any]] = field(default_factory=list)


Permission = Callable[[ToolDefinition, Action, Any], Any]
"""Says whether a caller may: True, False, or in words why not; may be a coroutine function."""

Changes = Callable[[ToolInput, ToolDefinition], Any]
"""Says what a run would change now, as a value that JSON can hold; may be a coroutine function."""

Caller = Callable[[Any], str]
"""Says who calls, for rate limits, from the context."""


def _user_of(ctx: Any) -> str:
    fields = ctx.to_dict() if isinstance(ctx, DictContextAdapter) else {}
    user = fields.get("user_id", getattr(ctx, "user_id", None))
    return "" if user is None else str(user)


class AdvancedToolExecutor:
    """Runs tools.

    ``permission`` is asked before every run, and again after a person approved; it must be there for a tool
    with a ``capability``. ``changes`` says what a run would change now: a person approves that with the whole
    arguments, and a run that would change something else by then does not run. Runs against
    a tool's ``rate_limit`` are counted in ``limit_store``, for each ``caller``; that is the context's
    ``user_id`` unless a function says otherwise. ``secret_keys`` are the keys whose values no event and no
    approval shows.
    """

    def __init__(
        self,
        config: ToolExecutorConfig | None = None,
        undo_store: UndoStore | None = None,
        approval_service: ApprovalService | None = None,
        *,
        permission: Permission | None = None,
        changes: Changes | None = None,
        caller: Caller | None = None,
        limit_store: Store | None = None,
        secret_keys: Iterable[str] | None = None,
    ) -> None:
        self._config = ToolExecutorConfig() if config is None else config
        self._undo_store = get_undo_store() if undo_store is None else undo_store
        self._approval_service = get_approval_service() if approval_service is None else approval_service
        self._permission = permission
        self._changes = changes
        self._takes_detail = _takes_detail(self._approval_service)
        self._caller = _user_of if caller is None else caller
        self._limit_store = MemoryStore() if limit_store is None else limit_store
        self._limiters: dict[str, RateLimiter] = {}
        self._secrets = Secrets(None if secret_keys is None else list(secret_keys))
        self._tools = ToolTable()

    def register(self, tool: ToolDefinition) -> None:
        """Add a tool; one that had its action type makes room.

        Raises :class:`toolwire.InvalidArgumentError` when its ``input_schema`` is no JSON Schema.
        """
        spec = ToolSpec(tool)
        limit = getattr(tool, "rate_limit", None)
        if limit is not None:
            self._limiters[tool.action_type] = RateLimiter(*limit, store=self._limit_store)
        self._tools.add(tool, spec)

    def get_tool(self, action_type: str) -> ToolDefinition | None:
        """Give the tool of this action type."""
        found: ToolDefinition | None = self._tools.by_action_type(action_type)
        return found

    def can_execute(self, action_type: str) -> bool:
        """Say whether there is a tool of this action type."""
        return self.get_tool(action_type) is not None

    async def execute(self, action: Action, ctx: Any) -> ToolOutput:
        """Run an action, and give the handler's output.

        Raises a :class:`~toolwire.tools.ToolError` that says why there is none.
        """
        run = self._begin(action, ctx)
        await run.drive()
        if run.error is not None:
            raise run.error from run.cause
        output: ToolOutput = run.output
        return output

    async def execute_detailed(self, action: Action, ctx: Any) -> ExecutionResult:
        """Run an action, and say what became of it; what goes wrong is in the result."""
        start = time.perf_counter()
        try:
            run = self._begin(action, ctx)
        except Exception as refusal:
            return ExecutionResult(False, error=str(refusal))
        run.told = []
        await run.drive()
        output = run.output
        success = run.error is None and bool(getattr(output, "success", True))
        error = getattr(output, "error", None) if run.error is None else str(run.error)
        was_denied = run.code is not None and run.code not in ("raised", "cancelled")
        return ExecutionResult(
            success,
            output,
            error,
            (time.perf_counter() - start) * 1000,
            run.was_approved,
            was_denied,
            run.code if was_denied else None,
            run.told,
        )

    async def undo_action(self, action_id: UUID, ctx: Any) -> bool:
        """Undo an action, and say whether there was something to undo it with.

        Raises :class:`~toolwire.tools.ToolUndoError` when the undo handler raises; it may be tried again.
        """
        if isinstance(ctx, dict):
            ctx = adapt_context(ctx)
        store = self._undo_store
        if not hasattr(store, "claim"):
            metadata = await store.get(action_id)
            claim = None if metadata is None else UndoClaim(metadata, None)  # type: ignore[arg-type]
        else:
            claimed = await store.claim(action_id)
            if claimed == "busy":
                raise ToolUndoError("", action_id, "another undo of it is going on")
            claim = None if isinstance(claimed, str) else claimed
        if claim is None:
            return False
        return await self._undo(claim, ctx)

    async def _undo(self, claim: UndoClaim, ctx: Any) -> bool:
        metadata = claim.metadata
        undoing = self._tools.begin_undo(
            metadata.tool_name, metadata.action_id, ctx, metadata.created_at, self._config.emit_events
        )
        handler = None if undoing is None else undoing.tool.undo_handler
        if undoing is None or handler is None:
            await self._release(claim)
            return False
        cause: BaseException | None = None
        step, first, second = undoing.done()
        while step != "finished":
            if step == "run":
                try:
                    await handler(metadata)
                    step, first, second = undoing.done()
                except (Exception, asyncio.CancelledError) as error:
                    cause = error
                    step, first, second = undoing.raised(error)
                continue
            if step == "emit":
                await tell(_sink_of(ctx), first, second)
            elif step == "forget":
                await self._forget(claim)
            else:
                await self._release(claim)
            step, first, second = undoing.done()
        if isinstance(cause, asyncio.CancelledError):
            raise cause
        if first is not None:
            raise ToolUndoError(undoing.tool.name, metadata.action_id, first) from cause
        return True

    async def _forget(self, claim: UndoClaim) -> None:
        if claim.lease is None:
            await self._undo_store.delete(claim.metadata.action_id)
        else:
            await self._undo_store.finish(claim)

    async def _release(self, claim: UndoClaim) -> None:
        if claim.lease is not None:
            await self._undo_store.release(claim)

    def _begin(self, action: Action, ctx: Any) -> _Running:
        if isinstance(ctx, dict):
            ctx = adapt_context(ctx)
        config = self._config
        settings = RunSettings(
            self._secrets,
            emit_events=config.emit_events,
            ask_approval=config.require_approval_for_risky,
            approval_timeout_seconds=config.approval_timeout_seconds,
            store_undo=config.store_undo_data,
            ask_permission=self._permission is not None,
        )
        run = self._tools.begin(action, ctx, settings)
        if run is None:
            raise ToolNotFoundError(action.type)
        return _Running(self, run, action, ctx)


class _Running:
    """One run on its way: does what the machine asks for, and answers."""

    __slots__ = (
        "_action",
        "cause",
        "code",
        "ctx",
        "error",
        "executor",
        "output",
        "ran",
        "request",
        "run",
        "sink",
        "told",
        "tool",
        "was_approved",
    )

    def __init__(self, executor: AdvancedToolExecutor, run: ToolRun, action: Action, ctx: Any) -> None:
        self.executor = executor
        self.run = run
        self.tool: ToolDefinition = run.tool
        self._action = action
        self.ctx = ctx
        self.sink = _sink_of(ctx)
        self.output: Any = None
        self.cause: BaseException | None = None
        self.code: str | None = None
        self.error: Exception | None = None
        self.ran = False
        self.request: Any = None
        self.was_approved = False
        self.told: list[dict[str, Any]] | None = None

    @property
    def action(self) -> Action:
        """The action, with the payload as it was validated."""
        payload = self.run.payload
        if self._action.payload is not payload:
            self._action = _with_payload(self._action, payload)
        return self._action

    async def drive(self) -> None:
        """Go from step to step to the end; a cancelled task says so on its way out."""
        cancelled: asyncio.CancelledError | None = None
        step, first, second = self.run.done()
        while step != "finished":
            try:
                if step == "emit":
                    if self.told is not None:
                        self.told.append({"type": first, "data": second})
                    await tell(self.sink, first, second)
                    step, first, second = self.run.done()
                elif step == "run":
                    step, first, second = await self.handle()
                else:
                    step, first, second = await self.take(step, first, second)
            except asyncio.CancelledError as error:
                cancelled = error
                step, first, second = self.run.cancelled()
            except BaseException:
                self.abandon()
                raise
        if cancelled is not None:
            raise cancelled
        self.code = first
        if first is not None:
            self.error = self.failure(first, second)

    async def take(self, step: str, first: Any, second: Any) -> tuple[str, Any, Any]:
        """Do a step, and give the next."""
        if step == "keep":
            return await self.keep()
        if step == "withdraw":
            await self.executor._approval_service.cancel_request(self.request.id)
            return self.run.done()
        try:
            if step == "request":
                return await self.ask(first, second)
            if step == "await":
                return await self.wait()
            if step == "verify":
                return self.run.verified((await self.detail()).fingerprint)
            if step == "permission":
                return await self.check_permission(first)
            return await self.check_limit()
        except Exception as error:
            # A store that fails, or a policy that does: the tool did not run.
            self.cause = error
            return self.run.raised(error)

    async def handle(self) -> tuple[str, Any, Any]:
        """Run the handler."""
        self.ran = True
        given = self.input()
        try:
            output = await self.tool.handler(given)
            handed = self.run.output(output)
        except Exception as error:
            self.cause = error
            return self.run.raised(error)
        self.output = output
        return handed

    def input(self) -> ToolInput:
        """Make what the handler is given."""
        ctx, action = self.ctx, self.action
        return ToolInput(
            action.id,
            self.tool.name,
            self.run.payload,
            ctx.execution_mode,
            ctx.pipeline_run_id,
            ctx.request_id,
            action=action,
        )

    async def detail(self) -> ApprovalDetail:
        """Put together what a person approves, as it is now."""
        says = self.executor._changes
        if says is None:
            return self.run.detail()
        changes = says(self.input(), self.tool)
        if inspect.isawaitable(changes):
            changes = await changes
        return self.run.detail((changes,))

    async def keep(self) -> tuple[str, Any, Any]:
        """Keep what would undo the run."""
        executor = self.executor
        metadata = UndoMetadata(self.action.id, self.tool.name, self.output.undo_metadata)
        try:
            await executor._undo_store.store(metadata, ttl_seconds=executor._config.undo_ttl_seconds)
        except Exception as error:
            logger.warning("what undoes %s was not stored", self.tool.name, exc_info=True)
            return self.run.raised(error)
        return self.run.done()

    async def ask(self, message: str, summary: dict[str, Any]) -> tuple[str, Any, Any]:
        """Make the request for approval."""
        detail = await self.detail()
        more: dict[str, Any] = {}
        if self.executor._takes_detail:
            more = {"detail": detail, "timeout_seconds": self.executor._config.approval_timeout_seconds}
        self.request = await self.executor._approval_service.request_approval(
            action_id=self.action.id,
            tool_name=self.tool.name,
            pipeline_run_id=self.ctx.pipeline_run_id,
            approval_message=message,
            payload_summary=summary,
            **more,
        )
        return self.run.requested(self.request.id, detail.fingerprint)

    async def wait(self) -> tuple[str, Any, Any]:
        """Wait for the decision."""
        timeout = self.executor._config.approval_timeout_seconds
        try:
            decision = await self.executor._approval_service.await_decision(self.request.id, timeout)
        except (TimeoutError, asyncio.TimeoutError) as error:
            self.cause = error
            return self.run.timed_out()
        self.was_approved = bool(decision.granted)
        seen = getattr(decision, "fingerprint", None)
        return self.run.decided(self.was_approved, decision.reason, seen)

    async def check_permission(self, capability: str | None) -> tuple[str, Any, Any]:
        """Ask the policy."""
        policy = self.executor._permission
        if policy is None:
            return self.run.refused(f"no policy says who has the capability {capability!r}")
        verdict = policy(self.tool, self.action, self.ctx)
        if inspect.isawaitable(verdict):
            verdict = await verdict
        if verdict is True:
            return self.run.granted()
        return self.run.refused(verdict if isinstance(verdict, str) else "not permitted")

    async def check_limit(self) -> tuple[str, Any, Any]:
        """Count the run."""
        executor = self.executor
        limiter, caller = executor._limiters[self.tool.action_type], executor._caller(self.ctx)
        if isinstance(executor._limit_store, SqliteStore):
            # A write into a file may wait for others who write.
            permit = await asyncio.to_thread(limiter.check, self.tool.name, caller)
        else:
            permit = limiter.check(self.tool.name, caller)
        return self.run.granted() if permit.allowed else self.run.limited(permit.retry_after_seconds)

    def abandon(self) -> None:
        """End the run where nothing can be awaited any more."""
        step, first, second = self.run.cancelled()
        while step != "finished":
            try:
                if step == "emit":
                    sink = get_event_sink() if self.sink is None else self.sink
                    sink.try_emit(type=first, data=second)
                elif step == "withdraw":
                    self.executor._approval_service.abandon(self.request.id)
            except Exception:
                logger.warning("the run of %s was not ended in order", self.tool.name, exc_info=True)
            step, first, second = self.run.done()

    def failure(self, code: str, details: dict[str, Any]) -> Exception:
        """Make the error for a failure."""
        tool = self.tool
        if code == "behavior_not_allowed":
            return ToolDeniedError(tool.name, self.ctx.execution_mode, tool.allowed_behaviors)
        if code == "permission_denied":
            return ToolPermissionError(tool.name, details["reason"])
        if code == "invalid_input":
            return ToolInputError(tool.name, details["problems"])
        if code == "rate_limited":
            return ToolRateLimitError(tool.name, details["retry_after_seconds"])
        if code == "changed_since":
            return ToolChangedSinceError(tool.name, self.request.id)
        if code == "approval_denied":
            return ToolApprovalDeniedError(tool.name, self.request.id, details["reason"])
        if code == "approval_timeout":
            timeout = self.executor._config.approval_timeout_seconds
            return ToolApprovalTimeoutError(tool.name, self.request.id, timeout)
        cause = self.run.error if self.cause is None else self.cause
        if not self.ran and isinstance(cause, Exception):
            # What was asked whether the tool may run failed, not the tool.
            self.cause = cause.__cause__
            return cause
        return ToolExecutionError(tool.name, self.action.id, cause)


def _takes_detail(service: Any) -> bool:
    """Say whether a service keeps the whole arguments and the deadline of a request; stageflow's do not."""
    try:
        parameters = inspect.signature(service.request_approval).parameters
    except (AttributeError, TypeError, ValueError):
        return False
    anything = any(one.kind is inspect.Parameter.VAR_KEYWORD for one in parameters.values())
    return anything or {"detail", "timeout_seconds"} <= parameters.keys()


def _with_payload(action: Any, payload: Any) -> Any:
    """Copy an action with another payload; one that cannot be copied is replaced by its fields."""
    try:
        copied = copy.copy(action)
        object.__setattr__(copied, "payload", payload)
        if copied is not action and copied.payload is payload:
            return copied
    except Exception:
        logger.debug("an action of %s cannot be copied", type(action).__name__)
    return SimpleNamespace(id=action.id, type=action.type, payload=payload)


def _sink_of(ctx: Any) -> EventSink | None:
    """Give a context's own sink, if it has one that takes events."""
    sink = getattr(ctx, "event_sink", None)
    if sink is None or type(sink).__name__ == "NoOpEventSink":
        return None
    return sink if inspect.iscoroutinefunction(getattr(sink, "emit", None)) else None


async def tell(sink: EventSink | None, type: str, data: dict[str, Any]) -> None:
    """Tell an event; a sink that fails is logged."""
    try:
        await (get_event_sink() if sink is None else sink).emit(type=type, data=data)
    except Exception:
        logger.warning("the event sink failed on %s", type, exc_info=True)
