"""The words of stageflow, for an executor that takes the place of its own.

>>> from toolwire.tools.words import STAGEFLOW_WORDS
>>> str(STAGEFLOW_WORDS.not_found("EDIT"))
'No tool registered for action type: EDIT'
"""

from __future__ import annotations

from toolwire.runs.words import Words
from toolwire.tools.definitions import UndoMetadata
from toolwire.tools.errors import (
    ToolApprovalDeniedError,
    ToolApprovalTimeoutError,
    ToolDeniedError,
    ToolExecutionError,
    ToolNotFoundError,
    ToolUndoError,
)

__all__ = ["STAGEFLOW_WORDS"]

STAGEFLOW_WORDS = Words(
    stageflow=True,
    run_id="action_id",
    parent_id="pipeline_run_id",
    not_found=ToolNotFoundError,
    mode_denied=ToolDeniedError,
    approval_denied=ToolApprovalDeniedError,
    approval_timeout=ToolApprovalTimeoutError,
    raised=ToolExecutionError,
    undo_failed=ToolUndoError,
    undo_data=UndoMetadata,
)
"""What stageflow calls them."""
