"""Tools by action type, name and alias, and the calls that ask for them.

>>> from toolwire.tools import BaseTool, ToolRegistry
>>> class Greet(BaseTool):
...     name = "greet"
...     action_type = "GREET"
>>> registry = ToolRegistry()
>>> registry.register(Greet())
>>> call = {"id": "call_1", "function": {"name": "greet", "arguments": '{"name": "Ada"}'}}
>>> resolved, unresolved = registry.parse_and_resolve([call])
>>> resolved[0].tool, resolved[0].arguments
(<Tool: greet>, {'name': 'Ada'})
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from itertools import groupby
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, TypeVar, cast, overload

from toolwire._native import (
    ResolvedToolCall,
    ToolCall,
    ToolSpec,
    ToolTable,
    UnresolvedToolCall,
    stageflow_not_found,
)
from toolwire.runs.action import Action
from toolwire.runs.offer import ToolOffer
from toolwire.runs.output import ToolOutput
from toolwire.tools.base import Tool
from toolwire.tools.definitions import ToolDefinition, ToolInput
from toolwire.tools.executor_v2 import AdvancedToolExecutor
from toolwire.tools.functions import FunctionTool, ToolOptions, function_tool, is_function
from toolwire.tools.one_of_program import OneOfProgram

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = [
    "ResolvedToolCall",
    "ToolRegistry",
    "UnresolvedToolCall",
    "clear_tool_registry",
    "get_tool_registry",
    "register_tool",
    "tool",
]

ActionProtocol = Action

Function: TypeAlias = Callable[..., Any]
"""A plain function, of which a tool is made."""

# Inside the registry, `list` is a method.
_Tools: TypeAlias = list[Tool]
_ResolvedCalls: TypeAlias = list[ResolvedToolCall]
_UnresolvedCalls: TypeAlias = list[UnresolvedToolCall]
_Resolution: TypeAlias = tuple[list[ResolvedToolCall], list[UnresolvedToolCall]]


class ToolRegistry(ToolOffer):
    """The tools of a program, for any number of threads.

    A tool is found by its action type first, then by its name or an alias (``aliases``, where it
    has them).
    """

    def __init__(self) -> None:
        self._table = ToolTable()
        self._lock = threading.Lock()
        self._executors: dict[str, AdvancedToolExecutor] = {}

    @property
    def _tools(self) -> dict[str, Tool]:
        return dict(self._table.made())

    def register(self, tool: Tool | ToolDefinition | Function) -> None:
        """Add a tool, a definition or a function; it replaces the tool of the same action type.

        Raises :class:`toolwire.InvalidArgumentError` when the ``input_schema`` of a definition is
        no JSON Schema.
        """
        if is_function(tool):
            tool = function_tool(tool)
        spec = (ToolSpec(tool),) if isinstance(tool, ToolDefinition) else ()
        self._table.add(tool, *spec)
        self._tell_change()

    def register_tool(self, tool: Tool | ToolDefinition | Function) -> None:
        """Add a tool, as :meth:`register`."""
        self.register(tool)

    def register_factory(self, action_type: str, factory: Callable[..., Tool]) -> None:
        """Add a factory that makes the tool when it is first asked for."""
        self._table.add_factory(action_type, factory)
        self._tell_change()

    def remove(self, action_type: str) -> bool:
        """Remove the tool of this action type, and say whether there was one."""
        was_there = self._table.remove(action_type)
        self._tell_change()
        return was_there

    def get(self, name: str) -> Tool | None:
        """Give the tool of this action type, else the one of this name or alias."""
        found: Tool | None = self._table.get(name)
        return found

    def get_tool(self, name: str) -> Tool | None:
        """Give a tool, as :meth:`get`."""
        return self.get(name)

    def get_by_action_type(self, action_type: str) -> Tool | None:
        """Give the tool of this action type."""
        found: Tool | None = self._table.by_id(action_type)
        return found

    def has(self, name: str) -> bool:
        """Say whether there is a tool of this action type, name or alias, made or not."""
        return self._table.has(name)

    def can_execute(self, action_type: str) -> bool:
        """Say whether there is a tool, as :meth:`has`."""
        return self._table.has(action_type)

    def __contains__(self, name: object) -> bool:
        return self._table.has(name)

    def list(self) -> _Tools:
        """Give the tools that exist, in the order of their registration."""
        return [tool for _, tool in self._table.made()]

    def list_tools(self) -> _Tools:
        """Give the tools, as :meth:`list`."""
        return self.list()

    async def execute(self, action: Action, ctx: dict[str, Any]) -> ToolOutput:
        """Run an action by its tool; without one, the output is a failure.

        A :class:`~toolwire.tools.ToolDefinition` runs in an executor of its own, so that its
        schema, its approval and its limits count.
        """
        tool: Any = self.get_by_action_type(action.type)
        if tool is None:
            return ToolOutput.fail(stageflow_not_found(str(action.type)))
        if isinstance(tool, ToolDefinition):
            return await self._executor(tool).execute(action, ctx)
        name = getattr(tool, "name", None) or action.type
        output: ToolOutput = await tool.execute(ToolInput(tool_name=name, action=action), ctx)
        return output

    def _executor(self, tool: ToolDefinition) -> AdvancedToolExecutor:
        """Give the executor of a definition; it is made at the first use."""
        with self._lock:
            made = self._executors.get(tool.action_type)
            if made is None or made.get_tool(tool.action_type) is not tool:
                made = AdvancedToolExecutor()
                made.register(tool)
                self._executors[tool.action_type] = made
            return made

    def parse_and_resolve(
        self,
        tool_calls: Iterable[Any],
        *,
        id_field: str = "id",
        name_field: str = "name",
        arguments_field: str = "arguments",
        function_wrapper: str | None = "function",
        repair: Literal["off", "safe"] = "off",
    ) -> _Resolution:
        """Read a provider's calls, or those of a detection, and look their tools up.

        Gives those with a tool, and those without, each in order. With ``repair="safe"``, arguments
        that are almost JSON are repaired; those of a detection were read by its detector.
        """
        resolved: _ResolvedCalls = []
        unresolved: _UnresolvedCalls = []
        fields = (id_field, name_field, arguments_field, function_wrapper, repair)
        # Calls of one kind that follow each other are read together, which takes half the time.
        for detected, calls in groupby(tool_calls, lambda call: isinstance(call, ToolCall)):
            if detected:
                for call in calls:
                    self._resolve_call(call, resolved, unresolved)
                continue
            found, missing = self._table.resolve(list(calls), *fields)
            resolved += found
            unresolved += missing
        return resolved, unresolved

    def _resolve_call(
        self,
        call: ToolCall,
        resolved: _ResolvedCalls,
        unresolved: _UnresolvedCalls,
    ) -> None:
        """Look up the tool of a detection's call."""
        fields = (call.id, call.name, call.arguments)
        tool = self.get(call.name)
        if tool is None:
            unresolved.append(UnresolvedToolCall(*fields, stageflow_not_found(call.name), call))
        else:
            resolved.append(ResolvedToolCall(tool, *fields, call))


_program = OneOfProgram(ToolRegistry)


def get_tool_registry() -> ToolRegistry:
    """Give the registry of the program."""
    return _program.get()


def clear_tool_registry() -> None:
    """Forget the registry of the program; the next one is new."""
    _program.set(None)


_Registered = TypeVar("_Registered")


def register_tool(tool_instance: _Registered) -> _Registered | FunctionTool | None:
    """Add a tool to the registry of the program.

    A decorated class is instantiated; of a decorated function, a tool is made and given.
    """
    made: Any = tool_instance
    if isinstance(tool_instance, type):
        get_tool_registry().register(made())
        return tool_instance
    if is_function(tool_instance):
        made = function_tool(tool_instance)
        get_tool_registry().register(made)
        return cast("FunctionTool", made)
    get_tool_registry().register(made)
    return None


_Class = TypeVar("_Class", bound=type)


class ToolDecorator(Protocol):
    """What ``@tool(…)`` decorates with."""

    # A class can be called like a function, and comes first.
    @overload
    def __call__(self, decorated: _Class, /) -> _Class: ...  # type: ignore[overload-overlap]
    @overload
    def __call__(self, decorated: Function, /) -> FunctionTool: ...


@overload
def tool(action_type: Function, /) -> FunctionTool: ...
@overload
def tool(
    action_type: str | None = None,
    name: str | None = None,
    description: str | None = None,
    *,
    input_schema: dict[str, Any] | None = None,
    **options: Unpack[ToolOptions],
) -> ToolDecorator: ...
def tool(
    action_type: Any = None,
    name: str | None = None,
    description: str | None = None,
    *,
    input_schema: dict[str, Any] | None = None,
    **options: Unpack[ToolOptions],
) -> Any:
    """Decorate a class or a plain function.

    A class needs the action type; its instance, made at the first use, is the tool of this type in
    the registry of the program. Of a function, a :class:`~toolwire.tools.FunctionTool` is made,
    which is to be registered: its name and description are those of the function, and its schema
    comes from the hints, unless they are given. ``options`` are further fields of a
    :class:`~toolwire.tools.ToolDefinition`.
    """
    if is_function(action_type):
        return function_tool(action_type)
    if isinstance(action_type, type):
        raise TypeError('a class needs its action type: @tool("TYPE")')

    def decorate(decorated: Any) -> Any:
        if not isinstance(decorated, type):
            return function_tool(
                decorated,
                action_type=action_type,
                name=name,
                description=description,
                input_schema=input_schema,
                **options,
            )
        if action_type is None or input_schema is not None or options:
            raise TypeError(
                "a class takes @tool(action_type, name, description); others are its attributes"
            )
        named: Any = decorated
        named._tool_action_type = action_type
        named._tool_name = name or decorated.__name__
        named._tool_description = description or ""
        get_tool_registry().register_factory(action_type, decorated)
        return decorated

    return decorate
