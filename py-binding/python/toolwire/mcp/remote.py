"""The tools of a server as tools of a registry, with its approvals, limits, runs and undo.

>>> from toolwire.mcp.remote import name_for
>>> name_for("read", "files", None, lambda name: name == "read")
'files_read'
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from mcp_types import CallToolResult, TextContent, Tool

import toolwire
from toolwire.mcp.connection import McpConnection
from toolwire.mcp.errors import McpServerError
from toolwire.tools.definitions import ToolDefinition, ToolInput, ToolOutput, UndoMetadata

__all__ = ["INVERSE", "Inverse", "RemoteTools", "add_tools", "name_for"]

INVERSE = "toolwire/inverse"
"""The key of a tool's ``_meta`` by which a server names the tool that undoes it."""


@dataclass(frozen=True)
class Inverse:
    """What undoes a tool: another tool of the same server.

    ``arguments`` makes its arguments of the arguments and the data of the call that is undone.
    Otherwise each of its parameters has the value of that name in the data, else in the arguments.
    """

    tool: str
    arguments: Callable[[dict[str, Any], Any], dict[str, Any]] | None = None


class Holder(Protocol):
    """What has tools: a registry or an executor."""

    def register(self, tool: ToolDefinition) -> None:
        """Add a tool."""

    def remove(self, action_type: str) -> bool:
        """Remove a tool."""

    def find(self, name: str) -> Any:
        """Give the tool of an action type, a name or an alias."""


@dataclass(frozen=True)
class Choice:
    """What a program says of a server's tools."""

    prefix: str | None
    only: frozenset[str] | None
    requires_approval: bool | Callable[[Tool], bool] | None
    inverses: Mapping[str, str | Inverse]
    fields: Mapping[str, Any]

    def asks(self, tool: Tool) -> bool:
        """Say whether a person has to approve a call: unless the server says that it only reads."""
        if callable(self.requires_approval):
            return self.requires_approval(tool)
        if self.requires_approval is not None:
            return self.requires_approval
        return tool.annotations is None or tool.annotations.read_only_hint is not True

    def inverse(self, tool: Tool) -> Inverse | None:
        """Give what undoes a tool, as the program or the server says."""
        named = self.inverses.get(tool.name)
        if named is None:
            named = (tool.meta or {}).get(INVERSE)
        if isinstance(named, str):
            return Inverse(named)
        return named if isinstance(named, Inverse) else None


class RemoteTools:
    """Keeps a registry's tools equal to those of a server."""

    def __init__(self, holder: Holder, connection: McpConnection, choice: Choice) -> None:
        self._holder = holder
        self._connection = connection
        self._choice = choice
        self._own: dict[str, ToolDefinition] = {}
        self._theirs: dict[str, Tool] = {}

    def update(self, tools: Sequence[Tool]) -> None:
        """Add the tools that are new or different, and remove those that are gone."""
        chosen = {tool.name: tool for tool in tools if self._is_chosen(tool)}
        self._connection.skipped.clear()
        for name in [name for name in self._own if name not in chosen]:
            self._holder.remove(self._own.pop(name).action_type)
        known, self._theirs = self._theirs, chosen
        for name, tool in chosen.items():
            if name in self._own and known.get(name) == tool:
                continue
            definition = self._definition(tool)
            try:
                self._holder.register(definition)
            except toolwire.InvalidArgumentError as error:
                self._connection.skipped[name] = str(error)
                if name in self._own:
                    self._holder.remove(self._own.pop(name).action_type)
            else:
                self._own[name] = definition

    def _is_chosen(self, tool: Tool) -> bool:
        return self._choice.only is None or tool.name in self._choice.only

    def _definition(self, tool: Tool) -> ToolDefinition:
        name = self._connection.name
        action_type = f"mcp:{name}:{tool.name}"
        hints = tool.annotations
        undoable = self._choice.inverse(tool) is not None
        return ToolDefinition(
            name_for(tool.name, name, self._choice.prefix, self._is_taken(action_type)),
            action_type,
            self._handler(tool.name),
            description=tool.description or tool.title or "",
            input_schema=tool.input_schema,
            requires_approval=self._choice.asks(tool),
            undoable=undoable,
            undo_handler=self._undo if undoable else None,
            read_only=None if hints is None else hints.read_only_hint,
            destructive=None if hints is None else hints.destructive_hint,
            **self._choice.fields,
        )

    def _is_taken(self, action_type: str) -> Callable[[str], bool]:
        def is_taken(name: str) -> bool:
            found = self._holder.find(name)
            return found is not None and found.action_type != action_type

        return is_taken

    def _handler(self, tool: str) -> Callable[[ToolInput], Any]:
        async def call(given: ToolInput) -> ToolOutput:
            if tool not in self._theirs:
                gone = f"it has no tool {tool!r} any more"
                raise McpServerError(self._connection.name, "gone", gone)
            arguments = given.payload
            result = await self._connection.call(tool, arguments, given.idempotency_key)
            output = output_of(result)
            if output.success and self._choice.inverse(self._theirs[tool]) is not None:
                undo = {"tool": tool, "arguments": arguments, "data": output.data}
                return ToolOutput.ok(output.data, undo_metadata=undo)
            return output

        return call

    async def _undo(self, metadata: UndoMetadata) -> None:
        """Call the inverse of a call."""
        done = metadata.undo_data
        tool = self._theirs.get(done["tool"])
        inverse = None if tool is None else self._choice.inverse(tool)
        if inverse is None or inverse.tool not in self._theirs:
            gone = f"it no longer has what undoes {done['tool']!r}"
            raise McpServerError(self._connection.name, "gone", gone)
        arguments = arguments_of(inverse, self._theirs[inverse.tool], done)
        call_id = f"undo {metadata.action_id}"
        output = output_of(await self._connection.call(inverse.tool, arguments, call_id))
        if not output.success:
            raise McpServerError(self._connection.name, "refused", output.error or "no reason")


def name_for(name: str, server: str, prefix: str | None, is_taken: Callable[[str], bool]) -> str:
    """Give the name that a server's tool has here: its own, unless another tool has it."""
    wanted = name if prefix is None else f"{prefix}_{name}"
    if not is_taken(wanted):
        return wanted
    wanted = f"{re.sub(r'[^A-Za-z0-9-]+', '_', server)}_{name}"
    number, free = 2, wanted
    while is_taken(free):
        free, number = f"{wanted}_{number}", number + 1
    return free


def output_of(result: CallToolResult) -> ToolOutput:
    """Give a server's result as an output."""
    texts = [part.text for part in result.content if isinstance(part, TextContent)]
    if result.is_error:
        return ToolOutput.fail(toolwire.visible("\n".join(texts)) or "the tool failed")
    if result.structured_content is not None:
        return ToolOutput.ok(result.structured_content)
    if len(texts) == len(result.content):
        return ToolOutput.ok("\n".join(texts))
    written = result.model_dump(mode="json", by_alias=True, exclude_none=True)
    return ToolOutput.ok({"content": written["content"]})


def arguments_of(inverse: Inverse, tool: Tool, done: Mapping[str, Any]) -> dict[str, Any]:
    """Give the arguments by which a tool undoes what was done."""
    arguments, data = done["arguments"], done["data"]
    if inverse.arguments is not None:
        return inverse.arguments(arguments, data)
    known = {**arguments, **(data if isinstance(data, dict) else {})}
    return {name: known[name] for name in tool.input_schema.get("properties", {}) if name in known}


def add_tools(
    holder: Holder,
    server: str | Sequence[str],
    *,
    prefix: str | None = None,
    only: Iterable[str] | None = None,
    requires_approval: bool | Callable[[Tool], bool] | None = None,
    inverses: Mapping[str, str | Inverse] | None = None,
    token: str | None = None,
    env: dict[str, str] | None = None,
    cwd: str | None = None,
    timeout_seconds: float = 30.0,
    **fields: Any,
) -> McpConnection:
    """Connect to a server and add its tools; see ``add_mcp`` of a registry."""
    connection = McpConnection(
        server, token=token, env=env, cwd=cwd, timeout_seconds=timeout_seconds
    )
    chosen = None if only is None else frozenset(only)
    choice = Choice(prefix, chosen, requires_approval, inverses or {}, fields)
    remote = RemoteTools(holder, connection, choice)
    try:
        remote.update(connection.open(remote.update))
    except BaseException:
        connection.close()
        raise
    return connection
