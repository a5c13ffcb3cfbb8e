"""The behaviour of the live issue agent, recorded: `legacy=True` gives the same.

The recorded cases are not part of the project: `make recorded FOLDER=FOLDER` reads them.
"""

from __future__ import annotations

import asyncio
import copy
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from toolwire.issue_agent import (
    ActionExecutor,
    AvailableTools,
    DecisionStep,
    Dispatcher,
    FinalAnalysis,
    FinalAnalyzer,
    TokenOptimizer,
    ToolResult,
    assess_user_provided_information,
    clean_user_comment,
    count_tokens,
    decision_to_dict,
    extract_and_parse_json_response,
    extract_json_from_llm_response,
    extract_user_comment_from_response,
    has_images_in_text,
    prepare_results_summary,
    summarize_tool_data,
    tool_result_to_dict,
    truncate_to_tokens,
)

RECORDED = Path(os.environ.get("TOOLWIRE_RECORDED", "")) / "issue-agent-cases.json"

TAGS: dict[str, Callable[[Any], Any]] = {
    "$float": float,
    "$int": int,
    "$tuple": tuple,
    "$set": set,
    "$bytes": bytes.fromhex,
}


def untagged(entries: dict[str, Any]) -> Any:
    """Give the value that a tag stands for: JSON does not have that value."""
    if len(entries) == 1:
        ((key, value),) = entries.items()
        if key in TAGS:
            return TAGS[key](value)
    return entries


class Scripted:
    """A tool whose behaviour a case describes."""

    def __init__(self, script: dict[str, Any]) -> None:
        self.script = script

    async def execute(
        self, issue_data: dict[str, Any], comment_data: dict[str, Any] | None = None
    ) -> Any:
        assert self.script.keys() == {"return"}, self.script
        return self.script["return"]


class Notes:
    """A GitHub that keeps its requests, as when the cases were recorded."""

    def __init__(self, answers: dict[str, Any]) -> None:
        self.answers = answers
        self.calls: list[list[Any]] = []

    def __getattr__(self, name: str) -> Any:
        async def noted(argument: Any) -> Any:
            self.calls.append([name, argument])
            return self.answers.get(name, True)

        return noted


def execute_tools(names: list[str], scripts: dict[str, Any]) -> Any:
    registry = {AvailableTools(name): Scripted(script) for name, script in scripts.items()}
    dispatcher = Dispatcher(registry, legacy=True)
    results = asyncio.run(
        dispatcher.execute_tools([AvailableTools(name) for name in names], {}, None)
    )
    return [tool_result_to_dict(result) for result in results]


def execute_actions(analysis: dict[str, Any], strategy: Any, answers: dict[str, Any]) -> Any:
    github = Notes(answers)
    after = copy.deepcopy(analysis)
    taken = asyncio.run(ActionExecutor(github, legacy=True).execute(after, {}, strategy))
    return {"actions_taken": taken, "calls": github.calls, "final_analysis_after": after}


def final_analysis(reply: str) -> Any:
    async def model(prompt: str) -> str:
        return reply

    return asyncio.run(FinalAnalyzer(model, legacy=True).generate({}, []))


def final_analysis_llm_error(message: str) -> Any:
    async def model(prompt: str) -> str:
        raise RuntimeError(message)

    return asyncio.run(FinalAnalyzer(model, legacy=True).generate({}, []))


def summary(results: list[dict[str, Any]]) -> str:
    return prepare_results_summary(ToolResult(**result) for result in results)


def optimizer_limits(options: dict[str, Any]) -> Any:
    one = TokenOptimizer(**options, legacy=True)
    return [
        one.model_name,
        one.max_tokens,
        one.effective_max_tokens,
        one.safety_margin,
        one.min_chunk_tokens,
        one.preferred_overlap_tokens,
    ]


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "summarize_tool_data": summarize_tool_data,
    "prepare_results_summary": summary,
    "decision_to_dict": lambda fields: decision_to_dict(DecisionStep(**fields)),
    "execute_tools": execute_tools,
    "extract_json_from_llm_response": lambda text: extract_json_from_llm_response(
        text, legacy=True
    ),
    "extract_and_parse_json_response": lambda text: extract_and_parse_json_response(
        text, legacy=True
    ),
    "clean_user_comment": lambda comment: clean_user_comment(comment, legacy=True),
    "extract_user_comment_from_response": lambda text: extract_user_comment_from_response(
        text, legacy=True
    ),
    "final_analysis": final_analysis,
    "final_analysis_llm_error": final_analysis_llm_error,
    "final_analysis_defaults": lambda fields: vars(FinalAnalysis(**fields)),
    "execute_actions": execute_actions,
    "assess_user_provided_information": lambda issue: assess_user_provided_information(
        issue, legacy=True
    ),
    "has_images_in_text": has_images_in_text,
    "count_tokens_approx": count_tokens,
    "truncate_to_tokens_approx": truncate_to_tokens,
    "optimizer_limits": optimizer_limits,
    "truncate_query_if_needed": lambda query, options: TokenOptimizer(
        **options, legacy=True
    ).truncate_query_if_needed(query),
    "calculate_optimal_chunk_size": lambda tokens, options: TokenOptimizer(
        **options, legacy=True
    ).calculate_optimal_chunk_size(tokens),
    "smart_chunk_text": lambda text, options, overlap=None: TokenOptimizer(
        **options, legacy=True
    ).smart_chunk_text(text, overlap),
}

# Faults of the live agent that `legacy=True` does not have: for results of the wrong type,
# Toolwire raises its own errors.
NOT_IMITATED = {"prepare_results_summary/data_list"}

CASES: list[dict[str, Any]] = (
    json.loads(RECORDED.read_bytes(), object_hook=untagged)
    if "TOOLWIRE_RECORDED" in os.environ
    else []
)


def outcome(function: Callable[..., Any], arguments: list[Any]) -> Any:
    try:
        return "gives", function(*arguments)
    except Exception as error:
        return "raises", type(error).__name__, str(error)


@pytest.mark.skipif(not CASES, reason="no recorded cases beside the project")
@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_legacy_is_as_recorded(case: dict[str, Any]) -> None:
    found = outcome(FUNCTIONS[case["func"]], case["args"])
    raised = case.get("raises")
    expected = (
        ("gives", case["result"]) if raised is None else ("raises", raised["type"], raised["str"])
    )
    if case["id"] in NOT_IMITATED:
        assert found != expected
        return
    assert repr(found) == repr(expected)


def test_every_class_of_cases_is_known() -> None:
    assert {case["class"] for case in CASES} <= {"exact", "bug", "text"}
    assert {case["func"] for case in CASES} <= FUNCTIONS.keys()
