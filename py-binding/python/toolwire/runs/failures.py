"""The error of a run that ended without an output, made from the code of its failure.

>>> from toolwire.runs.failures import error_of
>>> error_of("permission_denied", {"reason": "not on a Friday"}, "mail", None, None).reason
'not on a Friday'
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolwire.runs.errors import (
    RecordedError,
    ToolCallIdReusedError,
    ToolChangedSinceError,
    ToolError,
    ToolInputError,
    ToolPermissionError,
    ToolRateLimitError,
    ToolSchemaLimitError,
)
from toolwire.runs.words import OWN_WORDS, Words

__all__ = ["error_of"]


def error_of(
    code: str,
    details: Mapping[str, Any],
    tool: str,
    run_id: Any,
    request_id: Any,
    words: Words = OWN_WORDS,
) -> ToolError:
    """Make the error for the code of a failure, with its details."""
    if code == "mode_not_allowed":
        return words.mode_denied(tool, details["mode"], details["allowed"])
    if code == "permission_denied":
        return ToolPermissionError(tool, details["reason"])
    if code in ("invalid_input", "bad_number"):
        error = ToolInputError(tool, details["problems"])
        error.code = code
        return error
    if code == "rate_limited":
        return ToolRateLimitError(tool, details["retry_after_seconds"])
    if code == "changed_since":
        return ToolChangedSinceError(tool, request_id)
    if code == "approval_denied":
        return words.approval_denied(tool, request_id, details["reason"])
    if code == "approval_timeout":
        return words.approval_timeout(tool, request_id, details["timeout_seconds"])
    if code == "schema_limit":
        return ToolSchemaLimitError(tool)
    if code == "call_id_reused":
        return ToolCallIdReusedError(tool)
    cause = RecordedError(details.get("message", code), details.get("class", ""))
    return words.raised(tool, run_id, cause)
