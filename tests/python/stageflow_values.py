"""Scenarios of names, ids and other values that have no usual type."""

from __future__ import annotations

from enum import Enum
from types import ModuleType, SimpleNamespace
from typing import Any

from peers import ACTION, REQUEST, RUN, Context, action, plain
from stageflow_scenario import definition, executor, scenario

IDS = ["", 0, 5, "text", True, ACTION, 1.5, (1, 2)]


class Mode(Enum):
    CHAT = "chat"


@scenario
async def ids_of_records(tools: ModuleType) -> Any:
    return [
        [
            tools.ToolInput(one, "t", {}, "b", one, one),
            tools.UndoMetadata(one, "t", {}, "then"),
            tools.ApprovalDecision(one, True, one, "r"),
            tools.ApprovalRequest(one, one, "t", one, decided_by=one, created_at="then"),
            tools.ToolApprovalDeniedError("t", one),
            tools.ToolApprovalTimeoutError("t", one),
            tools.ToolUndoError("t", one, "r"),
            tools.ToolExecutionError("t", one),
        ]
        for one in IDS
    ]


@scenario
async def ids_of_events(tools: ModuleType) -> Any:
    events = []
    for one in IDS:
        ids = {"tool_name": "t", "action_id": one, "pipeline_run_id": one}
        events += [
            tools.ToolStartedEvent(**ids, request_id=one),
            tools.ToolDeniedEvent(**ids, request_id=one, allowed_behaviors=["a"]),
            tools.ApprovalRequestedEvent(one, **ids),
            tools.ApprovalDecidedEvent(one, **ids, decision="approved", decided_by=one),
        ]
    return events


@scenario
async def ids_of_a_context(tools: ModuleType) -> Any:
    outputs = []
    for one in ["", 0, "text", RUN]:
        ctx = Context("chat", one, one)  # type: ignore[arg-type]
        outputs.append(await executor(tools).execute(action(), ctx))
    return outputs


@scenario
async def causes(tools: ModuleType) -> Any:
    class Unlike(Exception):
        def __bool__(self) -> bool:
            return False

    causes = [ValueError("bad"), KeyError("k"), Unlike("x"), "text", "", None]
    errors = [tools.ToolExecutionError("t", ACTION, cause) for cause in causes]
    held = [error.cause is cause for error, cause in zip(errors, causes, strict=True)]
    return [errors, held]


@scenario
async def behaviors_of_other_types(tools: ModuleType) -> Any:
    errors: list[Any] = []
    for allowed in (["a"], (Mode.CHAT,), (1, 2), [], "text"):
        error = tools.ToolDeniedError("t", Mode.CHAT, allowed)
        errors.append([str(error), error.allowed_behaviors == allowed])
    made = executor(tools, allowed_behaviors=["a"])
    try:
        await made.execute(action(), Context())
    except tools.ToolDeniedError as error:
        errors.append([str(error), error.allowed_behaviors])
    return errors


@scenario
async def modes_that_are_enums(tools: ModuleType) -> Any:
    config = tools.ToolExecutorConfig(emit_events=False)
    made = executor(tools, config=config, allowed_behaviors=(Mode.CHAT,))
    ctx = Context(Mode.CHAT)  # type: ignore[arg-type]
    return (await made.execute(action(), ctx)).success


@scenario
async def a_tool_that_does_nothing(tools: ModuleType) -> Any:
    class Idle(tools.BaseTool):  # type: ignore[misc,name-defined]
        name = action_type = "idle"

    return await Idle().execute(None, {})


@scenario
async def execute_names_that_are_no_texts(tools: ModuleType) -> Any:
    return await executor(tools, name=Mode.CHAT).execute(action(), Context())


@scenario
async def execute_a_type_that_cannot_be_hashed(tools: ModuleType) -> Any:
    return await executor(tools).execute(action([]), Context())  # type: ignore[arg-type]


@scenario
async def execute_without_an_id(tools: ModuleType) -> Any:
    async def handler(given: Any) -> Any:
        return tools.ToolOutput.ok(given.to_dict())

    return await executor(tools, handler).execute(action(id=None), Context())


@scenario
async def execute_a_payload_that_is_no_dict(tools: ModuleType) -> Any:
    return await executor(tools).execute(action(payload="text"), Context())


@scenario
async def execute_empty_undo_metadata(tools: ModuleType) -> Any:
    async def handler(_: Any) -> Any:
        return tools.ToolOutput.ok(undo_metadata={})

    await executor(tools, handler, undoable=True).execute(action(), Context())
    return len(tools.get_undo_store())


@scenario
async def register_without_a_name(tools: ModuleType) -> Any:
    made = tools.AdvancedToolExecutor()
    made.register(definition(tools, name=""))
    return made.can_execute("EDIT")


@scenario
async def attributes(tools: ModuleType) -> Any:
    service, store = tools.ApprovalService(5.0), tools.UndoStore(7.0)
    before = [service.default_timeout_seconds, store.default_ttl_seconds]
    defaults = [
        tools.ApprovalService().default_timeout_seconds,
        tools.UndoStore().default_ttl_seconds,
    ]
    service.default_timeout_seconds, store.default_ttl_seconds = 0.001, -1
    request = await service.request_approval(ACTION, "edit")
    await store.store(ACTION, "edit", {})
    try:
        await service.await_decision(request.id)
    except TimeoutError:
        expired = [str(request.status), await store.get(ACTION)]
    return [before, defaults, expired]


@scenario
async def one_class_of_inputs(tools: ModuleType) -> Any:
    base = __import__(f"{tools.__name__}.base", fromlist=["base"])
    return [base.ToolInput is tools.ToolInput, base.ToolOutput is tools.ToolOutput]


@scenario
async def resolve_names_of_other_types(tools: ModuleType) -> Any:
    names = [None, 5, True, 1.5, REQUEST, ("a",), b"b", Mode.CHAT]
    given: list[Any] = [{"id": "c", "name": name} for name in names]
    given += [{"id": "c", "function": {"name": name}} for name in names]
    given += [{"id": "c", "name": name, "arguments": "{"} for name in [*names, ["x"], {"a": 1}]]
    registry = tools.ToolRegistry()
    tool = SimpleNamespace(name="t", action_type=5, description="")
    registry.register(tool)
    resolved, unresolved = registry.parse_and_resolve(given)
    return [
        [[one.tool is tool, one.call_id, one.name] for one in resolved],
        [
            [one.call_id, type(one.name).__name__, plain(one.name), one.arguments, one.error]
            for one in unresolved
        ],
    ]
