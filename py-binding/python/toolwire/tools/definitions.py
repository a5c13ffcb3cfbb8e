"""Definitions of tools, their inputs and outputs.

>>> import asyncio, uuid
>>> from toolwire.tools import ToolInput, ToolOutput
>>> async def greet(input):
...     return ToolOutput.ok(data={"message": f"Hello, {input.payload['name']}!"})
>>> asyncio.run(greet(ToolInput(uuid.uuid4(), "greet", {"name": "Ada"}))).data
{'message': 'Hello, Ada!'}
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from toolwire.runs.action import Action
from toolwire.runs.context import mode_of, parent_of
from toolwire.runs.ids import id_text, optional_id_text
from toolwire.runs.input import HandlerInput
from toolwire.runs.output import HeldUndo, ToolOutput, now
from toolwire.tools.adapters import adapt_context

__all__ = [
    "Action",
    "ToolDefinition",
    "ToolHandler",
    "ToolInput",
    "ToolOutput",
    "UndoHandler",
    "UndoMetadata",
]


@dataclass(frozen=True)
class _ActionView:
    """An input, read as the action that it came from."""

    id: Any
    type: Any
    payload: Any


_MISSING: Any = object()


@dataclass(frozen=True, init=False)
class ToolInput(HandlerInput):
    """The input of a handler.

    ``action`` is the action itself where the input was made of one (``ToolInput(action=action)``),
    else a view of the input with ``id``, ``type`` and ``payload``. A plain mapping given as an
    action is its own payload.
    """

    __slots__ = (
        "_action",
        "_key",
        "action_id",
        "behavior",
        "payload",
        "pipeline_run_id",
        "request_id",
        "tool_name",
    )

    action_id: UUID
    tool_name: str
    payload: dict[str, Any]
    behavior: str | None
    pipeline_run_id: UUID | None
    request_id: UUID | None

    def __init__(
        self,
        action_id: UUID = _MISSING,
        tool_name: str = _MISSING,
        payload: dict[str, Any] = _MISSING,
        behavior: str | None = None,
        pipeline_run_id: UUID | None = None,
        request_id: UUID | None = None,
        *,
        action: Any = None,
        idempotency_key: str | None = None,
    ) -> None:
        if payload is _MISSING or tool_name is _MISSING or action_id is _MISSING:
            action_id, tool_name, payload, action = _completed(
                action_id, tool_name, payload, action
            )
        fill = object.__setattr__
        fill(self, "action_id", action_id)
        fill(self, "tool_name", tool_name)
        fill(self, "payload", payload)
        fill(self, "behavior", behavior)
        fill(self, "pipeline_run_id", pipeline_run_id)
        fill(self, "request_id", request_id)
        fill(self, "_action", action)
        fill(self, "_key", idempotency_key)

    def __getstate__(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in self.__slots__)

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        for name, value in zip(self.__slots__, state, strict=True):
            object.__setattr__(self, name, value)

    @property
    def run_id(self) -> str | None:
        """The id of the run: that of its action, as a text."""
        return id_text(self.action_id)

    @property
    def arguments(self) -> dict[str, Any]:
        """The payload, which is what a call's arguments are to an action."""
        return self.payload

    @property
    def parent_id(self) -> UUID | None:
        """The id of what the run is part of: the pipeline's run."""
        return self.pipeline_run_id

    @property
    def idempotency_key(self) -> str:
        """The same random text for every attempt of one run, for services that take such a key.

        The input of no run, which a program made itself, has its action's id.
        """
        key: str | None = self._key  # type: ignore[attr-defined]
        return str(self.action_id) if key is None else key

    @property
    def action(self) -> Any:
        """The action, or a view of the input as one."""
        action: Any = self._action  # type: ignore[attr-defined]
        if action is None or isinstance(action, Mapping):
            return _ActionView(self.action_id, self.tool_name, self.payload)
        return action

    @classmethod
    def from_action(cls, action: Action, tool_name: str, ctx: Any = None) -> ToolInput:
        """Make the input of an action in a context, which may be a dict."""
        if not ctx:
            return cls(action.id, tool_name, action.payload, action=action)
        if isinstance(ctx, dict):
            ctx = adapt_context(ctx)
        return cls(
            action.id,
            tool_name,
            action.payload,
            ctx.execution_mode,
            ctx.pipeline_run_id,
            ctx.request_id,
            action=action,
        )

    def to_dict(self) -> dict[str, Any]:
        """Give the fields, ids as texts."""
        return {
            "action_id": id_text(self.action_id),
            "tool_name": self.tool_name,
            "payload": self.payload,
            "behavior": self.behavior,
            "pipeline_run_id": optional_id_text(self.pipeline_run_id),
            "request_id": optional_id_text(self.request_id),
        }


def _completed(
    action_id: Any, tool_name: Any, payload: Any, action: Any
) -> tuple[Any, Any, Any, Any]:
    """Take missing fields from the action; a registry's tool gets ``ToolInput(action)``."""
    alone = tool_name is _MISSING and payload is _MISSING and action is None
    if alone and not isinstance(action_id, UUID):
        action, action_id = action_id, _MISSING
    if action is not None and action is not _MISSING:
        action_id, tool_name, payload = _of_action(action, action_id, tool_name, payload)
    given = (("action_id", action_id), ("tool_name", tool_name), ("payload", payload))
    missing = [name for name, value in given if value is _MISSING]
    if missing:
        raise TypeError(f"ToolInput() is missing {', '.join(missing)}, or an action")
    return action_id, tool_name, payload, action


def _of_action(action: Any, action_id: Any, tool_name: Any, payload: Any) -> tuple[Any, Any, Any]:
    """Take missing fields from an action."""
    own: Any = None, None, action
    if not isinstance(action, Mapping):
        own = (
            getattr(action, "id", None),
            getattr(action, "type", None),
            getattr(action, "payload", None),
        )
    given = action_id, tool_name, payload
    first, second, third = (
        have if value is _MISSING else value for have, value in zip(own, given, strict=True)
    )
    return first, second, third


@dataclass(frozen=True, slots=True)
class UndoMetadata(HeldUndo):
    """The data that undo an action."""

    id_name = "action_id"

    action_id: UUID
    tool_name: str
    undo_data: dict[str, Any]
    created_at: str = field(default_factory=now)

    @property
    def run_id(self) -> Any:
        """The id of the run: that of its action."""
        return self.action_id


UndoHandler = Callable[[UndoMetadata], Awaitable[None]]
"""Undoes what a tool has done."""

ToolHandler = Callable[[ToolInput], Awaitable[Any]] | Callable[[ToolInput], Any]
"""Runs a tool: a coroutine function, or a plain function, which runs in a thread.

What it returns is the output, or the data of one.
"""


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """A tool: its description, its rights, and its handlers.

    Beside what stageflow has: ``aliases`` find it too; ``capability`` is the right that the
    executor's ``permission`` checks; ``rate_limit`` is how often it may run, as (count, seconds);
    ``timeout_seconds`` is how long the handler may take;
    ``read_only`` and ``destructive`` tell MCP's clients what it does; ``origin`` says where a tool
    comes from that is not the program's own, and an approval is one of this origin alone.
    """

    name: str
    action_type: str
    handler: ToolHandler
    description: str = ""
    input_schema: dict[str, Any] = field(default_factory=dict)
    allowed_behaviors: tuple[str, ...] = ()
    requires_approval: bool = False
    approval_message: str | None = None
    undoable: bool = False
    undo_handler: UndoHandler | None = None
    artifact_type: str | None = None
    aliases: tuple[str, ...] = field(default=(), kw_only=True)
    capability: str | None = field(default=None, kw_only=True)
    rate_limit: tuple[int, float] | None = field(default=None, kw_only=True)
    timeout_seconds: float | None = field(default=None, kw_only=True)
    read_only: bool | None = field(default=None, kw_only=True)
    destructive: bool | None = field(default=None, kw_only=True)
    origin: str | None = field(default=None, kw_only=True)

    def is_behavior_allowed(self, behavior: str | None) -> bool:
        """Say whether the tool may run under a behavior; without a list it may under any."""
        return not self.allowed_behaviors or behavior in self.allowed_behaviors

    def make_input(
        self, action: Action, arguments: Any, context: Any, idempotency_key: str
    ) -> ToolInput:
        """Make what the handler is given."""
        return ToolInput(
            action.id,
            self.name,
            arguments,
            mode_of(context),
            parent_of(context),
            context.request_id,
            action=action,
            idempotency_key=idempotency_key,
        )

    def to_dict(self) -> dict[str, Any]:
        """Give the fields without handlers; fields that stageflow lacks only if they are set."""
        given: dict[str, Any] = {
            "name": self.name,
            "action_type": self.action_type,
            "description": self.description,
            "input_schema": self.input_schema,
            "allowed_behaviors": list(self.allowed_behaviors),
            "requires_approval": self.requires_approval,
            "approval_message": self.approval_message,
            "undoable": self.undoable,
            "artifact_type": self.artifact_type,
        }
        if self.aliases:
            given["aliases"] = list(self.aliases)
        if self.capability is not None:
            given["capability"] = self.capability
        if self.rate_limit is not None:
            given["rate_limit"] = list(self.rate_limit)
        if self.timeout_seconds is not None:
            given["timeout_seconds"] = self.timeout_seconds
        for name in ("read_only", "destructive", "origin"):
            if getattr(self, name) is not None:
                given[name] = getattr(self, name)
        return given
