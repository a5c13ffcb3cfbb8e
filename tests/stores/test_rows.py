"""Rows, fields and lists of a server that are not as a store wrote them."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from servers import Server
from test_failures import kind_of
from toolwire.tools import SqliteStore, StoreError

LATE = 1 << 50


def everything(store: Any) -> tuple[Callable[[], Any], ...]:
    """Give what a store does with the key `k`, apart from deleting it."""
    return (
        lambda: store.get("k", 0),
        lambda: store.put("k", b"2", "any", None, 0),
        lambda: store.put("k", b"2", "absent", None, 0),
        lambda: store.put("k", b"2", 7, None, 0),
        lambda: store.scan("", None, 9, 0),
        lambda: store.purge("", 0),
    )


def works_or_says_why(store: Any) -> list[Any]:
    """Do all of it; each step works or has an error with a kind."""
    got: list[Any] = []
    for work in everything(store):
        try:
            got.append(work())
        except StoreError as error:
            got.append(error.kind)
    # What works gives no text.
    assert {one for one in got if isinstance(one, str)} <= {"corrupt"}
    return got


# What the field of an entry may be turned into; the store wrote VERSION:EXPIRY:VALUE.
FIELDS = [
    b"",
    b"nonsense",
    b":",
    b"1",
    b"1:",
    b"0::v",
    b"-1::v",
    b"007::v",
    b"1.5::v",
    b"9007199254740992::v",
    b"99999999999999999999::v",
    b"5:12:v",
    b"5:99999999999999999999:v",
    b"5:18446744073709551616:v",
    b"5:-9223372036854775808:v",
    b"\xff\xfe::v",
    b"5\0::v",
    b"x" * 3_000_000,
]


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: repr(field[:24]))
def test_a_field_of_redis_that_no_store_wrote_is_corrupt(
    make: Callable[..., Any], server: Server, field: bytes
) -> None:
    if server.name != "redis":
        pytest.skip("only Redis has fields")
    store = make("fields")
    store.delete("k", "any", 0)
    store.put("k", b"v", "any", None, 0)
    store._client.hset("{fields}:entries", "k", field)
    assert works_or_says_why(store)[0] == "corrupt"
    store._client.hset("{fields}:entries", "k", field)
    assert store.delete("k", "any", 0) in (True, False), "what is spoiled can be deleted"
    assert store.get("k", 0) is None
    assert store.put("k", b"v", "absent", None, 0)


@pytest.mark.parametrize("last", ["nonsense", "", "-1", "nan", "inf", "1e300", "9007199254740991"])
def test_a_counter_of_redis_that_would_repeat_versions_is_corrupt(
    make: Callable[..., Any], server: Server, last: str
) -> None:
    if server.name != "redis":
        pytest.skip("only Redis has a counter of its own")
    store = make("counter")
    version = store.put("k", b"1", "any", None, 0)
    store._client.set("{counter}:version", last)
    assert kind_of(lambda: store.put("k", b"2", version, None, 0)) == "corrupt"
    assert store.get("k", 0) == (b"1", version, None)
    store._client.delete("{counter}:version")
    assert store.put("k", b"2", version, None, 0) > version


def test_only_an_entry_says_when_it_expires(make: Callable[..., Any], server: Server) -> None:
    """A mark for the sweep that was written by hand removes nothing."""
    if server.name != "redis":
        pytest.skip("elsewhere the expiry is a column")
    store = make()
    names = store._names
    store.put("k", b"1", "any", None, 0)
    store.put("late", b"1", "any", LATE, 0)
    store.put("over", b"1", "any", 5, 0)
    past = f"{(1 << 63) + 1:020}"
    for key in ("k", "late", "none", "\xff", ""):
        store._client.zadd(names[2], {f"{past}:{key}": 0})
    store._client.zadd(names[2], {"": 0, "short": 0, b"\xff\0": 0})
    assert store.purge("", 9) == 1
    assert [row[0] for row in store.scan("", None, 9, 0)] == ["k", "late"]
    assert store.get("late", 9) is not None


def test_a_list_of_redis_with_other_names_is_no_crash(
    make: Callable[..., Any], server: Server
) -> None:
    if server.name != "redis":
        pytest.skip("elsewhere the rows are the list")
    store = make()
    entries, order = store._names[:2]
    store.put("k", b"1", "any", None, 0)
    # A name without an entry leads nowhere, as after an entry was deleted by hand.
    store._client.zadd(order, {"gone": 0})
    assert [row[0] for row in store.scan("", None, 9, 0)] == ["k"]
    for name in (b"k\xc3\xa9", b"k\xff", b"a\0b", b"k" * 300):
        store._client.zadd(order, {name: 0})
        store._client.hset(entries, name, b"5::v")
        assert kind_of(lambda: store.scan("", None, 9, 0)) == "corrupt", name
        store._client.zrem(order, name)
    for name in store._names:
        store._client.delete(*store._names)
        store._client.set(name, "x") if name != store._names[3] else store._client.hset(
            name, "a", 1
        )
        assert kind_of(lambda: store.put("k", b"1", "any", 5, 0)) == "corrupt"


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE {t} SET version = 0",
        "UPDATE {t} SET version = -1",
        "UPDATE {t} SET name = 'ké'",
        "UPDATE {t} SET name = repeat('k', 300)",
        "UPDATE {t} SET name = E'a\\nb'",
        "ALTER TABLE {t} ALTER version DROP NOT NULL; UPDATE {t} SET version = NULL",
        "ALTER TABLE {t} ALTER value DROP NOT NULL; UPDATE {t} SET value = NULL",
        "ALTER TABLE {t} ALTER version DROP DEFAULT, ALTER version TYPE text",
        "ALTER TABLE {t} ALTER version DROP DEFAULT, ALTER version TYPE numeric; "
        "UPDATE {t} SET version = 1.5",
        "ALTER TABLE {t} ALTER value TYPE text USING encode(value, 'escape')",
        "DROP INDEX {e}; ALTER TABLE {t} ALTER expires_at TYPE text",
        "ALTER TABLE {t} ALTER expires_at TYPE double precision; UPDATE {t} SET expires_at = 'NaN'",
        "ALTER TABLE {t} DROP CONSTRAINT {t}_pkey",
        "ALTER TABLE {t} RENAME value TO was",
        "DROP SEQUENCE {v} CASCADE",
    ],
)
def test_rows_and_columns_of_postgres_that_no_store_made_are_corrupt(
    make: Callable[..., Any], server: Server, change: str
) -> None:
    if server.name != "postgres":
        pytest.skip("only PostgreSQL has columns")
    store = make()
    table = store._table.strip('"')
    store.put("k", b"v", "any", None, 0)
    names = {"t": table, "v": f"{table}_version", "e": f"{table}_expiry"}
    with store._connections.take() as connection:
        for statement in change.format(**names).split(";"):
            connection.execute(statement)
    assert "corrupt" in works_or_says_why(store)


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE entry SET version = -1",
        "UPDATE entry SET key = CAST(x'ff' AS TEXT)",
        "DELETE FROM counter",
        "UPDATE counter SET version = -5",
        "UPDATE counter SET version = 9223372036854775807",
        "DROP TABLE counter",
        "DROP TABLE entry",
        "DROP INDEX entry_expiry",
        "ALTER TABLE entry RENAME value TO was",
        "PRAGMA user_version = 9",
        "PRAGMA application_id = 1",
    ],
)
def test_rows_of_a_file_that_no_store_wrote_are_corrupt(tmp_path: Path, change: str) -> None:
    path = tmp_path / "tools.db"
    with SqliteStore(path) as store:
        store.put("k", b"v", "any", 5, 0)
        with contextlib.closing(sqlite3.connect(path)) as other, other:
            other.execute(change)
        works_or_says_why(store)
    with contextlib.suppress(StoreError), SqliteStore(path) as store:
        works_or_says_why(store)
