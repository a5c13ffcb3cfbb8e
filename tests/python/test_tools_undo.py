"""Undo data that cannot be kept, and undos that fail, collide or are cancelled."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from peers import ACTION, Context, Sink, action
from tools_run import BrokenPut, executor, run, tool
from toolwire.tools import (
    AdvancedToolExecutor,
    ToolInput,
    ToolOutput,
    ToolUndoError,
    UndoMetadata,
    UndoStore,
)


def test_an_undo_store_that_raises_leaves_the_run_completed(sink: Sink) -> None:
    made = executor(tool(undoable=True), undo_store=UndoStore(store=BrokenPut()))
    assert run(made).data == {"done": True}
    names = ["tool.invoked", "tool.started", "tool.completed", "tool.undo_store_failed"]
    assert sink.names == names
    assert sink.told[3][1]["error_code"] == "ConnectionError"


def test_undo_data_that_json_cannot_hold(sink: Sink) -> None:
    async def handler(_: ToolInput) -> ToolOutput:
        return ToolOutput.ok(undo_metadata={"thing": object()})

    from toolwire.tools import MemoryStore

    kept = executor(tool(handler, undoable=True))
    assert run(kept).success
    refused = executor(tool(handler, undoable=True), undo_store=UndoStore(store=MemoryStore()))
    assert run(refused).success
    assert sink.names[-1] == "tool.undo_store_failed"


def undoing(
    handler: Callable[[UndoMetadata], Awaitable[None]], **options: Any
) -> AdvancedToolExecutor:
    return executor(tool(undoable=True, undo_handler=handler), **options)


def test_an_undo_that_fails_may_be_tried_again(sink: Sink) -> None:
    fails = [True, False]

    async def undo(metadata: UndoMetadata) -> None:
        if fails.pop(0):
            raise ValueError("not yet")

    async def scenario() -> list[bool]:
        made = undoing(undo)
        await made.execute(action(), Context())
        with pytest.raises(ToolUndoError, match="not yet"):
            await made.undo_action(ACTION, {})
        return [await made.undo_action(ACTION, {}), await made.undo_action(ACTION, {})]

    assert asyncio.run(scenario()) == [True, False]
    assert sink.names[3:] == ["tool.undo_failed", "tool.undone"]


def test_two_undos_at_once_run_one(sink: Sink) -> None:
    runs: list[int] = []

    async def undo(metadata: UndoMetadata) -> None:
        runs.append(1)
        await asyncio.sleep(0.01)

    async def scenario() -> list[Any]:
        made = undoing(undo)
        await made.execute(action(), Context())
        both = (made.undo_action(ACTION, {}), made.undo_action(ACTION, {}))
        return list(await asyncio.gather(*both, return_exceptions=True))

    first, second = asyncio.run(scenario())
    assert first is True
    assert isinstance(second, ToolUndoError)
    assert runs == [1]


def test_an_undo_that_is_cancelled_may_be_tried_again() -> None:
    async def undo(metadata: UndoMetadata) -> None:
        await asyncio.sleep(60)

    async def scenario() -> bool:
        store = UndoStore()
        made = undoing(undo, undo_store=store)
        await made.execute(action(), Context())
        task = asyncio.ensure_future(made.undo_action(ACTION, {}))
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return not isinstance(await store.claim(ACTION), str)

    assert asyncio.run(scenario())
