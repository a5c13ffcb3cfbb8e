"""What a handler gives, and what undoes it.

>>> from toolwire.runs import ToolOutput
>>> ToolOutput.fail("there is no disk d").to_dict()
{'success': False, 'error': 'there is no disk d'}
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any, ClassVar
from uuid import UUID

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["HeldUndo", "ToolOutput", "UndoHandler", "UndoMetadata", "now"]


def now() -> str:
    """Write the time in the form of records."""
    return datetime.now(timezone.utc).isoformat()


@dataclass(frozen=True, slots=True)
class ToolOutput:
    """The output of a handler; ``data`` is whatever it returned, usually a dict."""

    success: bool
    data: Any = None
    error: str | None = None
    artifacts: list[dict[str, Any]] | None = None
    undo_metadata: dict[str, Any] | None = None

    @classmethod
    def ok(
        cls,
        data: Any = None,
        artifacts: list[dict[str, Any]] | None = None,
        undo_metadata: dict[str, Any] | None = None,
    ) -> ToolOutput:
        """Make the output of a success."""
        return cls(True, data, None, artifacts, undo_metadata)

    @classmethod
    def fail(cls, error: str) -> ToolOutput:
        """Make the output of a failure."""
        return cls(False, None, error)

    def to_dict(self) -> dict[str, Any]:
        """Give ``success``, and the fields that are not None."""
        given: dict[str, Any] = {"success": self.success}
        for name in ("data", "error", "artifacts", "undo_metadata"):
            value = getattr(self, name)
            if value is not None:
                given[name] = value
        return given


class HeldUndo:
    """The data that undo a run: a store of undo data takes those of such a class.

    Each has ``run_id``, ``tool_name``, ``undo_data`` and ``created_at``, and is made of these in
    this order.
    """

    __slots__ = ()

    id_name: ClassVar[str] = "run_id"
    """What it calls the id of the run."""

    run_id: Any
    tool_name: str
    undo_data: dict[str, Any]
    created_at: str

    def to_dict(self) -> dict[str, Any]:
        """Give the fields, the id as text."""
        return {
            self.id_name: str(self.run_id),
            "tool_name": self.tool_name,
            "undo_data": self.undo_data,
            "created_at": self.created_at,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read what ``to_dict`` gave."""
        make: Any = cls
        made: Self = make(
            UUID(data[cls.id_name]),
            data["tool_name"],
            data["undo_data"],
            data["created_at"] if "created_at" in data else now(),
        )
        return made


@dataclass(frozen=True, slots=True)
class UndoMetadata(HeldUndo):
    """The data that undo a run."""

    run_id: Any
    tool_name: str
    undo_data: dict[str, Any]
    created_at: str = field(default_factory=now)

    @property
    def action_id(self) -> Any:
        """The id of the run in stageflow's word, for undo handlers that read this."""
        return self.run_id


UndoHandler = Callable[[Any], Awaitable[None]]
"""Undoes what a tool has done."""
