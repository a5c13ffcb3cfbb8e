"""The part of a list that is wanted.

>>> from toolwire.runs.page import page_size
>>> page_size(50), page_size(None)
(50, None)
"""

from __future__ import annotations

__all__ = ["page_size"]


def page_size(limit: int | None) -> int | None:
    """Check the largest number of items of a page.

    Raises :class:`ValueError` when it is less than 1.
    """
    if limit is not None and limit < 1:
        raise ValueError(f"limit must be at least 1, got {limit}")
    return limit
