"""Runs that wait for a person, on each store: started, found waiting, approved, resumed.

python bench/python/runs.py

The servers of Redis and PostgreSQL are started for it where they are installed.
"""

import asyncio
import contextlib
import itertools
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter_ns
from uuid import UUID

from toolwire.tools import (
    AdvancedToolExecutor,
    MemoryStore,
    SqliteStore,
    Store,
    ToolDefinition,
    open_store,
)

from measure import row

sys.path.append(str(Path(__file__).resolve().parents[2] / "tests" / "stores"))

from server_stores import url_of
from servers import POSTGRES, running

NUMBERS = itertools.count()


async def runs(executor: AdvancedToolExecutor, times: int) -> int:
    """Take runs from their call to their outcome, with a decision between; give the nanoseconds."""
    start = perf_counter_ns()
    for _ in range(times):
        call = {"id": f"call_{next(NUMBERS)}", "type": "EDIT", "payload": {"path": "notes.md"}}
        run = await executor.start(call)
        await executor.approvals.record_decision(UUID(run.approval_id), True)
        done = await executor.resume(run.id)
        if done is None or done.state != "completed":
            raise SystemExit(f"a run of the bench is {done}")
    return perf_counter_ns() - start


def runs_row(runner: asyncio.Runner, name: str, store: Store) -> None:
    """Time the runs of a store."""
    executor = AdvancedToolExecutor(store=store)
    executor.register(ToolDefinition("edit", "EDIT", lambda input: None, requires_approval=True))
    row(
        "Python tools",
        f"a run started, approved, resumed, {name}",
        {"ours": lambda times: runner.run(runs(executor, times))},
    )


@contextlib.contextmanager
def stores() -> Iterator[dict[str, Store]]:
    """Open a store of each kind that this machine has."""
    servers = ["redis"] if shutil.which("redis-server") else []
    servers += ["postgres"] if (POSTGRES / "postgres").exists() else []
    with tempfile.TemporaryDirectory() as folder, running(*servers) as started:
        opened = {"in memory": MemoryStore(), "in SQLite": SqliteStore(Path(folder) / "runs.db")}
        for name, label in (("redis", "in Redis"), ("postgres", "in PostgreSQL")):
            if name in started:
                opened[label] = open_store(f"{url_of(started[name])}#bench")
        yield opened


def main() -> None:
    with asyncio.Runner() as runner, stores() as opened:
        for name, store in opened.items():
            runs_row(runner, name, store)


if __name__ == "__main__":
    main()
