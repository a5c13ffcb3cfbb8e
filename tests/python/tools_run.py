"""A tool, and an executor that runs it, for tests of runs."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from peers import Context, action
from toolwire.tools import (
    AdvancedToolExecutor,
    ApprovalService,
    ToolDefinition,
    ToolInput,
    ToolOutput,
    UndoStore,
)


async def succeed(_: ToolInput) -> ToolOutput:
    return ToolOutput.ok(data={"done": True}, undo_metadata={"before": 1})


def tool(
    handler: Callable[[ToolInput], Awaitable[Any]] = succeed, **options: Any
) -> ToolDefinition:
    return ToolDefinition("edit", "EDIT", handler, **options)


def executor(definition: ToolDefinition, **options: Any) -> AdvancedToolExecutor:
    options.setdefault("approval_service", ApprovalService())
    options.setdefault("undo_store", UndoStore())
    made = AdvancedToolExecutor(**options)
    made.register(definition)
    return made


def run(made: AdvancedToolExecutor, payload: Any = None, ctx: Any = None) -> ToolOutput:
    return asyncio.run(made.execute(action(payload=payload), ctx or Context()))


class Made:
    """A tool that counts its instances."""

    name = "made"
    description = ""
    action_type = "MADE"

    async def execute(self, input: ToolInput, ctx: dict[str, Any]) -> ToolOutput:
        return ToolOutput.ok()


class BrokenPut:
    """A store that cannot be written to."""

    def get(self, key: str, now: int) -> None:
        return None

    def put(self, *_: Any) -> int:
        raise ConnectionError("no put")

    def delete(self, *_: Any) -> bool:
        return False

    def scan(self, *_: Any) -> list[Any]:
        return []

    def purge(self, *_: Any) -> int:
        return 0

    def shared(self) -> bool:
        return True
