"""What protects a tool of a server: whether a person is asked, and what it is said to do.

>>> from toolwire.mcp.guard import Guard
>>> Guard(False, True, False).at_least(Guard(True, None, True))
Guard(asks=True, read_only=None, destructive=True)
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Guard"]


@dataclass(frozen=True)
class Guard:
    """Whether a person has to approve a call, and the server's hints; None says nothing."""

    asks: bool
    read_only: bool | None
    destructive: bool | None

    def at_least(self, other: Guard) -> Guard:
        """Give the stricter of both in each point."""
        reads, destroys = (self.read_only, other.read_only), (self.destructive, other.destructive)
        return Guard(
            self.asks or other.asks,
            False if False in reads else (None if None in reads else True),
            True if True in destroys else (None if None in destroys else False),
        )
