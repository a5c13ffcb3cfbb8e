"""The executor: checks whether a tool may run, asks a person, runs it, emits events, undoes it.

The core decides which step comes next; :class:`~toolwire.tools.runner.Runner` takes it.

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

import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal
from uuid import UUID

from toolwire._native import RunTable, Secrets, ToolSpec, ToolTable
from toolwire.tools.adapters import adapt_context
from toolwire.tools.approval import ApprovalService, get_approval_service
from toolwire.tools.approval_request import ApprovalDecision
from toolwire.tools.approver import Approver, approver_of
from toolwire.tools.base import Tool, definition_of
from toolwire.tools.changed import approve_changed
from toolwire.tools.definitions import Action, ToolDefinition, ToolOutput
from toolwire.tools.durable import DurableRuns
from toolwire.tools.errors import ToolCallError, ToolNotFoundError
from toolwire.tools.execution_result import ExecutionResult, result_of, result_of_refusal
from toolwire.tools.limits import RateLimiter
from toolwire.tools.offer import ToolOffer
from toolwire.tools.page import page_size
from toolwire.tools.request import CallAction, CallPlace, as_action
from toolwire.tools.runner import Runner
from toolwire.tools.runs import Run, RunKeeper
from toolwire.tools.services import (
    Caller,
    Changes,
    Permission,
    RunServices,
    ToolExecutorConfig,
    user_of,
)
from toolwire.tools.store import MemoryStore, Store
from toolwire.tools.undo import UndoStore, get_undo_store
from toolwire.tools.undoer import Undoer

__all__ = ["AdvancedToolExecutor", "ExecutionResult", "ToolExecutorConfig"]


class AdvancedToolExecutor(ToolOffer):
    """Runs tools.

    ``permission`` is asked before every run, and again after an approval; a tool with a
    ``capability`` requires it. ``changes`` says what a run would change now: a person approves this
    with the whole arguments, and the run is refused if it would change something else by then. Runs
    against a tool's ``rate_limit`` are counted in ``limit_store``, for each ``caller``; that is the
    context's ``user_id`` unless a function says otherwise. ``secret_keys`` are the keys whose
    values no event and no approval shows.

    ``store`` keeps approvals, undo data, limits and runs. With it, runs outlive the process, and
    the same call gives the same run, by ``execute`` as by ``start``. Without a ``config``, a person
    has a day to approve a run of a store, and a minute otherwise. The store has a run for
    ``run_retention_seconds`` after its last change; the same call runs again afterwards. Without
    ``keep_outputs`` it has how a run ended, and neither its output (``output_gap`` is ``withheld``)
    nor what its handler said when it raised.

    ``approver`` decides in this process: a function, or ``"terminal"`` to ask there.
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
        store: Store | None = None,
        approver: Approver | Literal["terminal"] | None = None,
        run_retention_seconds: float = RunTable.RETENTION_SECONDS,
        keep_outputs: bool = True,
    ) -> None:
        if undo_store is None:
            undo_store = get_undo_store() if store is None else UndoStore(store=store)
        if approval_service is None:
            kept = None if store is None else ApprovalService(store=store)
            approval_service = get_approval_service() if kept is None else kept
        if limit_store is None:
            limit_store = MemoryStore() if store is None else store
        if config is None:
            config = ToolExecutorConfig()
            if store is not None:
                # A person who is asked by another process may look in tomorrow.
                config.approval_timeout_seconds = RunTable.APPROVAL_SECONDS
        self._undo_store = undo_store
        self._services = RunServices(
            config,
            approval_service,
            undo_store,
            permission,
            changes,
            user_of if caller is None else caller,
            limit_store,
            Secrets(None if secret_keys is None else list(secret_keys)),
            approver_of(approver),
            store,
        )
        self._table = ToolTable()
        self._runs: DurableRuns | None = None
        if store is not None:
            table = RunTable(store, run_retention_seconds, keep_outputs)
            self._runs = DurableRuns(RunKeeper(store, table, self._table), self._services)
        self._store = store

    @property
    def config(self) -> ToolExecutorConfig:
        """The settings, which each run reads when it begins."""
        return self._services.config

    @property
    def approvals(self) -> ApprovalService:
        """The service that asks for approvals and takes decisions."""
        return self._services.approvals

    def register(self, tool: Tool | ToolDefinition | Callable[..., Any]) -> None:
        """Add a tool; it replaces the tool of the same action type.

        Of a tool with ``execute``, such as a :class:`~toolwire.tools.BaseTool`, the fields that a
        definition has count too.

        Raises :class:`toolwire.InvalidArgumentError` when its ``input_schema`` is no JSON Schema.
        """
        tool = definition_of(tool)
        spec = ToolSpec(tool)
        limit = getattr(tool, "rate_limit", None)
        if limit is not None:
            services = self._services
            services.limiters[tool.action_type] = RateLimiter(*limit, store=services.limit_store)
        self._table.add(tool, spec)
        self._tell_change()

    def remove(self, action_type: str) -> bool:
        """Remove the tool of this action type, and say whether there was one."""
        self._services.limiters.pop(action_type, None)
        was_there = self._table.remove(action_type)
        self._tell_change()
        return was_there

    def get_tool(self, action_type: str) -> ToolDefinition | None:
        """Give the tool of this action type."""
        found: ToolDefinition | None = self._table.by_id(action_type)
        return found

    def tools(self) -> list[ToolDefinition]:
        """Give the tools, in the order of their registration."""
        return [tool for _, tool in self._table.made()]

    def can_execute(self, action_type: str) -> bool:
        """Say whether there is a tool of this action type."""
        return self.get_tool(action_type) is not None

    async def execute(
        self,
        action: Any,
        ctx: Any = None,
        *,
        scope: str = "",
        message: str | int | None = None,
        index: int | None = None,
    ) -> ToolOutput:
        """Run what is asked for, and give the handler's output.

        ``action`` is a :class:`toolwire.ToolCall` of a detection or a provider, a provider's call
        as its object, a resolved call, or an action. Its tool is found by action type, name or
        alias. ``scope``, ``message`` and ``index`` are as for :meth:`start`.

        Raises a :class:`~toolwire.tools.ToolError` that says why there is none.
        """
        runner = self._begin(action, ctx, scope, message, index)
        if self._runs is not None:
            started = await self._runs.start(runner)
            return (await self._runs.wait(started, runner.ctx)).result()
        await runner.drive()
        outcome = runner.outcome
        if outcome.error is not None:
            raise outcome.error from outcome.cause
        output: ToolOutput = outcome.output
        return output

    async def execute_detailed(
        self,
        action: Any,
        ctx: Any = None,
        *,
        scope: str = "",
        message: str | int | None = None,
        index: int | None = None,
    ) -> ExecutionResult:
        """Run what is asked for, as :meth:`execute`, and give the outcome with its failure."""
        start = time.perf_counter()
        try:
            runner = self._begin(action, ctx, scope, message, index)
        except Exception as refusal:
            return result_of_refusal(refusal)
        if self._runs is not None:
            try:
                started = await self._runs.start(runner)
                run = await self._runs.wait(started, runner.ctx)
            except Exception as failure:
                return ExecutionResult(False, error=str(failure))
            earlier = [] if run is started else started.events
            return result_of(run, [*earlier, *run.events], start)
        runner.told = []
        await runner.drive()
        outcome = runner.outcome
        return ExecutionResult(
            outcome.success,
            outcome.output,
            outcome.message,
            (time.perf_counter() - start) * 1000,
            runner.was_approved,
            outcome.was_denied,
            outcome.code if outcome.was_denied else None,
            runner.told,
            getattr(outcome.error, "problems", None),
            outcome.code,
        )

    async def start(
        self,
        action: Any,
        ctx: Any = None,
        *,
        scope: str = "",
        message: str | int | None = None,
        index: int | None = None,
        again: bool = False,
    ) -> Run:
        """Start the run of a call, and give it as it stands: ended, or waiting for a person.

        A call that was started before gives the run that it has, whatever its state. ``scope``
        names the conversation or session, since models count their calls anew in each. ``message``
        is the number or the id of the message that holds the call, since many servers count anew in
        each message; with ``index``, the place of the call in it, the call needs no id. A call of
        another tool or with other arguments under the same name is denied as ``call_id_reused``.

        ``again`` begins a run once more whose handler never ran: it was denied, or has expired. It
        keeps its idempotency key.

        What holds no single call that can be read, or names no tool, gives a run that ``failed``
        with the code and the place; the store does not have it.

        Raises :class:`~toolwire.tools.StoreError`, and with ``again``
        :class:`~toolwire.tools.RunNotRetriedError` (``already_ran``) for a run that has ended
        otherwise or may have run.
        """
        kept = self._kept()
        try:
            runner = self._begin(action, ctx, scope, message, index, again)
        except (ToolCallError, ToolNotFoundError) as refusal:
            return Run.refused(refusal)
        return await kept.start(runner)

    async def resume(self, run_id: Any, ctx: Any = None) -> Run | None:
        """Go on with a run after the decision, or after the process that had it ended.

        Gives the run as it stands if it cannot go on now: nobody has decided, another process has
        it, or it has ended. A run whose handler may have run is ``interrupted``, and stays so.
        None if the store has no run of this id. Without a context it has the one it began with, as
        far as a store keeps it.

        Raises :class:`~toolwire.tools.ToolNotFoundError` when its tool is not registered.
        """
        return await self._kept().resume(run_id, ctx)

    async def run(self, run_id: Any, ctx: Any = None) -> Run | None:
        """Give a run as it stands; None if the store has no run of this id.

        The first who finds a run interrupted emits ``tool.interrupted``, to the sink of ``ctx``.
        """
        return await self._kept().get(run_id, ctx)

    async def approve(
        self,
        request_or_action_id: Any,
        ctx: Any = None,
        *,
        arguments: Mapping[str, Any] | None = None,
        decided_by: Any = None,
        reason: str | None = None,
        fingerprint: str | None = None,
    ) -> ApprovalDecision:
        """Approve a request, with other ``arguments`` than those of the call if they are given.

        They pass the checks of a call first: the schema, the policy, and what the run would change.
        The run then goes on with them, by :meth:`resume`, and it is still the run of its call.
        ``fingerprint`` is that of the request that the person saw. ``ctx`` is the context of the
        call for the policy; without it, it is the one that the run began with, as far as a store
        keeps it.

        Raises :class:`~toolwire.tools.ApprovalRefusedError` for arguments that are refused, or when
        no run of the store waits for the request; and what
        :meth:`~toolwire.tools.ApprovalService.record_decision` raises.
        """
        approvals, given = self._services.approvals, (decided_by, reason)
        if arguments is None:
            return await approvals.record_decision(
                request_or_action_id, True, *given, fingerprint=fingerprint
            )
        if not isinstance(arguments, Mapping):
            given = type(arguments).__name__
            raise TypeError(f"arguments must be a mapping of names to values, not {given}")
        changed = dict(arguments)
        return await approve_changed(
            approvals, self._runs, request_or_action_id, (changed, ctx), *given, fingerprint
        )

    async def retry(self, run_id: Any, ctx: Any = None) -> Run:
        """Make an interrupted run ready to run once more, and give it, for :meth:`resume`.

        This is a decision of a person or a program that looked what the handler did. The run keeps
        its idempotency key and its approval, and passes the checks again. Of several processes that
        retry a run at once, one succeeds.

        Raises :class:`~toolwire.tools.RunNotRetriedError` for a run in any other state, and
        :class:`~toolwire.tools.RunNotFoundError` if the store has no run of this id.
        """
        return await self._kept().retry(run_id, ctx)

    async def forget(self, run_id: Any) -> bool:
        """Delete a run from the store, and say whether there was one.

        The next call with its id begins a new run. A process that has the run can no longer write
        down how it ended.
        """
        return await self._kept().forget(run_id)

    async def waiting(self, limit: int | None = None, *, after: Any = None) -> list[Run]:
        """Give the runs that have not ended, the oldest first, or a page of them.

        ``after`` is the id of the last run of the page before;
        :class:`~toolwire.tools.RunNotFoundError` when the store has none of it.
        """
        return await self._kept().waiting(page_size(limit), after)

    @property
    def store(self) -> Store | None:
        """The store of its runs, if it has one."""
        return self._store

    @property
    def keeps_runs(self) -> bool:
        """Whether the executor has a store for its runs."""
        return self._runs is not None

    def _kept(self) -> DurableRuns:
        if self._runs is None:
            raise TypeError(
                "an executor keeps runs only in a store: AdvancedToolExecutor(store=SqliteStore(…))"
            )
        return self._runs

    async def undo_action(self, action_id: UUID, ctx: Any) -> bool:
        """Undo an action, and say whether there was something to undo it with.

        Raises :class:`~toolwire.tools.ToolUndoError` when the undo handler raises; it may be tried
        again.
        """
        if isinstance(ctx, dict):
            ctx = adapt_context(ctx)
        undoer = Undoer(self._undo_store, self._table, self._services.config.emit_events)
        undone = await undoer.undo(action_id, ctx)
        if undone and self._runs is not None:
            await self._runs.undone(action_id)
        return undone

    def _begin(
        self,
        asked: Any,
        ctx: Any,
        scope: str,
        message: str | int | None,
        index: int | None,
        again: bool = False,
    ) -> Runner:
        if ctx is None or isinstance(ctx, dict):
            ctx = adapt_context({} if ctx is None else ctx)
        caller = self._services.caller(ctx)
        action = self._with_own_type(as_action(asked, CallPlace(scope, message, index, caller)))
        keeper = None if self._runs is None else self._runs.keeper
        named = getattr(action, "named", "own")
        kept = None if keeper is None else (named, caller, again)
        run = self._table.begin(action, ctx, self._services.settings(), kept)
        if run is None:
            raise ToolNotFoundError(action.type)
        return Runner(self._services, run, action, ctx, keeper)

    def _with_own_type(self, action: Action) -> Action:
        """Give the action with its tool's type, if it asks for the tool by name or alias."""
        tool = self._table.get(action.type)
        if tool is None or tool.action_type == action.type:
            return action
        call_id, named = getattr(action, "call_id", ""), getattr(action, "named", "own")
        return CallAction(action.id, tool.action_type, action.payload, call_id, named)
