"""The form of an analysis: the JSON Schema that models are told and replies are checked by.

>>> from toolwire.issue_agent import analysis_problems
>>> analysis_problems([])
['/: value is not of type "object"']
"""

from __future__ import annotations

from typing import Any

from toolwire import ToolwireError
from toolwire._native import InputSchema, clean_comment

__all__ = [
    "ANALYSIS_SCHEMA",
    "ISSUE_TYPES",
    "RECOMMENDED_ACTIONS",
    "SEVERITIES",
    "analysis_problems",
]

ISSUE_TYPES = (
    *("bug_report", "feature_request", "question", "documentation", "regression"),
    *("security", "performance", "unknown"),
)
SEVERITIES = ("low", "medium", "high", "critical")
RECOMMENDED_ACTIONS = ("add_label", "assign_user", "close_issue", "request_info")

_TEXT = {"type": "string"}
_PROPERTIES: dict[str, Any] = {
    "issue_type": {"type": "string", "enum": list(ISSUE_TYPES)},
    "severity": {"type": "string", "enum": list(SEVERITIES)},
    "confidence": {"type": "number"},
    "summary": _TEXT,
    "detailed_analysis": _TEXT,
    "root_cause": {"type": ["string", "null"]},
    "recommended_labels": {"type": "array", "items": _TEXT},
    "recommended_actions": {
        "type": "array",
        "items": {
            "type": "object",
            "properties": {
                "action": {"type": "string", "enum": list(RECOMMENDED_ACTIONS)},
                "details": _TEXT,
            },
            "required": ["action", "details"],
            "additionalProperties": False,
        },
    },
    "user_comment": _TEXT,
}
ANALYSIS_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": _PROPERTIES,
    "required": list(_PROPERTIES),
    "additionalProperties": False,
}
"""The JSON Schema of an analysis, for servers that keep a model to one."""

# Servers that force a schema on a model do not take bounds.
_BOUNDS = {"properties": {"confidence": {"minimum": 0, "maximum": 1}}}


def _open(schema: Any) -> Any:
    """Give a schema that allows other keys: a model may add some."""
    if isinstance(schema, dict):
        return {key: _open(value) for key, value in schema.items() if key != "additionalProperties"}
    return schema


_CHECK = InputSchema("analysis", {"allOf": [_open(ANALYSIS_SCHEMA), _BOUNDS]})
# The sentences that `clean_comment` gives for an empty comment.
_NOTHING_SAID = frozenset(map(clean_comment, ("", "{}", " ")))


def analysis_problems(value: Any) -> list[str]:
    """List the faults of a value: JSON Pointer and rule of each, never the value.

    The list is empty for an analysis. Keys that are not in the schema are no fault. An empty
    comment is one.
    """
    try:
        problems = [f"{path or '/'}: {rule}" for path, rule in _CHECK.problems(value)]
    except ToolwireError as error:
        return [f"/: {error}"]
    if not problems and clean_comment(value["user_comment"]) in _NOTHING_SAID:
        problems.append("/user_comment: says nothing")
    return problems
