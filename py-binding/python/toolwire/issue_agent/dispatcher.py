"""Runs an agent's tools at the same time, and the whole analysis of an issue.

>>> import asyncio
>>> from toolwire.issue_agent import Dispatcher
>>> class Echo:
...     async def execute(self, issue_data, comment_data=None):
...         return {"title": issue_data["title"], "confidence": 0.9}
>>> dispatcher = Dispatcher(registry={"echo": Echo()})
>>> results = asyncio.run(dispatcher.execute_tools(["echo", "code_search"], {"title": "Crash"}))
>>> for result in results:
...     print(result.tool, result.success, result.error_message or result.data)
echo True {'title': 'Crash', 'confidence': 0.9}
code_search False Tool code_search not implemented
"""

from __future__ import annotations

import asyncio
import inspect
import logging
import math
import os
import threading
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any, TypeAlias

from toolwire._native import Redactor
from toolwire.issue_agent.actions import ActionExecutor
from toolwire.issue_agent.final_analyzer import AnalysisError, FinalAnalyzer
from toolwire.issue_agent.models import (
    AnalysisContext,
    AvailableTools,
    Tool,
    ToolResult,
    TriggerDecision,
    tool_name,
    tool_result_to_dict,
)
from toolwire.issue_agent.record import write_record
from toolwire.issue_agent.registry import ToolRegistry, ToolSource

__all__ = ["DEFAULT_CONFIDENCE", "Dispatcher", "Progress", "Strategy", "Trigger", "always"]

logger = logging.getLogger(__name__)

DEFAULT_CONFIDENCE = 0.7
"""The confidence of a tool that gives none."""

CANCEL_GRACE = 1.0
"""Seconds that a cancelled tool has to end."""

Issue: TypeAlias = dict[str, Any]
Trigger: TypeAlias = Callable[
    [Issue, "Issue | None"], "TriggerDecision | Awaitable[TriggerDecision]"
]
"""Says whether an event is to be analyzed."""
Strategy: TypeAlias = Callable[
    [Issue, "Issue | None"], "dict[str, Any] | Awaitable[dict[str, Any]]"
]
"""Gives ``selected_tools`` (names); ``customized_prompts``, ``recommended_actions`` optionally."""
Progress: TypeAlias = Callable[[str, float, bool], None]
"""Takes a tool's name, the seconds that it took, and whether it succeeded."""


def always(issue_data: Issue, comment_data: Issue | None = None) -> TriggerDecision:
    """Trigger on every event.

    >>> always({}).reason
    'every issue is analyzed'
    """
    if comment_data:
        return TriggerDecision(True, "every comment is answered", "comment")
    return TriggerDecision(True, "every issue is analyzed", "issue")


class Dispatcher:
    """Runs tools, at most ``concurrency`` at a time, each for at most ``timeout`` seconds.

    Every tool has a result. An exception, a return value that is no dict, and a timeout become a
    failure with a message without secrets. With ``legacy=True`` tools run one after the other
    without limit, as in the live agent, and the confidence of a result may be anything.

    ``analyze`` needs an ``analyzer``; without ``actions`` nothing is done to the issue.
    """

    def __init__(
        self,
        registry: ToolSource | Mapping[Any, Any],
        *,
        concurrency: int = 8,
        timeout: float | None = 60.0,
        legacy: bool = False,
        analyzer: FinalAnalyzer | None = None,
        actions: ActionExecutor | None = None,
        trigger: Trigger = always,
        strategy: Strategy | None = None,
        record: str | os.PathLike[str] | None = None,
        secrets: Iterable[str] = (),
        event_name: str = "",
        event_action: str = "",
        progress: Progress | None = None,
    ) -> None:
        if concurrency < 1:
            raise ValueError("concurrency must be at least 1")
        self._registry = ToolRegistry(registry) if isinstance(registry, Mapping) else registry
        self._concurrency = 1 if legacy else concurrency
        self._timeout = None if legacy else timeout
        self._legacy = legacy
        self._analyzer = analyzer
        self._actions = actions
        self._trigger = trigger
        self._strategy = strategy or self._all_tools
        self._record = record
        self._redactor = Redactor(list(secrets))
        self._event = (event_name, event_action)
        self._progress = progress

    async def execute_tools(
        self, tools: Iterable[Tool], issue_data: Issue, comment_data: Issue | None = None
    ) -> list[ToolResult]:
        """Run tools, and give a result for each, in the given order; a tool may occur twice.

        When the caller is cancelled, so are the tools.
        """
        slots = asyncio.Semaphore(self._concurrency)

        async def run(tool: Tool) -> ToolResult:
            async with slots:
                return await self._execute(tool, issue_data, comment_data)

        runs = [asyncio.ensure_future(run(tool)) for tool in tools]
        try:
            return list(await asyncio.gather(*runs))
        finally:
            for one in runs:
                one.cancel()

    async def _execute(
        self, tool: Tool, issue_data: Issue, comment_data: Issue | None
    ) -> ToolResult:
        runnable = self._registry.get(tool)
        if not runnable:
            return ToolResult(tool, False, {}, f"Tool {tool_name(tool)} not implemented")
        started = time.monotonic()
        try:
            data = await _within(_start(runnable, issue_data, comment_data), self._timeout)
            confidence = (
                data.get("confidence", DEFAULT_CONFIDENCE) if self._legacy else _confidence(data)
            )
            result = ToolResult(tool, True, data, confidence=confidence)
        except Exception as error:
            message = (
                str(error)
                if self._legacy
                else self._redactor.redact(str(error) or type(error).__name__)
            )
            result = ToolResult(tool, False, {}, message)
        if self._progress is not None:
            self._progress(tool_name(tool), time.monotonic() - started, result.success)
        return result

    async def analyze(self, issue_data: Issue, comment_data: Issue | None = None) -> dict[str, Any]:
        """Analyze an issue: trigger, strategy, tools, model, actions, record.

        Gives the ten fields of ``AnalysisContext``. An error is not raised: it is in ``error``,
        with its code first if it has one, and the record keeps the steps before it. When the model
        gives no analysis, nothing is done to the issue, and ``actions_taken`` has an entry
        ``analysis_failed`` with its replies. When there is nothing to do, a record that exists
        already is kept.
        """
        context = AnalysisContext()
        try:
            await self._run(context, issue_data, comment_data)
        except Exception as error:
            code = None if self._legacy else getattr(error, "code", None)
            message = self._redactor.redact(str(error) or type(error).__name__)
            context.error = f"{code}: {message}" if isinstance(code, str) else message
            if isinstance(error, AnalysisError):
                failed = {"action": "analysis_failed", "details": message, "success": False}
                context.actions_taken.append(
                    {**failed, "code": error.code, "replies": error.replies}
                )
            logger.error("analysis failed: %s", context.error)
        if self._record is not None and not self._keeps(self._record, context):
            write_record(context.to_dict(), self._record, self._redactor)
        return context.to_dict()

    def _keeps(self, record: str | os.PathLike[str], context: AnalysisContext) -> bool:
        """Say whether the record of an earlier run stays: this run had nothing to do."""
        decision = context.trigger_decision
        idle = decision is not None and not decision["should_trigger"] and context.error is None
        return idle and not self._legacy and os.path.exists(record)

    async def _run(
        self, context: AnalysisContext, issue_data: Issue, comment_data: Issue | None
    ) -> None:
        decision = await _given(self._trigger(issue_data, comment_data))
        context.trigger_decision = decision.to_dict()
        if not decision.should_trigger:
            return
        context.issue_data = issue_data
        context.comment_data = comment_data or None
        strategy = await _given(self._strategy(issue_data, comment_data))
        context.strategy_result = strategy
        tools = self._known(strategy.get("selected_tools") or [])
        results = await self.execute_tools(tools, issue_data, comment_data)
        context.tool_results = [tool_result_to_dict(result) for result in results]
        if self._analyzer is None:
            return
        prompts = strategy.get("customized_prompts")
        context.final_analysis = await self._analyzer.generate(
            issue_data, results, comment_data, *self._event, customized_prompts=prompts
        )
        if self._actions is not None:
            recommended = strategy.get("recommended_actions")
            context.actions_taken = await self._actions.execute(
                context.final_analysis, issue_data, recommended
            )

    def _known(self, names: Iterable[Any]) -> list[Tool]:
        """Give the tools of these names that can be run; others are skipped with a warning."""
        tools: list[Tool] = []
        for name in names:
            try:
                tool: Tool = AvailableTools(tool_name(name))
            except ValueError:
                tool = name
                if self._legacy or not self._registry.get(name):
                    logger.warning("unknown tool: %r", tool_name(name)[:100])
                    continue
            tools.append(tool)
        return tools

    def _all_tools(self, issue_data: Issue, comment_data: Issue | None) -> dict[str, Any]:
        names: Iterable[str] = (
            self._registry.names() if isinstance(self._registry, ToolRegistry) else ()
        )
        return {"strategy_name": "all_tools", "selected_tools": list(names)}


async def _given(value: Any) -> Any:
    return await value if inspect.isawaitable(value) else value


def _start(runnable: Any, issue_data: Issue, comment_data: Issue | None) -> Awaitable[Any]:
    if inspect.iscoroutinefunction(runnable.execute):
        return runnable.execute(issue_data, comment_data)  # type: ignore[no-any-return]
    return _in_thread(lambda: runnable.execute(issue_data, comment_data))


async def _in_thread(run: Callable[[], Any]) -> Any:
    """Run blocking work in a daemon thread; a pool's thread would keep the program alive."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Any] = loop.create_future()

    def settle(value: Any, error: BaseException | None) -> None:
        if not done.done():
            if error is None:
                done.set_result(value)
            else:
                done.set_exception(error)

    def work() -> None:
        value, failed = None, None
        try:
            value = run()
        except Exception as error:
            failed = error
        except BaseException as error:
            failed = RuntimeError(f"the tool's thread ended: {type(error).__name__}")
        # The loop may be closed by the time that the work ends.
        if not loop.is_closed():
            loop.call_soon_threadsafe(settle, value, failed)

    threading.Thread(target=work, name="toolwire-tool", daemon=True).start()
    return await _given(await done)


async def _within(work: Awaitable[Any], timeout: float | None) -> Any:
    """Wait for a tool, but not longer when it refuses to be cancelled."""
    task = asyncio.ensure_future(work)
    try:
        done, _ = await asyncio.wait({task}, timeout=timeout)
    except asyncio.CancelledError:
        task.cancel()
        raise
    if not done:
        task.cancel()
        await asyncio.wait({task}, timeout=CANCEL_GRACE)
        # Reading the exception keeps asyncio from logging that nobody did.
        task.add_done_callback(lambda late: late.cancelled() or late.exception())
        raise TimeoutError(f"no result within {timeout:g} s")
    if task.cancelled():
        raise RuntimeError("the tool was cancelled")
    return task.result()


def _confidence(data: Any) -> float:
    """Check the type of a tool's output, and give its confidence."""
    if not isinstance(data, Mapping):
        raise TypeError(f"a tool must give a dict, not {type(data).__name__}")
    confidence = data.get("confidence", DEFAULT_CONFIDENCE)
    if isinstance(confidence, (int, float)) and math.isfinite(confidence):
        return confidence
    return DEFAULT_CONFIDENCE
