"""The outcome of a run with its failure, for callers that want no exception.

>>> from toolwire.tools import ExecutionResult
>>> ExecutionResult(False, error="nobody decided").success
False
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

from toolwire.runs.output import ToolOutput
from toolwire.runs.run import Run

__all__ = ["ExecutionResult", "result_of", "result_of_refusal", "stageflow_code"]


@dataclass
class ExecutionResult:
    """The outcome of a run.

    ``denial_reason`` is the code of a denial, as ``tool.denied`` tells it, or ``approval_denied``;
    ``events`` are the emitted events, each with its ``type`` and ``data``. ``problems`` are those
    of a :class:`ToolInputError`: the ``path`` and the ``message`` of each. ``code`` is the code of
    whatever went wrong, such as ``bad_json`` for a call that cannot be read.
    """

    success: bool
    output: ToolOutput | None = None
    error: str | None = None
    duration_ms: float = 0.0
    was_approved: bool = False
    was_denied: bool = False
    denial_reason: str | None = None
    events: list[dict[str, Any]] = field(default_factory=list)
    problems: list[dict[str, str]] | None = None
    code: str | None = None


def result_of(run: Run, events: list[dict[str, Any]], start: float) -> ExecutionResult:
    """Give the outcome of a run that a store has."""
    success = run.error is None and bool(getattr(run.output, "success", True))
    said = getattr(run.output, "error", None) if run.error is None else str(run.error)
    was_denied = run.state in ("denied", "expired")
    code = stageflow_code(run.code)
    return ExecutionResult(
        success,
        run.output,
        said,
        (time.perf_counter() - start) * 1000,
        run.approval_id is not None and not was_denied,
        was_denied,
        code if was_denied else None,
        events,
        getattr(run.error, "problems", None),
        code,
    )


def stageflow_code(code: str | None) -> str | None:
    """Give the code of a failure in stageflow's word."""
    return "behavior_not_allowed" if code == "mode_not_allowed" else code


def result_of_refusal(refusal: Exception) -> ExecutionResult:
    """Give the outcome of a call whose run did not begin."""
    problems, code = getattr(refusal, "problems", None), getattr(refusal, "code", None)
    return ExecutionResult(False, error=str(refusal), problems=problems, code=code)
