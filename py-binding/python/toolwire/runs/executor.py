"""The executor: checks whether a tool may run, asks a person, runs it, emits events, undoes it.

>>> import asyncio
>>> from toolwire.runs import Executor, Tool
>>> executor = Executor()
>>> executor.register(Tool("greet", lambda given: f"Hello, {given.arguments['name']}!"))
>>> call = {"id": "call_1", "name": "greet", "arguments": {"name": "Ada"}}
>>> run = asyncio.run(executor.execute(call))
>>> run.state, run.output.data
('completed', 'Hello, Ada!')
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Literal

from toolwire._native import RunTable, Secrets
from toolwire.runs.approval import ApprovalService
from toolwire.runs.approver import Approver, approver_of
from toolwire.runs.context import RunContext
from toolwire.runs.durable import ended_run
from toolwire.runs.errors import ToolCallError, ToolNotFoundError
from toolwire.runs.executor_base import ExecutorBase
from toolwire.runs.input import ToolInput
from toolwire.runs.run import Run
from toolwire.runs.runner import Runner
from toolwire.runs.services import Caller, ExecutorSettings, RunServices, user_of
from toolwire.runs.store import MemoryStore, Store
from toolwire.runs.tool import Tool
from toolwire.runs.undo import UndoStore

__all__ = ["Executor"]

Asks = Callable[[ToolInput, Tool], Any]
"""Is asked about a run, by what its handler would be given; may be a coroutine function."""


class Executor(ExecutorBase):
    """Runs tools, and keeps their runs in a store if it has one.

    With a ``store``, runs outlive the process, and the same call gives the same run, by
    :meth:`execute` as by :meth:`start`. The store has a run for ``run_retention_seconds`` after its
    last change; the same call runs again afterwards. Without ``keep_outputs`` it has how a run
    ended, and neither its output (``output_gap`` is ``withheld``) nor what its handler said when it
    raised.

    ``permission`` is asked before every run, and again after an approval: it gives True, False, or
    in words why not. A tool with a ``capability`` requires it. ``changes`` gives what a run would
    change now, as a value that JSON can hold: a person approves this with the whole arguments, and
    the run is refused if it would change something else by then. Runs against a tool's
    ``rate_limit`` are counted in ``limit_store``, for each ``caller``: the context's ``user_id``
    unless a function of the context says otherwise. ``secret_keys`` are the keys whose values no
    event and no approval shows.

    ``approver`` decides in this process: a function, or ``"terminal"`` to ask there. ``approvals``
    is the service that keeps the requests; they are in the store unless it is given.
    """

    def __init__(
        self,
        store: Store | None = None,
        settings: ExecutorSettings | None = None,
        *,
        permission: Asks | None = None,
        changes: Asks | None = None,
        caller: Caller | None = None,
        approver: Approver | Literal["terminal"] | None = None,
        approvals: ApprovalService | None = None,
        limit_store: Store | None = None,
        secret_keys: Iterable[str] | None = None,
        run_retention_seconds: float = RunTable.RETENTION_SECONDS,
        keep_outputs: bool = True,
    ) -> None:
        kept = MemoryStore() if store is None else store
        self._settings = ExecutorSettings() if settings is None else settings
        services = RunServices(
            self._settings,
            ApprovalService(store=kept) if approvals is None else approvals,
            UndoStore(store=kept),
            None if permission is None else asking(permission),
            changes,
            user_of if caller is None else caller,
            kept if limit_store is None else limit_store,
            Secrets(None if secret_keys is None else list(secret_keys)),
            RunContext,
            approver_of(approver),
            store,
        )
        super().__init__(services, run_retention_seconds, keep_outputs)

    @property
    def settings(self) -> ExecutorSettings:
        """The settings, which each run reads when it begins."""
        return self._settings

    async def execute(
        self,
        call: Any,
        context: Any = None,
        *,
        scope: str = "",
        message: str | int | None = None,
        index: int | None = None,
    ) -> Run:
        """Run a call to its end, and give its run; where a person is asked, wait for the decision.

        ``call`` is a :class:`toolwire.ToolCall` of a detection or a provider, a provider's call as
        its object, or a resolved call. Its tool is found by name or alias. ``context`` is a mapping
        of the program's own values (:class:`~toolwire.runs.RunContext`). The others are as for
        :meth:`start`. What cannot be run gives a run that says why, with its code.

        Raises :class:`~toolwire.runs.StoreError`.
        """
        try:
            runner = self._begin(call, context, (scope, message, index))
        except (ToolCallError, ToolNotFoundError) as refusal:
            return Run.refused(refusal)
        if self._runs is not None:
            return await self._runs.wait(await self._runs.start(runner), runner.ctx)
        runner.told = []
        return ended_run(runner, await runner.drive())


def asking(permission: Asks) -> Callable[[Runner], Any]:
    """Give what asks the program's policy about a run."""

    def ask(run: Runner) -> Any:
        return permission(run.input(), run.tool)  # type: ignore[arg-type]

    return ask
