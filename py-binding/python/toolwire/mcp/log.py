r"""What a server logs about its clients: so many lines a minute, each of a bounded length.

>>> from toolwire.mcp.log import BoundedLines
>>> lines = BoundedLines(most=1)
>>> [lines.take("a\x1b[31m\nb", now) for now in (0.0, 1.0, 61.0)]
['a⟨U+001B⟩[31m b', None, '(1 line left out) a⟨U+001B⟩[31m b']
"""

from __future__ import annotations

import contextlib
import logging
import sys
import threading
import time
from collections.abc import Iterator

import toolwire

__all__ = ["LONGEST_LINE", "BoundedLines", "bounded_log"]

MOST_LINES = 60
LONGEST_LINE = 2000
LOGGERS = ("mcp", "uvicorn", "toolwire.mcp")


class BoundedLines:
    """Lets so many lines of a minute through, and counts the others."""

    def __init__(self, most: int = MOST_LINES) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._since = float("-inf")
        self._taken = self._left_out = 0

    def take(self, text: str, now: float) -> str | None:
        """Give the line to write, or None; ``now`` is in seconds."""
        with self._lock:
            if now - self._since >= 60:
                self._since, self._taken = now, 0
            if self._taken >= self._most:
                self._left_out += 1
                return None
            self._taken += 1
            left_out, self._left_out = self._left_out, 0
        line = toolwire.visible(" ".join(text[:LONGEST_LINE].splitlines()))
        if len(text) > LONGEST_LINE:
            line += "…"
        lines = "line" if left_out == 1 else "lines"
        return f"({left_out:,} {lines} left out) {line}" if left_out else line


class BoundedHandler(logging.Handler):
    """Writes records on standard error, in a line each."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._lines = BoundedLines()

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record, unless there are too many."""
        try:
            line = self._lines.take(self.format(record), time.monotonic())
            if line is not None:
                print(line, file=sys.stderr, flush=True)
        except Exception:
            self.handleError(record)


@contextlib.contextmanager
def bounded_log() -> Iterator[None]:
    """Bound what the server's packages log meanwhile, unless the program has handlers for them."""
    handler = BoundedHandler()
    handler.setFormatter(logging.Formatter("%(levelname)s: %(message)s"))
    loggers = [logging.getLogger(name) for name in LOGGERS]
    own = [] if logging.getLogger().handlers else [one for one in loggers if not one.handlers]
    for logger in own:
        logger.addHandler(handler)
    try:
        yield
    finally:
        for logger in own:
            logger.removeHandler(handler)
