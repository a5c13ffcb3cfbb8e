"""Runs a case of the topic `tools`: a scripted tool, calls to resolve, or a payload to sum up.

Times, durations, ids of requests and names of classes differ from run to run, so cases have
`<time>`, `<ms>`, `<request>` and `<class>` instead. A case has the beginning of an error's message.
Where the project's own message and stageflow's differ, it has both, and `toolwire.tools` gives the
latter; `tools_own_case` holds `toolwire.runs` to the former.
"""

from __future__ import annotations

import asyncio
import json
from types import SimpleNamespace
from typing import Any

from cases import fields
from toolwire.tools import (
    AdvancedToolExecutor,
    ApprovalService,
    MemoryStore,
    ToolDefinition,
    ToolExecutorConfig,
    ToolOutput,
    ToolRegistry,
    ToolUndoError,
    UndoStore,
)

TOOL = (
    "aliases allowed_modes requires_approval approval_message undoable capability "
    "rate_limit input_schema"
)
SETTINGS = {
    "emit_events": "emit_events",
    "ask_approval": "require_approval_for_risky",
    "store_undo": "store_undo_data",
}
# stageflow's words for fields of events, for fields of a context, and for codes.
OWN = {
    "behavior": "mode",
    "allowed_behaviors": "allowed_modes",
    "pipeline_run_id": "parent_id",
    "action_id": "run_id",
    "original_action_timestamp": "ran_at",
}
CONTEXT = {"execution_mode": "mode", "pipeline_run_id": "parent_id", "request_id": "request_id"}
CODES = {"behavior_not_allowed": "mode_not_allowed"}
STATES = {None: "completed", "raised": "failed", "approval_timeout": "expired"}


def chosen(expected: Any) -> Any:
    """Give what is expected, with stageflow's message where a case has two."""
    if isinstance(expected, list):
        return [chosen(one) for one in expected]
    if not isinstance(expected, dict):
        return expected
    if expected.keys() == {"own", "stageflow"}:
        return expected["stageflow"]
    return {key: chosen(value) for key, value in expected.items()}


def run(given: dict[str, Any], expected: dict[str, Any]) -> Any:
    """Give the outcome of a case, each message cut to the length of the expected beginning."""
    does = {"run": run_tool, "asked": ask, "resolve": resolve, "payload_summary": sum_up}
    return shortened(does[given["function"]](given), expected)


def shortened(made: Any, expected: Any) -> Any:
    """Cut each message to the length of the expected beginning."""
    if isinstance(made, list) and isinstance(expected, list):
        short = [shortened(one, wanted) for one, wanted in zip(made, expected, strict=False)]
        return short + made[len(short) :]
    if not isinstance(made, dict) or not isinstance(expected, dict):
        return made
    return {
        key: value[: len(expected[key])]
        if key in ("message", "error")
        and isinstance(value, str)
        and isinstance(expected.get(key), str)
        else shortened(value, expected.get(key))
        for key, value in made.items()
    }


def definition(tool: dict[str, Any], handler: Any, undo: Any = None) -> ToolDefinition:
    """Make the tool that a case describes."""
    options = fields(tool, "name id", TOOL).copy()
    options["action_type"] = options.pop("id")
    for name in ("aliases", "allowed_modes", "rate_limit"):
        if name in options:
            options[name] = tuple(options[name])
    if "allowed_modes" in options:
        options["allowed_behaviors"] = options.pop("allowed_modes")
    return ToolDefinition(**options, handler=handler, undo_handler=undo)


def handler_of(does: dict[str, Any], looked: dict[str, Any] | None = None) -> Any:
    """Make the handler that a case describes; it records its input."""
    fields(does, "", "ok fail raise")

    async def handle(given: Any) -> ToolOutput:
        if looked is not None:
            assert given.payload is given.action.payload
            looked["handler"] = compact(given.payload)
        if "raise" in does:
            raise ValueError(does["raise"])
        return ToolOutput.fail(does["fail"]) if "fail" in does else ToolOutput.ok(**does["ok"])

    return handle


def compact(payload: Any) -> str:
    """Write a payload as JSON."""
    return json.dumps(payload, separators=(",", ":"), ensure_ascii=False)


class Recorder:
    """A sink that keeps events, with times, durations, ids and classes replaced."""

    def __init__(self, words: dict[str, str] = OWN) -> None:
        self.words = words
        self.told: list[dict[str, Any]] = []
        self.listens = True

    async def emit(self, *, type: str, data: dict[str, Any]) -> None:
        """Keep an event."""
        if not self.listens:
            return
        volatile = dict.fromkeys(("timestamp", "ran_at", "original_action_timestamp"), "<time>")
        volatile |= {"duration_ms": "<ms>", "error_code": "<class>"}
        if type.startswith("approval."):
            volatile["request_id"] = "<request>"
        if type == "tool.undo_failed":
            volatile["reason"] = "<class>"
        told = {self.words.get(key, key): volatile.get(key, data[key]) for key in data}
        if type == "tool.denied" and self.words:
            told["reason"] = CODES.get(told["reason"], told["reason"])
        self.told.append({"type": type, "data": told})


def ask(given: dict[str, Any]) -> dict[str, Any]:
    """Run the tool ``mail``, which gives its arguments back."""
    fields(given, "function value")
    executor = AdvancedToolExecutor(store=MemoryStore())
    executor.register(
        ToolDefinition("mail", "MAIL", lambda input: ToolOutput.ok(data=input.payload))
    )
    run = asyncio.run(executor.start(given["value"]))
    again = asyncio.run(executor.execute_detailed(given["value"]))
    assert again.code == run.code
    if run.error is None:
        return {"state": run.state, "arguments": run.result().data}
    problems = getattr(run.error, "problems", None)
    assert again.problems == problems
    path = problems[0]["path"] if problems else None
    return {"state": run.state, "code": run.code, "path": path}


def run_tool(given: dict[str, Any]) -> Any:
    """Run a tool as a case says."""
    return asyncio.run(run_it(given))


async def run_it(given: dict[str, Any]) -> dict[str, Any]:
    """Run a tool as a case says."""
    fields(
        given,
        "function tool handler payload",
        "context permission runs approval settings redact undo changes look",
    )
    sink, approvals, undo = Recorder(), ApprovalService(), given.get("undo")
    looked: dict[str, Any] = {}
    changes = iter(given.get("changes", ()))

    def permission(_: Any, acting: Any, __: Any) -> Any:
        looked["permission"] = compact(acting.payload)
        return given["permission"]

    async def undo_handler(_: Any) -> None:
        if undo is not True:
            raise ValueError(undo)

    undoes = undo_handler if given["tool"].get("undoable") else None
    options = {SETTINGS[name]: value for name, value in given.get("settings", {}).items()}
    if given.get("approval") == "expired":
        options["approval_timeout_seconds"] = 0.001
    executor = AdvancedToolExecutor(
        ToolExecutorConfig(**options),
        UndoStore(),
        approvals,
        permission=permission if "permission" in given else None,
        changes=(lambda *_: next(changes)) if "changes" in given else None,
        secret_keys=given.get("redact"),
    )
    executor.register(definition(given["tool"], handler_of(given["handler"], looked), undoes))
    context = {name: given.get("context", {}).get(own) for name, own in CONTEXT.items()}
    about = SimpleNamespace(**context, event_sink=sink)
    action = SimpleNamespace(id="a1", type=given["tool"]["id"], payload=given["payload"])
    result: Any = None
    for _ in range(given.get("runs", 1)):
        sink.told.clear()
        run = executor.execute_detailed(action, about)
        result = await decided(run, approvals, given.get("approval"), sink, looked)
    if result is None:
        return {"state": "waiting", "error": None, "events": sink.told}
    # A result says only why a tool was denied; every other failure is raised.
    raised = "raised" if result.error and not result.output else None
    kind = result.denial_reason if result.was_denied else raised
    error = None if kind is None else {"kind": CODES.get(kind, kind), "message": result.error}
    made: dict[str, Any] = {"state": STATES.get(kind, "denied"), "error": error}
    made["events"] = sink.told
    if given.get("look"):
        made["looked"] = dict(sorted(looked.items()))
    if undo is not None:
        try:
            made["undone"] = await executor.undo_action(action.id, about)
        except ToolUndoError as failure:
            made["undone"] = str(failure)
    return made


async def decided(
    run: Any, approvals: Any, approval: Any, sink: Recorder, looked: dict[str, Any]
) -> Any:
    """Await a run while its approval is decided; give None for a run that still waits."""
    task = asyncio.create_task(run)
    while not task.done():
        await asyncio.sleep(0.001)
        pending = await approvals.get_pending_requests()
        if not pending or approval == "expired":
            continue
        if approval is None:
            # The event of the request comes before the wait. Another case covers a run that is
            # given up.
            await asyncio.sleep(0.01)
            sink.listens = False
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            return None
        (request,) = pending
        arguments = await approvals.get_arguments(request.id)
        looked.update(approver=arguments, size=request.size, fingerprint=request.fingerprint)
        changes = await approvals.get_changes(request.id)
        if changes is not None:
            looked["changes"] = [change.to_dict() for change in changes]
        if approval == "cancelled":
            await approvals.cancel_request(pending[0].id)
        else:
            await approvals.record_decision(
                pending[0].id, approval["granted"], reason=approval.get("reason")
            )
    return task.result()


def resolve(given: dict[str, Any]) -> dict[str, Any]:
    """Resolve the calls of a case."""
    names = "id_field name_field arguments_field function_wrapper repair"
    fields(given, "function tools calls", names)
    registry = ToolRegistry()
    for tool in given["tools"]:
        defined: Any = definition(tool, handler_of({"ok": {}}))
        registry.register(defined)
    options = {name: given[name] for name in names.split() if name in given}
    resolved, unresolved = registry.parse_and_resolve(given["calls"], **options)

    def told(call: Any) -> dict[str, Any]:
        return {"call_id": call.call_id, "name": call.name, "arguments": call.arguments}

    return {
        "resolved": [{"tool": call.tool.action_type} | told(call) for call in resolved],
        "unresolved": [told(call) | {"error": call.error} for call in unresolved],
    }


def sum_up(given: dict[str, Any]) -> dict[str, Any]:
    """Give the summary of a payload, as events have it."""
    fields(given, "function payload", "redact")
    tool = {"name": "t", "id": "T"}
    about = {"function": "run", "tool": tool, "handler": {"ok": {}}, "payload": given["payload"]}
    ran = run_tool(about | ({"redact": given["redact"]} if "redact" in given else {}))
    return {"summary": ran["events"][0]["data"]["payload_summary"]}
