"""Ctrl-C while a command writes what it reads."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator
from typing import Any, TypeVar

T = TypeVar("T")


class Interrupt:
    """Ctrl-C: what is being written is written to its end, and no more is read."""

    def __init__(self) -> None:
        self.happened = False
        self._reads = False

    def __call__(self, *_: Any) -> None:
        """Take the signal."""
        if self.happened or self._reads:
            self.happened = True
            raise KeyboardInterrupt
        self.happened = True

    def until(self, batches: Iterator[T]) -> Iterator[T]:
        """Give batches until the signal comes, which ends a read that waits."""
        while not self.happened:
            self._reads = True
            try:
                batch = next(batches, None)
            except KeyboardInterrupt:
                return
            finally:
                self._reads = False
            if batch is None:
                return
            yield batch


@contextlib.contextmanager
def interruptible() -> Iterator[Interrupt]:
    """Take Ctrl-C while rows are written."""
    interrupt = Interrupt()
    try:
        before = signal.signal(signal.SIGINT, interrupt)
    except ValueError:  # the program runs in a thread of another one
        yield interrupt
        return
    try:
        yield interrupt
    finally:
        signal.signal(signal.SIGINT, before)
