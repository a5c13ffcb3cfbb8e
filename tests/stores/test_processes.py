"""Many processes on one store, and processes that are killed at any moment."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import random
import time
import uuid
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import store_worker
from server_stores import open_store, url_of
from servers import Server
from toolwire.tools import AdvancedToolExecutor, ApprovalService, ToolDefinition, UndoStore

# A process of the fork server is there at once, and has no thread of this one.
FORK = multiprocessing.get_context("forkserver")
FORK.set_forkserver_preload(["store_worker"])

PROCESSES = 16
KILLS = int(os.environ.get("TOOLWIRE_KILLS", "10"))
AT_ONCE = 4


@pytest.fixture(params=("sqlite", "redis", "postgres"))
def place(
    request: pytest.FixtureRequest, servers: dict[str, Server], tmp_path: Path
) -> tuple[str, str]:
    """Give the URL of each store in turn, and a name that is new on it."""
    if request.param == "sqlite":
        return str(tmp_path / "tools.db"), ""
    name = f"p{uuid.uuid4().hex[:12]}"
    return url_of(servers[request.param]), name


def start(work: Callable[..., None], place: tuple[str, str], path: Path, *more: Any) -> Any:
    """Start a process."""
    process = FORK.Process(target=work, args=(*place, str(path), *more), daemon=True)
    process.start()
    return process


def lines(path: Path) -> list[list[str]]:
    """Give the whole lines that a process has written."""
    text = path.read_text() if path.exists() else ""
    return [line.split() for line in text.splitlines(keepends=True) if line.endswith("\n")]


def test_of_many_processes_each_counts_once(place: tuple[str, str], tmp_path: Path) -> None:
    times = 20
    paths = [tmp_path / f"{number}.log" for number in range(PROCESSES)]
    ready = FORK.Barrier(PROCESSES)
    processes = [start(store_worker.count, place, path, times, ready) for path in paths]
    for process in processes:
        process.join(120)
        assert process.exitcode == 0
    said = [line for path in paths for line in lines(path)]
    assert sorted(int(number) for _, number, _ in said) == list(range(1, PROCESSES * times + 1))
    assert len({version for *_, version in said}) == len(said)
    with open_store(*place) as store:
        assert store.get("counter", 0)[0] == str(PROCESSES * times).encode()


def test_of_many_processes_one_goes_on_with_each_run(
    place: tuple[str, str], tmp_path: Path
) -> None:
    runs = asyncio.run(approved(place, 20))
    paths = [tmp_path / f"{number}.log" for number in range(PROCESSES)]
    ready = FORK.Barrier(PROCESSES)
    processes = [
        start(store_worker.resume_all, place, path, runs, number, ready)
        for number, path in enumerate(paths)
    ]
    for process in processes:
        process.join(120)
        assert process.exitcode == 0
    said = [line for path in paths for line in lines(path)]
    assert sorted(id for what, id, *_ in said if what == "ran") == sorted(runs)
    saw = {state for what, _, *states in said if what == "saw" for state in states}
    assert saw <= {"completed", "running", "approved"}


async def approved(place: tuple[str, str], count: int) -> list[str]:
    """Start runs and approve them, and give their ids."""
    with open_store(*place) as store:
        executor = AdvancedToolExecutor(store=store)
        executor.register(ToolDefinition("edit", "EDIT", print, requires_approval=True))
        runs = []
        for _ in range(count):
            run = await executor.start({"id": str(uuid.uuid4()), "type": "EDIT", "payload": {}})
            await executor.approvals.record_decision(uuid.UUID(run.approval_id or ""), True)
            runs.append(run.id)
        return runs


def test_of_many_processes_one_takes_each_decision(place: tuple[str, str], tmp_path: Path) -> None:
    requests = 20
    asyncio.run(ask(place, requests))
    paths = [tmp_path / f"{number}.log" for number in range(PROCESSES)]
    ready = FORK.Barrier(PROCESSES)
    processes = [
        start(store_worker.decide, place, path, number, ready) for number, path in enumerate(paths)
    ]
    for process in processes:
        process.join(120)
        assert process.exitcode == 0
    said = [line for path in paths for line in lines(path)]
    decided = {id: seed for what, id, seed in said if what == "decided"}
    assert sum(what == "decided" for what, *_ in said) == len(decided) == requests
    assert len(said) == requests * PROCESSES, "each process tried to decide each request"

    async def look() -> None:
        with open_store(*place) as store:
            service = ApprovalService(store=store)
            for id, seed in decided.items():
                decision = await service.await_decision(uuid.UUID(id))
                assert (decision.granted, decision.reason) == (int(seed) % 2 == 0, seed)

    asyncio.run(look())


def test_of_many_processes_one_retries_an_interrupted_run(
    place: tuple[str, str], tmp_path: Path
) -> None:
    died = start(store_worker.start_and_end, place, tmp_path / "died.log")
    died.join(120)
    assert died.exitcode == 9
    ((_, run_id),) = lines(tmp_path / "died.log")
    with open_store(*place) as store:
        ((key, value, version, expires_at),) = store.scan("run/id/", None, 9, 0)
        record = json.loads(value)
        record["lease"]["until"] = "2020-01-01T00:00:00+00:00"
        assert store.put(key, json.dumps(record).encode(), version, expires_at, 0) is not None
    paths = [tmp_path / f"{number}.log" for number in range(PROCESSES)]
    ready = FORK.Barrier(PROCESSES)
    processes = [start(store_worker.retry, place, path, run_id, ready) for path in paths]
    for process in processes:
        process.join(120)
        assert process.exitcode == 0
    said = Counter(" ".join(line) for path in paths for line in lines(path))
    assert said == {
        f"retried {run_id}": 1,
        f"not_interrupted {run_id}": PROCESSES - 1,
        f"ran {run_id} 1": 1,
    }


def test_what_was_acknowledged_survives_every_kill(place: tuple[str, str], tmp_path: Path) -> None:
    rolled, counts, kills = random.Random(7), Counter[str](), 0
    url, name = place
    while kills < KILLS:
        # Each batch has a store of its own, so that no list in it gets long.
        batch = (f"{url}{kills}", name) if url.startswith("/") else (url, f"{name}_{kills}")
        said = asyncio.run(ask(batch, 10))
        before = kills
        while kills < min(KILLS, before + 40):
            kills += kill_some(batch, tmp_path / str(kills), rolled, said)
            asyncio.run(check(batch, said))
        counts.update(what for what, _ in said)
    print(f"\n{url.partition(':')[0]}: {kills} processes killed, {dict(counts)}, none lost")
    # A few processes may all be killed before the later steps.
    steps = ("asked", "approved", "denied", "ran", "completed", "kept", "claimed")
    assert all(counts[what] for what in (steps if kills > 100 else steps[:1]))


async def ask(place: tuple[str, str], requests: int) -> list[list[str]]:
    """Make requests, and report them."""
    with open_store(*place) as store:
        service = ApprovalService(store=store)
        made = [await service.request_approval(uuid.uuid4(), "edit") for _ in range(requests)]
    return [["asked", str(request.id)] for request in made]


def kill_some(place: tuple[str, str], folder: Path, rolled: Any, said: list[list[str]]) -> int:
    """Start processes and kill each at some moment; collect their reports, give their number."""
    folder.mkdir()
    paths = [folder / str(number) for number in range(AT_ONCE)]
    processes = [start(store_worker.live, place, path, rolled.randrange(10**9)) for path in paths]
    for process, path in rolled.sample(list(zip(processes, paths, strict=True)), AT_ONCE):
        while not lines(path):
            assert process.is_alive()
            time.sleep(0.001)
        time.sleep(rolled.random() * 0.15)
        process.kill()
    for process, path in zip(processes, paths, strict=True):
        process.join()
        assert process.exitcode == -9
        said += lines(path)[1:]
    return len(processes)


async def check(place: tuple[str, str], said: list[list[str]]) -> None:
    """Check that the store holds each step that it acknowledged, and that none came twice."""
    once = Counter(id for what, id in said if what in ("approved", "denied"))
    assert not [id for id, times in once.items() if times > 1], "decided twice"
    claims, runs = (Counter(id for what, id in said if what == one) for one in ("claimed", "ran"))
    assert not [id for id, times in claims.items() if times > 1], "claimed twice"
    assert not [id for id, times in runs.items() if times > 1], "ran twice"
    completed = {id for what, id in said if what == "completed"}
    with open_store(*place) as store:
        service, undo = ApprovalService(store=store), UndoStore(store=store)
        requests = {str(one.id): one.status for one in await service.get_all_requests()}
        kept = {str(one.action_id) for one in await undo.get_all()}
        for what, id in said:
            if what == "asked":
                assert id in requests, "a request was lost"
            elif what in ("approved", "denied"):
                assert requests[id] == what, "a decision was lost"
            elif what == "kept":
                assert id in kept, "undo data were lost"
        executor = AdvancedToolExecutor(store=store)
        for id in list(runs)[-50:]:
            run = await executor.run(id)
            states = ("completed",) if id in completed else ("completed", "running", "interrupted")
            assert run is not None, "a run was lost"
            assert run.state in states
        for id in list(claims)[-50:]:
            assert await undo.claim(uuid.UUID(id)) == "busy", "a claim was lost"
