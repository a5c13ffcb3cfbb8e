"""What an executor calls things where its program sees them.

:mod:`toolwire.tools` takes the place of another library, and has its words.

>>> from toolwire.runs.words import Words
>>> str(Words().not_found("edit"))
"There is no tool 'edit'"
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from toolwire.runs.errors import (
    ToolApprovalDeniedError,
    ToolApprovalTimeoutError,
    ToolError,
    ToolExecutionError,
    ToolModeError,
    ToolNotFoundError,
    ToolUndoError,
)
from toolwire.runs.output import UndoMetadata

__all__ = ["OWN_WORDS", "Words"]


@dataclass(frozen=True, kw_only=True)
class Words:
    """The classes of errors and records that an executor gives, and the names in its events.

    ``run_id`` and ``parent_id`` are the names of the two in events of progress and in requests for
    approval; ``stageflow`` says whose words the other events have.
    """

    stageflow: bool = False
    run_id: str = "run_id"
    parent_id: str = "parent_id"
    not_found: Callable[[str], ToolError] = ToolNotFoundError
    mode_denied: Callable[[str, Any, Any], ToolError] = ToolModeError
    approval_denied: Callable[[str, Any, str], ToolError] = ToolApprovalDeniedError
    approval_timeout: Callable[[str, Any, float], ToolError] = ToolApprovalTimeoutError
    raised: Callable[[str, Any, BaseException | None], ToolError] = ToolExecutionError
    undo_failed: Callable[[str, Any, str], ToolError] = ToolUndoError
    undo_data: Callable[[Any, str, Any], Any] = UndoMetadata


OWN_WORDS = Words()
"""The project's own words."""
