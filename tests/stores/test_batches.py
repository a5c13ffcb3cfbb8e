"""Batches of changes: one trip each, in their order, up to a put that finds something else."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import store_worker
from proxy import Cut
from server_stores import url_of
from servers import Server
from test_processes import FORK, lines, start
from toolwire.runs.store_server import one_by_one
from toolwire.tools import BatchStore, MemoryStore, PostgresStore, StoreError

TIMES = 100


def open_warm(make: Callable[..., Any], server: Server) -> Any:
    """Open a store behind the proxy, over one connection that is there."""
    options = {"connections": 1} if server.name == "postgres" else {}
    store = make(port=server.proxy.port, **options)
    store.get("a", 0)
    server.proxy.count_trips()
    return store


def test_a_batch_is_one_trip(make: Callable[..., Any], server: Server) -> None:
    assert isinstance(make(), BatchStore)
    store = open_warm(make, server)
    # After a few times, the client of PostgreSQL prepares a statement.
    for number in range(12):
        changes = [
            ("purge_some", "old/", 256),
            ("put", f"run/{number}", b"1", "absent", None),
            ("put", f"open/{number}", b"2", "any", 5),
            ("delete", f"run/{number - 1}", "any"),
        ]
        purged, first, second, was_there = store.batch(changes, 0)
        assert (purged, was_there, server.proxy.count_trips()) == (0, number > 0, 1)
        assert store.get(f"run/{number}", 0) == (b"1", first, None)
        assert store.get(f"open/{number}", 0) == (b"2", second, 5)
        server.proxy.count_trips()
    assert (store.batch([], 0), server.proxy.count_trips()) == ([], 0)


def test_a_put_in_the_middle_whose_condition_is_not_met_ends_it(
    make: Callable[..., Any], server: Server
) -> None:
    store = open_warm(make, server)
    version = store.put("mine", b"1", "absent", None, 0)
    server.proxy.count_trips()
    for number, lost in enumerate(["absent", version + 1, 1, "absent"]):
        changes = [
            ("put", f"before/{number}", b"2", "absent", None),
            ("delete", "nothing", 7),
            ("put", "mine", b"never", lost, None),
            ("put", "behind", b"never", "any", None),
            ("put", "mine", b"never", version, None),
            ("delete", "mine", "any"),
            ("delete", "mine", version),
            ("purge_some", "", 9),
        ]
        made = store.batch(changes, 0)
        assert server.proxy.count_trips() == 1
        before, deleted, conflict = made
        assert (deleted, conflict) == (False, None)
        # What was changed before it stays changed, and nothing behind it is.
        assert store.get(f"before/{number}", 0) == (b"2", before, None)
        assert store.get("mine", 0) == (b"1", version, None)
        assert store.get("behind", 0) is None
        server.proxy.count_trips()
    # The next batch of the connection goes on from the beginning.
    assert store.batch([("put", "mine", b"3", version, None)], 0)[0] is not None


def test_a_purge_of_a_batch_is_bounded(make: Callable[..., Any]) -> None:
    store = make()
    for number in range(9):
        store.put(f"old/{number}", b"", "any", 5, 0)
        store.put(f"other/{number}", b"", "any", 5, 0)
    assert store.batch([("purge_some", "old/", 4), ("purge_some", "old/", 0)], 6) == [4, 0]
    assert store.batch([("purge_some", "old/", 99)], 6) == [5]
    assert len(store.scan("", None, 99, 0)) == 9


class Rolled:
    """Random changes, the same for a store in memory and for one on a server."""

    def __init__(self, seed: int) -> None:
        self.rolled = random.Random(seed)
        # The versions of the same put: that of memory, and that of the server.
        self.versions: list[tuple[int, int]] = [(1 << 62, 1 << 62)]

    def change(self, now: int) -> tuple[Any, Any]:
        rolled = self.rolled
        key = rolled.choice(["a", "a/b", "b", "b/c"])
        chosen = rolled.choice(["any", "absent", None, None])
        expects = (chosen, chosen) if chosen else rolled.choice(self.versions[-4:])
        kind, value = rolled.randrange(5), rolled.randbytes(3)
        ours: Any
        theirs: Any
        until = rolled.choice([None, now - 1, now, now + 4])
        if kind < 3:
            ours, theirs = (("put", key, value, expect, until) for expect in expects)
        elif kind < 4:
            ours, theirs = (("delete", key, expect) for expect in expects)
        else:
            ours = theirs = ("purge_some", key, 1 << 40)
        return ours, theirs


@pytest.mark.parametrize("has_pipelines", [True, False])
def test_a_batch_does_what_its_changes_do_one_by_one(
    make: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, has_pipelines: bool
) -> None:
    made, store = 0, make()
    if isinstance(store, PostgresStore):
        monkeypatch.setattr(store._connections, "has_pipelines", lambda: has_pipelines)
    rolled, memory = Rolled(5), MemoryStore()
    for now in range(200):
        count = rolled.rolled.randrange(1, 6)
        ours, theirs = zip(*(rolled.change(now) for _ in range(count)), strict=True)
        wanted, given = one_by_one(memory, ours, now), store.batch(theirs, now)
        assert len(wanted) == len(given)
        for change, ours_made, theirs_made in zip(theirs, wanted, given, strict=False):
            if change[0] == "put" and ours_made is not None:
                rolled.versions.append((ours_made, theirs_made))
                made += 1
            else:
                assert (change, ours_made) == (change, theirs_made)
        shown = [
            [(k, v, at) for k, v, _, at in one.scan("", None, 99, now)] for one in (memory, store)
        ]
        assert shown[0] == shown[1]
    assert made > 80


def test_of_two_processes_one_makes_each_batch(
    make: Callable[..., Any], server: Server, tmp_path: Path
) -> None:
    store = make()
    name = (
        store._table.strip('"') if server.name == "postgres" else store._names[0][1:].split("}")[0]
    )
    paths, ready = [tmp_path / f"{number}.log" for number in range(2)], FORK.Barrier(2)
    place = (url_of(server), name)
    processes = [start(store_worker.batches, place, path, TIMES, ready) for path in paths]
    for process in processes:
        process.join(120)
        assert process.exitcode == 0
    won = {int(line[1]): path.stem for path in paths for line in lines(path) if line[0] == "won"}
    lost = [int(line[1]) for path in paths for line in lines(path) if line[0] == "lost"]
    assert sorted(won) == sorted(lost) == list(range(TIMES))
    # What stands behind the condition is the winner's, and the loser has left nothing.
    owners = [(row[0], row[1].decode()) for row in store.scan("owner/", None, 999, 0)]
    assert owners == sorted((f"owner/{turn:03}", who) for turn, who in won.items())
    assert len(store.scan("tried/", None, 999, 0)) == 2 * TIMES
    assert store.scan("stays/", None, 9, 0) == []


@pytest.mark.parametrize("mode", ["before", "half", "behind"])
def test_a_batch_that_was_cut_is_sent_once(
    make: Callable[..., Any], server: Server, mode: str
) -> None:
    store = open_warm(make, server)
    changes = [("put", key, b"1", "absent", None) for key in ("a", "b", "c")]
    server.proxy.plan(Cut(1, mode))
    with pytest.raises(StoreError) as raised:
        store.batch(changes, 0)
    assert (raised.value.kind, server.proxy.plan(None)) == ("io", True)
    # One script or one transaction: here it is all or nothing, though nothing relies on it. The
    # client of PostgreSQL may send a batch in pieces, and the cut is behind the first.
    there = [row[0] for row in make().scan("", None, 9, 0)]
    everything = mode == "behind" and server.name == "redis"
    assert there == ["a", "b", "c"] or (there == [] and not everything)
    assert (there == []) or mode == "behind"
    assert (store.batch(changes, 0)[0] is None) == (there != [])
