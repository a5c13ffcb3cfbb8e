"""Running a handler: where it runs, and for how long.

>>> from toolwire.runs.handler import is_coroutine_function
>>> is_coroutine_function(print)
False
"""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Awaitable, Callable
from types import FunctionType
from typing import Any

from toolwire.runs.output import ToolOutput

__all__ = ["StillWorkingError", "as_output", "is_coroutine_function", "working"]


class StillWorkingError(Exception):
    """The time of a handler is over, and nobody can stop it."""


class Work:
    """One call of a handler that is a plain function, in a thread."""

    def __init__(self, handler: Callable[..., Any]) -> None:
        self._handler = handler
        self._lock = threading.Lock()
        self._has_begun = False
        self._is_given_up = False

    def __call__(self, *given: Any) -> Any:
        """Run the handler, unless it was given up while it waited for a thread."""
        with self._lock:
            if self._is_given_up:
                return None
            self._has_begun = True
        return self._handler(*given)

    def give_up(self) -> bool:
        """Give the handler up, and say whether it works on all the same."""
        with self._lock:
            self._is_given_up = True
            return self._has_begun


def working(handler: Any, given: Any, ctx: Any, seconds: float | None) -> Awaitable[Any]:
    """Give what runs a handler when it is awaited, within the time that it has.

    Raises :class:`TimeoutError` when its time is over and it has ended, and
    :class:`StillWorkingError` when nobody can stop it.
    """
    with_ctx = (ctx,) if getattr(handler, "takes_context", False) else ()
    if seconds is not None:
        return working_within(seconds, handler, given, *with_ctx)
    if is_coroutine_function(handler):
        coroutine: Awaitable[Any] = handler(given, *with_ctx)
        return coroutine
    return working_in_thread(handler, given, *with_ctx)


async def working_within(seconds: float, handler: Any, *given: Any) -> Any:
    """Run a handler for so many seconds at most, and give what it gives."""
    work = None if is_coroutine_function(handler) else Work(handler)
    coroutine = handler(*given) if work is None else working_in_thread(work, *given)
    output = asyncio.ensure_future(coroutine)
    try:
        await asyncio.wait({output}, timeout=seconds)
    except asyncio.CancelledError:
        await ended(output)
        raise
    if output.done():
        # A handler may raise a TimeoutError of its own.
        return output.result()
    await ended(output)
    if not output.cancelled():
        return output.result()
    works_on = work is not None and work.give_up()
    message = f"the handler did not finish within {seconds:g} seconds"
    raise (StillWorkingError if works_on else TimeoutError)(message)


async def ended(task: asyncio.Future[Any]) -> None:
    """Cancel a task, and wait until it has ended."""
    task.cancel()
    await asyncio.wait({task})


async def working_in_thread(handler: Any, *given: Any) -> Any:
    """Run a plain function in a thread, so that it does not hold up the event loop."""
    output = await asyncio.to_thread(handler, *given)
    return await output if inspect.isawaitable(output) else output


def as_output(given: Any) -> ToolOutput:
    """Give an output as it is; what is none becomes the data of one."""
    if hasattr(given, "success"):
        output: ToolOutput = given
        return output
    return ToolOutput.ok(data=given)


def is_coroutine_function(handler: Any) -> bool:
    """Say whether calling a handler only makes a coroutine."""
    # Most handlers tell it at once; the library looks through all that may be wrapped around one.
    if type(handler) is FunctionType and handler.__code__.co_flags & inspect.CO_COROUTINE:
        return True
    call = getattr(handler, "__call__", None)  # noqa: B004
    return inspect.iscoroutinefunction(handler) or inspect.iscoroutinefunction(call)
