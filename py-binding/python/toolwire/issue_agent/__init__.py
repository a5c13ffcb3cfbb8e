"""An agent that analyzes issues: tools at the same time, one model, actions on GitHub, one record.

>>> import asyncio
>>> from toolwire.issue_agent import ActionExecutor, Dispatcher, FinalAnalyzer
>>> class Logs:
...     async def execute(self, issue_data, comment_data=None):
...         return {"crashes": ["segfault in parse()"], "confidence": 0.9}
>>> async def model(prompt):
...     return '''{"issue_type": "bug_report", "severity": "high", "confidence": 0.8,
...     "summary": "It crashes.", "detailed_analysis": "See the logs.", "root_cause": null,
...     "recommended_labels": [], "recommended_actions": [],
...     "user_comment": "It crashes in `parse()`."}'''
>>> dispatcher = Dispatcher(
...     registry={"logs": Logs()},
...     analyzer=FinalAnalyzer(model),
...     actions=ActionExecutor(None, dry_run=True),
... )
>>> record = asyncio.run(dispatcher.analyze({"number": 7, "title": "Crash", "body": "It crashes."}))
>>> record["tool_results"][0]["success"], record["actions_taken"][0]["action"]
(True, 'comment_added')

``toolwire issue-agent run`` does this on GitHub; see ``docs/issue-agent.md``. What reads results
and replies, and what makes a comment fit to be posted, is the core's; ``legacy=True`` gives the
behaviour of the agent whose models these are, Issue-analyzer, where that differs.
"""

from __future__ import annotations

from toolwire.issue_agent.access import Access
from toolwire.issue_agent.actions import ACTIONS, ActionExecutor, IssueActions
from toolwire.issue_agent.analyzer import (
    ResultAnalyzer,
    prepare_results_summary,
    summarize_tool_data,
)
from toolwire.issue_agent.comment import Published, Redactor, environment_secrets, publishable
from toolwire.issue_agent.deadline import Clock, Deadline
from toolwire.issue_agent.dispatcher import Dispatcher, always
from toolwire.issue_agent.final_analyzer import AnalysisError, FinalAnalyzer
from toolwire.issue_agent.github import GitHubClient, GitHubError
from toolwire.issue_agent.issue import (
    assess_user_provided_information,
    has_images_in_text,
    issue_context,
)
from toolwire.issue_agent.llm import (
    LangChainModel,
    MissingExtraError,
    Model,
    ModelError,
    OpenAIModel,
    as_model,
)
from toolwire.issue_agent.models import (
    AnalysisContext,
    AvailableTools,
    BaseTool,
    DecisionStep,
    FinalAnalysis,
    ToolResult,
    TriggerDecision,
    decision_to_dict,
    tool_name,
    tool_result_to_dict,
)
from toolwire.issue_agent.record import RECORD_FILE, read_record, write_record
from toolwire.issue_agent.registry import ToolRegistry
from toolwire.issue_agent.reply import (
    clean_user_comment,
    extract_and_parse_json_response,
    extract_json_from_llm_response,
    extract_user_comment_from_response,
)
from toolwire.issue_agent.schema import ANALYSIS_SCHEMA, analysis_problems
from toolwire.issue_agent.search import SimilarIssues
from toolwire.issue_agent.tokens import TokenOptimizer, count_tokens, truncate_to_tokens
from toolwire.issue_agent.trigger import AnswerTrigger

__all__ = [
    "ACTIONS",
    "ANALYSIS_SCHEMA",
    "RECORD_FILE",
    "Access",
    "ActionExecutor",
    "AnalysisContext",
    "AnalysisError",
    "AnswerTrigger",
    "AvailableTools",
    "BaseTool",
    "Clock",
    "Deadline",
    "DecisionStep",
    "Dispatcher",
    "FinalAnalysis",
    "FinalAnalyzer",
    "GitHubClient",
    "GitHubError",
    "IssueActions",
    "LangChainModel",
    "MissingExtraError",
    "Model",
    "ModelError",
    "OpenAIModel",
    "Published",
    "Redactor",
    "ResultAnalyzer",
    "SimilarIssues",
    "TokenOptimizer",
    "ToolRegistry",
    "ToolResult",
    "TriggerDecision",
    "always",
    "analysis_problems",
    "as_model",
    "assess_user_provided_information",
    "clean_user_comment",
    "count_tokens",
    "decision_to_dict",
    "environment_secrets",
    "extract_and_parse_json_response",
    "extract_json_from_llm_response",
    "extract_user_comment_from_response",
    "has_images_in_text",
    "issue_context",
    "prepare_results_summary",
    "publishable",
    "read_record",
    "summarize_tool_data",
    "tool_name",
    "tool_result_to_dict",
    "truncate_to_tokens",
    "write_record",
]
