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

from typing import Any, Protocol, runtime_checkable

from toolwire.tools.definitions import Action, ToolInput, ToolOutput

__all__ = ["BaseTool", "Tool", "ToolInput", "ToolOutput"]

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
        raise NotImplementedError(f"{type(self).__name__} does not say how it is executed")

    def __repr__(self) -> str:
        return f"<Tool: {self.name}>"
