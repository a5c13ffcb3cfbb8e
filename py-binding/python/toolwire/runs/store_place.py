"""Opens a store by the place that a command line or a setting names.

>>> from toolwire.runs import open_store
>>> open_store("redis://ann:secret@localhost:6379/0#shop")
RedisStore(localhost:6379/0, prefix='shop')
>>> open_store("mongodb://localhost/0")
Traceback (most recent call last):
ValueError: no store is at mongodb://…; known: a file, redis, rediss, unix, postgresql, postgres
"""

from __future__ import annotations

from typing import TypeAlias
from urllib.parse import urlsplit

from toolwire.runs.store import SqliteStore
from toolwire.runs.store_postgres import PostgresStore
from toolwire.runs.store_redis import RedisStore

__all__ = ["open_store"]

REDIS = ("redis", "rediss", "unix")
POSTGRES = ("postgresql", "postgres")

_Opened: TypeAlias = SqliteStore | RedisStore | PostgresStore


def open_store(place: str) -> _Opened:
    """Open a store: an SQLite file, ``redis://HOST/0#PREFIX`` or ``postgresql://HOST/DB#TABLE``.

    Without ``#``, the prefix or the table is ``toolwire``.

    Raises :class:`~toolwire.runs.StoreError` for a file or a server that cannot be used,
    :class:`ValueError` for an address of another kind, and :class:`ImportError` when the package
    for the server is missing.
    """
    if "://" not in place:
        return SqliteStore(place)
    address = urlsplit(place)
    server, name = address._replace(fragment="").geturl(), address.fragment or "toolwire"
    if address.scheme in REDIS:
        return RedisStore(server, prefix=name)
    if address.scheme in POSTGRES:
        return PostgresStore(server, table=name)
    known = ", ".join((*REDIS, *POSTGRES))
    raise ValueError(f"no store is at {address.scheme}://…; known: a file, {known}")
