"""The summary of results in plain Python: the rules of the tests, the peer of the benchmarks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any


def summarize(data: Mapping[Any, Any] | None) -> str:
    """Sum up one tool's data, a line for each entry."""
    if not data:
        return "No data returned"
    lines = []
    for key, value in data.items():
        if isinstance(value, list):
            lines.append(f"- {key}: {len(value)} items")
        elif isinstance(value, dict):
            lines.append(f"- {key}: {len(value)} properties")
        elif isinstance(value, str) and len(value) > 100:
            lines.append(f"- {key}: {value[:100]}...")
        else:
            lines.append(f"- {key}: {value!s}")
    return "\n".join(lines)


def results_summary(results: Iterable[Any]) -> str:
    """Write results as text for a prompt; the tool of a result is an Enum."""
    parts = []
    for result in results:
        if result.success:
            head = f"\n**{result.tool.value}** (Success, Confidence: {result.confidence:.1%}):"
            parts.append(f"{head}\n{summarize(result.data)}\n")
        else:
            parts.append(f"\n**{result.tool.value}** (Failed): {result.error_message}\n")
    return "\n".join(parts)
