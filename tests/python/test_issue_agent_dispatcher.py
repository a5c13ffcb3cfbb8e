"""The issue agent's dispatcher: tools at the same time, and the whole of an analysis."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Callable
from enum import Enum
from pathlib import Path
from typing import Any

import pytest
from issue_agent_server import ANALYSIS, COMMENT
from toolwire.issue_agent import (
    ActionExecutor,
    AnalysisContext,
    AvailableTools,
    Dispatcher,
    FinalAnalyzer,
    TriggerDecision,
    read_record,
)

ISSUE = {
    "number": 7,
    "title": "Crash",
    "body": "It crashes.",
    "user": {"login": "ann", "type": "User"},
}


class Own(Enum):
    """Tools of a site, which the agent does not have."""

    LOGS = "logs"


class Tool:
    """A tool that records when it ran."""

    def __init__(self, run: Callable[[], Any], seconds: float = 0.0) -> None:
        self.run = run
        self.seconds = seconds
        self.spans: list[tuple[float, float]] = []

    async def execute(
        self, issue_data: dict[str, Any], comment_data: dict[str, Any] | None = None
    ) -> Any:
        started = time.monotonic()
        try:
            await asyncio.sleep(self.seconds)
            return self.run()
        finally:
            self.spans.append((started, time.monotonic()))


def most_at_once(tools: list[Tool]) -> int:
    """Give the greatest number of tools that ran at the same time."""
    ends = [
        (at, step)
        for tool in tools
        for span in tool.spans
        for at, step in zip(span, (1, -1), strict=True)
    ]
    running = most = 0
    for _, step in sorted(ends):
        running += step
        most = max(most, running)
    return most


@pytest.mark.parametrize(
    ("options", "most"),
    [({}, 4), ({"concurrency": 2}, 2), ({"concurrency": 1}, 1), ({"legacy": True}, 1)],
)
def test_tools_run_at_the_same_time(options: dict[str, Any], most: int) -> None:
    tools = {name: Tool(dict, 0.2) for name in "abcd"}
    results = asyncio.run(Dispatcher(tools, **options).execute_tools("abcd", {}))
    assert [result.tool for result in results] == list("abcd")
    assert most_at_once(list(tools.values())) == most


def test_results_come_in_the_order_asked_for() -> None:
    tools = {
        "slow": Tool(lambda: {"n": 1}, 0.1),
        "quick": Tool(lambda: {"n": 2}),
        Own.LOGS: Tool(lambda: {"n": 3}),
    }
    asked: list[str | Enum] = ["slow", "quick", Own.LOGS, "slow", AvailableTools.RAG_SEARCH]
    results = asyncio.run(Dispatcher(tools).execute_tools(asked, {}))
    assert [result.tool for result in results] == asked
    assert [result.data.get("n") for result in results] == [1, 2, 3, 1, None]
    assert results[-1].error_message == "Tool rag_search not implemented"
    assert repr(results[-1]).startswith(
        "ToolResult(tool=<AvailableTools.RAG_SEARCH: 'rag_search'>, success=False"
    )


def failing(error: BaseException) -> Callable[[], Any]:
    def run() -> Any:
        raise error

    return run


@pytest.mark.parametrize(
    ("run", "message"),
    [
        (failing(RuntimeError("boom")), "boom"),
        (failing(RuntimeError()), "RuntimeError"),
        (failing(KeyError("title")), "'title'"),
        (failing(asyncio.CancelledError()), "the tool was cancelled"),
        (failing(RuntimeError("Bearer abcdefghijklmnopqrst")), "Bearer [redacted]"),
        (lambda: None, "a tool must give a dict, not NoneType"),
        (lambda: "text", "a tool must give a dict, not str"),
    ],
)
def test_what_a_tool_does_wrong_is_a_failure(run: Callable[[], Any], message: str) -> None:
    tools = {"bad": Tool(run), "good": Tool(lambda: {"n": 1})}
    bad, good = asyncio.run(Dispatcher(tools).execute_tools(["bad", "good"], {}))
    assert (bad.success, bad.data, bad.confidence, bad.error_message) == (False, {}, 0.0, message)
    assert good.success


def test_a_tool_has_its_time() -> None:
    class Blocks:
        ended = threading.Event()

        def execute(self, issue_data: Any, comment_data: Any) -> Any:
            self.ended.wait(20)

    tools = {"hangs": Tool(dict, 60), "blocks": Blocks(), "good": Tool(lambda: {"n": 1})}
    started = time.monotonic()
    results = asyncio.run(Dispatcher(tools, timeout=0.1).execute_tools(tools, {}))
    Blocks.ended.set()
    assert time.monotonic() - started < 10
    assert [result.error_message for result in results] == ["no result within 0.1 s"] * 2 + [None]
    assert tools["hangs"].spans, "it was not cancelled"  # type: ignore[attr-defined]


def test_a_plain_method_runs_in_a_thread() -> None:
    class Plain:
        def execute(self, issue_data: Any, comment_data: Any) -> Any:
            return {
                "thread": threading.current_thread() is threading.main_thread(),
                "issue": issue_data,
            }

    (result,) = asyncio.run(Dispatcher({"plain": Plain()}).execute_tools(["plain"], ISSUE))
    assert result.data == {"thread": False, "issue": ISSUE}


def test_whoever_is_cancelled_cancels_the_tools() -> None:
    tool = Tool(dict, 60)

    async def main() -> None:
        work = asyncio.ensure_future(Dispatcher({"a": tool}).execute_tools(["a", "a"], {}))
        await asyncio.sleep(0.05)
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work
        await asyncio.sleep(0)

    asyncio.run(main())
    assert len(tool.spans) == 2


@pytest.mark.parametrize("confidence", [None, "high", float("nan"), [1]])
def test_an_odd_confidence_is_the_usual_one(confidence: Any) -> None:
    tools = {"a": Tool(lambda: {"confidence": confidence})}
    (result,) = asyncio.run(Dispatcher(tools).execute_tools(["a"], {}))
    assert (result.success, result.confidence) == (True, 0.7)
    (live,) = asyncio.run(Dispatcher(tools, legacy=True).execute_tools(["a"], {}))
    assert live.confidence is confidence


async def reply(prompt: str) -> str:
    return json.dumps({**ANALYSIS, "recommended_labels": [], "recommended_actions": []})


def test_an_analysis_has_ten_fields_in_order(tmp_path: Path) -> None:
    record = tmp_path / "record.json"
    dispatcher = Dispatcher(
        {"a": Tool(lambda: {"n": 1})},
        analyzer=FinalAnalyzer(reply),
        actions=ActionExecutor(None, dry_run=True),
        strategy=lambda issue, comment: {"selected_tools": ["a", "nonsense", "rag_search"]},
        record=record,
    )
    made = asyncio.run(dispatcher.analyze(ISSUE))
    assert list(made) == list(AnalysisContext().to_dict())
    assert list(made)[0:3] == ["timestamp", "issue_data", "comment_data"]
    assert [one["tool"] for one in made["tool_results"]] == ["a", "rag_search"]
    assert made["actions_taken"] == [
        {
            "action": "comment_added",
            "details": "Dry run: Analysis comment posted",
            "success": True,
            "comment": COMMENT,
        }
    ]
    assert read_record(record) == json.loads(json.dumps(made, default=str))


def test_what_is_not_triggered_is_left_alone() -> None:
    tool = Tool(dict)
    dispatcher = Dispatcher(
        {"a": tool}, trigger=lambda issue, comment: TriggerDecision(False, "no")
    )
    made = asyncio.run(dispatcher.analyze(ISSUE))
    assert made["trigger_decision"] == {
        "should_trigger": False,
        "reason": "no",
        "trigger_type": None,
        "confidence": 1.0,
    }
    assert (made["issue_data"], made["tool_results"], tool.spans) == ({}, [], [])


def test_an_error_on_the_way_is_kept() -> None:
    def strategy(issue: Any, comment: Any) -> Any:
        raise ValueError("no plan; Bearer abcdefghijklmnopqrst")

    made = asyncio.run(Dispatcher({}, strategy=strategy).analyze(ISSUE))
    assert made["error"] == "no plan; Bearer [redacted]"
    assert made["issue_data"] == ISSUE
