"""stageflow's undo data: those of :mod:`toolwire.runs`.

>>> from toolwire.tools.undo import UndoStore
>>> UndoStore.__module__
'toolwire.runs.undo'
"""

from __future__ import annotations

from toolwire.runs.undo import (
    UndoClaim,
    UndoEntry,
    UndoStore,
    clear_undo_store,
    get_undo_store,
    set_undo_store,
)

__all__ = [
    "UndoClaim",
    "UndoEntry",
    "UndoStore",
    "clear_undo_store",
    "get_undo_store",
    "set_undo_store",
]
