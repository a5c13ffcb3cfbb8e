"""Functions of which no tool can be made, and arguments that do not fit their hints."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from datetime import date
from typing import Annotated, Any
from uuid import UUID

import pytest
from peers import Sink
from pydantic import AfterValidator, BaseModel
from tools_function import run, weather
from toolwire.tools import (
    BaseTool,
    MissingExtraError,
    ToolExecutionError,
    ToolInput,
    ToolInputError,
    tool,
)


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
        "pydantic is not installed: pip install pydantic, or give input_schema="
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
