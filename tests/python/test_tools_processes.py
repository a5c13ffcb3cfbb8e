"""Several processes on one store: decisions, waits and kills."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from peers import Context, action
from toolwire.tools import (
    AdvancedToolExecutor,
    ApprovalClosedError,
    ApprovalService,
    SqliteStore,
    ToolDefinition,
    ToolInput,
    ToolOutput,
)

pytestmark = pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")

SPAWN = multiprocessing.get_context("spawn")


def decide_in_another_process(path: str, decided_at: Any) -> None:
    """Decide on the pending request, and give the time of the decision."""

    async def decide() -> None:
        service = ApprovalService(store=SqliteStore(path))
        while not (pending := await service.get_pending_requests()):
            await asyncio.sleep(0.005)
        await asyncio.sleep(0.2)
        await service.record_decision(pending[0].id, True, reason="from afar")
        decided_at.value = time.time()

    asyncio.run(decide())


def test_a_decision_of_another_process_is_seen_within_a_quarter_of_a_second(tmp_path: Path) -> None:
    path = str(tmp_path / "tools.db")
    decided_at = SPAWN.Value("d", 0.0)

    async def succeed(_: ToolInput) -> ToolOutput:
        return ToolOutput.ok()

    async def run() -> tuple[ToolOutput, float]:
        executor = AdvancedToolExecutor(approval_service=ApprovalService(store=SqliteStore(path)))
        executor.register(ToolDefinition("edit", "EDIT", succeed, requires_approval=True))
        process = SPAWN.Process(target=decide_in_another_process, args=(path, decided_at))
        process.start()
        output = await executor.execute(action(), Context())
        seen_at = time.time()
        await asyncio.to_thread(process.join)
        return output, seen_at

    output, seen_at = asyncio.run(run())
    assert output.success
    # The documentation promises a quarter of a second; a busy machine gets half a second.
    assert seen_at - decided_at.value < 0.5


def decide_all(path: str, ids: list[str], number: int, counts: Any) -> None:
    """Try to decide every request, each process in another order."""

    async def decide() -> int:
        service = ApprovalService(store=SqliteStore(path))
        random.Random(number).shuffle(ids)
        won = 0
        for id in ids:
            try:
                await service.record_decision(UUID(id), number % 2 == 0, reason=str(number))
                won += 1
            except ApprovalClosedError:
                pass
        return won

    counts.put(asyncio.run(decide()))


def test_of_many_processes_one_decides_each_request(tmp_path: Path) -> None:
    path = str(tmp_path / "tools.db")

    async def ask() -> list[str]:
        service = ApprovalService(store=SqliteStore(path))
        return [str((await service.request_approval(uuid4(), "edit")).id) for _ in range(200)]

    ids = asyncio.run(ask())
    counts = SPAWN.Queue()
    processes = [
        SPAWN.Process(target=decide_all, args=(path, list(ids), n, counts)) for n in range(4)
    ]
    for process in processes:
        process.start()
    won = [counts.get(timeout=120) for _ in processes]
    for process in processes:
        process.join()

    async def look() -> Counter[str]:
        service = ApprovalService(store=SqliteStore(path))
        return Counter([str(await service.get_status(UUID(id))) for id in ids])

    assert sum(won) == len(ids)
    statuses = asyncio.run(look())
    assert statuses["approved"] + statuses["denied"] == len(ids)


DECIDES_UNTIL_KILLED = """
import asyncio, sys
from uuid import UUID
from toolwire.tools import ApprovalService, SqliteStore

async def decide():
    service = ApprovalService(store=SqliteStore(sys.argv[1]))
    while True:
        for request in await service.get_pending_requests():
            await service.record_decision(request.id, True, reason="kept")
            print(request.id, flush=True)
        await service.request_approval(UUID(int=1), "edit")

asyncio.run(decide())
"""


def test_what_was_acknowledged_survives_a_kill(tmp_path: Path) -> None:
    path = tmp_path / "tools.db"
    random_ = random.Random(5)
    acknowledged: list[str] = []
    for _ in range(5):
        process = subprocess.Popen(
            [sys.executable, "-c", DECIDES_UNTIL_KILLED, str(path)],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        acknowledged.append(process.stdout.readline().strip())
        time.sleep(random_.random() / 20)
        os.kill(process.pid, signal.SIGKILL)
        acknowledged += [line.strip() for line in process.stdout if line.endswith("\n")]
        process.stdout.close()
        process.wait()

    async def look() -> set[str]:
        service = ApprovalService(store=SqliteStore(path))
        return {str(await service.get_status(UUID(id))) for id in acknowledged}

    assert len(acknowledged) >= 5
    assert asyncio.run(look()) == {"approved"}
