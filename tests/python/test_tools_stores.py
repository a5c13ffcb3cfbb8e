"""What lives in a store: in memory, in a file of several processes, in one written in Python."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from peers import ACTION, REQUEST, Context, action
from store_case import STORES, DictStore
from toolwire.tools import (
    AdvancedToolExecutor,
    ApprovalClosedError,
    ApprovalNotFoundError,
    ApprovalService,
    ApprovalStatus,
    MemoryStore,
    RateLimiter,
    SqliteStore,
    Store,
    StoreError,
    ToolDefinition,
    ToolInput,
    ToolOutput,
    UndoMetadata,
    UndoStore,
)


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    return STORES[request.param](tmp_path)


def test_a_store_has_the_methods_of_one(store: Any) -> None:
    assert isinstance(store, Store)


def test_approvals_and_undo_data_are_in_the_store(store: Any) -> None:
    async def scenario() -> None:
        asks, decides = ApprovalService(store=store), ApprovalService(store=store)
        request = await asks.request_approval(
            ACTION, "edit", None, "Really? 𝄞", {"when": time, "n": float("nan")}
        )
        seen = (await decides.get_pending_requests())[0]
        assert (seen.id, seen.action_id, seen.approval_message) == (
            request.id,
            ACTION,
            "Really? 𝄞",
        )
        assert seen.payload_summary["n"] == "NaN"
        wait = asyncio.ensure_future(asks.await_decision(request.id, 30))
        await asyncio.sleep(0)
        start = time.perf_counter()
        await decides.record_decision(request.id, True, decided_by=REQUEST, reason="fine")
        decision = await wait
        assert time.perf_counter() - start < 1
        assert (decision.granted, decision.decided_by, decision.reason) == (
            True,
            REQUEST,
            "fine",
        )
        assert request.status is ApprovalStatus.APPROVED
        with pytest.raises(ApprovalClosedError):
            await asks.record_decision(request.id, False)

        keeps, undoes = UndoStore(store=store), UndoStore(store=store)
        metadata = UndoMetadata(ACTION, "edit", {"é": [1, 2.5, None, {}], "n": 10**30})
        await keeps.store(metadata)
        assert await undoes.get(ACTION) == metadata
        assert await undoes.get_all() == [metadata]
        assert len(undoes) == 1
        with pytest.raises(ValueError, match="JSON"):
            await keeps.store(REQUEST, "edit", {"n": float("inf")})
        claim = await undoes.claim(ACTION)
        assert not isinstance(claim, str)
        assert await keeps.claim(ACTION) == "busy"
        assert await undoes.finish(claim)
        assert await keeps.claim(ACTION) == "missing"

    asyncio.run(scenario())


def test_a_request_keeps_its_id_if_that_is_free(store: Any) -> None:
    async def scenario() -> None:
        from toolwire.tools import ApprovalRequest

        service = ApprovalService(store=store)
        asked = ApprovalRequest(action_id=ACTION, tool_name="edit", message="m", payload={"k": 1})
        assert (asked.approval_message, asked.payload_summary) == ("m", {"k": 1})
        first, second = await service.request(asked), await service.request(asked)
        assert first.id == asked.id != second.id
        assert isinstance(second.id, UUID)

    asyncio.run(scenario())


def test_a_limit_is_counted_in_the_store(store: Any) -> None:
    first, second = (
        RateLimiter(2, 3600.0, store=store),
        RateLimiter(2, 3600.0, store=store),
    )
    assert [first.check("t").remaining, second.check("t").remaining] == [1, 0]
    refused = first.check("t")
    assert not refused.allowed
    assert 0 < refused.retry_after_seconds <= 1800
    assert first.check("t", "another").allowed


class BlockingStore(DictStore):
    """A store that waits for a network; it notes the methods that the event loop's thread calls."""

    blocking = True

    def __init__(self) -> None:
        super().__init__()
        self.loop_thread = threading.current_thread()
        self.held_up: list[str] = []

    def __getattribute__(self, name: str) -> Any:
        is_call = name in ("get", "put", "delete", "scan", "purge")
        if is_call and threading.current_thread() is self.loop_thread:
            self.held_up.append(name)
        return super().__getattribute__(name)


def test_a_store_that_blocks_does_not_hold_up_the_event_loop() -> None:
    store = BlockingStore()

    async def handler(given: ToolInput) -> ToolOutput:
        return ToolOutput.ok(undo_metadata={"k": 1})

    async def undo(metadata: UndoMetadata) -> None:
        pass

    async def scenario() -> None:
        service, undo_store = ApprovalService(store=store), UndoStore(store=store)
        executor = AdvancedToolExecutor(None, undo_store, service, limit_store=store)
        executor.register(
            ToolDefinition(
                "edit",
                "EDIT",
                handler,
                requires_approval=True,
                undoable=True,
                undo_handler=undo,
                rate_limit=(5, 60.0),
            )
        )
        # The constructors only look whether it has the methods.
        store.held_up.clear()
        run = asyncio.ensure_future(executor.execute(action("EDIT"), Context()))
        while not (pending := await service.get_pending_requests()):
            await asyncio.sleep(0.01)
        request = pending[0].id
        await asyncio.sleep(0.25)
        await service.get_request(request)
        await service.find_request(ACTION)
        await service.get_status(ACTION)
        await service.get_arguments(request)
        await service.get_all_requests()
        await service.get_waiter(request)
        await service.record_decision(request, True)
        assert (await run).success
        assert await undo_store.get(ACTION) is not None
        assert await undo_store.get_all()
        assert await executor.undo_action(ACTION, Context())
        await undo_store.cleanup_expired()
        again = await service.request_approval(REQUEST, "edit")
        with pytest.raises(TimeoutError):
            await service.await_decision(again.id, 0.05)
        assert not await service.cancel_request(again.id)
        await service.cleanup(again.id)

    asyncio.run(scenario())
    assert store.held_up == []


def test_a_file_that_cannot_be_used_says_why(tmp_path: Path) -> None:
    with pytest.raises(StoreError) as raised:
        SqliteStore(tmp_path / "nowhere" / "tools.db")
    assert raised.value.kind == "io"
    with pytest.raises(ValueError, match="durability"):
        SqliteStore(tmp_path / "tools.db", durability="none")  # type: ignore[arg-type]


def test_nobody_else_may_read_the_files_whatever_the_umask(tmp_path: Path) -> None:
    def modes() -> dict[str, int]:
        return {file.name: file.stat().st_mode & 0o777 for file in tmp_path.iterdir()}

    tmp_path.chmod(0o700)
    before = os.umask(0)
    try:
        with SqliteStore(tmp_path / "tools.db") as store:
            store.put("a", b"1", "any", None, 0)
            assert modes() == dict.fromkeys(["tools.db", "tools.db-wal", "tools.db-shm"], 0o600)
        assert modes() == {"tools.db": 0o600}
    finally:
        os.umask(before)
    (tmp_path / "link.db").symlink_to(tmp_path / "tools.db")
    with pytest.raises(StoreError, match="symbolic link") as raised:
        SqliteStore(tmp_path / "link.db")
    assert raised.value.kind == "exposed"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give a file to another user")
def test_a_file_of_another_user_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o1777)
    path = tmp_path / "tools.db"
    path.touch()
    os.chown(path, 65534, 65534)
    with pytest.raises(StoreError, match="another user owns") as raised:
        SqliteStore(path)
    assert raised.value.kind == "exposed"
    assert (path.stat().st_uid, path.stat().st_size) == (65534, 0)


@pytest.mark.parametrize("granted", [True, False])
def test_a_settled_request_leaves_no_arguments_in_the_files(tmp_path: Path, granted: bool) -> None:
    private = "a note " * 1000 + "and its last words"

    def holding() -> list[str]:
        return [
            file.name for file in tmp_path.iterdir() if private[-18:].encode() in file.read_bytes()
        ]

    async def handler(given: ToolInput) -> ToolOutput:
        return ToolOutput.ok()

    async def ask(service: ApprovalService) -> None:
        executor = AdvancedToolExecutor(approval_service=service)
        executor.register(ToolDefinition("edit", "EDIT", handler, requires_approval=True))
        run = asyncio.create_task(
            executor.execute_detailed(action("EDIT", {"note": private}), Context())
        )
        while not (pending := await service.get_pending_requests()):
            await asyncio.sleep(0.01)
        assert holding()
        await service.record_decision(pending[0].id, granted)
        assert (await run).success is granted
        assert await service.get_arguments(pending[0].id) is None
        assert not holding()

    with SqliteStore(tmp_path / "tools.db") as store:
        asyncio.run(ask(ApprovalService(store=store)))
    assert not holding()


def test_requests_come_in_pages_and_are_forgotten_in_time() -> None:
    async def ask() -> None:
        store = MemoryStore()
        service = ApprovalService(store=store)
        ids = [(await service.request_approval(ACTION, "edit")).id for _ in range(5)]
        for read in (service.get_pending_requests, service.get_all_requests):
            first = await read(limit=3)
            await service.record_decision(first[-1].id, True)
            second = await read(limit=3, after=first[-1].id)
            assert [request.id for request in [*first, *second]] == ids
            ids.remove(first[-1].id)
            if read == service.get_pending_requests:
                await service.cleanup(first[-1].id)
            with pytest.raises(ValueError, match="limit must be at least 1"):
                await read(limit=0)
            with pytest.raises(ApprovalNotFoundError):
                await read(after=ACTION)
        hurried = ApprovalService(store=store, retention_seconds=0.001)
        await hurried.record_decision(ids[0], False)
        await asyncio.sleep(0.01)
        assert await hurried.get_request(ids[0]) is None

    asyncio.run(ask())


def test_a_store_that_answers_nonsense_is_an_error() -> None:
    class Nonsense(DictStore):
        def get(self, key: str, now: int) -> Any:
            return "nonsense"

    class Garbage(DictStore):
        def get(self, key: str, now: int) -> Any:
            return (b"garbage", 1, None)

    async def look(store: Any) -> None:
        await ApprovalService(store=store).get_status(ACTION)

    with pytest.raises(TypeError):
        asyncio.run(look(Nonsense()))
    with pytest.raises(StoreError) as raised:
        asyncio.run(look(Garbage()))
    assert raised.value.kind == "corrupt"


def console(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "toolwire", *arguments], capture_output=True, text=True
    )


def test_the_console_lists_and_decides(tmp_path: Path) -> None:
    path = str(tmp_path / "tools.db")

    async def ask() -> tuple[UUID, UUID]:
        service = ApprovalService(store=SqliteStore(path))
        first = await service.request_approval(ACTION, "edit", None, "Really?\x1b[31m", {"k": 1})
        second = await service.request_approval(REQUEST, "drop", None, "Drop?")
        await UndoStore(store=SqliteStore(path)).store(ACTION, "edit", {"before": "x"})
        return first.id, second.id

    first, second = asyncio.run(ask())
    listed = console("approvals", "list", path)
    assert listed.returncode == 0
    assert [line.split()[0] for line in listed.stdout.splitlines()] == [
        str(first),
        str(second),
    ]
    assert "\x1b" not in listed.stdout
    assert [
        one["tool_name"] for one in json.loads(console("approvals", "list", "--json", path).stdout)
    ] == [
        "edit",
        "drop",
    ]
    assert console("approvals", "approve", path, str(first), "--by", "ann").stdout == (
        f"{first} approved\nnobody waits for it\n"
    )
    denied = console("approvals", "deny", path, str(REQUEST), "--reason", "no")
    assert denied.stdout == f"{second} denied\n"
    late = console("approvals", "deny", path, str(first))
    assert (late.returncode, "already approved" in late.stdout) == (1, True)
    unknown = console("approvals", "approve", path, "nothing")
    assert (unknown.returncode, "no such request" in unknown.stdout) == (1, True)
    assert console("approvals", "list", path).stdout == ""
    undo = console("undo", "list", path)
    assert undo.stdout.startswith(str(ACTION))
    assert json.loads(console("undo", "list", "--json", path).stdout)[0]["undo_data"] == {
        "before": "x"
    }

    async def look() -> Any:
        service = ApprovalService(store=SqliteStore(path))
        return await service.get_request(first), await service.await_decision(second, 0)

    request, decision = asyncio.run(look())
    assert (request.decided_by, decision.granted, decision.reason) == (
        "ann",
        False,
        "no",
    )


def test_the_console_says_what_is_no_store(tmp_path: Path) -> None:
    missing = console("approvals", "list", str(tmp_path / "nothing.db"))
    assert (missing.returncode, "no such file" in missing.stderr) == (2, True)
    assert not (tmp_path / "nothing.db").exists()
    garbage = tmp_path / "garbage.db"
    garbage.write_bytes(b"no database at all" * 100)
    refused = console("undo", "list", str(garbage))
    assert refused.returncode == 2
    assert str(garbage) in refused.stderr


def test_an_unknown_request_is_a_key_error() -> None:
    with pytest.raises(KeyError) as raised:
        asyncio.run(ApprovalService().record_decision(ACTION, True))
    assert isinstance(raised.value, ApprovalNotFoundError)
    assert str(raised.value) == f"Approval request {ACTION} not found"
