"""Runs that a store keeps, so that another process can go on with them.

A run begins once for each call. While a person has to decide, no process has it, and any process
may resume it afterwards. A handler is started at most once: if its process ends meanwhile, the run
is ``interrupted`` and is not run again, unless somebody retries it.

>>> import asyncio
>>> from toolwire.runs import Executor, MemoryStore, Tool
>>> executor = Executor(MemoryStore())
>>> mails = []
>>> executor.register(Tool("mail", lambda given: mails.append(given.arguments)))
>>> async def twice(call):
...     first = await executor.start(call)
...     return first, await executor.start(call)
>>> first, second = asyncio.run(twice({"id": "call_1", "name": "mail", "arguments": {"to": "ann"}}))
>>> first.state, first.id == second.id, mails
('completed', True, [{'to': 'ann'}])
"""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from toolwire._native import RunClaim, RunRecord, RunTable, ToolTable
from toolwire.runs.errors import StoreError, ToolError, ToolInterruptedError
from toolwire.runs.failures import error_of
from toolwire.runs.output import ToolOutput
from toolwire.runs.store import MemoryStore, Store
from toolwire.runs.store_calls import StoreCalls
from toolwire.runs.words import OWN_WORDS, Words

__all__ = ["Run", "RunKeeper"]

logger = logging.getLogger("toolwire.runs")

_Given = TypeVar("_Given")


@dataclass(frozen=True)
class Run:
    """A run, as it stands.

    ``state`` is ``waiting`` for a person, ``approved`` and to be resumed, ``running`` in some
    process, ``interrupted`` when the process that ran the handler has ended and nobody knows what
    the handler did, ``completed``, ``undone`` after that, ``failed``, ``denied``, ``cancelled``, or
    ``expired`` when nobody decided in time. ``output`` is there when it completed, unless
    ``output_gap`` says why the store does not have it (``not_json``, ``too_long``, ``withheld``).
    ``error`` says why there is none, and ``code`` is its code. ``interruption`` says why the
    handler was cut off last (``code``, ``detail``, ``seen_at``, ``attempt``). ``not_kept`` says why
    the store does not have the end of a run that this process has ended: others see it
    ``interrupted``. ``events`` are those of this process.
    """

    id: str
    state: str
    tool: str
    output: ToolOutput | None = None
    error: Exception | None = None
    code: str | None = None
    approval_id: str | None = None
    output_gap: str | None = None
    created_at: str = ""
    changed_at: str = ""
    interruption: dict[str, Any] | None = None
    not_kept: Exception | None = field(default=None, compare=False)
    events: list[dict[str, Any]] = field(default_factory=list, compare=False)

    @property
    def is_ended(self) -> bool:
        """Whether nothing more will happen: also for an interrupted run."""
        return self.state not in ("running", "waiting", "approved")

    @classmethod
    def of(cls, record: RunRecord, words: Words = OWN_WORDS) -> Run:
        """Read a store's record."""
        error: Exception | None = None
        if record.code is not None:
            details = record.details or {}
            if "allowed" in details:
                # JSON has no tuples, as definitions of tools have.
                details = {**details, "allowed": tuple(details["allowed"])}
            about = (record.tool_name, id_of(record.id), record.approval_id)
            error = error_of(record.code, details, *about, words)
        elif record.state == "interrupted":
            error = ToolInterruptedError(record.tool_name, record.id)
        return cls(
            record.id,
            record.state,
            record.tool_name,
            output_of(record),
            error,
            record.code,
            record.approval_id,
            record.output_gap,
            record.created_at,
            record.changed_at,
            record.interruption,
        )

    @classmethod
    def refused(cls, refusal: ToolError) -> Run:
        """Make the run of a call that no tool runs; the store does not have it."""
        code = getattr(refusal, "code", None)
        return cls(str(uuid.uuid4()), "failed", refusal.tool or "", error=refusal, code=code)

    def result(self) -> ToolOutput:
        """Give the output of a run that completed.

        Raises the error of a run that did not, and :class:`~toolwire.runs.ToolError` when the
        store does not have the output.
        """
        if self.error is not None:
            raise self.error
        if self.output is None:
            raise ToolError(
                f"the run {self.id} of '{self.tool}' is {self.state}, and its output is not in the "
                f"store ({self.output_gap})",
                self.tool,
            )
        return self.output


def id_of(run_id: str) -> Any:
    """Give the id of a run's action: a UUID, unless a program chose another text."""
    try:
        return uuid.UUID(run_id)
    except ValueError:
        return run_id


class RunKeeper:
    """The runs of a store, for one executor with these tools."""

    def __init__(self, store: Store, table: RunTable, tools: ToolTable) -> None:
        self.table = table
        self.tools = tools
        self._calls = StoreCalls(store)
        self._may_be_called_in_threads = self._calls.writes_wait or isinstance(store, MemoryStore)

    async def write(self, step: Callable[..., _Given], *arguments: Any) -> _Given:
        """Do a step that may write to the store."""
        return await self._calls.write(step, *arguments)

    async def write_whole(self, step: Callable[..., _Given], *arguments: Any) -> _Given:
        """Do a step that may write to the store, also if the task is cancelled meanwhile."""
        return await self._calls.write_whole(step, *arguments)

    async def read(self, step: Callable[..., _Given], *arguments: Any) -> _Given:
        """Do a step that only reads the store."""
        return await self._calls.read(step, *arguments)

    async def get(self, run_id: str) -> RunRecord | None:
        """Give a run's record."""
        return await self.read(self.table.get, run_id)

    async def open(self, limit: int | None = None, after: str | None = None) -> list[RunRecord]:
        """Give the runs that have not ended, the oldest first, or a page of them."""
        return await self.write(self.table.open, limit, after)

    def hold(self, claim: RunClaim, seconds: float | None) -> Callable[[], Any]:
        """Keep a run from now on, for so many seconds at most; what is returned lets it go.

        A thread renews the lease, whatever holds up the event loop. A store that is called only
        where it is gets a task of the event loop for that.
        """
        if self._may_be_called_in_threads:
            renewal = self.table.renewed(claim, seconds)
            renewal.__enter__()
            return renewal.__exit__
        return asyncio.ensure_future(self._renew(claim)).cancel

    async def _renew(self, claim: RunClaim) -> None:
        while True:
            await asyncio.sleep(RunTable.RENEW_SECONDS)
            try:
                await self.write(self.table.renew, claim)
            except Exception:
                logger.warning("the lease of a run was not renewed", exc_info=True)


def output_of(record: RunRecord) -> ToolOutput | None:
    """Read the output of a record; raise for one that no output was written as."""
    fields = record.output
    if fields is None:
        return None
    if not isinstance(fields, dict) or not isinstance(fields.get("success"), bool):
        message = f"the output of the run {record.id} is not as it was written; restore a backup"
        raise StoreError(message, "corrupt")
    known = ToolOutput.__dataclass_fields__
    return ToolOutput(**{name: value for name, value in fields.items() if name in known})


def fields_of(output: Any) -> Any:
    """Give an output's fields for the store; what has none is data itself."""
    to_dict = getattr(output, "to_dict", None)
    if output is None or to_dict is None:
        return {"success": True, "data": output}
    try:
        return to_dict()
    except Exception:
        logger.warning("an output gave no fields for the store", exc_info=True)
        # This is no value for JSON, so the store gets that as the reason.
        return object()
