"""What every store promises, on real servers; SQLite and memory have the same cases elsewhere."""

from __future__ import annotations

import asyncio
import json
import os
import random
import threading
from collections.abc import Callable
from typing import Any
from uuid import UUID

import cases
import pytest
from servers import Server
from store_case import StoreCase
from toolwire.tools import (
    AdvancedToolExecutor,
    ApprovalService,
    MemoryStore,
    RateLimiter,
    Store,
    StoreError,
    ToolDefinition,
    UndoStore,
)

ACTION = UUID(int=1)
ALL = json.loads((cases.CASES / "store.json").read_bytes(), object_pairs_hook=cases.pairs)


def test_every_case_holds(make: Callable[..., Any]) -> None:
    for number, case in enumerate(ALL):
        StoreCase(make(f"case{number}")).run(case["input"], case["output"])


KEYS = [prefix + key for prefix in ("", "a", "a/") for key in ("", "a", "b", "/", "%", "~")]


def test_a_store_is_the_same_map_as_memory(make: Callable[..., Any]) -> None:
    rolled = random.Random(11)
    for round in range(10):
        stores = (MemoryStore(), make(f"map{round}"))
        # The versions of the same change: those of memory, and those of the server.
        versions: list[tuple[int, int]] = []
        now = 0
        for _ in range(60):
            key, after = rolled.choice(KEYS), rolled.choice([None, *KEYS])
            chosen = rolled.choice(["any", "absent", "current", "earlier", "never"])
            expects: tuple[Any, Any] = (chosen, chosen)
            if chosen == "current":
                entries = [store.get(key, now) for store in stores]
                ours, theirs = [entry[1] if entry else 1 << 62 for entry in entries]
                expects = (ours, theirs)
            elif chosen == "earlier" and versions:
                expects = rolled.choice(versions)
            elif chosen in ("earlier", "never"):
                expects = (1 << 62, 1 << 62)
            value, ttl = rolled.randbytes(3), rolled.choice([None, -1, 0, 3, 7])
            until, step = None if ttl is None else now + ttl, rolled.randrange(10)
            if step < 4:
                put = [
                    store.put(key, value, expect, until, now)
                    for store, expect in zip(stores, expects, strict=True)
                ]
                assert (put[0] is None) == (put[1] is None)
                if put[0] is not None:
                    versions.append((put[0], put[1]))
            elif step < 6:
                deleted = [
                    store.delete(key, expect, now)
                    for store, expect in zip(stores, expects, strict=True)
                ]
                assert deleted[0] == deleted[1]
            elif step < 8:
                limit = rolled.randrange(5)
                pages = [store.scan(key, after, limit, now) for store in stores]
                shown = [[(row[0], row[1], row[3]) for row in page] for page in pages]
                assert shown[0] == shown[1]
            elif step < 9:
                assert stores[0].purge(key, now) == stores[1].purge(key, now)
            else:
                now += rolled.randrange(6)


def test_threads_share_a_store(make: Callable[..., Any]) -> None:
    store, made = make(), []

    def add() -> None:
        for _ in range(20):
            while True:
                entry = store.get("n", 0)
                number = int(entry[0]) + 1 if entry else 1
                expect = entry[1] if entry else "absent"
                if store.put("n", str(number).encode(), expect, None, 0):
                    made.append(number)
                    break

    threads = [threading.Thread(target=add) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(made) == list(range(1, 241))


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_store_may_be_used_after_a_fork(make: Callable[..., Any]) -> None:
    store = make()
    store.put("k", b"0", "any", None, 0)
    children = []
    for number in range(4):
        if (child := os.fork()) == 0:
            # The child ends without what the tests do at their end.
            try:
                for turn in range(10):
                    store.put(f"{number}/{turn}", b"1", "absent", None, 0)
                os._exit(0)
            finally:
                os._exit(1)
        children.append(child)
    for _ in range(20):
        assert store.get("k", 0)[0] == b"0"
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * 4
    assert len(store.scan("", None, 99, 0)) == 41


@pytest.mark.parametrize("name", ["a*", "a%_\\", 'q"; DROP TABLE "x', "{curly}", "a b", "$1", "é"])
def test_a_name_is_only_a_name(make: Callable[..., Any], server: Server, name: str) -> None:
    if server.name == "redis" and not name.isascii():
        with pytest.raises(ValueError, match="printable ASCII"):
            make(name)
        return
    near = make("a" + name)
    near.put("a", b"near", "any", 5, 0)
    store = make(name)
    assert isinstance(store, Store)
    assert store.shared()
    assert store.put("k", b"1", "absent", 5, 0)
    assert [row[0] for row in make(name).scan("", None, 9, 0)] == ["k"]
    assert store.purge("", 6) == 1
    assert near.get("a", 5)[0] == b"near"


def test_many_entries_are_scanned_in_pages(make: Callable[..., Any]) -> None:
    store = make()
    keys = sorted(f"{sign}{number:03}" for sign in "aB/~ " for number in range(80))
    for key in reversed(keys):
        # Every second one has expired.
        store.put(key, key.encode(), "any", None if int(key[1:]) % 2 else 5, 0)
    live = [key for key in keys if int(key[1:]) % 2]
    for size in (97, 10_000):
        found: list[str] = []
        while page := store.scan("", found[-1] if found else None, size, 6):
            assert len(page) <= size
            assert all(value == key.encode() for key, value, *_ in page)
            found += [row[0] for row in page]
        assert found == live
    assert store.purge("", 6) == len(keys) - len(live)
    assert store.purge("", 6) == 0
    assert len(store.scan("", None, 10_000, 0)) == len(live)


def test_a_long_value_is_kept(make: Callable[..., Any]) -> None:
    value = bytes(range(256)) * 8192
    store = make()
    version = store.put("k", value, "absent", None, 0)
    assert store.get("k", 0) == (value, version, None)
    assert store.put("k", b"", version, None, 0) > version


@pytest.mark.parametrize("key", ["é", "k" * 256, "a\nb", "a\0", "\x7f"])
def test_what_no_key_can_be_is_refused(make: Callable[..., Any], key: str) -> None:
    store = make()
    works: list[Callable[[], Any]] = [
        lambda: store.get(key, 0),
        lambda: store.put(key, b"", "any", None, 0),
        lambda: store.delete(key, "any", 0),
        lambda: store.scan(key, None, 1, 0),
        lambda: store.scan("", key, 1, 0),
        lambda: store.purge(key, 0),
    ]
    for work in works:
        with pytest.raises(ValueError, match="printable ASCII of at most 255 bytes"):
            work()


def test_a_closed_store_says_so(make: Callable[..., Any]) -> None:
    with make() as store:
        store.put("k", b"1", "any", None, 0)
    works: list[Callable[[], Any]] = [
        lambda: store.get("k", 0),
        lambda: store.put("k", b"", "any", None, 0),
    ]
    for work in works:
        with pytest.raises(StoreError, match="closed") as raised:
            work()
        assert raised.value.kind == "closed"


def test_approvals_undo_data_and_limits_live_in_it(make: Callable[..., Any]) -> None:
    async def scenario() -> None:
        asks, decides = ApprovalService(store=make()), ApprovalService(store=make())
        request = await asks.request_approval(ACTION, "edit", None, "Really? 𝄞", {"k": 1})
        (seen,) = await decides.get_pending_requests()
        assert (seen.id, seen.approval_message) == (request.id, "Really? 𝄞")
        wait = asyncio.ensure_future(asks.await_decision(request.id, 30))
        await asyncio.sleep(0.2)
        await decides.record_decision(request.id, True, reason="fine")
        decision = await wait
        assert (decision.granted, decision.reason) == (True, "fine")
        assert await asks.get_status(request.id) == "approved"
        keeps, undoes = UndoStore(store=make()), UndoStore(store=make())
        await keeps.store(ACTION, "edit", {"é": [1, None, {}]})
        claim = await undoes.claim(ACTION)
        assert not isinstance(claim, str)
        assert claim.metadata.undo_data == {"é": [1, None, {}]}
        assert await keeps.claim(ACTION) == "busy"
        assert await undoes.finish(claim)
        assert await keeps.get(ACTION) is None

    asyncio.run(scenario())
    asyncio.run(changes_and_pages(make))
    first, second = (RateLimiter(2, 3600.0, store=make()) for _ in range(2))
    assert [first.check("t").remaining, second.check("t").remaining] == [1, 0]
    assert not first.check("t").allowed


async def changes_and_pages(make: Callable[..., Any]) -> None:
    reported = [{"label": "é 𝄞", "old": "a\n" * 50_000, "new": "a\n\x1b\0"}]
    executor = AdvancedToolExecutor(store=make(), changes=lambda *_: reported)
    executor.register(ToolDefinition("edit", "EDIT", print, requires_approval=True))
    calls = [{"id": f"c{number}", "type": "EDIT", "payload": {}} for number in range(3)]
    runs = [await executor.start(call) for call in calls]
    service: Any = ApprovalService(store=make())
    (change,) = await service.get_changes(runs[0].approval_id)
    assert (change.label, change.kind, change.deletions) == ("é 𝄞", "diff", 49_999)
    assert (len(change.text) <= 65_536, change.left_out > 0) == (True, True)
    other = AdvancedToolExecutor(store=make())
    first = await other.waiting(2)
    last = await other.waiting(2, after=first[-1].id)
    assert [run.id for run in first + last] == [run.id for run in runs]
    assert await other.forget(runs[0].id)
    assert [run.id for run in await other.waiting()] == [run.id for run in runs[1:]]
    await service.record_decision(runs[1].approval_id, False)
    assert await service.get_changes(runs[1].approval_id) is None
