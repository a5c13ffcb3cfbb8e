"""How long a run may take, and the clock by which it is measured.

>>> from toolwire.issue_agent import Deadline
>>> Deadline(60).fits(3600), Deadline(None).fits(3600)
(False, True)
"""

from __future__ import annotations

import asyncio
import time

__all__ = ["Clock", "Deadline"]


class Clock:
    """The time, and waiting. A test passes a clock of its own, so as not to wait."""

    def time(self) -> float:
        """Give the seconds since 1970."""
        return time.time()

    def monotonic(self) -> float:
        """Give the seconds of a clock that is never adjusted."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(seconds)


class Deadline:
    """The end of a run, ``seconds`` from now; None is no end."""

    def __init__(self, seconds: float | None, clock: Clock | None = None) -> None:
        self.clock = clock or Clock()
        self._end = None if seconds is None else self.clock.monotonic() + seconds

    @property
    def left(self) -> float | None:
        """The seconds that are left, at least 0; None without an end."""
        return None if self._end is None else max(self._end - self.clock.monotonic(), 0.0)

    def fits(self, seconds: float) -> bool:
        """Say whether so many seconds are left."""
        left = self.left
        return left is None or seconds <= left
