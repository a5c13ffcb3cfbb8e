"""stageflow's executor: that of :mod:`toolwire.runs`, with its names, which raises what went wrong.

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

import logging
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID

from toolwire._native import UNDO_TTL_SECONDS, RunTable, Secrets
from toolwire.runs.action import Action
from toolwire.runs.approval import ApprovalService
from toolwire.runs.approver import Approver, approver_of
from toolwire.runs.executor_base import ExecutorBase
from toolwire.runs.output import ToolOutput
from toolwire.runs.runner import Runner
from toolwire.runs.services import Caller, RunServices, user_of
from toolwire.runs.store import MemoryStore, Store
from toolwire.runs.tool import DefinedTool
from toolwire.runs.tool import Tool as OwnTool
from toolwire.runs.undo import UndoStore
from toolwire.tools.adapters import DictContextAdapter
from toolwire.tools.approval import ApprovalService as StageflowApprovals
from toolwire.tools.approval import get_approval_service
from toolwire.tools.base import Tool, definition_of
from toolwire.tools.definitions import ToolDefinition, ToolInput
from toolwire.tools.execution_result import (
    ExecutionResult,
    result_of,
    result_of_refusal,
    stageflow_code,
)
from toolwire.tools.undo import UndoStore as StageflowUndo
from toolwire.tools.undo import get_undo_store
from toolwire.tools.words import STAGEFLOW_WORDS

__all__ = ["AdvancedToolExecutor", "ExecutionResult", "ToolExecutorConfig"]

Permission = Callable[[ToolDefinition, Action, Any], Any]
"""Says whether a caller may: True, False, or in words why not; may be a coroutine function."""

Changes = Callable[[ToolInput, ToolDefinition], Any]
"""Says what a run would change now, as a value that JSON can hold; may be a coroutine function."""


@dataclass
class ToolExecutorConfig:
    """The settings of an executor; each run reads them when it begins.

    They are those of :class:`toolwire.runs.ExecutorSettings`, in stageflow's order and with its
    minute for an approval.
    """

    approval_timeout_seconds: float = 60.0
    undo_ttl_seconds: float = UNDO_TTL_SECONDS
    emit_events: bool = True
    log_level: int = logging.INFO
    store_undo_data: bool = True
    require_approval_for_risky: bool = True
    handler_timeout_seconds: float | None = None


class AdvancedToolExecutor(ExecutorBase):
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
            undo_store = get_undo_store() if store is None else StageflowUndo(store=store)
        if approval_service is None:
            kept = None if store is None else StageflowApprovals(store=store)
            approval_service = get_approval_service() if kept is None else kept
        if limit_store is None:
            limit_store = MemoryStore() if store is None else store
        if config is None:
            config = ToolExecutorConfig()
            if store is not None:
                # A person who is asked by another process may look in tomorrow.
                config.approval_timeout_seconds = RunTable.APPROVAL_SECONDS
        self._config = config
        services = RunServices(
            config,
            approval_service,
            undo_store,
            None if permission is None else asking(permission),
            changes,
            user_of if caller is None else caller,
            limit_store,
            Secrets(None if secret_keys is None else list(secret_keys)),
            DictContextAdapter,
            approver_of(approver),
            store,
            STAGEFLOW_WORDS,
        )
        super().__init__(services, run_retention_seconds, keep_outputs)

    @property
    def config(self) -> ToolExecutorConfig:
        """The settings, which each run reads when it begins."""
        return self._config

    def register(self, tool: Tool | DefinedTool | Callable[..., Any]) -> None:
        """Add a tool; it replaces the tool of the same action type.

        Of a tool with ``execute``, such as a :class:`~toolwire.tools.BaseTool`, the fields that a
        definition has count too.

        Raises :class:`toolwire.InvalidArgumentError` when its ``input_schema`` is no JSON Schema.
        """
        given: Any = tool
        super().register(given if isinstance(given, OwnTool) else definition_of(given))

    def get_tool(self, action_type: str) -> ToolDefinition | None:
        """Give the tool of this action type."""
        found: ToolDefinition | None = self._table.by_id(action_type)
        return found

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
        runner = self._begin(action, ctx, (scope, message, index))
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
            runner = self._begin(action, ctx, (scope, message, index))
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
        code = stageflow_code(outcome.code)
        return ExecutionResult(
            outcome.success,
            outcome.output,
            outcome.message,
            (time.perf_counter() - start) * 1000,
            runner.was_approved,
            outcome.was_denied,
            code if outcome.was_denied else None,
            runner.told,
            getattr(outcome.error, "problems", None),
            code,
        )

    async def undo_action(self, action_id: UUID, ctx: Any) -> bool:
        """Undo an action, as :meth:`undo`."""
        return await self.undo(action_id, ctx)


def asking(permission: Permission) -> Callable[[Runner], Any]:
    """Give what asks the program's policy about a run."""

    def ask(run: Runner) -> Any:
        return permission(run.tool, run.action, run.ctx)

    return ask
