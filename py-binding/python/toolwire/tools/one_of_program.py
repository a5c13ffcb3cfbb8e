"""What a program has one of, unless it sets another one.

>>> from toolwire.tools.one_of_program import OneOfProgram
>>> lists = OneOfProgram(list)
>>> lists.get() is lists.get()
True
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

__all__ = ["OneOfProgram"]

T = TypeVar("T")


class OneOfProgram(Generic[T]):
    """Makes the one thing when it is first asked for."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._held: T | None = None

    def get(self) -> T:
        """Give it, and make it if there is none."""
        with self._lock:
            if self._held is None:
                self._held = self._make()
            return self._held

    def set(self, held: T | None) -> None:
        """Set it; with None, the next one is new."""
        with self._lock:
            self._held = held
