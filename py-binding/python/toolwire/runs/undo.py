"""The data that undo handlers need, by action.

>>> import asyncio, uuid
>>> from toolwire.runs.undo import UndoStore
>>> async def keep(store, action_id):
...     await store.store(action_id, "edit_post", {"title": "before"})
...     return (await store.get(action_id)).undo_data
>>> asyncio.run(keep(UndoStore(), uuid.uuid4()))
{'title': 'before'}
"""

from __future__ import annotations

import contextlib
import itertools
import json
import threading
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from toolwire._native import (
    UNDO_LEASE_SECONDS,
    UNDO_TTL_SECONDS,
    UndoLease,
    UndoRecord,
    UndoTable,
)
from toolwire.runs.output import UndoMetadata, now
from toolwire.runs.store import MemoryStore, Store
from toolwire.runs.store_calls import StoreCalls

__all__ = [
    "UndoClaim",
    "UndoEntry",
    "UndoStore",
    "clear_undo_store",
    "get_undo_store",
    "set_undo_store",
]


@dataclass(frozen=True, slots=True)
class UndoEntry:
    """Undo data, and when they expire."""

    metadata: UndoMetadata
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class UndoClaim:
    """The right to undo an action, for a while, alone; it ends by `finish` or `release`."""

    metadata: UndoMetadata
    lease: UndoLease


class UndoStore:
    """Keeps undo data by action, for a while; the newest run of an action is undone first.

    Without a store, the data live as long as this object, unchanged. With a store they are written
    as JSON, any process that has it open may undo, and data that JSON cannot hold are refused.
    """

    def __init__(
        self, default_ttl_seconds: float = UNDO_TTL_SECONDS, *, store: Store | None = None
    ) -> None:
        self.default_ttl_seconds = default_ttl_seconds
        self._table = UndoTable(MemoryStore() if store is None else store)
        # By action, and then by the number that stands in the table for the data.
        self._kept: dict[str, dict[int, UndoMetadata]] | None = {} if store is None else None
        self._numbers = itertools.count()
        self._calls = StoreCalls(store)

    async def store(
        self,
        action_id: UUID | UndoMetadata,
        tool_name: str | None = None,
        undo_data: dict[str, Any] | None = None,
        ttl_seconds: float | None = None,
    ) -> UndoMetadata:
        """Keep undo data on top of what the action has; 32 runs of one action at most."""
        if isinstance(action_id, UndoMetadata):
            metadata = action_id
        else:
            if tool_name is None:
                raise TypeError("tool_name is required when storing by action_id")
            if undo_data is None:
                raise TypeError("undo_data is required when storing by action_id")
            metadata = UndoMetadata(action_id, tool_name, undo_data, now())
        ttl = self.default_ttl_seconds if ttl_seconds is None else ttl_seconds
        await self._calls.write(self._store, metadata, ttl)
        return metadata

    async def get(self, action_id: UUID) -> UndoMetadata | None:
        """Give an action's undo data; None when there are none, or they have expired."""
        return await self._calls.read(self.get_now, action_id)

    def get_now(self, action_id: UUID) -> UndoMetadata | None:
        """Give an action's undo data, without awaiting."""
        record = self._table.get(action_id)
        if record is not None:
            return self._metadata(record)
        if self._kept is not None and self._kept.pop(str(action_id), None) is not None:
            self._table.delete(action_id)
        return None

    async def delete(self, action_id: UUID) -> bool:
        """Forget an action's undo data, and say whether there were some."""
        deleted = await self._calls.write(self._table.delete, action_id)
        if self._kept is not None:
            deleted = self._kept.pop(str(action_id), None) is not None or deleted
        return deleted

    async def remove(self, action_id: UUID) -> bool:
        """Forget an action's undo data, as :meth:`delete`."""
        return await self.delete(action_id)

    async def cleanup_expired(self) -> int:
        """Remove what has expired, and give the number."""
        removed = await self._calls.write(self._table.cleanup_expired)
        if self._kept is not None and removed:
            live = {record.action_id for record in self._table.all()}
            for action_id in [known for known in self._kept if known not in live]:
                del self._kept[action_id]
        return removed

    async def get_all(self) -> list[UndoMetadata]:
        """Give the newest undo data of each action, in the order of their first data."""
        return [self._metadata(record) for record in await self._calls.write(self._table.all)]

    async def claim(
        self, action_id: UUID, lease_seconds: float = UNDO_LEASE_SECONDS
    ) -> UndoClaim | str:
        """Claim an action's undo data, so that nobody else undoes it; or ``busy``, ``missing``."""
        claim = await self._calls.write(self._table.claim, action_id, lease_seconds)
        if claim.record is None or claim.lease is None:
            return claim.status
        return UndoClaim(self._metadata(claim.record), claim.lease)

    async def release(self, claim: UndoClaim) -> bool:
        """Give claimed undo data back; False when another has them."""
        return await self._calls.write(self._table.release, claim.lease)

    async def finish(self, claim: UndoClaim) -> bool:
        """Forget claimed undo data; False when another has them."""
        finished = await self._calls.write(self._table.finish, claim.lease)
        if finished and self._kept is not None:
            kept = self._kept.get(str(claim.metadata.action_id), {})
            numbers = [number for number, held in kept.items() if held is claim.metadata]
            if numbers:
                del kept[max(numbers)]
            if not kept:
                self._kept.pop(str(claim.metadata.action_id), None)
        return finished

    def __len__(self) -> int:
        return len(self._table)

    def _store(self, metadata: UndoMetadata, ttl: float) -> None:
        if self._kept is None:
            written = json.dumps(metadata.undo_data, allow_nan=False, ensure_ascii=False)
            # A lone surrogate raises here: it could never be read again.
            written.encode()
        else:
            number = next(self._numbers)
            written = str(number)
            kept = self._kept.setdefault(str(metadata.action_id), {})
            kept[number] = metadata
        try:
            self._table.store(
                metadata.action_id, metadata.tool_name, written, metadata.created_at, ttl
            )
        except BaseException:
            if self._kept is not None:
                del kept[number]
                if not kept:
                    del self._kept[str(metadata.action_id)]
            raise

    def _metadata(self, record: UndoRecord) -> UndoMetadata:
        if self._kept is not None and record.undo_data in self._kept.get(record.action_id, {}):
            return self._kept[record.action_id][record.undo_data]
        action_id: Any = record.action_id
        with contextlib.suppress(ValueError):
            action_id = UUID(action_id)
        return UndoMetadata(action_id, record.tool_name, record.undo_data, record.created_at)


_lock = threading.Lock()
_store: UndoStore | None = None


def get_undo_store() -> UndoStore:
    """Give the store of the program."""
    global _store
    with _lock:
        if _store is None:
            _store = UndoStore()
        return _store


def set_undo_store(store: UndoStore) -> None:
    """Set the store of the program."""
    global _store
    with _lock:
        _store = store


def clear_undo_store() -> None:
    """Forget the store of the program; the next one is new."""
    global _store
    with _lock:
        _store = None
