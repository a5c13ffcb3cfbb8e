"""What every store promises, on real servers; SQLite and memory have the same cases elsewhere."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any
from uuid import UUID

import cases
import pytest
from servers import Server
from store_case import StoreCase
from toolwire.tools import ApprovalService, RateLimiter, Store, StoreError, UndoStore

ACTION = UUID(int=1)
ALL = json.loads((cases.CASES / "store.json").read_bytes(), object_pairs_hook=cases.pairs)


def test_every_case_holds(make: Callable[..., Any]) -> None:
    for number, case in enumerate(ALL):
        StoreCase(make(f"case{number}")).run(case["input"], case["output"])


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
    keys = sorted(f"{sign}{number:03}" for sign in "aB/~ " for number in range(150))
    for key in reversed(keys):
        # Every second one has expired.
        store.put(key, key.encode(), "any", None if int(key[1:]) % 2 else 5, 0)
    live = [key for key in keys if int(key[1:]) % 2]
    for size in (97, 300, 10_000):
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
    first, second = (RateLimiter(2, 3600.0, store=make()) for _ in range(2))
    assert [first.check("t").remaining, second.check("t").remaining] == [1, 0]
    assert not first.check("t").allowed
