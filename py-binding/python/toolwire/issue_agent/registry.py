"""The tools of an agent, by name.

>>> from toolwire.issue_agent import ToolRegistry
>>> class Echo:
...     async def execute(self, issue_data, comment_data=None):
...         return {"title": issue_data["title"]}
>>> registry = ToolRegistry({"echo": Echo()})
>>> registry.names(), "echo" in registry
(['echo'], True)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from toolwire.issue_agent.models import Tool, tool_name

__all__ = ["RunnableTool", "ToolRegistry", "ToolSource"]


class RunnableTool(Protocol):
    """What can be run: an object with ``execute``, a coroutine function or a plain one."""

    def execute(
        self, issue_data: dict[str, Any], comment_data: dict[str, Any] | None = None, /
    ) -> Any:
        """Give a dict, or an awaitable of one."""


class ToolSource(Protocol):
    """Where the dispatcher gets its tools: a ``ToolRegistry``, or any object with ``get``."""

    def get(self, tool: Any, /) -> Any:
        """Give the tool, or None."""


class ToolRegistry:
    """Tools by their names; an Enum member stands for its value."""

    def __init__(self, tools: Mapping[Any, Any] | None = None) -> None:
        self._tools: dict[str, Any] = {}
        for name, tool in (tools or {}).items():
            self.register(name, tool)

    def register(self, name: Tool, tool: RunnableTool) -> None:
        """Add a tool, or replace the tool of this name."""
        self._tools[tool_name(name)] = tool

    def get(self, name: Tool, /) -> Any:
        """Give the tool with this name, or None."""
        return self._tools.get(tool_name(name))

    def names(self) -> list[str]:
        """Give the names, in the order of registration."""
        return list(self._tools)

    def __contains__(self, name: Tool) -> bool:
        return tool_name(name) in self._tools

    def __iter__(self) -> Iterator[str]:
        return iter(self._tools)

    def __len__(self) -> int:
        return len(self._tools)
