"""Actions run by this build and by an older one, in turn: `theirs` is the older.

    git worktree add build/old COMMIT && cd build/old     # build its wheel there, then
    pip install --no-deps --target site WHEEL
    .venv/bin/python bench/python/older.py build/old/site

The rows are not part of the table: `make bench` has no older build.
"""

import asyncio
import importlib
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from time import perf_counter_ns
from types import ModuleType, SimpleNamespace
from typing import Any
from uuid import UUID

from measure import low

# Some 0.2 ms.
TIMES, ROUNDS = 10, 1000
Once = Callable[[], Awaitable[None]]
CONTEXT = SimpleNamespace(
    execution_mode="chat", pipeline_run_id=UUID(int=2), request_id=UUID(int=3)
)
ACTION = SimpleNamespace(id=UUID(int=1), type="EDIT", payload={"path": "notes.md", "lines": 3})


def loaded(folder: Path | None) -> ModuleType:
    """Import the tools of a build, which must not be the ones that are imported already."""
    for name in [name for name in sys.modules if name.split(".")[0] == "toolwire"]:
        del sys.modules[name]
    if folder is not None:
        sys.path.insert(0, str(folder))
    module = importlib.import_module("toolwire.tools")
    if folder is not None:
        sys.path.remove(str(folder))
    print(f"{'older' if folder else 'this'}: {module.__file__}")
    return module


def execute_way(tools: ModuleType) -> Once:
    """Run an action whose handler does nothing, with stores in memory."""
    output = tools.ToolOutput(success=True)

    async def nothing(_: Any) -> Any:
        return output

    executor = tools.AdvancedToolExecutor()
    executor.register(tools.ToolDefinition("edit", "EDIT", nothing))

    async def once() -> None:
        await executor.execute(ACTION, CONTEXT)

    return once


def approval_way(tools: ModuleType) -> Once:
    """Ask for an approval, decide and await it, in memory."""
    service = tools.ApprovalService()

    async def once() -> None:
        request = await service.request_approval(ACTION.id, "edit")
        await service.record_decision(request.id, True)
        await service.await_decision(request.id)
        await service.cleanup(request.id)

    return once


async def compared(ours: Once, theirs: Once) -> tuple[float, float]:
    """Give the microseconds of both; the samples are taken in turn, within one event loop."""
    taken: list[list[float]] = [[], []]
    for turn in range(2 * ROUNDS):
        side = turn % 2
        once = (ours, theirs)[side]
        start = perf_counter_ns()
        for _ in range(TIMES):
            await once()
        taken[side].append((perf_counter_ns() - start) / TIMES / 1000)
    return low(taken[0]), low(taken[1])


def main(folder: str) -> None:
    older, this = loaded(Path(folder).resolve()), loaded(None)
    for name, way in (("execute", execute_way), ("approval", approval_way)):
        ours, theirs = asyncio.run(compared(way(this), way(older)))
        print(f"{name}: {ours:.2f} µs, older {theirs:.2f} µs: {ours / theirs:.2f} times as long")


if __name__ == "__main__":
    main(sys.argv[1])
