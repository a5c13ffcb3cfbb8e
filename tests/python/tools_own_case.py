"""Runs a case of the topic `tools` in which a tool runs by `toolwire.runs`, with its own words.

`tools_case` runs the same cases by `toolwire.tools`, whose words are stageflow's.
"""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

from cases import fields
from tools_case import SETTINGS, TOOL, Recorder, compact, decided, shortened
from toolwire.runs import (
    ApprovalService,
    Executor,
    ExecutorSettings,
    Tool,
    ToolInput,
    ToolOutput,
    ToolUndoError,
)


def own(expected: Any) -> Any:
    """Give what is expected, with the project's own message where a case has two."""
    if isinstance(expected, list):
        return [own(one) for one in expected]
    if not isinstance(expected, dict):
        return expected
    if expected.keys() == {"own", "stageflow"}:
        return expected["own"]
    return {key: own(value) for key, value in expected.items()}


def run(given: dict[str, Any], expected: dict[str, Any]) -> Any:
    """Give the outcome of a case, each message cut to the length of the expected beginning."""
    return shortened(asyncio.run(run_it(given)), expected)


def tool_of(given: dict[str, Any], looked: dict[str, Any]) -> Tool:
    """Make the tool that a case describes."""
    options = fields(given["tool"], "name id", TOOL).copy()
    # The name is the only id of such a tool.
    del options["id"]
    does, undo = fields(given["handler"], "", "ok fail raise"), given.get("undo")

    def handle(asked: ToolInput) -> ToolOutput:
        looked["handler"] = compact(asked.arguments)
        if "raise" in does:
            raise ValueError(does["raise"])
        return ToolOutput.fail(does["fail"]) if "fail" in does else ToolOutput.ok(**does["ok"])

    def undo_handler(_: Any) -> None:
        if undo is not True:
            raise ValueError(undo)

    if options.pop("undoable", False):
        options["undo"] = undo_handler
    for name in ("aliases", "rate_limit"):
        if name in options:
            options[name] = tuple(options[name])
    if "allowed_modes" in options:
        options["modes"] = tuple(options.pop("allowed_modes"))
    return Tool(**options, handler=handle)


async def run_it(given: dict[str, Any]) -> dict[str, Any]:
    """Run a tool as a case says."""
    sink, approvals = Recorder({}), ApprovalService()
    looked: dict[str, Any] = {}
    changes = iter(given.get("changes", ()))

    def permission(asked: ToolInput, _: Tool) -> Any:
        looked["permission"] = compact(asked.arguments)
        return given["permission"]

    options = {SETTINGS[name]: value for name, value in given.get("settings", {}).items()}
    if given.get("approval") == "expired":
        options["approval_timeout_seconds"] = 0.001
    executor = Executor(
        settings=ExecutorSettings(**options),
        approvals=approvals,
        permission=permission if "permission" in given else None,
        changes=(lambda *_: next(changes)) if "changes" in given else None,
        secret_keys=given.get("redact"),
    )
    tool = tool_of(given, looked)
    executor.register(tool)
    context = {**given.get("context", {}), "event_sink": sink}
    action = SimpleNamespace(id="a1", type=tool.name, payload=given["payload"])
    run: Any = None
    for _ in range(given.get("runs", 1)):
        sink.told.clear()
        running = executor.execute(action, context)
        run = await decided(running, approvals, given.get("approval"), sink, looked)
    if run is None:
        return {"state": "waiting", "error": None, "events": sink.told}
    error = None if run.error is None else {"kind": run.code, "message": str(run.error)}
    made: dict[str, Any] = {"state": run.state, "error": error, "events": sink.told}
    if given.get("look"):
        made["looked"] = dict(sorted(looked.items()))
    if given.get("undo") is not None:
        try:
            made["undone"] = await executor.undo(action.id, context)
        except ToolUndoError as failure:
            made["undone"] = str(failure)
    return made
