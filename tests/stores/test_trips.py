"""How often a run goes to the server, and how many operations that are.

``docs/stores.md`` has these figures. `trips.rs` of core counts the same runs, as PHP drives them.
"""

from __future__ import annotations

import asyncio
import re
import time
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from cases import ROOT
from servers import Server
from toolwire.tools import (
    AdvancedToolExecutor,
    PostgresStore,
    StoreError,
    ToolDefinition,
    ToolInput,
    ToolOutput,
    UndoMetadata,
)


class Counting:
    """A store that counts its calls, and the operations in them."""

    blocking = True

    def __init__(self, store: Any) -> None:
        self.store, self.calls, self.operations = store, 0, 0

    def __getattr__(self, name: str) -> Any:
        method = getattr(self.store, name)
        if name in ("shared", "has_whole_batches"):
            return method

        def counted(*arguments: Any) -> Any:
            made = method(*arguments)
            self.calls += 1
            self.operations += len(made) if name == "batch" else 1
            return made

        return counted


class SixMethods(Counting):
    """A store of a program's own, as they were before there were batches."""

    def __getattr__(self, name: str) -> Any:
        if name in ("batch", "has_whole_batches"):
            raise AttributeError(name)
        return super().__getattr__(name)


def run_edit(_given: ToolInput) -> ToolOutput:
    return ToolOutput.ok({"done": 1}, undo_metadata={"was": 0})


def run_slowly(_given: ToolInput) -> ToolOutput:
    time.sleep(0.2)
    return ToolOutput.ok({})


async def undo_edit(_metadata: UndoMetadata) -> None:
    return None


def new_executor(store: Any) -> AdvancedToolExecutor:
    executor = AdvancedToolExecutor(store=store)
    executor.register(ToolDefinition("plain", "PLAIN", run_edit))
    executor.register(ToolDefinition("slow", "SLOW", run_slowly, timeout_seconds=0.01))
    executor.register(ToolDefinition("asks", "ASKS", run_edit, requires_approval=True))
    executor.register(
        ToolDefinition("undone", "UNDONE", run_edit, undoable=True, undo_handler=undo_edit)
    )
    return executor


async def live(store: Any, step: Callable[[str], None]) -> None:
    """Do what runs go through, and tell each step when it is done."""
    executor = new_executor(store)

    def call(kind: str) -> dict[str, Any]:
        return {"id": str(uuid.uuid4()), "type": kind, "payload": {"n": 1}}

    # The first of each removes what has expired, whatever it is.
    await executor.start(call("PLAIN"))
    await executor.start(call("ASKS"))
    await executor.start(call("UNDONE"))
    step("")
    plain = call("PLAIN")
    assert (await executor.start(plain)).state == "completed"
    step("start, completed")
    assert (await executor.start(plain)).state == "completed"
    step("the same call again")
    run = await executor.start(call("ASKS"))
    assert run.state == "waiting"
    step("start, waiting")
    await executor.approvals.record_decision(uuid.UUID(run.approval_id), True)
    step("approve")
    done = await executor.resume(run.id)
    assert done is not None
    assert done.state == "completed"
    step("resume, completed")
    run = await executor.start(call("UNDONE"))
    assert run.state == "completed"
    step("start, completed, can be undone")
    assert await executor.undo_action(uuid.UUID(run.id), {})
    step("undo")
    run = await executor.start(call("SLOW"))
    assert run.state == "interrupted"
    step("")
    assert (await executor.retry(run.id)).state == "approved"
    step("retry")


@pytest.fixture
def store(make: Callable[..., Any], server: Server) -> Any:
    """Give a store behind the proxy, on which runs have been before."""
    options = {"connections": 1} if server.name == "postgres" else {}
    store = make(port=server.proxy.port, **options)
    if isinstance(store, PostgresStore):
        # The client prepares what it has sent a few times, which is a trip more, once.
        for _ in range(6):
            asyncio.run(live(store, lambda _: None))
    return store


def count(counting: Counting, server: Server) -> dict[str, tuple[int, int, int]]:
    """Count trips, calls and operations of each step."""
    counted: dict[str, tuple[int, int, int]] = {}

    def step(name: str) -> None:
        counted[name] = server.proxy.count_trips(), counting.calls, counting.operations
        counting.calls = counting.operations = 0

    asyncio.run(live(counting, step))
    del counted[""]
    return counted


def figures() -> dict[str, tuple[int, int]]:
    """Read the trips and operations of each step from the page."""
    page = (ROOT / "docs" / "stores.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([a-z, ]+) \| (\d+) \| (\d+) \|", page, re.MULTILINE)
    return {name: (int(trips), int(operations)) for name, trips, operations in rows}


def test_a_batch_of_a_run_is_one_trip(store: Any, server: Server) -> None:
    counted = count(Counting(store), server)
    assert {name: (trips, calls) for name, (trips, calls, _) in counted.items()} == {
        name: (calls, calls) for name, (_, calls, _) in counted.items()
    }
    assert {name: (trips, made) for name, (trips, _, made) in counted.items()} == figures()


def test_a_store_of_six_methods_is_called_for_each_operation(store: Any, server: Server) -> None:
    # One that makes changes one by one is asked whether somebody has decided meanwhile.
    more = {"start, waiting": 1}
    counted = count(SixMethods(store), server)
    assert {name: calls for name, (_, calls, _) in counted.items()} == {
        name: operations + more.get(name, 0) for name, (_, operations) in figures().items()
    }


@pytest.mark.parametrize("answers", [[], [None, 1], [1, 2, 3, 4], ["1"]])
def test_answers_that_fit_no_batch_fail_the_run(store: Any, answers: Any) -> None:
    class Wrong(Counting):
        def batch(self, _changes: Any, _now: int) -> Any:
            return answers

    with pytest.raises(StoreError) as raised:
        asyncio.run(new_executor(Wrong(store)).start({"type": "PLAIN", "payload": {}}))
    assert raised.value.kind == "host"
