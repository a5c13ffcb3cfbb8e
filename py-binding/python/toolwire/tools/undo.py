"""stageflow's undo data: those of :mod:`toolwire.runs`, by its names.

>>> import asyncio, uuid
>>> from toolwire.tools.undo import UndoStore
>>> made = asyncio.run(UndoStore().store(uuid.UUID(int=1), "edit_post", {"title": "before"}))
>>> made.to_dict()["action_id"]
'00000000-0000-0000-0000-000000000001'
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

from toolwire.runs import undo as own
from toolwire.runs.output import HeldUndo
from toolwire.runs.undo import UndoClaim, UndoEntry
from toolwire.tools.definitions import UndoMetadata
from toolwire.tools.one_of_program import OneOfProgram

__all__ = [
    "UndoClaim",
    "UndoEntry",
    "UndoStore",
    "clear_undo_store",
    "get_undo_store",
    "set_undo_store",
]


class UndoStore(own.UndoStore):
    """Keeps undo data: the store of :mod:`toolwire.runs` with stageflow's records."""

    metadata_class = UndoMetadata

    async def store(
        self,
        action_id: UUID | HeldUndo,
        tool_name: str | None = None,
        undo_data: dict[str, Any] | None = None,
        ttl_seconds: float | None = None,
    ) -> Any:
        """Keep undo data on top of what the action has; 32 runs of one action at most."""
        return await super().store(action_id, tool_name, undo_data, ttl_seconds)


_program: OneOfProgram[own.UndoStore] = OneOfProgram(UndoStore)


def get_undo_store() -> own.UndoStore:
    """Give the store of the program."""
    return _program.get()


def set_undo_store(store: own.UndoStore) -> None:
    """Set the store of the program."""
    _program.set(store)


def clear_undo_store() -> None:
    """Forget the store of the program; the next one is new."""
    _program.set(None)
