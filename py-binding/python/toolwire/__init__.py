"""Detects, finds and aggregates AI tool calls and their results.

Text that a model wrote goes in, its tool calls come out:

>>> import toolwire
>>> text = 'Let me look. <tool_call>{"name": "search", "arguments": {"query": "red"}}</tool_call>'
>>> detection = toolwire.detect(text, model="Qwen/Qwen3-8B")
>>> detection.calls[0].name, detection.calls[0].arguments, detection.text
('search', {'query': 'red'}, 'Let me look. ')

Without a model, every form that tells itself apart is read.

Data packets go in, the result of a handler comes out:

>>> packets = [{"type": "ai_handler_complete", "metadata": {"handler_tool": "publish"}}]
>>> toolwire.find_handler_result(packets, "publish") is packets[0]
True

Results go in, a summary and a report come out:

>>> report = toolwire.Report([toolwire.ToolResult("search", True, {"hits": 2}, confidence=0.3)])
>>> print(report.summary().strip())
**search** (Success, Confidence: 30.0%):
- hits: 2
"""

from __future__ import annotations

from types import MappingProxyType

from toolwire import _errors, provider, transcript
from toolwire._errors import InvalidArgumentError, InvalidStateError, ToolwireError, WrongTypeError
from toolwire._native import (
    VERSION as __version__,
)
from toolwire._native import (
    Column,
    Constraint,
    ConstraintNote,
    Detection,
    Detector,
    Diagnostic,
    Event,
    Format,
    Profile,
    Rejection,
    Report,
    Seen,
    Segment,
    Stream,
    ToolCall,
    constrain,
    detect,
    error_kinds,
    extract_json,
    find_all_handler_results,
    find_handler_result,
    formats,
    profile_for,
    profiles,
    project_envelope_data,
    project_result_data,
    project_result_envelope,
    project_result_success,
    quote,
    render_call,
    render_call_html,
    render_calls,
    render_message,
    render_result,
    replace,
    results_summary,
    results_summary_batch,
    summarize_tool_data,
    visible,
)

# The module typing takes as long to import as all of this package.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from toolwire._result import ToolResult

ERROR_KINDS: Mapping[str, tuple[int, type[ToolwireError]]] = MappingProxyType(
    {slug: (number, getattr(_errors, name)) for slug, number, name in error_kinds()}
)
"""Every kind of error: its number and its exception class, by its slug."""

__all__ = [
    "ERROR_KINDS",
    "Column",
    "Constraint",
    "ConstraintNote",
    "Detection",
    "Detector",
    "Diagnostic",
    "Event",
    "Format",
    "InvalidArgumentError",
    "InvalidStateError",
    "Profile",
    "Rejection",
    "Report",
    "Seen",
    "Segment",
    "Stream",
    "ToolCall",
    "ToolResult",
    "ToolwireError",
    "WrongTypeError",
    "__version__",
    "constrain",
    "detect",
    "extract_json",
    "find_all_handler_results",
    "find_handler_result",
    "formats",
    "profile_for",
    "profiles",
    "project_envelope_data",
    "project_result_data",
    "project_result_envelope",
    "project_result_success",
    "provider",
    "quote",
    "render_call",
    "render_call_html",
    "render_calls",
    "render_message",
    "render_result",
    "replace",
    "results_summary",
    "results_summary_batch",
    "summarize_tool_data",
    "transcript",
    "visible",
]


def __getattr__(name: str) -> Any:
    # Dataclasses take a third of the time of `import toolwire`, and most programs make no result.
    if name == "ToolResult":
        from toolwire._result import ToolResult

        globals()[name] = ToolResult
        return ToolResult
    raise AttributeError(f"module 'toolwire' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
