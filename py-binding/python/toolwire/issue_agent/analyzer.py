"""Tool results as text for a prompt.

>>> from toolwire.issue_agent import ToolResult, prepare_results_summary
>>> found = ToolResult("similar_issues", True, {"count": 0, "context": "none"}, confidence=0.3)
>>> print(prepare_results_summary([found, ToolResult("code_search", False, {}, "offline")]).strip())
**similar_issues** (Success, Confidence: 30.0%):
- count: 0
- context: none
<BLANKLINE>
<BLANKLINE>
**code_search** (Failed): offline
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import toolwire
from toolwire.issue_agent.models import ToolResult

__all__ = ["ResultAnalyzer", "prepare_results_summary", "summarize_tool_data"]


def summarize_tool_data(data: Any) -> str:
    """Sum a tool's data up, a line for each entry.

    >>> print(summarize_tool_data({"similar_issues": [], "confidence": 0.3}))
    - similar_issues: 0 items
    - confidence: 0.3
    """
    return toolwire.summarize_tool_data(data)


def prepare_results_summary(results: Iterable[ToolResult], *, max_tokens: int | None = None) -> str:
    """Sum results up; ``max_tokens`` leaves the longest lines out, and the text says so."""
    return toolwire.results_summary(results, max_tokens=max_tokens)


class ResultAnalyzer:
    """The two functions as methods, as the live agent has them."""

    def summarize_tool_data(self, data: Any) -> str:
        """Sum a tool's data up, a line for each entry."""
        return summarize_tool_data(data)

    def prepare_results_summary(
        self, results: Iterable[ToolResult], *, max_tokens: int | None = None
    ) -> str:
        """Sum results up, in at most so many tokens."""
        return prepare_results_summary(results, max_tokens=max_tokens)
