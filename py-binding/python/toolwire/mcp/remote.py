"""The tools of a server as tools of a registry, with its approvals, limits, runs and undo.

>>> from toolwire.mcp.remote import name_for
>>> name_for("read", "files", None, lambda name: name == "read")
'files_read'
"""

from __future__ import annotations

import re
import threading
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from mcp_types import CallToolResult, TextContent, Tool

import toolwire
from toolwire.mcp.connection import McpConnection
from toolwire.mcp.connections import of_holder
from toolwire.mcp.errors import McpServerError
from toolwire.mcp.guard import Guard
from toolwire.mcp.shown import (
    LONGEST_DESCRIPTION,
    LONGEST_ERROR,
    UnfitError,
    checked_tool_name,
    shown_result,
    shown_schema,
    shown_text,
)
from toolwire.tools.definitions import ToolDefinition, ToolInput, ToolOutput, UndoMetadata

__all__ = ["INVERSE", "Inverse", "RemoteTools", "add_tools", "name_for"]

INVERSE = "toolwire/inverse"
"""The key of a tool's ``_meta`` by which a server names the tool that undoes it."""

MOST_NAMES = 10_000
"""How many names of tools a server may have in the life of a connection."""


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
    exact_results: bool
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
    """Keeps a registry's tools equal to those of a server.

    What protects a tool is never less than it was: a server that says later that a tool only reads
    does not spare the person the question.
    """

    def __init__(self, holder: Holder, connection: McpConnection, choice: Choice) -> None:
        self._holder = holder
        self._connection = connection
        self._choice = choice
        self._lock = threading.Lock()
        self._own: dict[str, ToolDefinition] = {}
        self._theirs: dict[str, Tool] = {}
        self._guards: dict[str, Guard] = {}

    def update(self, tools: Sequence[Tool]) -> None:
        """Add the tools that are new or different, and remove those that are gone."""
        with self._lock:
            chosen = {tool.name: tool for tool in tools if self._is_chosen(tool)}
            skipped: dict[str, str] = {}
            for name in [name for name in self._own if name not in chosen]:
                self._remove(name)
            known, self._theirs = self._theirs, chosen
            for name, tool in chosen.items():
                if name in self._own and known.get(name) == tool:
                    continue
                try:
                    self._add(tool)
                except (UnfitError, toolwire.InvalidArgumentError) as error:
                    skipped[shown_text(name, 128)] = shown_text(str(error), 500)
                    if name in self._own:
                        self._remove(name)
            self._connection.skipped = skipped

    def forget(self) -> None:
        """Remove all tools from the registry."""
        with self._lock:
            for name in list(self._own):
                self._remove(name)

    def _remove(self, name: str) -> None:
        self._holder.remove(self._own.pop(name).action_type)

    def _add(self, tool: Tool) -> None:
        definition = self._definition(tool)
        found = self._holder.find(definition.action_type)
        is_own = found is self._own.get(tool.name)
        if found is not None and found.action_type == definition.action_type and not is_own:
            raise UnfitError("the program has a tool of this action type")
        self._holder.register(definition)
        self._own[tool.name] = definition

    def _is_chosen(self, tool: Tool) -> bool:
        return self._choice.only is None or tool.name in self._choice.only

    def _guard(self, tool: Tool) -> Guard:
        """Give what protects a tool: what it says now, and whatever it said before."""
        if tool.name not in self._guards and len(self._guards) >= MOST_NAMES:
            raise UnfitError(f"the server has had more than {MOST_NAMES:,} names of tools")
        hints = tool.annotations
        now = Guard(
            self._choice.asks(tool),
            None if hints is None else hints.read_only_hint,
            None if hints is None else hints.destructive_hint,
        )
        guard = now.at_least(self._guards.get(tool.name, now))
        self._guards[tool.name] = guard
        return guard

    def _definition(self, tool: Tool) -> ToolDefinition:
        server = self._connection.name
        tool_id = f"mcp:{self._connection.label}:{checked_tool_name(tool.name)}"
        guard = self._guard(tool)
        undoable = self._choice.inverse(tool) is not None
        name = name_for(tool.name, server, self._choice.prefix, self._is_taken(tool_id))
        origin = self._connection.origin.bound(tool, guard.asks)
        made: dict[str, Any] = {
            "description": shown_text(tool.description or tool.title or "", LONGEST_DESCRIPTION),
            "input_schema": shown_schema(tool.input_schema),
            "approval_message": f"Approve {name} of the MCP server {server}?",
            **self._choice.fields,
        }
        return ToolDefinition(
            name,
            tool_id,
            self._handler(tool.name, origin),
            requires_approval=guard.asks,
            undoable=undoable,
            undo_handler=self._undo if undoable else None,
            read_only=guard.read_only,
            destructive=guard.destructive,
            origin=origin,
            **made,
        )

    def _is_taken(self, tool_id: str) -> Callable[[str], bool]:
        def is_taken(name: str) -> bool:
            found = self._holder.find(name)
            return found is not None and found.action_type != tool_id

        return is_taken

    def _handler(self, tool: str, origin: str) -> Callable[[ToolInput], Any]:
        def check() -> None:
            """Raise unless the tool is still the one that was checked and approved."""
            present = self._own.get(tool)
            if present is None:
                gone = f"it has no tool {tool!r} any more"
                raise McpServerError(self._connection.name, "gone", gone)
            if present.origin != origin:
                changed = f"it has changed the tool {tool!r} since the call was checked"
                raise McpServerError(self._connection.name, "changed", changed)

        async def call(given: ToolInput) -> ToolOutput:
            check()
            arguments, key = given.payload, given.idempotency_key
            result = await self._connection.call(tool, arguments, key, check)
            output = output_of(result, exact=self._choice.exact_results)
            inverse = self._inverse(tool)
            if output.success and inverse is not None:
                undo = {
                    "tool": tool,
                    "arguments": arguments,
                    "data": output.data,
                    "by": inverse.tool,
                    "origin": self._connection.origin.hash,
                }
                return ToolOutput.ok(output.data, undo_metadata=undo)
            return output

        return call

    def _inverse(self, tool: str) -> Inverse | None:
        present = self._theirs.get(tool)
        return None if present is None else self._choice.inverse(present)

    async def _undo(self, metadata: UndoMetadata) -> None:
        """Call the inverse of a call: the one that it had when it was made, of this server."""
        done = metadata.undo_data
        inverse = self._inverse(done["tool"])
        name = self._connection.name
        if done.get("origin") != self._connection.origin.hash:
            raise McpServerError(name, "gone", "the call was one of another server")
        if inverse is None or inverse.tool not in self._own:
            gone = f"it no longer has what undoes {done['tool']!r}"
            raise McpServerError(name, "gone", gone)
        if inverse.tool != done.get("by"):
            changed = f"it has changed what undoes {done['tool']!r} since the call"
            raise McpServerError(name, "changed", changed)
        arguments = arguments_of(inverse, self._theirs[inverse.tool], done)
        call_id = f"undo {metadata.run_id}"
        output = output_of(await self._connection.call(inverse.tool, arguments, call_id))
        if not output.success:
            raise McpServerError(name, "refused", output.error or "no reason")


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


def output_of(result: CallToolResult, *, exact: bool = False) -> ToolOutput:
    """Give a server's result as an output; what nobody sees is marked, unless it is to be exact."""
    texts = [part.text for part in result.content if isinstance(part, TextContent)]
    if result.is_error:
        return ToolOutput.fail(shown_text("\n".join(texts), LONGEST_ERROR) or "the tool failed")
    data: Any = result.structured_content
    if data is None and len(texts) == len(result.content):
        data = "\n".join(texts)
    elif data is None:
        written = result.model_dump(mode="json", by_alias=True, exclude_none=True)
        data = {"content": written["content"]}
    if exact:
        return ToolOutput.ok(data)
    try:
        return ToolOutput.ok(shown_result(data))
    except UnfitError as error:
        return ToolOutput.fail(str(error))


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
    name: str | None = None,
    prefix: str | None = None,
    only: Iterable[str] | None = None,
    requires_approval: bool | Callable[[Tool], bool] | None = None,
    inverses: Mapping[str, str | Inverse] | None = None,
    exact_results: bool = False,
    token: str | None = None,
    env: dict[str, str] | None = None,
    cwd: str | None = None,
    timeout_seconds: float = 30.0,
    **fields: Any,
) -> McpConnection:
    """Connect to a server and add its tools; see ``add_mcp`` of a registry."""
    connection = McpConnection(
        server, name=name, token=token, env=env, cwd=cwd, timeout_seconds=timeout_seconds
    )
    chosen = None if only is None else frozenset(only)
    choice = Choice(prefix, chosen, requires_approval, inverses or {}, exact_results, fields)
    remote = RemoteTools(holder, connection, choice)
    connections = of_holder(holder)
    forget = weakref.WeakMethod(remote.forget)

    def forget_tools() -> None:
        """Remove the tools, unless nobody has them any more."""
        kept = forget()
        if kept is not None:
            kept()

    connections.add(connection, forget_tools)
    try:
        connection.open(remote.update)
    except BaseException:
        connection.close()
        connections.drop(connection)
        remote.forget()
        raise
    return connection
