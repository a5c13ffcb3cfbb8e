"""What executors have in common: their tools, and the runs of their store.

>>> from toolwire.runs import Executor, MemoryStore, Tool
>>> executor = Executor(MemoryStore())
>>> executor.register(Tool("mail", lambda given: "sent", aliases=("send",)))
>>> executor.find("send").name, executor.remove("mail"), executor.tools()
('mail', True, [])
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from toolwire._native import RunTable, ToolSpec, ToolTable
from toolwire.runs.action import Action
from toolwire.runs.approval import ApprovalService
from toolwire.runs.approval_request import ApprovalDecision
from toolwire.runs.changed import approve_changed
from toolwire.runs.durable import DurableRuns
from toolwire.runs.errors import ToolCallError, ToolNotFoundError
from toolwire.runs.functions import is_function
from toolwire.runs.functions import tool as tool_of_function
from toolwire.runs.limits import RateLimiter
from toolwire.runs.offer import ToolOffer
from toolwire.runs.page import page_size
from toolwire.runs.request import CallAction, CallPlace, as_action
from toolwire.runs.run import Run, RunKeeper, id_of
from toolwire.runs.runner import Runner
from toolwire.runs.services import RunServices
from toolwire.runs.store import Store
from toolwire.runs.tool import DefinedTool, id_of_tool
from toolwire.runs.undoer import Undoer

__all__ = ["ExecutorBase"]


class ExecutorBase(ToolOffer):
    """Runs tools; a store keeps the runs, so that they outlive the process."""

    def __init__(
        self, services: RunServices, run_retention_seconds: float, keep_outputs: bool
    ) -> None:
        self._services = services
        self._table = ToolTable()
        self._runs: DurableRuns | None = None
        store = services.store
        if store is not None:
            table = RunTable(store, run_retention_seconds, keep_outputs)
            self._runs = DurableRuns(RunKeeper(store, table, self._table), services)

    @property
    def approvals(self) -> ApprovalService:
        """The service that asks for approvals and takes decisions."""
        return self._services.approvals

    @property
    def store(self) -> Store | None:
        """The store of its runs, if it has one."""
        return self._services.store

    @property
    def keeps_runs(self) -> bool:
        """Whether the executor has a store for its runs."""
        return self._runs is not None

    def tools(self) -> list[Any]:
        """Give the tools, in the order of their registration."""
        return [tool for _, tool in self._table.made()]

    def register(self, tool: DefinedTool | Callable[..., Any]) -> None:
        """Add a tool, or a plain function as one; it replaces the tool of the same name.

        Raises :class:`toolwire.InvalidArgumentError` when its ``input_schema`` is no JSON Schema,
        and :class:`TypeError` for what is no tool.
        """
        made = tool_of(tool)
        spec = ToolSpec(made)
        limit = getattr(made, "rate_limit", None)
        if limit is not None:
            services = self._services
            services.limiters[id_of_tool(made)] = RateLimiter(*limit, store=services.limit_store)
        self._table.add(made, spec)
        self._tell_change()

    def remove(self, id: str) -> bool:
        """Remove the tool of this name, and say whether there was one.

        A definition of :mod:`toolwire.tools` is removed by its action type.
        """
        self._services.limiters.pop(id, None)
        was_there = self._table.remove(id)
        self._tell_change()
        return was_there

    async def start(
        self,
        call: Any,
        context: Any = None,
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

        Raises :class:`~toolwire.runs.StoreError`, and with ``again``
        :class:`~toolwire.runs.RunNotRetriedError` (``already_ran``) for a run that has ended
        otherwise or may have run.
        """
        kept = self._kept()
        try:
            runner = self._begin(call, context, (scope, message, index), again)
        except (ToolCallError, ToolNotFoundError) as refusal:
            return Run.refused(refusal)
        return await kept.start(runner)

    async def resume(self, run_id: Any, context: Any = None) -> Run | None:
        """Go on with a run after the decision, or after the process that had it ended.

        Gives the run as it stands if it cannot go on now: nobody has decided, another process has
        it, or it has ended. A run whose handler may have run is ``interrupted``, and stays so.
        None if the store has no run of this id. Without a context it has the one it began with, as
        far as a store keeps it.

        Raises :class:`~toolwire.runs.ToolNotFoundError` when its tool is not registered.
        """
        return await self._kept().resume(run_id, context)

    async def run(self, run_id: Any, context: Any = None) -> Run | None:
        """Give a run as it stands; None if the store has no run of this id.

        The first who finds a run interrupted emits ``tool.interrupted``, to the context's sink.
        """
        return await self._kept().get(run_id, context)

    async def approve(
        self,
        id: Any,
        context: Any = None,
        *,
        arguments: Mapping[str, Any] | None = None,
        decided_by: Any = None,
        reason: str | None = None,
        fingerprint: str | None = None,
    ) -> ApprovalDecision:
        """Approve a request, with other ``arguments`` than those of the call if they are given.

        They pass the checks of a call first: the schema, the policy, and what the run would change.
        The run then goes on with them, by :meth:`resume`, and it is still the run of its call.
        ``fingerprint`` is that of the request that the person saw. ``context`` is that of
        the call for the policy; without it, it is the one that the run began with, as far as a
        store keeps it.

        Raises :class:`~toolwire.runs.ApprovalRefusedError` for arguments that are refused, or when
        no run of the store waits for the request; and what
        :meth:`~toolwire.runs.ApprovalService.record_decision` raises.
        """
        approvals, given = self._services.approvals, (decided_by, reason)
        if arguments is None:
            return await approvals.record_decision(id, True, *given, fingerprint=fingerprint)
        if not isinstance(arguments, Mapping):
            given = type(arguments).__name__
            raise TypeError(f"arguments must be a mapping of names to values, not {given}")
        changed = dict(arguments)
        return await approve_changed(
            approvals, self._runs, id, (changed, context), *given, fingerprint
        )

    async def retry(self, run_id: Any, context: Any = None) -> Run:
        """Make an interrupted run ready to run once more, and give it, for :meth:`resume`.

        This is a decision of a person or a program that looked what the handler did. The run keeps
        its idempotency key and its approval, and passes the checks again. Of several processes that
        retry a run at once, one succeeds.

        Raises :class:`~toolwire.runs.RunNotRetriedError` for a run in any other state, and
        :class:`~toolwire.runs.RunNotFoundError` if the store has no run of this id.
        """
        return await self._kept().retry(run_id, context)

    async def forget(self, run_id: Any) -> bool:
        """Delete a run from the store, and say whether there was one.

        The next call with its id begins a new run. A process that has the run can no longer write
        down how it ended.
        """
        return await self._kept().forget(run_id)

    async def waiting(self, limit: int | None = None, *, after: Any = None) -> list[Run]:
        """Give the runs that have not ended, the oldest first, or a page of them.

        ``after`` is the id of the last run of the page before;
        :class:`~toolwire.runs.RunNotFoundError` when the store has none of it.
        """
        return await self._kept().waiting(page_size(limit), after)

    async def undo(self, run_id: Any, context: Any = None) -> bool:
        """Undo what a run did, and say whether there was something to undo it with.

        Raises :class:`~toolwire.runs.ToolUndoError` when the undo handler raises; it may be tried
        again.
        """
        services = self._services
        read = services.contexts.of({} if context is None else context)
        id = id_of(run_id) if isinstance(run_id, str) else run_id
        emits, words = services.config.emit_events, services.words
        undone = await Undoer(services.undo, self._table, emits, words).undo(id, read)
        if undone and self._runs is not None:
            await self._runs.undone(id)
        return undone

    def _kept(self) -> DurableRuns:
        if self._runs is None:
            name = type(self).__name__
            raise TypeError(f"an executor keeps runs only in a store: {name}(store=SqliteStore(…))")
        return self._runs

    def _begin(
        self,
        asked: Any,
        context: Any,
        place: tuple[str, str | int | None, int | None],
        again: bool = False,
    ) -> Runner:
        """Begin the run of a call in its scope and message, at its index."""
        context = self._services.contexts.of({} if context is None else context)
        caller = self._services.caller(context)
        action = self._with_own_id(
            as_action(asked, CallPlace(*place, caller), self._services.words.not_found)
        )
        keeper = None if self._runs is None else self._runs.keeper
        named = getattr(action, "named", "own")
        kept = None if keeper is None else (named, caller, again)
        run = self._table.begin(action, context, self._services.settings(), kept)
        if run is None:
            raise self._services.words.not_found(action.type)
        return Runner(self._services, run, action, context, keeper)

    def _with_own_id(self, action: Action) -> Action:
        """Give the action with its tool's id, if it asks for the tool by name or alias."""
        tool = self._table.get(action.type)
        if tool is None or id_of_tool(tool) == action.type:
            return action
        call_id, named = getattr(action, "call_id", ""), getattr(action, "named", "own")
        return CallAction(action.id, id_of_tool(tool), action.payload, call_id, named)


def tool_of(given: DefinedTool | Callable[..., Any]) -> Any:
    """Give a tool as it is, or the tool of a plain function."""
    if is_function(given):
        return tool_of_function(given)
    if hasattr(given, "make_input"):
        return given
    raise TypeError(f"a tool is a Tool or a function, not a {type(given).__name__}")
