"""Scenarios of runs and of undoing them."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from peers import ACTION, REQUEST, Context, Sink, action, plain
from stageflow_scenario import definition, executor, raising, scenario, with_decision


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
    """Store something: stageflow ignores an empty store, which is false."""
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
async def execute_a_call(tools: ModuleType) -> Any:
    call = {"id": "call_1", "name": "EDIT", "arguments": {"k": 1}}
    return (await executor(tools).execute(call, Context())).success


@scenario
async def execute_a_plain_function(tools: ModuleType) -> Any:
    return await executor(tools, lambda given: given.payload).execute(action(), Context())


@scenario
async def execute_a_base_tool(tools: ModuleType) -> Any:
    class Idle(tools.BaseTool):  # type: ignore[misc,name-defined]
        name = action_type = "idle"

        async def execute(self, given: Any, ctx: Any) -> Any:
            return tools.ToolOutput(True)

    made = tools.AdvancedToolExecutor()
    made.register(Idle())
    return await made.execute(action("idle"), Context())


@scenario
async def execute_with_a_dict(tools: ModuleType) -> Any:
    return await executor(tools).execute(action(), {"execution_mode": "chat"})


@scenario
async def execute_in_detail(tools: ModuleType) -> Any:
    return (await executor(tools).execute_detailed(action(), Context())).success


@dataclass
class Sunk(Context):
    """A context with a sink of its own."""

    event_sink: Any = None


@scenario
async def execute_with_a_sink_of_its_own(tools: ModuleType) -> Any:
    sink = Sink()
    await executor(tools).execute(action(), Sunk(event_sink=sink))
    return sink.names


@scenario
async def execute_a_payload_of_objects(tools: ModuleType) -> Any:
    return await executor(tools).execute(action(payload={"a": (1, 2), "b": object}), Context())


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
async def undo_two_runs_of_an_action(tools: ModuleType) -> Any:
    async def undo_handler(_: Any) -> None:
        return None

    made = executor(tools, name="EDIT", undoable=True, undo_handler=undo_handler)
    for _ in range(2):
        await made.execute(action(), Context())
    return [await made.undo_action(ACTION, Context()) for _ in range(3)]


@scenario
async def undo_cancelled_task(tools: ModuleType) -> Any:
    async def undo_handler(_: Any) -> None:
        raise asyncio.CancelledError

    made = executor(tools, name="EDIT", undoable=True, undo_handler=undo_handler)
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
