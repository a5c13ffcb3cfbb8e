"""stageflow's errors: those of :mod:`toolwire.runs`, some of them with its words.

>>> from toolwire.tools.errors import ToolNotFoundError
>>> ToolNotFoundError("EDIT").to_dict()["message"]
'No tool registered for action type: EDIT'
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

from toolwire import _native
from toolwire.runs import errors as own
from toolwire.runs.errors import (
    ApprovalChangedError,
    ApprovalClosedError,
    ApprovalNotFoundError,
    RecordedError,
    StoreError,
    ToolCallError,
    ToolCallIdReusedError,
    ToolChangedSinceError,
    ToolDeniedError,
    ToolError,
    ToolInputError,
    ToolInterruptedError,
    ToolPermissionError,
    ToolRateLimitError,
    ToolRunLostError,
    ToolSchemaLimitError,
)
from toolwire.runs.ids import optional_id_text

__all__ = [
    "ApprovalChangedError",
    "ApprovalClosedError",
    "ApprovalNotFoundError",
    "RecordedError",
    "StoreError",
    "ToolApprovalDeniedError",
    "ToolApprovalTimeoutError",
    "ToolCallError",
    "ToolCallIdReusedError",
    "ToolChangedSinceError",
    "ToolDeniedError",
    "ToolError",
    "ToolExecutionError",
    "ToolInputError",
    "ToolInterruptedError",
    "ToolNotFoundError",
    "ToolPermissionError",
    "ToolRateLimitError",
    "ToolRunLostError",
    "ToolSchemaLimitError",
    "ToolUndoError",
]


class ToolNotFoundError(own.ToolNotFoundError):
    """No tool runs actions of this type."""

    def __init__(self, action_type: str) -> None:
        message = _native.stageflow_not_found(str(action_type))
        ToolError.__init__(self, message, action_type)
        self.action_type = action_type

    def to_dict(self) -> dict[str, Any]:
        """Add the action's type."""
        return {**super().to_dict(), "action_type": self.action_type}


class ToolApprovalDeniedError(own.ToolApprovalDeniedError):
    """A person said no, or the request was cancelled."""

    def __init__(
        self, tool: str, request_id: UUID | None = None, reason: str = "user_denied"
    ) -> None:
        super().__init__(tool, request_id, reason)
        self.args = (_native.stageflow_approval(str(tool), str(reason)),)


class ToolApprovalTimeoutError(own.ToolApprovalTimeoutError, ToolApprovalDeniedError):
    """Nobody decided in time."""

    def __init__(
        self, tool: str, request_id: UUID | None = None, timeout_seconds: float = 0
    ) -> None:
        super().__init__(tool, request_id, timeout_seconds)
        self.args = (_native.stageflow_approval(str(tool), self.reason),)


class ToolUndoError(own.ToolUndoError):
    """An action could not be undone."""

    def __init__(self, tool: str, action_id: UUID, reason: str) -> None:
        super().__init__(tool, action_id, reason)
        self.args = (_native.stageflow_undo(str(tool), str(action_id), str(reason)),)

    @property
    def action_id(self) -> Any:
        """The id of the run."""
        return self.run_id

    def to_dict(self) -> dict[str, Any]:
        """Add the action and the reason."""
        more = {"action_id": str(self.action_id), "reason": self.reason}
        return {**ToolError.to_dict(self), **more}


class ToolExecutionError(own.ToolExecutionError):
    """A tool's handler raised; ``cause`` is what it raised."""

    def __init__(
        self, tool: str, action_id: UUID | None = None, cause: BaseException | None = None
    ) -> None:
        super().__init__(tool, action_id, cause)
        self.args = (_native.stageflow_failed(str(tool), str(cause) if cause else ""),)

    @property
    def action_id(self) -> Any:
        """The id of the run."""
        return self.run_id

    def to_dict(self) -> dict[str, Any]:
        """Add the action and the cause."""
        return {
            **ToolError.to_dict(self),
            "action_id": optional_id_text(self.action_id),
            "cause": str(self.cause) if self.cause else None,
        }
