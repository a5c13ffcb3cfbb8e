"""What ``toolwire.tools`` does is what ``stageflow.tools`` does, but for what is listed as better."""

from __future__ import annotations

import asyncio
import importlib
import inspect
import math
from enum import Enum
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from peers import ACTION, REQUEST, RUN, TARGETS, Context, Scenario, action, plain, trace

pytest.importorskip("stageflow.tools")

SCENARIOS: dict[str, Scenario] = {}


def scenario(run: Scenario) -> Scenario:
    SCENARIOS[run.__name__] = run
    return run


# Where the two differ, and why ours is better. A test asserts that they do differ.
BETTER = {
    "execute_denied_by_a_person": "the error names the request and the person's reason",
    "execute_cancelled_request": "the error names the request, and that it was cancelled",
    "execute_cancelled_task": "a run that is given up says so, and its request does not stay pending",
    "execute_undo_store_raises": "a run that completed is not told to have failed too",
    "execute_raises_without_words": "an error without words adds no colon",
    "execute_secret": "secrets do not reach events",
    "execute_nested_payload": "events share nothing with the payload",
    "execute_schema": "input_schema is enforced",
    "undo_under_another_name": "undo works where name and action type differ",
    "undo_empty_store": "an empty store that was passed in is used",
    "approve_twice": "a decision is final",
    "approve_late": "an expired request stays expired",
    "request_keeps_its_id": "a request keeps its id",
    "resolve_a_name": "tools are found by their names too",
    "resolve_not_a_call": "one element that is no call does not lose the others",
    "resolve_arguments_not_an_object": "arguments that are not an object are not resolved",
    "resolve_wrapper_not_an_object": "the error says what is wrong, not what Python raised",
    "resolve_long_integers": "integers of any length are read",
    "resolve_arguments_of_other_types": "arguments that are not an object are not resolved",
    "registry_decorator": "a tool under @tool knows its name, action type and description",
    "register_factory_over_a_tool": "what is registered last counts",
}


def definition(tools: ModuleType, handler: Any = None, **options: Any) -> Any:
    async def succeed(_: Any) -> Any:
        return tools.ToolOutput.ok(data={"done": True}, undo_metadata={"before": 1})

    fields = {"name": "edit", "action_type": "EDIT", **options}
    return tools.ToolDefinition(handler=handler or succeed, **fields)


def executor(tools: ModuleType, handler: Any = None, config: Any = None, **options: Any) -> Any:
    made = tools.AdvancedToolExecutor(config)
    made.register(definition(tools, handler, **options))
    return made


def raising(error: Exception) -> Any:
    async def handler(_: Any) -> Any:
        raise error

    return handler


async def decide_soon(tools: ModuleType, decide: Any) -> None:
    """Decide on the first request that is made."""
    service = tools.get_approval_service()
    while not (pending := await service.get_pending_requests()):
        await asyncio.sleep(0.001)
    await decide(service, pending[0])


async def with_decision(tools: ModuleType, decide: Any, **options: Any) -> Any:
    made = executor(tools, requires_approval=True, **options)
    run = asyncio.ensure_future(made.execute(action(), Context()))
    await decide_soon(tools, decide)
    return await run


@scenario
async def execute_success(tools: ModuleType) -> Any:
    return await executor(tools).execute(action(), Context())


@scenario
async def execute_unknown(tools: ModuleType) -> Any:
    return await executor(tools).execute(action("NOTHING"), Context())


@scenario
async def execute_failing_output(tools: ModuleType) -> Any:
    async def handler(_: Any) -> Any:
        return tools.ToolOutput(False, error="no", artifacts=[{"a": 1}], undo_metadata={"x": 1})

    made = executor(tools, handler, undoable=True)
    return [await made.execute(action(), Context()), len(tools.get_undo_store())]


@scenario
async def execute_input(tools: ModuleType) -> Any:
    async def handler(given: Any) -> Any:
        return tools.ToolOutput.ok(data=given.to_dict())

    return await executor(tools, handler).execute(action(), Context())


@scenario
async def execute_raises(tools: ModuleType) -> Any:
    return await executor(tools, raising(ValueError("bad"))).execute(action(), Context())


@scenario
async def execute_raises_without_words(tools: ModuleType) -> Any:
    return await executor(tools, raising(ValueError())).execute(action(), Context())


@scenario
async def execute_none(tools: ModuleType) -> Any:
    async def handler(_: Any) -> None:
        return None

    return await executor(tools, handler).execute(action(), Context())


@scenario
async def execute_none_without_events(tools: ModuleType) -> Any:
    async def handler(_: Any) -> None:
        return None

    config = tools.ToolExecutorConfig(emit_events=False)
    return await executor(tools, handler, config).execute(action(), Context())


@scenario
async def execute_silently(tools: ModuleType) -> Any:
    return await executor(tools, config=tools.ToolExecutorConfig(emit_events=False)).execute(
        action(), Context()
    )


@scenario
async def execute_behavior_denied(tools: ModuleType) -> Any:
    made = executor(tools, allowed_behaviors=("edit",), requires_approval=True)
    return await made.execute(action(), Context())


@scenario
async def execute_behavior_none_denied(tools: ModuleType) -> Any:
    made = executor(tools, allowed_behaviors=("it's", 'a "quote"'))
    return await made.execute(action(), Context(execution_mode=None))


@scenario
async def execute_behavior_allowed(tools: ModuleType) -> Any:
    return await executor(tools, allowed_behaviors=("edit", "chat")).execute(action(), Context())


@scenario
async def execute_approved(tools: ModuleType) -> Any:
    async def decide(service: Any, request: Any) -> None:
        await service.record_decision(request.id, True)

    return await with_decision(tools, decide)


@scenario
async def execute_approval_message(tools: ModuleType) -> Any:
    async def decide(service: Any, request: Any) -> None:
        await service.record_decision(request.id, True)

    return await with_decision(tools, decide, approval_message="Really?")


@scenario
async def execute_denied_by_a_person(tools: ModuleType) -> Any:
    async def decide(service: Any, request: Any) -> None:
        await service.record_decision(request.id, False, reason="too risky")

    return await with_decision(tools, decide)


@scenario
async def execute_cancelled_request(tools: ModuleType) -> Any:
    async def decide(service: Any, request: Any) -> None:
        await service.cancel_request(request.id)

    return await with_decision(tools, decide)


@scenario
async def execute_timeout(tools: ModuleType) -> Any:
    config = tools.ToolExecutorConfig(approval_timeout_seconds=0.01)
    return await executor(tools, config=config, requires_approval=True).execute(action(), Context())


@scenario
async def execute_undo_store_raises(tools: ModuleType) -> Any:
    store = tools.UndoStore()

    async def full(*_: Any, **__: Any) -> None:
        raise OSError("full")

    store.store = full
    await store_something(store)
    made = tools.AdvancedToolExecutor(undo_store=store)
    made.register(definition(tools, undoable=True))
    return await made.execute(action(), Context())


async def store_something(store: Any) -> None:
    """Make a store true, so that stageflow takes it."""
    await type(store).store(store, REQUEST, "other", {"x": 1})


@scenario
async def execute_cancelled_task(tools: ModuleType) -> Any:
    started = asyncio.Event()

    async def handler(_: Any) -> None:
        started.set()
        await asyncio.sleep(60)

    run = asyncio.ensure_future(executor(tools, handler).execute(action(), Context()))
    await started.wait()
    run.cancel()
    return await run


@scenario
async def execute_payload(tools: ModuleType) -> Any:
    payload = {
        "short": "a" * 200,
        "long": "é" * 201,
        "list": list(range(100)),
        "dict": {str(n): n for n in range(100)},
        "small": [1, None, True, 2.5, {"x": "y"}],
        "number": 10**30,
        "nan": "x",
        5: "key",
    }
    return await executor(tools).execute(action(payload=payload), Context())


@scenario
async def execute_nested_payload(tools: ModuleType) -> Any:
    inner = {"x": 1}
    payload = {"nested": [inner], "tuple": (inner,)}

    async def handler(_: Any) -> Any:
        inner["x"] = 2
        return tools.ToolOutput.ok()

    return await executor(tools, handler).execute(action(payload=payload), Context())


@scenario
async def execute_secret(tools: ModuleType) -> Any:
    payload = {"password": "hunter2", "nested": {"apiKey": "k"}, "max_tokens": 5}
    return await executor(tools).execute(action(payload=payload), Context())


@scenario
async def execute_schema(tools: ModuleType) -> Any:
    made = executor(tools, input_schema={"type": "object", "required": ["id"]})
    return await made.execute(action(), Context())


@scenario
async def undo(tools: ModuleType) -> Any:
    undone: list[Any] = []

    async def undo_handler(metadata: Any) -> None:
        undone.append(metadata.to_dict())

    made = executor(tools, name="EDIT", undoable=True, undo_handler=undo_handler)
    await made.execute(action(), Context())
    results = [await made.undo_action(ACTION, Context()), await made.undo_action(ACTION, Context())]
    return [results, plain(undone), len(tools.get_undo_store())]


@scenario
async def undo_raises(tools: ModuleType) -> Any:
    made = executor(tools, name="EDIT", undoable=True, undo_handler=raising(ValueError("no")))
    await made.execute(action(), Context())
    return await made.undo_action(ACTION, Context())


@scenario
async def undo_without_handler(tools: ModuleType) -> Any:
    made = executor(tools, name="EDIT", undoable=True)
    await made.execute(action(), Context())
    return [await made.undo_action(ACTION, Context()), len(tools.get_undo_store())]


@scenario
async def undo_under_another_name(tools: ModuleType) -> Any:
    async def undo_handler(_: Any) -> None:
        return None

    made = executor(tools, undoable=True, undo_handler=undo_handler)
    await made.execute(action(), Context())
    return await made.undo_action(ACTION, Context())


@scenario
async def undo_empty_store(tools: ModuleType) -> Any:
    store = tools.UndoStore()
    made = tools.AdvancedToolExecutor(undo_store=store)
    made.register(definition(tools, undoable=True))
    await made.execute(action(), Context())
    return len(store)


@scenario
async def approve_and_look(tools: ModuleType) -> Any:
    service = tools.ApprovalService()
    request = await service.request_approval(ACTION, "edit", RUN, "Really?", {"k": 1})
    before = [plain(request), await service.get_status(request.id), await service.get_status(ACTION)]
    pending = [len(await service.get_pending_requests(run)) for run in (None, RUN, REQUEST)]
    decision = await service.record_decision(request.id, True, decided_by=REQUEST, reason="fine")
    waited = await service.await_decision(request.id, 1)
    after = plain(await service.get_request(request.id))
    await service.cleanup(request.id)
    await service.cleanup(request.id)
    gone = [await service.get_request(request.id), await service.get_status(request.id)]
    fields = [decision.granted, decision.reason, plain(decision.decided_by), waited.granted]
    return [before, pending, fields, after, gone, len(await service.get_pending_requests())]


@scenario
async def approve_unknown(tools: ModuleType) -> Any:
    service = tools.ApprovalService()
    errors = []
    for call in (service.await_decision(ACTION), service.record_decision(ACTION, True)):
        try:
            await call
        except KeyError as error:
            errors.append(error.args)
    return [errors, await service.cancel_request(ACTION), await service.get_status(ACTION)]


@scenario
async def approve_timeout(tools: ModuleType) -> Any:
    service = tools.ApprovalService(0.01)
    request = await service.request_approval(ACTION, "edit")
    try:
        await service.await_decision(request.id)
    except TimeoutError:
        return [await service.get_status(request.id), await service.cancel_request(request.id)]
    return None


@scenario
async def approve_twice(tools: ModuleType) -> Any:
    service = tools.ApprovalService()
    request = await service.request_approval(ACTION, "edit")
    await service.record_decision(request.id, True)
    await service.record_decision(request.id, False)
    return await service.get_status(request.id)


@scenario
async def approve_late(tools: ModuleType) -> Any:
    service = tools.ApprovalService(0.001)
    request = await service.request_approval(ACTION, "edit")
    try:
        await service.await_decision(request.id)
    except TimeoutError:
        await service.record_decision(request.id, True)
    return await service.get_status(request.id)


@scenario
async def approve_newest(tools: ModuleType) -> Any:
    service = tools.ApprovalService()
    first = await service.request_approval(ACTION, "edit")
    await service.request_approval(ACTION, "edit")
    await service.record_decision(first.id, True)
    return [await service.get_status(ACTION), await service.get_status(first.id)]


@scenario
async def request_keeps_its_id(tools: ModuleType) -> Any:
    service = tools.ApprovalService()
    made = await service.request(tools.ApprovalRequest(REQUEST, ACTION, "edit", approval_message="m"))
    return [plain(made.id), made.approval_message]


@scenario
async def undo_store(tools: ModuleType) -> Any:
    store = tools.UndoStore(default_ttl_seconds=60)
    data = {"x": [1]}
    first = await store.store(ACTION, "edit", data)
    await store.store(tools.UndoMetadata(RUN, "edit", {}, "2024-01-01T00:00:00+00:00"), ttl_seconds=-1)
    seen = [plain(await store.get(ACTION)), (await store.get(ACTION)) == first, first.undo_data is data]
    lengths = [len(store), len(await store.get_all()), await store.get(RUN), len(store)]
    await store.store(REQUEST, "edit", {}, -1)
    swept = [await store.cleanup_expired(), await store.cleanup_expired(), len(store)]
    removed = [await store.delete(ACTION), await store.remove(ACTION), await store.get(ACTION)]
    return [seen, lengths, swept, removed]


@scenario
async def undo_store_misuse(tools: ModuleType) -> Any:
    errors = []
    for arguments in ((ACTION,), (ACTION, "edit")):
        try:
            await tools.UndoStore().store(*arguments)
        except TypeError as error:
            errors.append(str(error))
    return errors


class Greeter:
    """A tool that is only what a registry needs."""

    def __init__(self, action_type: Any = "greet", name: Any = "greeter") -> None:
        self.action_type, self.name, self.description = action_type, name, ""

    async def execute(self, given: Any, ctx: Any) -> Any:
        return SimpleNamespace(success=True, payload=given.action.payload, ctx=ctx)

    def __repr__(self) -> str:
        return "Greeter"


def resolution(tools: ModuleType, calls: Any, **options: Any) -> Any:
    registry = tools.ToolRegistry()
    registry.register(Greeter())
    resolved, unresolved = registry.parse_and_resolve(calls, **options)
    return [
        [[repr(one.tool), one.call_id, one.name, plain(one.arguments), one.raw in calls] for one in resolved],
        [[one.call_id, one.name, plain(one.arguments), one.error, one.raw in calls] for one in unresolved],
    ]


def call(arguments: Any, name: Any = "greet", id: Any = "c") -> dict[str, Any]:
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


class Word(str, Enum):
    GREET = "greet"


@scenario
async def resolve_shapes(tools: ModuleType) -> Any:
    calls = [
        call('{"a": 1, "b": [true, null]}'),
        call({"a": 1}),
        {"id": "flat", "name": "greet", "arguments": '{"x": 1}'},
        {"id": "anthropic", "name": "greet", "input": {"x": 1}},
        {"name": "greet"},
        {"id": None, "name": "greet"},
        {"id": 5, "name": "nobody", "arguments": '{"kept": 1}'},
        {"id": True, "function": {"name": "greet"}},
        {"id": 1.5, "function": {}},
        {},
        call("", "greet"),
        call(None),
    ]
    return resolution(tools, calls)


@scenario
async def resolve_json(tools: ModuleType) -> Any:
    texts = [
        '{"a": NaN, "b": -Infinity}',
        '{"a": 1, "a": 2, "z": 0, "b": {"é": "\\u00e9\\ud83d\\ude00"}}',
        f'{{"n": {10**40}, "f": 1e400, "m": -0, "z": -0.0, "x": 1.0, "e": 1E5}}',
        '{"half": "\\ud800"}',
        " \t\r\n{} \n",
        "{",
        "{'a': 1}",
        " ",
        '{"a": 1} x',
        '{"a": "\x01"}',
        "\ufeff{}",
        '{"a": 01}',
        "[1",
        "nul",
        "\ud800",
    ]
    return resolution(tools, [call(text) for text in texts])


@scenario
async def resolve_fields(tools: ModuleType) -> Any:
    calls = [
        {"ref": "r", "tool": "greet", "input": {"x": 1}, "function": "text"},
        {"ref": "r", "call": {"tool": "greet", "input": "{}"}},
    ]
    options = {"id_field": "ref", "name_field": "tool", "arguments_field": "input"}
    return [
        resolution(tools, calls[:1], **options, function_wrapper=None),
        resolution(tools, calls[:1], **options, function_wrapper=""),
        resolution(tools, calls[1:], **options, function_wrapper="call"),
    ]


@scenario
async def resolve_deep(tools: ModuleType) -> Any:
    text = '{"a": ' + "[" * 500 + "]" * 500 + "}"
    return resolution(tools, [call(text)])


@scenario
async def resolve_enum_and_subclasses(tools: ModuleType) -> Any:
    class Mine(dict):  # type: ignore[type-arg]
        pass

    return resolution(tools, [call(Mine(a=1), Word.GREET), Mine(call({"b": 2}))])


@scenario
async def resolve_a_raising_factory(tools: ModuleType) -> Any:
    registry = tools.ToolRegistry()

    def factory() -> Any:
        raise RuntimeError("not today")

    registry.register_factory("greet", factory)
    _, unresolved = registry.parse_and_resolve([call("{}"), {"name": "greet"}])
    return [[one.call_id, one.name, one.arguments, one.error] for one in unresolved]


@scenario
async def resolve_a_name(tools: ModuleType) -> Any:
    return resolution(tools, [call("{}", "greeter")])


@scenario
async def resolve_not_a_call(tools: ModuleType) -> Any:
    return resolution(tools, [None, "x", 5, [], call("{}")])


@scenario
async def resolve_arguments_not_an_object(tools: ModuleType) -> Any:
    return resolution(tools, [call(text) for text in ("[1]", "null", "5", '"x"', "NaN")])


@scenario
async def resolve_arguments_of_other_types(tools: ModuleType) -> Any:
    return resolution(tools, [call(value) for value in ([1], 5, b"{}", True)])


@scenario
async def resolve_wrapper_not_an_object(tools: ModuleType) -> Any:
    return resolution(tools, [{"id": "c", "name": "n", "function": None}, {"function": "x"}])


@scenario
async def resolve_long_integers(tools: ModuleType) -> Any:
    return resolution(tools, [call('{"n": ' + "9" * 5000 + "}")])


@scenario
async def registry_basics(tools: ModuleType) -> Any:
    registry = tools.ToolRegistry()
    first, second = Greeter(), Greeter()
    made: list[Any] = []

    def factory() -> Any:
        made.append(Greeter("lazy", "lazy"))
        return made[-1]

    results = [
        registry.register(first),
        registry.register_tool(second),
        registry.register_factory("lazy", factory),
    ]
    looked = [
        registry.get("greet") is second,
        registry.get_tool("x"),
        registry.get_by_action_type("greet") is second,
    ]
    has = [
        "greet" in registry,
        "lazy" in registry,
        "x" in registry,
        registry.has("lazy"),
        registry.can_execute("x"),
    ]
    before = [len(registry.list()), "lazy" in registry._tools]
    lazy = [registry.get("lazy") is registry.get("lazy"), len(made)]
    after = [len(registry.list_tools()), "lazy" in registry._tools, "greet" in registry._tools]
    return [results, looked, has, before, lazy, after]


@scenario
async def registry_execute(tools: ModuleType) -> Any:
    registry = tools.ToolRegistry()
    registry.register(Greeter())
    missing = await registry.execute(action("nothing"), {})
    found = await registry.execute(action("greet"), {"x": 1})
    return [missing.success, missing.error, found.payload, found.ctx]


@scenario
async def registry_decorator(tools: ModuleType) -> Any:
    @tools.tool("GREET", name="greet", description="Greets")
    class Greet(tools.BaseTool):  # type: ignore[misc,name-defined]
        async def execute(self, given: Any, ctx: Any) -> Any:
            return None

    @tools.tool("PLAIN")
    class Plain(tools.BaseTool):  # type: ignore[misc,name-defined]
        pass

    registry = tools.get_tool_registry()
    same = registry is tools.get_tool_registry()
    found, plain_tool = registry.get("GREET"), registry.get("PLAIN")
    names = [found.name, found.action_type, found.description, plain_tool.name, plain_tool.description]
    tools.clear_tool_registry()
    return [
        same,
        names,
        repr(found),
        isinstance(found, Greet),
        tools.get_tool_registry() is registry,
        Plain.__name__,
    ]


@scenario
async def register_factory_over_a_tool(tools: ModuleType) -> Any:
    registry = tools.ToolRegistry()
    registry.register(Greeter(name="first"))
    registry.register_factory("greet", lambda: Greeter(name="second"))
    return registry.get("greet").name


@scenario
async def plan(tools: ModuleType) -> Any:
    class Works(tools.BaseTool):  # type: ignore[misc,name-defined]
        name = action_type = "works"

        async def execute(self, given: Any, ctx: Any) -> Any:
            return tools.ToolOutput(True, {"ctx": ctx}, artifacts=[{"a": given.action.payload["n"]}])

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
    return [tools.ToolInput.from_action(action(), "t"), tools.ToolInput.from_action(action(), "t", Context())]


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


@pytest.mark.parametrize("name", SCENARIOS)
def test_it_is_as_in_stageflow_or_better(name: str) -> None:
    theirs, ours = (trace(target, SCENARIOS[name]) for target in TARGETS)
    if name in BETTER:
        assert ours != theirs, "nothing is better any more; take it off the list"
    else:
        assert ours.told == theirs.told
        assert comparable(ours.outcome) == comparable(theirs.outcome)


def comparable(value: Any) -> Any:
    if isinstance(value, list):
        return [comparable(one) for one in value]
    return "nan" if isinstance(value, float) and math.isnan(value) else value


def test_what_is_better_is_a_scenario() -> None:
    assert set(BETTER) <= set(SCENARIOS)


def test_the_names_and_modules_are_there() -> None:
    theirs, ours = (importlib.import_module(target) for target in TARGETS)
    assert len(theirs.__all__) == 56
    assert set(theirs.__all__) <= set(ours.__all__)
    for module in [
        "adapters",
        "approval",
        "base",
        "definitions",
        "diff",
        "errors",
        "events",
        "executor",
        "executor_v2",
        "registry",
        "undo",
    ]:
        theirs = importlib.import_module(f"stageflow.tools.{module}")
        ours = importlib.import_module(f"toolwire.tools.{module}")
        for name in theirs.__all__:
            assert hasattr(ours, name), f"{module}.{name}"
    assert importlib.import_module("toolwire.tools.executor").ToolExecutorResult
    assert importlib.import_module("toolwire.tools.undo").UndoEntry


def parameters(target: Any) -> list[tuple[str, Any, str]]:
    """Give a signature's parameters: name, kind, whether there is a default and which."""

    def default(one: inspect.Parameter) -> str:
        return "<factory>" if "factory" in repr(one.default) else repr(one.default)

    given = inspect.signature(target).parameters.values()
    return [(one.name, one.kind, default(one)) for one in given]


# Ours take more: what is required there is optional here, or more parameters follow.
WIDER = {
    "ApprovalDecision",
    "ApprovalRequest",
    "ApprovalService",
    "AdvancedToolExecutor",
    "ExecutionResult",
    "ToolDefinition",
    "ToolDeniedError",
    "ToolExecutorConfig",
    "ToolInput",
    "UndoStore",
}


def test_signatures_are_the_same_or_wider() -> None:
    theirs, ours = (importlib.import_module(target) for target in TARGETS)
    for name in theirs.__all__:
        their, our = getattr(theirs, name), getattr(ours, name)
        if name in ("Tool", "Action", "ToolHandler", "UndoHandler", "DiffType", "ApprovalStatus"):
            continue
        if name in WIDER:
            names = [one[:2] for one in parameters(our)]
            assert names[: len(parameters(their))] == [one[:2] for one in parameters(their)], name
        else:
            assert parameters(our) == parameters(their), name


FROZEN = [
    "ToolInput",
    "ToolOutput",
    "UndoMetadata",
    "ToolDefinition",
    "DiffLine",
    "DiffResult",
    "ApprovalDecision",
    "ResolvedToolCall",
    "UnresolvedToolCall",
    "ToolStartedEvent",
    "ApprovalRequestedEvent",
]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", FROZEN)
def test_records_are_frozen_and_equal_by_value(target: str, name: str) -> None:
    made = getattr(importlib.import_module(target), name)
    required = [
        one for one in inspect.signature(made).parameters.values() if one.default is inspect.Parameter.empty
    ]
    if name == "ToolInput":
        values = {"action_id": ACTION, "tool_name": "t", "payload": {}}
    else:
        values = {one.name: f"value of {one.name}" for one in required}
    for time in {"created_at", "timestamp"} & set(inspect.signature(made).parameters):
        values[time] = "2024-01-01T00:00:00+00:00"
    first, second = made(**values), made(**values)
    assert first == second
    assert not (first != second)  # noqa: SIM202 — the other operator
    field = next(iter(values))
    assert made(**{**values, field: "another"}) != first
    with pytest.raises(AttributeError):
        setattr(first, field, 1)
