"""The event loop of one connection to a server, in a thread of its own.

A connection lives as long as its program, also where the program starts one event loop after
another, or none. Each has its own thread, so that a server that is slow or floods its client holds
up no other.

>>> from toolwire.mcp.background import Background
>>> async def answer():
...     return 42
>>> background = Background("docs")
>>> background.run(answer(), seconds=5)
42
>>> background.stop()
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

__all__ = ["Background"]

_Given = TypeVar("_Given")


class Background:
    """A thread with an event loop, which is started by the first coroutine."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    def run(self, coroutine: Coroutine[Any, Any, _Given], *, seconds: float) -> _Given:
        """Run a coroutine there, and wait for what it gives.

        Raises :class:`TimeoutError` if the loop itself does not come to it in time.
        """
        future = asyncio.run_coroutine_threadsafe(coroutine, self._started())
        try:
            return future.result(seconds)
        except concurrent.futures.TimeoutError:
            future.cancel()
            raise TimeoutError(f"nothing within {seconds:g} seconds") from None

    async def running(self, coroutine: Coroutine[Any, Any, _Given], *, seconds: float) -> _Given:
        """Run a coroutine there, and await what it gives; who cancels this cancels the coroutine.

        Raises :class:`TimeoutError` if the loop itself does not come to it in time.
        """
        future = asyncio.run_coroutine_threadsafe(coroutine, self._started())
        try:
            return await asyncio.wait_for(asyncio.wrap_future(future), seconds)
        except asyncio.TimeoutError:
            raise TimeoutError(f"nothing within {seconds:g} seconds") from None

    def stop(self) -> None:
        """End the thread, unless this is it."""
        with self._lock:
            loop, thread = self._loop, self._thread
            self._loop = self._thread = None
        if loop is None or thread is None:
            return
        loop.call_soon_threadsafe(loop.stop)
        if thread is not threading.current_thread():
            thread.join(timeout=10)

    def _started(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(
                    target=_serve, args=(self._loop,), name=f"mcp {self._name}", daemon=True
                )
                self._thread.start()
            return self._loop


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    """Run a loop until it is stopped, and end what is left in it."""
    asyncio.set_event_loop(loop)
    loop.run_forever()
    left = asyncio.all_tasks(loop)
    for task in left:
        task.cancel()
    if left:
        loop.run_until_complete(asyncio.wait(left, timeout=5))
    loop.run_until_complete(loop.shutdown_asyncgens())
    loop.close()
