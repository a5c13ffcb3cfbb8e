"""Programs that tests serve over MCP, in processes of their own."""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path
from typing import Any

from toolwire.tools import (
    AdvancedToolExecutor,
    Store,
    ToolDefinition,
    ToolInput,
    ToolOutput,
    ToolRegistry,
    report_progress,
)

TEXT = {"type": "string"}
TOKEN = "ghp_" + "Aa0" * 12


def note(given: ToolInput) -> dict[str, Any]:
    """Write a line into a file, so that a test can count the runs."""
    with Path(given.payload["file"]).open("a") as file:
        file.write("ran\n")
    print("a handler prints this")
    return {"noted": given.payload["file"]}


def fail(given: ToolInput) -> None:
    """Fail with a secret in the message."""
    raise ValueError(f"the key {TOKEN} is wrong")


async def slow(given: ToolInput) -> str:
    """Report each of three steps."""
    note(given)
    for step in range(1, 4):
        report_progress(step, 3, f"step {step}")
        await asyncio.sleep(given.payload.get("seconds", 0))
    return "done"


def grow(given: ToolInput) -> str:
    """Register another tool of the registry, or remove it again."""
    if not registry.remove("LATER"):
        registry.register(ToolDefinition("later", "LATER", lambda given: "late", read_only=True))
    return "grown"


def tools() -> list[ToolDefinition]:
    """Give one tool of each kind."""
    file = {"type": "object", "properties": {"file": TEXT}, "required": ["file"]}
    return [
        ToolDefinition("note", "NOTE", note, "Notes something.\nIn a file.", file),
        ToolDefinition("look", "LOOK", lambda given: [1, 2], read_only=True),
        ToolDefinition("wipe", "WIPE", note, input_schema=file, requires_approval=True,
                       approval_message="Wipe it?", destructive=True),
        ToolDefinition("big", "BIG", lambda given: "x" * given.payload["size"], read_only=True),
        ToolDefinition("odd", "ODD", lambda given: {1, 2}, read_only=True),
        ToolDefinition("fail", "FAIL", fail),
        ToolDefinition("refuse", "REFUSE", lambda given: ToolOutput.fail("not today")),
        ToolDefinition("slow", "SLOW", slow, read_only=True),
        ToolDefinition("grow", "GROW", grow, read_only=True),
        ToolDefinition("stuck", "STUCK", lambda given: time.sleep(30), read_only=True),
    ]  # fmt: skip


registry = ToolRegistry()
for definition in tools():
    registry.register(definition)


def executor(store: Store) -> AdvancedToolExecutor:
    """Make an executor whose runs another process sees."""
    made = AdvancedToolExecutor(store=store)
    for definition in tools():
        made.register(definition)
    return made


def serving(*more: str) -> list[str]:
    """Give the command that serves these tools."""
    name = "executor" if "--store" in more else "registry"
    return [sys.executable, "-m", "toolwire", "mcp", "serve", f"mcp_program:{name}", *more]
