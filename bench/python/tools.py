"""Calls resolved, actions run and approved, against stageflow's tools layer.

python bench/python/tools.py
"""

import asyncio
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any
from uuid import UUID

from stageflow import events as stageflow_events
from stageflow import tools as stageflow
from toolwire import events, tools

from measure import Way, row, same

CONTEXT = SimpleNamespace(execution_mode="chat", pipeline_run_id=UUID(int=2), request_id=UUID(int=3))
ACTION = SimpleNamespace(id=UUID(int=1), type="EDIT", payload={"path": "notes.md", "lines": 3})


class Recording:
    """A sink that keeps what it is told until the next batch."""

    def __init__(self) -> None:
        self.told: list[tuple[str, Any]] = []

    async def emit(self, *, type: str, data: Any) -> None:
        self.told.append((type, data))

    def try_emit(self, *, type: str, data: Any) -> None:
        self.told.append((type, data))


class Greet:
    """A tool for a registry."""

    name = action_type = "greet"
    description = ""


def resolve_row(count: int) -> None:
    name = f"parse_and_resolve, {count:,} calls"
    calls = [
        {
            "id": f"call_{number}",
            "type": "function",
            "function": {"name": "greet", "arguments": f'{{"content": "hello {number}", "n": {number}}}'},
        }
        for number in range(count)
    ]

    def way(module: ModuleType) -> Way:
        registry = module.ToolRegistry()
        registry.register(Greet())
        resolved, _ = registry.parse_and_resolve(calls)
        found[module] = [(call.call_id, call.name, call.arguments) for call in resolved]

        def run(times: int) -> None:
            for _ in range(times):
                registry.parse_and_resolve(calls)

        return run

    found: dict[ModuleType, Any] = {}
    ways = {"ours": way(tools), "theirs": way(stageflow)}
    same(name, found[tools], found[stageflow])
    row("Python tools", name, ways)


def awaited(work: Callable[[], Awaitable[Any]], sink: Recording, sinks: ModuleType) -> Way:
    """A way that awaits some work again and again in one loop."""

    async def again(times: int) -> None:
        sinks.set_event_sink(sink)
        sink.told.clear()
        for _ in range(times):
            await work()

    return lambda times: asyncio.run(again(times))


def execute_row() -> None:
    name = "execute, a handler that does nothing, events recorded"
    ways: dict[str, Way] = {}
    told: dict[str, list[str]] = {}
    sides = (("ours", tools, events), ("theirs", stageflow, stageflow_events))
    for side, module, sinks in sides:
        output = module.ToolOutput(success=True)

        async def nothing(_: Any, output: Any = output) -> Any:
            return output

        executor, sink = module.AdvancedToolExecutor(), Recording()
        executor.register(module.ToolDefinition("edit", "EDIT", nothing))
        ways[side] = awaited(lambda executor=executor: executor.execute(ACTION, CONTEXT), sink, sinks)
        ways[side](1)
        told[side] = [type for type, _ in sink.told]
    same(name, told["ours"], told["theirs"])
    row("Python tools", name, ways)


async def round_trip(service: Any) -> None:
    request = await service.request_approval(ACTION.id, "edit")
    await service.record_decision(request.id, True)
    await service.await_decision(request.id)
    await service.cleanup(request.id)


def approval_rows() -> None:
    services = {"ours": tools.ApprovalService(), "theirs": stageflow.ApprovalService()}
    ways = {
        side: awaited(lambda service=service: round_trip(service), Recording(), events)
        for side, service in services.items()
    }
    row("Python tools", "approval asked, decided, awaited, in memory", ways)
    with tempfile.TemporaryDirectory() as folder, tools.SqliteStore(Path(folder) / "tools.db") as store:
        decide_row(tools.ApprovalService(store=store))


# More than all rounds together decide.
REQUESTS = 5000


def decide_row(service: tools.ApprovalService) -> None:
    """How long a decision takes; the requests are made before.

    All batches run in one loop, as in a service: the first decision in a loop starts a thread and the loop's
    end waits for it, which takes longer than the few decisions of a batch.
    """
    loop = asyncio.new_event_loop()

    async def ask() -> list[UUID]:
        return [(await service.request_approval(ACTION.id, "edit")).id for _ in range(REQUESTS)]

    async def decide(times: int) -> None:
        for _ in range(times):
            await service.record_decision(pending.pop(), True)

    try:
        pending = loop.run_until_complete(ask())
        ways = {"ours": lambda times: loop.run_until_complete(decide(times))}
        row("Python tools", "approval decided, in SQLite", ways)
        loop.run_until_complete(loop.shutdown_default_executor())
    finally:
        loop.close()


def main() -> None:
    resolve_row(1000)
    execute_row()
    approval_rows()


if __name__ == "__main__":
    main()
