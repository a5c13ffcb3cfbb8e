"""How often tools may run.

>>> from toolwire.runs import RateLimiter
>>> limiter = RateLimiter(2, 60.0)
>>> [limiter.check("search", "user 7").allowed for _ in range(3)]
[True, True, False]
"""

from __future__ import annotations

from typing import NamedTuple

from toolwire._native import Limiter
from toolwire.runs.store import MemoryStore, Store

__all__ = ["Permit", "RateLimiter"]


class Permit(NamedTuple):
    """Whether a call may be made, how many more may follow at once, or how long to wait."""

    allowed: bool
    remaining: int
    retry_after_seconds: float


class RateLimiter:
    """Allows each caller of a tool ``count`` calls at once, and in the long run ``count`` a period.

    In a store that several processes have open, their calls are counted together.
    """

    def __init__(self, count: int, period_seconds: float, *, store: Store | None = None) -> None:
        self._limiter = Limiter(MemoryStore() if store is None else store, count, period_seconds)

    def check(self, tool: str, caller: str = "") -> Permit:
        """Count a call, if it may be made."""
        check = self._limiter.check(tool, caller)
        return Permit(check.allowed, check.remaining, check.retry_after_seconds)
