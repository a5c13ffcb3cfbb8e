"""Scenarios of plans, errors and records."""

from __future__ import annotations

from types import ModuleType, SimpleNamespace
from typing import Any

from peers import ACTION, REQUEST, RUN, Context, action, plain
from stageflow_scenario import definition, scenario


@scenario
async def plan(tools: ModuleType) -> Any:
    class Works(tools.BaseTool):  # type: ignore[misc,name-defined]
        name = action_type = "works"

        async def execute(self, given: Any, ctx: Any) -> Any:
            return tools.ToolOutput(
                True, {"ctx": ctx}, artifacts=[{"a": given.action.payload["n"]}]
            )

    class Fails(tools.BaseTool):  # type: ignore[misc,name-defined]
        name = action_type = "fails"

        async def execute(self, given: Any, ctx: Any) -> Any:
            if given.action.payload["n"]:
                raise ValueError("no")
            return tools.ToolOutput(False, error="no")

    tools.get_tool_registry().register(Works())
    tools.get_tool_registry().register(Fails())
    made = tools.ToolExecutor()
    results = []
    for steps in (
        [],
        [("works", {"n": 1}), ("works", {"n": 2})],
        [("works", {"n": 1, "requires_reentry": True})],
        [("works", {"n": 1, "requires_reentry": 0})],
        [("fails", {"n": 0}), ("fails", {"n": 1}), ("works", {"n": 1}), ("nothing", {})],
    ):
        plan = SimpleNamespace(actions=[action(type, payload) for type, payload in steps])
        result = await made.execute(Context(), plan)
        results.append(vars(result) if hasattr(result, "__dict__") else result)
    results.append(vars(await made.execute(Context())))
    return [results, made.id, made._spawner, made._pipeline_registry]


@scenario
async def errors(tools: ModuleType) -> Any:
    return [
        tools.ToolError("m"),
        tools.ToolError("m", "t"),
        tools.ToolNotFoundError("A"),
        tools.ToolDeniedError("t", "b", ("one",)),
        tools.ToolDeniedError("t", None, ()),
        tools.ToolDeniedError("t", "b", ("a\n", "é", "\\", "'", "\x7f", "\xa0\u200b")),
        tools.ToolApprovalDeniedError("t"),
        tools.ToolApprovalDeniedError("t", ACTION, "why"),
        tools.ToolApprovalTimeoutError("t", ACTION, 1.5),
        tools.ToolApprovalTimeoutError("t"),
        tools.ToolUndoError("t", ACTION, "why"),
        tools.ToolExecutionError("t"),
        tools.ToolExecutionError("t", ACTION, ValueError("bad")),
    ]


@scenario
async def records(tools: ModuleType) -> Any:
    undo_metadata = tools.UndoMetadata(ACTION, "t", {"x": 1}, "then")
    ids = {"tool_name": "t", "action_id": ACTION}
    return [
        tools.ToolInput(ACTION, "t", {"x": 1}, "chat", RUN, REQUEST),
        tools.ToolInput(ACTION, "t", {}),
        tools.ToolOutput.ok(),
        tools.ToolOutput.ok({}, [], {}),
        tools.ToolOutput.fail("no"),
        tools.ToolOutput(True, {"x": 1}, "e", [{}], {"y": 1}),
        undo_metadata,
        tools.UndoMetadata.from_dict(undo_metadata.to_dict()) == undo_metadata,
        definition(tools, allowed_behaviors=("a", "b"), artifact_type="x"),
        definition(tools).is_behavior_allowed(None),
        definition(tools, allowed_behaviors=("a",)).is_behavior_allowed(None),
        tools.ApprovalRequest(REQUEST, ACTION, "t", RUN, "m", payload_summary={"x": 1}),
        [str(status) for status in tools.ApprovalStatus],
        tools.ToolInvokedEvent(**ids, payload_summary={"x": 1}, behavior="b"),
        tools.ToolStartedEvent(**ids, pipeline_run_id=RUN, request_id=REQUEST),
        tools.ToolCompletedEvent(**ids, output_summary={"x": 1}),
        tools.ToolFailedEvent(**ids),
        tools.ToolDeniedEvent(**ids, reason="r", allowed_behaviors=("a",)),
        tools.ToolUndoneEvent(**ids),
        tools.ToolUndoFailedEvent(**ids),
        tools.ApprovalRequestedEvent(REQUEST, **ids),
        tools.ApprovalDecidedEvent(REQUEST, **ids, decision="approved"),
    ]


@scenario
async def undo_metadata_misread(tools: ModuleType) -> Any:
    good = {"action_id": str(ACTION), "tool_name": "t", "undo_data": {}}
    raised = []
    for broken in (
        {**good, "action_id": "x"},
        *({k: v for k, v in good.items() if k != name} for name in good),
    ):
        try:
            tools.UndoMetadata.from_dict(broken)
        except (KeyError, ValueError) as error:
            raised.append(type(error).__name__)
    return raised


@scenario
async def from_action(tools: ModuleType) -> Any:
    return [
        tools.ToolInput.from_action(action(), "t"),
        tools.ToolInput.from_action(action(), "t", Context()),
    ]


@scenario
async def contexts(tools: ModuleType) -> Any:
    adapter = tools.adapt_context(
        {"pipeline_run_id": str(RUN), "request_id": "nonsense", "execution_mode": 5, "more": 1}
    )
    ids = [adapter.pipeline_run_id, adapter.request_id, adapter.execution_mode, adapter.to_dict()]
    own = Context()
    messages = []
    for wrong in (5, None, [], object()):
        try:
            tools.adapt_context(wrong)
        except TypeError as error:
            messages.append(str(error))
    return [plain(ids), tools.adapt_context(own) is own, messages]
