"""Tools made of plain functions, with pydantic's own reading of their hints."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal
from uuid import UUID

import pytest
import toolwire
from peers import Context, Sink, action
from pydantic import AfterValidator, BaseModel, Field
from toolwire.tools import (
    AdvancedToolExecutor,
    ApprovalService,
    BaseTool,
    FunctionTool,
    MissingExtraError,
    ToolDefinition,
    ToolExecutionError,
    ToolInput,
    ToolInputError,
    ToolOutput,
    ToolRegistry,
    get_tool_registry,
    register_tool,
    tool,
)


class Unit(Enum):
    CELSIUS = "C"
    FAHRENHEIT = "F"


class Place(BaseModel):
    city: str
    country: str = "NO"


@dataclass
class Span:
    first: date
    last: date


@tool
def weather(place: Place, unit: Unit = Unit.CELSIUS, days: Annotated[int, Field(ge=1)] = 1) -> Any:
    """Tells the weather.

    It is never sure.
    """
    return {"in": place.city, "unit": unit.name, "days": days, "type": type(place).__name__}


def run(made: Any, payload: Any = None, ctx: Any = None, **options: Any) -> Any:
    executor = AdvancedToolExecutor(**options)
    executor.register(made)
    definition = made if isinstance(made, ToolDefinition) else executor.get_tool(made.__name__)
    assert definition is not None
    asked = action(definition.action_type, {} if payload is None else payload)
    return asyncio.run(executor.execute(asked, ctx))


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


@pytest.mark.parametrize(
    ("payload", "path"),
    [
        ({"place": {"city": 5}}, "/place/city"),
        ({"place": {"city": "Oslo"}, "days": 0}, "/days"),
        ({"place": {"city": "Oslo"}, "unit": "K"}, "/unit"),
    ],
)
def test_arguments_that_do_not_fit_are_denied_before_the_run(
    payload: Any, path: str, sink: Sink
) -> None:
    with pytest.raises(ToolInputError) as raised:
        run(weather, payload)
    assert [problem["path"] for problem in raised.value.problems] == [path]
    assert sink.names == ["tool.invoked", "tool.denied"]


def odd(value: int) -> int:
    if value % 2 == 0:
        raise ValueError("even")
    return value


class Line(BaseModel):
    count: Annotated[int, AfterValidator(odd)]


@tool
def order(lines: list[Line | int], by: dict[str, Line]) -> None:
    """Orders."""


def test_what_only_pydantic_finds_has_paths_too() -> None:
    payload = {"lines": [1, {"count": 3}, {"count": 2}], "by": {"a/b~": {"count": 4}}}
    with pytest.raises(ToolExecutionError) as raised:
        run(order, payload)
    cause = raised.value.cause
    assert isinstance(cause, ToolInputError)
    assert cause.tool == "order"
    paths = {problem["path"] for problem in cause.problems}
    assert paths == {"/lines/2/count", "/lines/2", "/by/a~1b~0/count"}
    assert {"path": "/by/a~1b~0/count", "message": "Value error, even"} in cause.problems


def test_a_call_of_the_handler_itself_raises_with_paths() -> None:
    with pytest.raises(ToolInputError) as raised:
        weather.handler(ToolInput(UUID(int=1), "weather", {"place": {}}))
    assert raised.value.problems == [{"path": "/place/city", "message": "Field required"}]


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


def lambda_tool() -> Any:
    return tool(lambda x: x)


def by_position() -> Any:
    def function(x: int, /) -> None: ...

    return tool(function)


def by_any_position() -> Any:
    def function(*x: int) -> None: ...

    return tool(function)


def unknown_hint() -> Any:
    def function(x: int) -> None: ...

    function.__annotations__["x"] = "Nowhere"
    return tool(function)


def no_schema() -> Any:
    def function(x: threading.Thread) -> None: ...

    return tool(function)


def a_class_with_options() -> Any:
    return tool("TYPE", requires_approval=True)(BaseTool)


def a_class_alone() -> Any:
    return tool(BaseTool)


def an_object() -> Any:
    return tool(name="x")(object())  # type: ignore[call-overload]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda_tool, "give name="),
        (by_position, r"function\(\) takes x by position"),
        (by_any_position, r"takes \*x by position"),
        (unknown_hint, r"a hint of function\(\) is unknown: .*Nowhere.*; give input_schema="),
        (no_schema, r"function\(\) has no schema: .*Thread"),
        (a_class_with_options, "others are its attributes"),
        (a_class_alone, r'@tool\("TYPE"\)'),
        (an_object, "not of a object"),
    ],
)
def test_misuse_raises(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        make()


def test_without_pydantic_a_schema_has_to_be_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pydantic", None)

    def greet(name: str, context) -> str:  # type: ignore[no-untyped-def]
        return f"Hello, {name} ({context.tool_name})!"

    with pytest.raises(MissingExtraError) as raised:
        tool(greet)
    assert str(raised.value) == (
        "pydantic is not installed: pip install 'toolwire[pydantic]', or give input_schema="
    )
    schema = {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}}
    made = tool(input_schema=schema)(greet)
    assert made.input_schema is schema
    assert run(made, {"name": "Ada"}).data == "Hello, Ada (greet)!"
    with pytest.raises(ToolInputError):
        run(made, {"name": 5})


def test_with_a_schema_arguments_are_handed_over_as_they_are() -> None:
    @tool(input_schema={"type": "object"})
    def keep(day: date, **others: Any) -> Any:
        return [day, others]

    assert run(keep, {"day": "2026-03-01", "x": 1}).data == ["2026-03-01", {"x": 1}]
