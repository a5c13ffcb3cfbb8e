"""Calls resolved, actions run and approved, against stageflow's tools layer.

python bench/python/tools.py
"""

import asyncio
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from time import perf_counter_ns
from types import ModuleType, SimpleNamespace
from typing import Any
from uuid import UUID

from stageflow import events as stageflow_events
from stageflow import tools as stageflow
from toolwire import events, tools

from measure import Way, row, same

CONTEXT = SimpleNamespace(
    execution_mode="chat", pipeline_run_id=UUID(int=2), request_id=UUID(int=3)
)
ACTION = SimpleNamespace(id=UUID(int=1), type="EDIT", payload={"path": "notes.md", "lines": 3})


class Recording:
    """A sink that keeps the events of a batch."""

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
            "function": {
                "name": "greet",
                "arguments": f'{{"content": "hello {number}", "n": {number}}}',
            },
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


def awaited(
    runner: asyncio.Runner, work: Callable[[], Awaitable[Any]], sink: Recording, sinks: ModuleType
) -> Way:
    """Make a way that awaits some work again and again, and then the tasks that are left.

    The event loop is kept, as in a service: to start and end one takes as long as some of the work.
    """

    async def again(times: int) -> int:
        sinks.set_event_sink(sink)
        sink.told.clear()
        start = perf_counter_ns()
        for _ in range(times):
            await work()
        left = asyncio.all_tasks() - {asyncio.current_task()}
        await asyncio.gather(*left)
        return perf_counter_ns() - start

    return lambda times: runner.run(again(times))


def execute_row(ours: asyncio.Runner, theirs: asyncio.Runner) -> None:
    name = "execute, a handler that does nothing, events recorded"
    ways: dict[str, Way] = {}
    told: dict[str, list[str]] = {}
    sides = (("ours", ours, tools, events), ("theirs", theirs, stageflow, stageflow_events))
    for side, runner, module, sinks in sides:
        output = module.ToolOutput(success=True)

        async def nothing(_: Any, output: Any = output) -> Any:
            return output

        executor, sink = module.AdvancedToolExecutor(), Recording()
        executor.register(module.ToolDefinition("edit", "EDIT", nothing))
        ways[side] = awaited(
            runner, lambda executor=executor: executor.execute(ACTION, CONTEXT), sink, sinks
        )
        ways[side](1)
        told[side] = [type for type, _ in sink.told]
    same(name, told["ours"], told["theirs"])
    row("Python tools", name, ways)


async def round_trip(service: Any) -> None:
    request = await service.request_approval(ACTION.id, "edit")
    await service.record_decision(request.id, True)
    await service.await_decision(request.id)
    await service.cleanup(request.id)


def approval_row(ours: asyncio.Runner, theirs: asyncio.Runner) -> None:
    services = {
        "ours": (ours, tools.ApprovalService()),
        "theirs": (theirs, stageflow.ApprovalService()),
    }
    ways = {
        side: awaited(runner, lambda service=service: round_trip(service), Recording(), events)
        for side, (runner, service) in services.items()
    }
    name = "approval asked, decided, awaited, in memory"
    row("Python tools", name, ways)


# More requests than all rounds together decide.
REQUESTS = 5000


def decide_row(runner: asyncio.Runner, store: tools.SqliteStore) -> None:
    """Time decisions; the requests are made before."""
    service = tools.ApprovalService(store=store)

    async def ask() -> list[UUID]:
        return [(await service.request_approval(ACTION.id, "edit")).id for _ in range(REQUESTS)]

    async def decide(times: int) -> int:
        start = perf_counter_ns()
        for _ in range(times):
            await service.record_decision(pending.pop(), True)
        return perf_counter_ns() - start

    pending = runner.run(ask())
    row(
        "Python tools",
        "approval decided, in SQLite",
        {"ours": lambda times: runner.run(decide(times))},
        rounds=25,
    )


def main() -> None:
    resolve_row(1000)
    with asyncio.Runner() as ours, asyncio.Runner() as theirs:
        execute_row(ours, theirs)
        approval_row(ours, theirs)
        with (
            tempfile.TemporaryDirectory() as folder,
            tools.SqliteStore(Path(folder) / "tools.db") as store,
        ):
            decide_row(ours, store)


if __name__ == "__main__":
    main()
