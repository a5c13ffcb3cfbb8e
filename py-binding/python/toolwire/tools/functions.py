"""Tools made of plain functions.

pydantic reads the hints of a function's parameters: they give the schema of the arguments, and the
arguments of a call become values of the hinted types. The docstring is the description.

>>> import asyncio
>>> from toolwire.tools import AdvancedToolExecutor, tool
>>> @tool
... def add(a: int, b: int = 1) -> int:
...     '''Adds two numbers.'''
...     return a + b
>>> add.name, add.description, add(2, b=3)
('add', 'Adds two numbers.', 5)
>>> add.input_schema["properties"]
{'a': {'type': 'integer'}, 'b': {'default': 1, 'type': 'integer'}}
>>> executor = AdvancedToolExecutor()
>>> executor.register(add)
>>> asyncio.run(executor.execute({"id": "call_1", "name": "add", "arguments": {"a": 2}})).data
3
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypedDict

from toolwire.runs.functions import ReadFunction, is_function
from toolwire.tools.definitions import ToolDefinition, UndoHandler

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["FunctionTool", "ToolOptions", "function_tool", "is_function"]


class ToolOptions(TypedDict, total=False):
    """The fields of a definition that ``@tool`` takes beside names, description and schema."""

    allowed_behaviors: tuple[str, ...]
    requires_approval: bool
    approval_message: str | None
    undoable: bool
    undo_handler: UndoHandler | None
    artifact_type: str | None
    aliases: tuple[str, ...]
    capability: str | None
    rate_limit: tuple[int, float] | None
    timeout_seconds: float | None


@dataclass(frozen=True)
class FunctionTool(ToolDefinition):
    """A tool that is a plain function; a call of it is a call of the function."""

    function: Callable[..., Any] = field(kw_only=True)

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        """Call the function."""
        return self.function(*arguments, **keywords)


def function_tool(
    function: Callable[..., Any],
    *,
    action_type: str | None = None,
    name: str | None = None,
    description: str | None = None,
    input_schema: dict[str, Any] | None = None,
    **options: Unpack[ToolOptions],
) -> FunctionTool:
    """Make a tool of a plain function, sync or async.

    The name is the function's own, and the action type is the name, unless they are given. With
    ``input_schema``, the arguments are checked against it and handed over as they are.

    Raises :class:`~toolwire.tools.MissingExtraError` without pydantic, if it is needed, and
    :class:`TypeError` for a function that no call with JSON can call.
    """
    read = ReadFunction.of(function, name, description, input_schema)
    return FunctionTool(
        read.name,
        read.name if action_type is None else action_type,
        read.handler,
        read.description,
        read.input_schema,
        function=function,
        **options,
    )
