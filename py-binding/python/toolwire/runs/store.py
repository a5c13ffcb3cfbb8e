"""Stores of approvals, undo data and rate limits.

A store keeps bytes under keys. One in memory lives as long as the process; one in an SQLite file
outlives it and may be opened by several processes at once; any other object with the methods of
:class:`Store` will do.

>>> from toolwire.runs.store import MemoryStore, Store
>>> isinstance(MemoryStore(), Store)
True
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, Protocol, TypeAlias, runtime_checkable

from toolwire._native import MemoryStore, SqliteStore
from toolwire.runs.errors import StoreError

__all__ = ["BatchStore", "Change", "Expect", "MemoryStore", "SqliteStore", "Store", "StoreError"]

Expect: TypeAlias = Literal["any", "absent"] | int
"""What must be under a key for a change: anything, nothing, or an entry of this version."""

Change: TypeAlias = (
    tuple[Literal["put"], str, bytes, Expect, int | None]
    | tuple[Literal["delete"], str, Expect]
    | tuple[Literal["purge_some"], str, int]
)
"""A change of a batch: key, value, expect and expires_at; key and expect; or prefix and limit."""


@runtime_checkable
class Store(Protocol):
    """Keeps entries by key.

    Keys are printable ASCII, at most 255 bytes, ordered byte by byte. Times are microseconds since
    1970 in UTC; an entry can be read until its ``expires_at``, inclusive, and counts as absent
    after that. Each method is one atomic step. A version is a positive int. Each change of a key
    gives a new one, and none repeats.
    """

    def get(self, key: str, now: int) -> tuple[bytes, int, int | None] | None:
        """Give the entry under a key: value, version, expires_at."""

    def put(
        self, key: str, value: bytes, expect: Expect, expires_at: int | None, now: int
    ) -> int | None:
        """Put an entry if the present version is the expected one; give its version, else None."""

    def delete(self, key: str, expect: Expect, now: int) -> bool:
        """Delete an entry if its version is the expected one, and say whether there was one."""

    def scan(
        self, prefix: str, after: str | None, limit: int, now: int
    ) -> Iterable[tuple[str, bytes, int, int | None]]:
        """Give the next entries under a prefix, by key: key, value, version, expires_at."""

    def purge(self, prefix: str, now: int) -> int:
        """Remove the expired entries whose keys begin with a prefix, and give their number."""

    def shared(self) -> bool:
        """Say whether other processes may write to it, so that a waiting task must poll."""


@runtime_checkable
class BatchStore(Store, Protocol):
    """A store that makes several changes at once, such as one on a server, in one trip.

    The method is optional: a store without it gets the changes of a batch one by one. Where a
    batch is one atomic step, such as a transaction, a true attribute ``has_whole_batches`` says
    so; then a request for approval is made together with the run that waits for it.
    """

    def batch(self, changes: Sequence[Change], now: int) -> Sequence[int | bool | None]:
        """Make changes in their order, up to the first put whose condition is not met.

        There is an answer for each change that was tried: the version of a put, or None, which is
        then the last answer; whether there was an entry for a delete; how many entries a
        ``purge_some`` removed. A delete whose condition is not met ends nothing.
        """
