"""The event loop of all connections to servers, in a thread of its own.

A connection lives as long as its program, also where the program starts one event loop after
another, or none.

>>> from toolwire.mcp.background import run
>>> async def answer():
...     return 42
>>> run(answer())
42
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

__all__ = ["run", "running"]

_Given = TypeVar("_Given")

_lock = threading.Lock()
_loop: asyncio.AbstractEventLoop | None = None


def _started() -> asyncio.AbstractEventLoop:
    global _loop
    with _lock:
        if _loop is None:
            _loop = asyncio.new_event_loop()
            name = "toolwire-mcp"
            threading.Thread(target=_loop.run_forever, name=name, daemon=True).start()
        return _loop


def run(coroutine: Coroutine[Any, Any, _Given]) -> _Given:
    """Run a coroutine there, and wait for what it gives."""
    return asyncio.run_coroutine_threadsafe(coroutine, _started()).result()


async def running(coroutine: Coroutine[Any, Any, _Given]) -> _Given:
    """Run a coroutine there, and await what it gives; who cancels this cancels the coroutine."""
    return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(coroutine, _started()))
