"""The bar that shows how much of many bytes is read."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator

#: What is smaller is read before anybody sees a bar.
BIG = 8 << 20


@contextlib.contextmanager
def bar(total: int, *, least: int = BIG) -> Iterator[Callable[[int], object]]:
    """Show a bar on a terminal while bytes are read, if there is a package for it.

    It gives a function that takes the number of bytes that were read.
    """
    made = None
    if total >= least and sys.stderr.isatty():
        with contextlib.suppress(ImportError):
            from tqdm import tqdm

            made = tqdm(total=total, unit="B", unit_scale=True, leave=False, file=sys.stderr)
    try:
        yield unheard if made is None else made.update
    finally:
        if made is not None:
            made.close()


def unheard(_: object) -> None:
    """Take what nobody wants to hear."""
