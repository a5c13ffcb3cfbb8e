"""The values that the issue agent passes from step to step.

>>> from toolwire.issue_agent import AnalysisContext, AvailableTools
>>> from toolwire.issue_agent import ToolResult, tool_result_to_dict
>>> result = ToolResult(AvailableTools.RAG_SEARCH, True, {"results_count": 0}, confidence=0.3)
>>> tool_result_to_dict(result)["tool"]
'rag_search'
>>> list(AnalysisContext(tool_results=[tool_result_to_dict(result)]).to_dict())[:3]
['timestamp', 'issue_data', 'comment_data']
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime, timezone
from enum import Enum
from typing import Any, TypeAlias

from toolwire import ToolResult

__all__ = [
    "AnalysisContext",
    "AvailableTools",
    "BaseTool",
    "DecisionStep",
    "FinalAnalysis",
    "ToolResult",
    "TriggerDecision",
    "decision_to_dict",
    "tool_name",
    "tool_result_to_dict",
]

Tool: TypeAlias = str | Enum


class AvailableTools(Enum):
    """The tools that the live agent knows; a string or an Enum of yours is as good."""

    RAG_SEARCH = "rag_search"
    IMAGE_ANALYSIS = "image_analysis"
    REGRESSION_ANALYSIS = "regression_analysis"
    CODE_SEARCH = "code_search"
    SIMILAR_ISSUES = "similar_issues"
    DOCUMENTATION_LOOKUP = "documentation_lookup"
    TEMPLATE_GENERATION = "template_generation"


def tool_name(tool: Tool) -> str:
    """Give a tool's name: an Enum's value, a string as it is.

    >>> tool_name(AvailableTools.CODE_SEARCH), tool_name("my_tool")
    ('code_search', 'my_tool')
    """
    return str(tool.value if isinstance(tool, Enum) else tool)


class BaseTool(ABC):
    """A tool that the agent can run: anything with this method will do.

    ``execute`` may be a plain method too; it then runs in a thread.
    """

    @abstractmethod
    async def execute(
        self, issue_data: dict[str, Any], comment_data: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        """Give a dict with a ``confidence`` from 0 to 1; without one it counts as 0.7."""


@dataclass
class DecisionStep:
    """Which tools were chosen, and why."""

    reasoning: str
    selected_tools: list[Tool]
    expected_outcome: str
    priority: int = 1
    user_info_assessment: dict[str, Any] | None = None


@dataclass
class TriggerDecision:
    """Whether an event is to be analyzed, and why."""

    should_trigger: bool
    reason: str
    trigger_type: str | None = None
    confidence: float = 1.0

    def to_dict(self) -> dict[str, Any]:
        """Give the fields as a dict."""
        return {one.name: getattr(self, one.name) for one in fields(self)}


def _now() -> str:
    return datetime.now(timezone.utc).replace(tzinfo=None).isoformat()


@dataclass
class AnalysisContext:
    """The outcome of one analysis; ``to_dict`` gives the record.

    The timestamp is UTC without an offset, in ISO form.
    """

    timestamp: str = field(default_factory=_now)
    issue_data: dict[str, Any] = field(default_factory=dict)
    comment_data: dict[str, Any] | None = None
    trigger_decision: dict[str, Any] | None = None
    strategy_result: dict[str, Any] | None = None
    decision_history: list[dict[str, Any]] = field(default_factory=list)
    tool_results: list[dict[str, Any]] = field(default_factory=list)
    final_analysis: dict[str, Any] = field(default_factory=dict)
    actions_taken: list[dict[str, Any]] = field(default_factory=list)
    error: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Give the ten fields as a dict, in the order of the record."""
        return {one.name: getattr(self, one.name) for one in fields(self)}


@dataclass
class FinalAnalysis:
    """The model's analysis of an issue.

    >>> given = {"issue_type": "bug_report", "confidence": 0.8, "more": 1}
    >>> analysis = FinalAnalysis.from_dict(given)
    >>> analysis.issue_type, analysis.severity, analysis.recommended_labels
    ('bug_report', 'medium', [])
    """

    issue_type: str
    severity: str
    confidence: float
    summary: str
    detailed_analysis: str
    root_cause: str | None = None
    recommended_labels: list[str] = field(default_factory=list)
    recommended_actions: list[dict[str, Any]] = field(default_factory=list)
    user_comment: str = ""

    @classmethod
    def from_dict(cls, analysis: Mapping[str, Any]) -> FinalAnalysis:
        """Read the dict that ``FinalAnalyzer.generate`` gives; unknown keys are ignored."""
        given: dict[str, Any] = {
            "issue_type": "unknown",
            "severity": "medium",
            "confidence": 0.0,
            "summary": "",
            "detailed_analysis": "",
        }
        given |= {one.name: analysis[one.name] for one in fields(cls) if one.name in analysis}
        return cls(**given)


def tool_result_to_dict(result: ToolResult) -> dict[str, Any]:
    """Give a result's five fields as a dict, the tool by its name and the data itself."""
    return result.to_dict()


def decision_to_dict(decision: DecisionStep) -> dict[str, Any]:
    """Give a decision's five fields as a dict, the tools by their names.

    >>> tools = [AvailableTools.SIMILAR_ISSUES]
    >>> decision_to_dict(DecisionStep("similar ones may be known", tools, "a link"))
    ... # doctest: +ELLIPSIS
    {'reasoning': 'similar ones may be known', 'selected_tools': ['similar_issues'], ...}
    """
    return {
        "reasoning": decision.reasoning,
        "selected_tools": [tool_name(tool) for tool in decision.selected_tools],
        "expected_outcome": decision.expected_outcome,
        "priority": decision.priority,
        "user_info_assessment": decision.user_info_assessment,
    }
