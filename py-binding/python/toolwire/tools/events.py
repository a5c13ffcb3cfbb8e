"""Events of tools, as records.

The executor emits (type, data); these classes give the same data.

>>> import uuid
>>> from toolwire.tools import ToolStartedEvent
>>> event = ToolStartedEvent("greet", uuid.UUID(int=1))
>>> event.type, event.to_dict()["action_id"]
('tool.started', '00000000-0000-0000-0000-000000000001')
"""

from __future__ import annotations

from dataclasses import MISSING, dataclass, field, fields
from typing import Any, ClassVar
from uuid import UUID

from toolwire.runs.ids import id_text, optional_id_text
from toolwire.runs.output import now

__all__ = [
    "ApprovalDecidedEvent",
    "ApprovalRequestedEvent",
    "ToolCompletedEvent",
    "ToolDeniedEvent",
    "ToolEventBase",
    "ToolFailedEvent",
    "ToolInvokedEvent",
    "ToolStartedEvent",
    "ToolUndoFailedEvent",
    "ToolUndoneEvent",
]


@dataclass(frozen=True)
class _Event:
    """An event: its ``type``, and its fields in the order of the data."""

    type: ClassVar[str] = ""

    def to_dict(self) -> dict[str, Any]:
        """Give the fields, ids as texts."""
        given: dict[str, Any] = {}
        for one in fields(self):
            value = getattr(self, one.name)
            if one.name.endswith("_id") or one.name == "decided_by":
                # An id without a default is one that every event has.
                value = (id_text if one.default is MISSING else optional_id_text)(value)
            given[one.name] = list(value) if one.name == "allowed_behaviors" else value
        return given


@dataclass(frozen=True)
class ToolEventBase(_Event):
    """The fields of every event of a tool."""

    tool_name: str
    action_id: UUID
    pipeline_run_id: UUID | None = None
    request_id: UUID | None = None
    timestamp: str = field(default_factory=now)


@dataclass(frozen=True)
class ToolInvokedEvent(ToolEventBase):
    """A tool was asked to run."""

    type: ClassVar[str] = "tool.invoked"
    payload_summary: dict[str, Any] = field(default_factory=dict)
    behavior: str | None = None


@dataclass(frozen=True)
class ToolStartedEvent(ToolEventBase):
    """Its handler is about to run."""

    type: ClassVar[str] = "tool.started"


@dataclass(frozen=True)
class ToolCompletedEvent(ToolEventBase):
    """Its handler gave an output."""

    type: ClassVar[str] = "tool.completed"
    duration_ms: float = 0.0
    output_summary: dict[str, Any] = field(default_factory=dict)
    artifacts_count: int = 0


@dataclass(frozen=True)
class ToolFailedEvent(ToolEventBase):
    """Its handler raised."""

    type: ClassVar[str] = "tool.failed"
    duration_ms: float = 0.0
    error_code: str = "execution_error"
    error_message: str = ""


@dataclass(frozen=True)
class ToolDeniedEvent(ToolEventBase):
    """It may not run."""

    type: ClassVar[str] = "tool.denied"
    reason: str = ""
    behavior: str | None = None
    allowed_behaviors: tuple[str, ...] = ()


@dataclass(frozen=True)
class ToolUndoneEvent(ToolEventBase):
    """Its run was undone."""

    type: ClassVar[str] = "tool.undone"
    duration_ms: float = 0.0
    original_action_timestamp: str | None = None


@dataclass(frozen=True)
class ToolUndoFailedEvent(ToolEventBase):
    """Its run could not be undone."""

    type: ClassVar[str] = "tool.undo_failed"
    error_message: str = ""
    reason: str = ""


@dataclass(frozen=True)
class ApprovalRequestedEvent(_Event):
    """A person was asked."""

    type: ClassVar[str] = "approval.requested"
    request_id: UUID
    tool_name: str
    action_id: UUID
    pipeline_run_id: UUID | None = None
    approval_message: str = ""
    timestamp: str = field(default_factory=now)


@dataclass(frozen=True)
class ApprovalDecidedEvent(_Event):
    """That person decided."""

    type: ClassVar[str] = "approval.decided"
    request_id: UUID
    tool_name: str
    action_id: UUID
    decision: str
    decided_by: UUID | None = None
    pipeline_run_id: UUID | None = None
    timestamp: str = field(default_factory=now)
