"""Ids as the records of tools write them.

>>> from uuid import UUID
>>> from toolwire.runs.ids import id_text
>>> id_text(UUID(int=1)), id_text(7), id_text(None)
('00000000-0000-0000-0000-000000000001', '7', None)
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

__all__ = ["id_text", "optional_id_text", "read_id", "run_of"]


def id_text(value: Any) -> str | None:
    """Write the id that something has; an id of a program may be no UUID."""
    return None if value is None else str(value)


def optional_id_text(value: Any) -> str | None:
    """Write an id that need not be there; an empty one counts as none."""
    return str(value) if value else None


def read_id(text: Any) -> Any:
    """Read an id of a store: a UUID, or text if the program's id is no UUID."""
    try:
        return None if text is None else UUID(text)
    except ValueError:
        return text


def run_of(record: Any) -> Any:
    """Give the id of the run of a request or of undo data.

    A service or a store of the program's own may have it under stageflow's word.
    """
    id = getattr(record, "run_id", None)
    return record.action_id if id is None else id
