"""What it takes to undo actions.

>>> import asyncio, uuid
>>> from toolwire.tools import UndoStore
>>> async def keep(store, action_id):
...     await store.store(action_id, "edit_post", {"title": "before"})
...     return (await store.get(action_id)).undo_data
>>> asyncio.run(keep(UndoStore(), uuid.uuid4()))
{'title': 'before'}
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar
from uuid import UUID

from toolwire._native import UndoLease, UndoTable
from toolwire.tools.definitions import UndoMetadata, now
from toolwire.tools.store import MemoryStore, SqliteStore, Store

__all__ = ["UndoClaim", "UndoEntry", "UndoStore", "clear_undo_store", "get_undo_store", "set_undo_store"]


@dataclass(frozen=True, slots=True)
class UndoEntry:
    """Undo data, and when they expire."""

    metadata: UndoMetadata
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class UndoClaim:
    """That one alone may undo an action for a while; to be finished or released."""

    metadata: UndoMetadata
    lease: UndoLease


_Given = TypeVar("_Given")


class UndoStore:
    """Keeps undo data by action, for a while.

    Without a store, they live as long as this object, as they are. With one they are written as JSON, and
    whoever has it open, this process or another, may undo; what JSON cannot hold is refused.
    """

    def __init__(self, default_ttl_seconds: float = 3600.0, *, store: Store | None = None) -> None:
        self._default_ttl_seconds = default_ttl_seconds
        self._table = UndoTable(MemoryStore() if store is None else store)
        self._kept: dict[str, UndoMetadata] | None = {} if store is None else None
        # A write into a file may wait for others who write.
        self._blocks = isinstance(store, SqliteStore)

    async def store(
        self,
        action_id: UUID | UndoMetadata,
        tool_name: str | None = None,
        undo_data: dict[str, Any] | None = None,
        ttl_seconds: float | None = None,
    ) -> UndoMetadata:
        """Keep an action's undo data in place of what it had."""
        if isinstance(action_id, UndoMetadata):
            metadata = action_id
        else:
            if tool_name is None:
                raise TypeError("tool_name is required when storing by action_id")
            if undo_data is None:
                raise TypeError("undo_data is required when storing by action_id")
            metadata = UndoMetadata(action_id, tool_name, undo_data, now())
        ttl = self._default_ttl_seconds if ttl_seconds is None else ttl_seconds
        await self._work(self._store, metadata, ttl)
        return metadata

    async def get(self, action_id: UUID) -> UndoMetadata | None:
        """Give an action's undo data; None when there are none, or they have expired."""
        return self.get_now(action_id)

    def get_now(self, action_id: UUID) -> UndoMetadata | None:
        """Give an action's undo data, without awaiting."""
        told = self._table.get(action_id)
        if told is not None:
            return self._metadata(told)
        if self._kept is not None and self._kept.pop(str(action_id), None) is not None:
            self._table.delete(action_id)
        return None

    async def delete(self, action_id: UUID) -> bool:
        """Forget an action's undo data, and say whether there were some."""
        deleted = await self._work(self._table.delete, action_id)
        if self._kept is not None:
            deleted = self._kept.pop(str(action_id), None) is not None or deleted
        return deleted

    async def remove(self, action_id: UUID) -> bool:
        """Forget an action's undo data, as :meth:`delete`."""
        return await self.delete(action_id)

    async def cleanup_expired(self) -> int:
        """Remove what has expired, and give the number."""
        removed = await self._work(self._table.cleanup_expired)
        if self._kept is not None and removed:
            live = {told[0] for told in self._table.all()}
            for action_id in [known for known in self._kept if known not in live]:
                del self._kept[action_id]
        return removed

    async def get_all(self) -> list[UndoMetadata]:
        """Give all undo data that have not expired, in the order in which they were first stored."""
        return [self._metadata(told) for told in await self._work(self._table.all)]

    async def claim(self, action_id: UUID, lease_seconds: float = 300.0) -> UndoClaim | str:
        """Take an action's undo data for oneself: the claim, or ``busy`` or ``missing``."""
        status, told, lease = await self._work(self._table.claim, action_id, lease_seconds)
        if told is None or lease is None:
            return status
        return UndoClaim(self._metadata(told), lease)

    async def release(self, claim: UndoClaim) -> bool:
        """Give claimed undo data back; False when another has them."""
        return await self._work(self._table.release, claim.lease)

    async def finish(self, claim: UndoClaim) -> bool:
        """Forget claimed undo data; False when another has them."""
        finished = await self._work(self._table.finish, claim.lease)
        if finished and self._kept is not None:
            self._kept.pop(str(claim.metadata.action_id), None)
        return finished

    def __len__(self) -> int:
        return len(self._table)

    def _store(self, metadata: UndoMetadata, ttl: float) -> None:
        if self._kept is None:
            written = json.dumps(metadata.undo_data, allow_nan=False)
        else:
            written = "null"
            self._kept[str(metadata.action_id)] = metadata
        self._table.store(metadata.action_id, metadata.tool_name, written, metadata.created_at, ttl)

    def _metadata(self, told: tuple[Any, ...]) -> UndoMetadata:
        action_id, tool_name, undo_data, created_at, _ = told
        if self._kept is not None and action_id in self._kept:
            return self._kept[action_id]
        with contextlib.suppress(ValueError):
            action_id = UUID(action_id)
        return UndoMetadata(action_id, tool_name, undo_data, created_at)

    async def _work(self, step: Callable[..., _Given], *arguments: Any) -> _Given:
        """Do something with the store; where it may wait for others, the loop goes on meanwhile."""
        if self._blocks:
            return await asyncio.to_thread(step, *arguments)
        return step(*arguments)


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
