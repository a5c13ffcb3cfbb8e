"""What an executor is asked to run: calls of a detection and of providers, actions, in any form."""

from __future__ import annotations

import asyncio
import pickle
import threading
from types import SimpleNamespace
from typing import Any, ClassVar
from uuid import uuid4

import pytest
import toolwire
from toolwire.tools import (
    AdvancedToolExecutor,
    BaseTool,
    MemoryStore,
    Store,
    ToolCallError,
    ToolDefinition,
    ToolExecutionError,
    ToolInput,
    ToolInputError,
    ToolNotFoundError,
    ToolOutput,
    ToolRegistry,
)

FUNCTION = {"name": "edit_document", "arguments": '{"id": "d1"}'}
DETECTED = toolwire.detect('<tool:edit_document>{"id": "d1"}</tool>').calls[0]


async def edit(input: ToolInput) -> ToolOutput:
    return ToolOutput.ok(data={"edited": input.payload["id"]})


def executor(
    handler: Any = edit, store: Store | None = None, **options: Any
) -> AdvancedToolExecutor:
    made = AdvancedToolExecutor(store=store)
    made.register(
        ToolDefinition("edit_document", "EDIT_DOCUMENT", handler, aliases=("edit",), **options)
    )
    return made


@pytest.mark.parametrize(
    "asked",
    [
        DETECTED,
        {"id": "call_1", "type": "function", "function": FUNCTION},
        {"type": "tool_use", "id": "toolu_1", "name": "edit", "input": {"id": "d1"}},
        {"functionCall": {"name": "edit_document", "args": {"id": "d1"}}},
        {"name": "edit_document", "arguments": {"id": "d1"}},
        {"type": "EDIT_DOCUMENT", "payload": {"id": "d1"}},
        SimpleNamespace(id=uuid4(), type="EDIT_DOCUMENT", payload={"id": "d1"}),
        SimpleNamespace(id=uuid4(), type="edit_document", payload={"id": "d1"}),
        SimpleNamespace(id=uuid4(), type="edit", payload={"id": "d1"}),
    ],
)
def test_a_call_runs_in_any_form(asked: Any) -> None:
    assert asyncio.run(executor().execute(asked)).data == {"edited": "d1"}
    assert asyncio.run(executor().execute_detailed(asked)).success


def test_a_resolved_call_runs() -> None:
    made = executor()
    registry = ToolRegistry()
    registry.register(made.get_tool("EDIT_DOCUMENT"))  # type: ignore[arg-type]
    found = toolwire.detect('<tool:edit>{"id": "d1"}</tool> <tool:none>{}</tool>')
    (resolved,), (unresolved,) = registry.parse_and_resolve(found)
    assert (resolved.call_id, resolved.arguments) == (found.calls[0].id, {"id": "d1"})
    assert resolved.raw is found.calls[0]
    assert asyncio.run(made.execute(resolved)).data == {"edited": "d1"}
    assert unresolved.error == "No tool registered for action type: none"
    with pytest.raises(ToolNotFoundError):
        asyncio.run(made.execute(unresolved))


def test_the_same_call_is_the_same_action() -> None:
    def ids(asked: Any) -> set[str]:
        events = asyncio.run(executor().execute_detailed(asked)).events
        return {event["data"]["action_id"] for event in events}

    call = {"id": "call_1", "type": "function", "function": FUNCTION}
    assert ids(call) == ids(dict(call)) != ids({**call, "id": "call_2"})
    plain = {"id": "call_1", "name": "edit_document", "arguments": {"id": "d1"}}
    assert ids(plain) == ids(dict(plain)) == ids(call)


@pytest.mark.parametrize(
    ("asked", "code", "message"),
    [
        (5, "no_call", "No tool was called: an integer is no call"),
        ({"role": "user"}, "no_call", "an object without a call is no call"),
        (
            {"tool_calls": [{"id": "a", "type": "function", "function": FUNCTION}] * 2},
            "several_calls",
            "2",
        ),
        (
            {"id": "a", "type": "function", "function": {**FUNCTION, "arguments": "{"}},
            "bad_json",
            "Tool 'edit_document' was not called: /function/arguments: ",
        ),
        ({"type": "EDIT_DOCUMENT", "payload": [1]}, "not_an_object", "/payload"),
        ({"type": "", "payload": {}}, "bad_name", "/type"),
    ],
)
def test_what_asks_for_no_run_is_refused(asked: Any, code: str, message: str) -> None:
    made = executor(store=MemoryStore())
    with pytest.raises(ToolCallError, match=message) as raised:
        asyncio.run(made.execute(asked))
    refusal = raised.value
    assert (refusal.code, refusal.to_dict()["code"]) == (code, code)
    again = pickle.loads(pickle.dumps(refusal))
    assert (again.to_dict(), str(again)) == (refusal.to_dict(), str(refusal))
    detailed = asyncio.run(made.execute_detailed(asked))
    assert (detailed.code, detailed.problems) == (code, refusal.problems)
    run = asyncio.run(made.start(asked))
    assert (run.state, run.code, str(run.error)) == ("failed", code, str(refusal))
    assert asyncio.run(made.run(run.id)) is None
    assert asyncio.run(made.waiting()) == []


def test_a_value_that_json_has_no_word_for_is_misuse() -> None:
    for asked in ({"name": "edit_document", "arguments": print}, {"type": "x", "id": {1}}, print):
        with pytest.raises(toolwire.WrongTypeError):
            asyncio.run(executor().execute(asked))


def test_a_person_has_a_day_for_a_run_of_a_store() -> None:
    assert executor(store=MemoryStore()).config.approval_timeout_seconds == 86_400
    assert executor().config.approval_timeout_seconds == 60


@pytest.mark.parametrize("value", [None, 5, "text", [1], {"a": 1}])
def test_a_handler_returns_anything(value: Any) -> None:
    async def handler(_: ToolInput) -> Any:
        return value

    for given in (handler, lambda _: value):
        output = asyncio.run(executor(given).execute(DETECTED))
        assert (output.success, output.data) == (True, value)


def test_a_plain_function_does_not_hold_up_the_loop() -> None:
    may_end = threading.Event()

    def handler(_: ToolInput) -> bool:
        return may_end.wait(30)

    async def main() -> ToolOutput:
        run = asyncio.ensure_future(executor(handler).execute(DETECTED))
        await asyncio.sleep(0)
        may_end.set()
        return await run

    assert asyncio.run(main()).data is True


def test_an_error_of_a_plain_function_keeps_its_type() -> None:
    def handler(_: ToolInput) -> None:
        raise LookupError("gone")

    with pytest.raises(ToolExecutionError) as raised:
        asyncio.run(executor(handler).execute(DETECTED))
    assert isinstance(raised.value.cause, LookupError)


def test_a_registry_runs_definitions_with_their_schema() -> None:
    registry = ToolRegistry()
    schema = {"type": "object", "required": ["id"]}
    registry.register(ToolDefinition("edit", "EDIT", edit, input_schema=schema))
    action = SimpleNamespace(id=uuid4(), type="EDIT", payload={"id": "d1"})
    assert asyncio.run(registry.execute(action, {})).data == {"edited": "d1"}
    action.payload = {}
    with pytest.raises(ToolInputError):
        asyncio.run(registry.execute(action, {}))
    with pytest.raises(toolwire.InvalidArgumentError):
        registry.register(ToolDefinition("bad", "BAD", edit, input_schema={"type": 5}))


def test_an_executor_runs_tools_of_a_registry() -> None:
    class Greet(BaseTool):
        name = "greet"
        action_type = "GREET"
        input_schema: ClassVar = {"type": "object", "required": ["name"]}

        async def execute(self, input: ToolInput, ctx: dict[str, Any]) -> ToolOutput:
            return ToolOutput.ok(data={"hello": input.payload["name"], "by": ctx["user_id"]})

    made = AdvancedToolExecutor()
    made.register(Greet())
    call = {"name": "greet", "arguments": {"name": "Ada"}}
    output = asyncio.run(made.execute(call, {"user_id": "u1"}))
    assert output.data == {"hello": "Ada", "by": "u1"}
    with pytest.raises(ToolInputError):
        asyncio.run(made.execute({"name": "greet", "arguments": {}}))
