"""Tools of a registry: classes with a name, an action type and ``execute``.

>>> import asyncio
>>> from toolwire.tools import BaseTool, ToolInput, ToolOutput
>>> class Greet(BaseTool):
...     name = "greet"
...     description = "Greets somebody"
...     action_type = "GREET"
...     async def execute(self, input, ctx):
...         return ToolOutput.ok(data={"message": f"Hello, {input.action.payload['name']}!"})
>>> asyncio.run(Greet().execute(ToolInput(action={"name": "Ada"}), {})).data
{'message': 'Hello, Ada!'}
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any, Protocol, cast, runtime_checkable

from toolwire.runs.action import Action
from toolwire.runs.output import ToolOutput
from toolwire.tools.definitions import ToolDefinition, ToolInput
from toolwire.tools.functions import function_tool, is_function

__all__ = ["BaseTool", "Tool", "ToolInput", "ToolOutput", "definition_of"]

ActionProtocol = Action


@runtime_checkable
class Tool(Protocol):
    """Something that runs actions of a type."""

    @property
    def name(self) -> str:
        """The tool's name."""

    @property
    def description(self) -> str:
        """What it does."""

    @property
    def action_type(self) -> str:
        """The type of the actions that it runs."""

    async def execute(self, input: ToolInput, ctx: dict[str, Any]) -> ToolOutput:
        """Run an action."""


class BaseTool:
    """A tool to derive from.

    ``name``, ``description`` and ``action_type`` are class attributes or properties.

    A class with ``@tool`` gets them from the decorator.
    """

    _tool_name: Any = None
    _tool_description: Any = None
    _tool_action_type: Any = None

    @property
    def name(self) -> Any:
        """The tool's name."""
        return self._tool_name

    @property
    def description(self) -> Any:
        """What it does."""
        return self._tool_description

    @property
    def action_type(self) -> Any:
        """The type of the actions that it runs."""
        return self._tool_action_type

    async def execute(self, input: ToolInput, ctx: dict[str, Any]) -> ToolOutput:
        """Run an action; a subclass does."""
        raise NotImplementedError(f"Tool {self.name} must implement execute()")

    def __repr__(self) -> str:
        return f"<Tool: {self.name}>"


class ExecuteOf:
    """The handler of a tool with ``execute``, which is given the context too."""

    takes_context = True

    def __init__(self, tool: Tool) -> None:
        self.tool = tool

    async def __call__(self, input: ToolInput, ctx: Any = None) -> ToolOutput:
        """Run the tool."""
        to_dict = getattr(ctx, "to_dict", None)
        return await self.tool.execute(input, ctx if to_dict is None else to_dict())


def definition_of(tool: Tool | ToolDefinition | Callable[..., Any]) -> ToolDefinition:
    """Give the definition of a tool; of a plain function, a tool is made.

    A tool with ``execute`` may have any field of a definition, as ``input_schema``,
    ``requires_approval`` or ``rate_limit``.
    """
    if isinstance(tool, ToolDefinition):
        return tool
    if is_function(tool):
        return function_tool(tool)
    given = {field.name: getattr(tool, field.name, None) for field in fields(ToolDefinition)}
    own = {name: value for name, value in given.items() if value is not None}
    return ToolDefinition(**{**own, "handler": ExecuteOf(cast("Tool", tool))})
