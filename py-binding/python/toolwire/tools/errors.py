"""stageflow's errors: those of :mod:`toolwire.runs`.

>>> from toolwire.tools.errors import ToolNotFoundError
>>> ToolNotFoundError.__module__
'toolwire.runs.errors'
"""

from __future__ import annotations

from toolwire.runs.errors import (
    ApprovalChangedError,
    ApprovalClosedError,
    ApprovalNotFoundError,
    RecordedError,
    StoreError,
    ToolApprovalDeniedError,
    ToolApprovalTimeoutError,
    ToolCallError,
    ToolCallIdReusedError,
    ToolChangedSinceError,
    ToolDeniedError,
    ToolError,
    ToolExecutionError,
    ToolInputError,
    ToolInterruptedError,
    ToolNotFoundError,
    ToolPermissionError,
    ToolRateLimitError,
    ToolRunLostError,
    ToolSchemaLimitError,
    ToolUndoError,
)

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
