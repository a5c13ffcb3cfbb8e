"""Entries that are not as they were written: nothing runs for them, and each error has a code.

By default a part of the changes is tried on each store, evenly spread. ``TOOLWIRE_TAMPERINGS=all``
tries each of them.
"""

from __future__ import annotations

import asyncio
import json
import os
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import KINDS
from server_stores import open_store, url_of
from servers import Server
from tampering import changes_of
from toolwire import ToolwireError
from toolwire.tools import (
    AdvancedToolExecutor,
    ApprovalClosedError,
    MemoryStore,
    StoreError,
    ToolDefinition,
    ToolError,
    ToolExecutorConfig,
    ToolInput,
    ToolOutput,
    UndoMetadata,
)

TRIED = os.environ.get("TOOLWIRE_TAMPERINGS", "60")
STORE_KINDS = {"io", "locked", "corrupt", "read_only", "newer_version", "host"}
# The runs of the scene. The ids of calls are those of runs too.
WAITS, DENIED, APPROVED, DONE, CUT_OFF, OPEN, UNDECIDED = (
    str(uuid.uuid5(uuid.NAMESPACE_OID, name))
    for name in ("waits", "denied", "approved", "done", "cut off", "open", "undecided")
)
RUNS = (WAITS, DENIED, APPROVED, DONE, CUT_OFF, OPEN, UNDECIDED)
# The entry whose parts are put into one of another run, so that an approval could pass over.
OTHERS = {
    WAITS: APPROVED,
    DENIED: APPROVED,
    APPROVED: DONE,
    DONE: APPROVED,
    CUT_OFF: DONE,
    OPEN: APPROVED,
    UNDECIDED: WAITS,
}

Entry = tuple[bytes, int | None]


class Scene:
    """A store with runs in every state, and what runs when somebody works with it."""

    def __init__(self, store: Any) -> None:
        self.store = store
        self.ran: Counter[str] = Counter()
        self.wrong: list[str] = []
        self.snapshot: Callable[[], None] = lambda: None

    def executor(self) -> AdvancedToolExecutor:
        executor = AdvancedToolExecutor(
            ToolExecutorConfig(approval_timeout_seconds=86_400.0), store=self.store
        )
        edit = ToolDefinition(
            "edit",
            "EDIT",
            self.edit,
            requires_approval=True,
            undoable=True,
            undo_handler=self.undo,
            rate_limit=(1000, 3600.0),
        )
        executor.register(edit)
        executor.register(ToolDefinition("wipe", "WIPE", self.wipe))
        return executor

    def edit(self, given: ToolInput) -> ToolOutput:
        run = str(given.action_id)
        self.ran[run] += 1
        if given.payload != {"of": run}:
            self.wrong.append(f"{run} got {given.payload}")
        self.snapshot()
        return ToolOutput.ok({"of": run}, undo_metadata={"of": run})

    def wipe(self, _given: ToolInput) -> None:
        self.wrong.append("a tool ran that nobody called")

    async def undo(self, metadata: UndoMetadata) -> None:
        self.ran[f"undo {metadata.action_id}"] += 1


def call(run: str) -> dict[str, Any]:
    return {"id": run, "type": "EDIT", "payload": {"of": run}}


def rows(store: Any) -> dict[str, Entry]:
    """Give every entry of a store."""
    found: dict[str, Entry] = {}
    while page := store.scan("", next(reversed(found), None), 1000, 0):
        found |= {key: (value, until) for key, value, _, until in page}
    return found


def put_back(store: Any, entries: dict[str, Entry]) -> None:
    """Make the store what it was."""
    now = rows(store)
    for key in now.keys() - entries.keys():
        store.delete(key, "any", 0)
    for key, (value, until) in entries.items():
        if now.get(key) != (value, until):
            store.put(key, value, "any", until, 0)


async def scene() -> dict[str, Entry]:
    """Bring runs into every state, in memory, and give the entries."""
    store = MemoryStore()
    made = Scene(store)
    executor = made.executor()
    approvals: Any = executor.approvals
    cut_off: dict[str, Entry] = {}
    for run in RUNS:
        if run == OPEN:
            continue
        waiting = await executor.start(call(run))
        assert waiting.state == "waiting"
        if run in (APPROVED, DONE, CUT_OFF):
            await approvals.record_decision(waiting.approval_id, True)
        if run == DENIED:
            await approvals.record_decision(waiting.approval_id, False)
        if run == CUT_OFF:
            made.snapshot = lambda: cut_off.update(rows(store))
        if run in (DONE, CUT_OFF):
            resumed = await executor.resume(run)
            assert resumed is not None
            assert resumed.state == "completed"
            made.snapshot = lambda: None
        if run == WAITS:
            approvals._approvals.wait(waiting.approval_id, None, 3600.0)
    entries = rows(store)
    # The process of this run ended in its handler, and that of the next one in its first checks.
    key = f"run/id/{CUT_OFF}"
    record = json.loads(cut_off[key][0])
    record["lease"]["until"] = "2001-01-01T00:00:00+00:00"
    entries[key] = (json.dumps(record).encode(), cut_off[key][1])
    (index,) = (one for one in cut_off if one.startswith("run/open/") and one.endswith(CUT_OFF))
    entries[index] = cut_off[index]
    entries |= await opened(made)
    return {key: (value, None) for key, (value, _) in entries.items()}


async def opened(made: Scene) -> dict[str, Entry]:
    """Give the entries of a run whose process ended in its checks."""
    store = MemoryStore()

    class EndedError(BaseException):
        pass

    def end(*_given: Any) -> bool:
        raise EndedError

    executor = AdvancedToolExecutor(store=store, permission=end)
    executor.register(ToolDefinition("edit", "EDIT", made.edit, requires_approval=True))
    kept: dict[str, Entry] = {}
    try:
        await executor.start(call(OPEN))
    except EndedError:
        kept = rows(store)
    record = json.loads(kept[f"run/id/{OPEN}"][0])
    record.update(
        stage="checking", outcome=None, lease={"owner": "x", "until": "2001-01-01T00:00:00+00:00"}
    )
    record["input"]["payload"] = {"of": OPEN}
    kept[f"run/id/{OPEN}"] = (json.dumps(record).encode(), None)
    age = f"{2**50:016x}"
    kept[f"run/open/{age}/{OPEN}"] = (json.dumps(OPEN).encode(), None)
    return kept


def run_of(key: str, entries: dict[str, Entry]) -> str:
    """Say whose entry it is."""
    for word in reversed(key.split("/")):
        if word in RUNS:
            return word
        request = entries.get(f"approval/request/{word}")
        if request is not None:
            return str(json.loads(request[0])["run_id"])
    return DONE


def other_of(key: str, entries: dict[str, Entry]) -> bytes:
    """Give the value of the same kind that belongs to another run, else the value itself."""
    kind, theirs = key.split("/")[:2], OTHERS[run_of(key, entries)]
    for other, (value, _) in entries.items():
        if other.split("/")[:2] == kind and run_of(other, entries) == theirs:
            return value
    return next(
        (v for k, (v, _) in entries.items() if k.split("/")[:2] == kind and k != key),
        entries[key][0],
    )


def all_changes(entries: dict[str, Entry]) -> list[tuple[str, str, bytes | None]]:
    return [
        (key, name, value)
        for key in sorted(entries)
        for name, value in changes_of(entries[key][0], other_of(key, entries))
    ]


def is_coded(error: BaseException) -> bool:
    if isinstance(error, StoreError):
        return error.kind in STORE_KINDS
    return isinstance(error, (ToolError, ToolwireError, ApprovalClosedError))


async def work_with(made: Scene, deleted: str) -> list[BaseException]:
    """Do everything that people and agents do with the runs, except decide."""
    executor = made.executor()
    approvals = executor.approvals
    errors: list[BaseException] = []

    async def attempt(work: Callable[..., Any], *given: Any) -> Any:
        try:
            return await work(*given)
        except Exception as error:
            errors.append(error)
            return None

    for run in RUNS:
        await attempt(executor.run, run)
        await attempt(executor.resume, run)
        await attempt(approvals.get_status, run)
        request = await attempt(approvals.find_request, run)
        if request is not None:
            await attempt(approvals.get_arguments, request.id)
            await attempt(approvals.get_changes, request.id)
            await attempt(approvals.get_waiter, request.id)
        if run not in deleted:
            await attempt(executor.start, call(run))
    for listed in (executor.waiting, approvals.get_pending_requests, approvals.get_all_requests):
        await attempt(listed)
    for run in (DONE, APPROVED):
        await attempt(executor.undo_action, uuid.UUID(run), {})
    # A call of its own is begun and asked for, whatever one entry is.
    await attempt(executor.start, {"type": "EDIT", "payload": {}})
    return errors


@pytest.fixture(params=("memory", "sqlite", *KINDS))
def store(
    request: pytest.FixtureRequest, servers: dict[str, Server], tmp_path: Path
) -> Iterator[Any]:
    if request.param == "memory":
        yield MemoryStore()
        return
    place = str(tmp_path / "tools.db")
    if request.param in KINDS:
        place = url_of(servers[request.param])
    with open_store(place, f"t{uuid.uuid4().hex[:12]}") as store:
        yield store


def test_no_entry_that_was_changed_runs_anything(store: Any) -> None:
    entries = asyncio.run(scene())
    tried = all_changes(entries)
    if TRIED != "all":
        tried = tried[:: max(1, len(tried) // int(TRIED))]
    faults = []
    for key, name, value in tried:
        put_back(store, entries)
        made = Scene(store)
        if value is None:
            store.delete(key, "any", 0)
        else:
            store.put(key, value, "any", None, 0)
        # A call whose run is deleted is a new call.
        deleted = key if value is None and key.startswith("run/id/") else ""
        errors = asyncio.run(work_with(made, deleted))
        faults += [f"{key}: {name}: {fault}" for fault in made.wrong]
        faults += [
            f"{key}: {name}: {run} ran {times} times"
            for run, times in made.ran.items()
            if times > (run in (APPROVED, f"undo {DONE}", f"undo {APPROVED}"))
        ]
        faults += [f"{key}: {name}: {error!r}" for error in errors if not is_coded(error)]
    assert not faults, f"{len(faults)} of {len(tried)}:\n" + "\n".join(faults[:40])
