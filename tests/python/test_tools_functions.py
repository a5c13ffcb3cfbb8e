"""Tools made of plain functions, with pydantic's own reading of their hints."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any, Literal
from uuid import UUID

import pytest
import toolwire
from peers import Context, Sink, action
from pydantic import BaseModel
from tools_function import Place, run, weather
from toolwire.tools import (
    AdvancedToolExecutor,
    ApprovalService,
    FunctionTool,
    ToolDefinition,
    ToolInput,
    ToolInputError,
    ToolOutput,
    ToolRegistry,
    get_tool_registry,
    register_tool,
    tool,
)


@dataclass
class Span:
    first: date
    last: date


def test_the_definition_comes_from_the_function() -> None:
    assert isinstance(weather, ToolDefinition)
    assert (weather.name, weather.action_type) == ("weather", "weather")
    assert weather.description == "Tells the weather.\n\nIt is never sure."
    schema = weather.input_schema
    assert schema["type"] == "object"
    assert (schema["required"], schema["additionalProperties"]) == (["place"], False)
    assert schema["properties"]["days"] == {"default": 1, "minimum": 1, "type": "integer"}
    assert schema["$defs"]["Place"]["required"] == ["city"]
    assert schema["$defs"]["Unit"]["enum"] == ["C", "F"]
    assert "title" not in schema
    assert weather.to_dict()["input_schema"] is schema


def test_a_call_of_the_tool_is_a_call_of_the_function() -> None:
    assert weather(Place(city="Oslo"), days=2)["days"] == 2


def test_arguments_become_values_of_the_hinted_types() -> None:
    output = run(weather, {"place": {"city": "Oslo"}, "unit": "F", "days": 3.0})
    assert output.data == {"in": "Oslo", "unit": "FAHRENHEIT", "days": 3, "type": "Place"}


def test_every_kind_of_hint_is_read() -> None:
    seen: dict[str, Any] = {}

    @tool
    def keep(  # type: ignore[no-untyped-def]
        day: date,
        price: Decimal,
        id: UUID,
        span: Span,
        either: int | str,
        words: set[str],
        pair: tuple[int, str],
        mode: Literal["a", "b"],
        maybe: float | None = None,
        anything=None,
        *,
        schema: str = "s",
        json: bool = True,
        model_config: int = 0,
        _hidden: int = 5,
    ) -> None:
        seen.update(locals())

    payload = {
        "day": "2026-03-01",
        "price": "1.10",
        "id": str(UUID(int=7)),
        "span": {"first": "2026-01-01", "last": "2026-01-02"},
        "either": "x",
        "words": ["a", "b"],
        "pair": [1, "b"],
        "mode": "b",
        "anything": [1],
        "schema": "t",
        "json": False,
        "model_config": 3,
        "_hidden": 6,
    }
    run(keep, payload)
    seen.pop("seen")
    assert seen == {
        "day": date(2026, 3, 1),
        "price": Decimal("1.10"),
        "id": UUID(int=7),
        "span": Span(date(2026, 1, 1), date(2026, 1, 2)),
        "either": "x",
        "words": {"a", "b"},
        "pair": (1, "b"),
        "mode": "b",
        "maybe": None,
        "anything": [1],
        "schema": "t",
        "json": False,
        "model_config": 3,
        "_hidden": 6,
    }


def test_options_are_fields_of_the_definition(sink: Sink) -> None:
    @tool(
        "REMOVE",
        "remove_post",
        description="Removes a post",
        requires_approval=True,
        approval_message="Remove it?",
        allowed_behaviors=("edit",),
        aliases=("delete_post",),
    )
    def remove(id: int) -> int:
        """Not this text."""
        return id

    assert (remove.name, remove.action_type) == ("remove_post", "REMOVE")
    assert (remove.description, remove.approval_message) == ("Removes a post", "Remove it?")
    assert remove.is_behavior_allowed("edit")
    assert not remove.is_behavior_allowed("chat")

    async def decided() -> ToolOutput:
        service = ApprovalService()
        executor = AdvancedToolExecutor(approval_service=service)
        executor.register(remove)
        call = {"id": "call_1", "name": "delete_post", "arguments": {"id": 7}}
        waiting = asyncio.ensure_future(executor.execute(call, {"execution_mode": "edit"}))
        while not (pending := await service.get_pending_requests()):
            await asyncio.sleep(0.001)
        assert pending[0].payload_summary == {"id": 7}
        await service.record_decision(pending[0].id, True)
        return await waiting

    assert asyncio.run(decided()).data == 7
    assert sink.names[-1] == "tool.completed"


def test_only_a_name_may_be_given() -> None:
    @tool(name="other")
    def own() -> None: ...

    assert (own.name, own.action_type, own.description) == ("other", "other", "")
    assert own.input_schema == {
        "additionalProperties": False,
        "properties": {},
        "type": "object",
    }


def test_async_and_plain_functions_run_as_handlers_do() -> None:
    @tool
    async def here() -> str:
        return threading.current_thread().name

    @tool
    def aside() -> str:
        return threading.current_thread().name

    main = threading.current_thread().name
    assert run(here).data == main
    assert run(aside).data != main


def test_an_output_stays_an_output() -> None:
    @tool
    def fail(why: str) -> ToolOutput:
        return ToolOutput.fail(why)

    assert run(fail, {"why": "no"}) == ToolOutput.fail("no")


def test_the_input_goes_to_the_parameter_that_asks_for_it() -> None:
    @tool
    def by_hint(x: int, given: ToolInput) -> list[Any]:
        return [x, given.behavior, given.tool_name]

    @tool
    def by_optional_hint(x: int, given: ToolInput | None = None) -> list[Any]:
        return [x, given and given.behavior, given and given.tool_name]

    @tool
    def by_name(x: int, context) -> list[Any]:  # type: ignore[no-untyped-def]
        return [x, context.behavior, context.tool_name]

    for made in (by_hint, by_optional_hint, by_name):
        assert list(made.input_schema["properties"]) == ["x"]
        assert run(made, {"x": 1}, Context("chat")).data == [1, "chat", made.name]


def test_a_hinted_context_is_an_argument() -> None:
    @tool
    def search(context: str) -> str:
        return context

    assert run(search, {"context": "history"}).data == "history"


def test_any_other_argument_goes_to_a_function_that_takes_it() -> None:
    @tool
    def store(key: str, **others: Any) -> Any:
        return others

    assert run(store, {"key": "k", "x": 1, "y": [2]}).data == {"x": 1, "y": [2]}
    with pytest.raises(ToolInputError):
        run(weather, {"place": {"city": "Oslo"}, "colour": "red"})


def test_a_bare_function_is_registered_as_a_tool() -> None:
    def double(n: int) -> int:
        """Doubles."""
        return 2 * n

    assert run(double, {"n": 4}).data == 8
    registry = ToolRegistry()
    registry.register(double)
    made = registry.get("double")
    assert isinstance(made, FunctionTool)
    assert made.description == "Doubles."
    assert asyncio.run(registry.execute(action("double", {"n": 5}), {})).data == 10
    (call,) = toolwire.detect('<tool:double>{"n": 6}</tool>').calls
    (resolved,), _ = registry.parse_and_resolve([call])
    executor = AdvancedToolExecutor()
    executor.register(made)
    assert asyncio.run(executor.execute(resolved)).data == 12


def test_a_method_is_a_function_too() -> None:
    class Counter:
        def __init__(self) -> None:
            self.total = 0

        def add(self, n: int) -> int:
            """Add to the total."""
            self.total += n
            return self.total

    counter = Counter()
    made = tool(counter.add)
    run(made, {"n": 2})
    assert run(made, {"n": 3}).data == counter.total == 5


def test_a_function_is_registered_in_the_program_s_registry_only_when_asked() -> None:
    @tool
    def unregistered() -> None: ...

    assert "unregistered" not in get_tool_registry()

    @register_tool
    def registered() -> int:
        return 1

    assert isinstance(registered, FunctionTool)
    found: Any = get_tool_registry().get("registered")
    assert found is registered


def test_hints_may_name_what_is_local() -> None:
    class Local(BaseModel):
        x: int

    @tool
    def use(local: Local) -> int:
        return local.x

    assert run(use, {"local": {"x": 3}}).data == 3
