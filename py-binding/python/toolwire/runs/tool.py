"""Tools: what a model may call, and what runs then.

>>> import asyncio
>>> from toolwire.runs import Executor, Tool
>>> executor = Executor()
>>> executor.register(Tool("double", lambda given: given.arguments["number"] * 2))
>>> call = {"id": "call_1", "name": "double", "arguments": {"number": 21}}
>>> asyncio.run(executor.execute(call)).output.data
42
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

from toolwire.runs.action import Action
from toolwire.runs.context import RunContext
from toolwire.runs.input import HandlerInput, ToolInput
from toolwire.runs.output import UndoHandler, UndoMetadata

__all__ = ["DefinedTool", "Handler", "Tool", "Undo", "id_of_tool", "modes_of"]

Handler: TypeAlias = Callable[[ToolInput], Any]
"""Runs a tool: a coroutine function, or a plain function, which runs in a thread.

What it returns is the output (:class:`~toolwire.runs.ToolOutput`), or the data of one.
"""

Undo: TypeAlias = Callable[[UndoMetadata], Awaitable[None] | None]
"""Undoes what a tool has done: a coroutine function, or a plain one, which runs in a thread."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool: its names, what a model is told of it, its rights, and its handler.

    ``aliases`` find it too. ``input_schema`` is the JSON Schema of the arguments. ``modes`` are
    those of the program in which it may run; without any, it may in all. A person decides on each
    run if it ``requires_approval``, and reads ``approval_message``. ``undo`` undoes a run whose
    output has undo data. ``capability`` is the right that the executor's ``permission`` checks,
    ``rate_limit`` how often the tool may run, as (count, seconds), and ``timeout_seconds`` how long
    its handler may take. ``read_only`` and ``destructive`` tell a model's clients what it does.
    ``origin`` says where a tool comes from that is not the program's own; an approval is one of
    this origin alone.
    """

    name: str
    handler: Handler
    description: str = ""
    input_schema: dict[str, Any] = field(default_factory=dict)
    aliases: tuple[str, ...] = field(default=(), kw_only=True)
    modes: tuple[str, ...] = field(default=(), kw_only=True)
    requires_approval: bool = field(default=False, kw_only=True)
    approval_message: str | None = field(default=None, kw_only=True)
    undo: Undo | None = field(default=None, kw_only=True)
    capability: str | None = field(default=None, kw_only=True)
    rate_limit: tuple[int, float] | None = field(default=None, kw_only=True)
    timeout_seconds: float | None = field(default=None, kw_only=True)
    read_only: bool | None = field(default=None, kw_only=True)
    destructive: bool | None = field(default=None, kw_only=True)
    origin: str | None = field(default=None, kw_only=True)

    @property
    def undoable(self) -> bool:
        """Whether runs can be undone."""
        return self.undo is not None

    @property
    def undo_handler(self) -> UndoHandler | None:
        """What undoes a run, to be awaited."""
        return None if self.undo is None else _Undoing(self.undo)

    def make_input(
        self, action: Action, arguments: Any, context: Any, idempotency_key: str
    ) -> HandlerInput:
        """Make what the handler is given."""
        read = RunContext.reading(context)
        return ToolInput(str(action.id), self.name, arguments, read, idempotency_key)


class DefinedTool(Protocol):
    """A tool of either kind: a :class:`Tool`, or a definition of :mod:`toolwire.tools`."""

    @property
    def name(self) -> str:
        """The tool's name."""

    @property
    def handler(self) -> Callable[..., Any]:
        """What runs it."""

    def make_input(
        self, action: Action, arguments: Any, context: Any, idempotency_key: str, /
    ) -> HandlerInput:
        """Make what the handler is given."""


class _Undoing:
    """An undo handler, to be awaited; a plain function runs in a thread."""

    def __init__(self, undo: Undo) -> None:
        self._undo = undo

    async def __call__(self, metadata: UndoMetadata) -> None:
        """Undo a run."""
        if inspect.iscoroutinefunction(self._undo):
            done: Any = self._undo(metadata)
        else:
            done = await asyncio.to_thread(self._undo, metadata)
        if inspect.isawaitable(done):
            await done


def id_of_tool(tool: Any) -> str:
    """Give the id by which runs name a tool: stageflow's action type, else the name."""
    id: Any = getattr(tool, "action_type", None)
    return str(tool.name if id is None else id)


def modes_of(tool: Any) -> Any:
    """Give the modes in which a tool may run, as the tool has them: its own or stageflow's word."""
    theirs = getattr(tool, "allowed_behaviors", None)
    return getattr(tool, "modes", ()) if theirs is None else theirs
