"""Tools made of plain functions.

pydantic reads the hints of a function's parameters: they give the schema of the arguments, and the
arguments of a call become values of the hinted types. The docstring is the description.

>>> import asyncio
>>> from toolwire.runs import Executor, tool
>>> @tool
... def add(a: int, b: int = 1) -> int:
...     '''Adds two numbers.'''
...     return a + b
>>> add.name, add.description, add(2, b=3)
('add', 'Adds two numbers.', 5)
>>> executor = Executor()
>>> executor.register(add)
>>> call = {"id": "call_1", "name": "add", "arguments": {"a": 2}}
>>> asyncio.run(executor.execute(call)).output.data
3
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypedDict, TypeGuard, overload

from toolwire.runs.arguments import Keywords, Parameters
from toolwire.runs.tool import Tool, Undo

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["FunctionTool", "ReadFunction", "is_function", "tool"]


@dataclass(frozen=True, slots=True)
class ReadFunction:
    """What a tool has of a plain function."""

    name: str
    handler: Callable[..., Any]
    description: str
    input_schema: dict[str, Any]

    @classmethod
    def of(
        cls,
        function: Callable[..., Any],
        name: str | None = None,
        description: str | None = None,
        input_schema: dict[str, Any] | None = None,
    ) -> ReadFunction:
        """Read a function, sync or async.

        The name is the function's own unless it is given. With ``input_schema``, the arguments are
        checked against it and handed over as they are.

        Raises :class:`~toolwire.runs.MissingExtraError` without pydantic, if it is needed, and
        :class:`TypeError` for a function that no call with JSON can call.
        """
        if not is_function(function):
            raise TypeError(f"@tool makes tools of functions, not of a {type(function).__name__}")
        name = function.__name__ if name is None else name
        if name == "<lambda>":
            raise TypeError("a lambda has no name: give name=")
        parameters = Parameters.of(function, name, hinted=input_schema is None)
        keywords: Keywords = parameters.as_given
        if input_schema is None:
            input_schema, keywords = parameters.modelled()
        said = (inspect.getdoc(function) or "") if description is None else description
        return cls(name, _handler(function, keywords), said, input_schema)


def is_function(tool: Any) -> TypeGuard[Callable[..., Any]]:
    """Say whether something is a plain function, of which a tool can be made."""
    return inspect.isfunction(tool) or inspect.ismethod(tool)


def _handler(function: Callable[..., Any], keywords: Keywords) -> Callable[..., Any]:
    """Give the handler: async if the function is, so that a plain one runs in a thread."""
    if inspect.iscoroutinefunction(function):

        async def await_it(given: Any) -> Any:
            return await function(**keywords(given))

        return await_it

    def call_it(given: Any) -> Any:
        return function(**keywords(given))

    return call_it


@dataclass(frozen=True)
class FunctionTool(Tool):
    """A tool that is a plain function; a call of it is a call of the function."""

    function: Callable[..., Any] = field(kw_only=True)

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        """Call the function."""
        return self.function(*arguments, **keywords)


class ToolOptions(TypedDict, total=False):
    """The fields of a tool that ``@tool`` takes beside those that it reads of the function."""

    aliases: tuple[str, ...]
    modes: tuple[str, ...]
    requires_approval: bool
    approval_message: str | None
    undo: Undo | None
    capability: str | None
    rate_limit: tuple[int, float] | None
    timeout_seconds: float | None
    read_only: bool | None
    destructive: bool | None
    origin: str | None


@overload
def tool(function: Callable[..., Any], /) -> FunctionTool: ...


@overload
def tool(
    function: None = None,
    /,
    *,
    name: str | None = None,
    description: str | None = None,
    input_schema: dict[str, Any] | None = None,
    **options: Unpack[ToolOptions],
) -> Callable[[Callable[..., Any]], FunctionTool]: ...


def tool(
    function: Callable[..., Any] | None = None,
    /,
    *,
    name: str | None = None,
    description: str | None = None,
    input_schema: dict[str, Any] | None = None,
    **options: Unpack[ToolOptions],
) -> Any:
    """Make a tool of a plain function, as ``@tool`` or ``@tool(requires_approval=True)``.

    ``name``, ``description`` and ``input_schema`` are read of the function unless they are given;
    the options are fields of :class:`~toolwire.runs.Tool`. With ``input_schema``, the arguments are
    checked against it and handed over as they are. A parameter named ``context`` without a hint, or
    with the hint :class:`~toolwire.runs.ToolInput`, is given the whole input.

    Raises :class:`~toolwire.runs.MissingExtraError` without pydantic, if it is needed, and
    :class:`TypeError` for an option that is not there or a function that no JSON can call.
    """
    known = ToolOptions.__annotations__
    unknown = [option for option in options if option not in known]
    if unknown:
        taken = ", ".join(["name", "description", "input_schema", *known])
        raise TypeError(f"@tool has no option {unknown[0]!r}: it takes {taken}")

    def make(function: Callable[..., Any]) -> FunctionTool:
        read = ReadFunction.of(function, name, description, input_schema)
        return FunctionTool(
            read.name,
            read.handler,
            read.description,
            read.input_schema,
            function=function,
            **options,
        )

    return make if function is None else make(function)
