"""Running a handler: where it runs, and for how long.

>>> from toolwire.runs.handler import is_coroutine_function
>>> is_coroutine_function(print)
False
"""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Callable, Coroutine
from typing import Any

from toolwire.runs.output import ToolOutput

__all__ = ["StillWorkingError", "is_coroutine_function", "output_in_time"]


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


def output_in_time(
    handler: Any, given: Any, ctx: Any, seconds: float | None
) -> Coroutine[Any, Any, ToolOutput]:
    """Give a handler's output, within the time that it has.

    Raises :class:`TimeoutError` when its time is over and it has ended, and
    :class:`StillWorkingError` when nobody can stop it.
    """
    with_ctx = (ctx,) if getattr(handler, "takes_context", False) else ()
    if seconds is None:
        return outcome_of(handler, given, *with_ctx)
    return outcome_within(seconds, handler, given, *with_ctx)


async def outcome_within(seconds: float, handler: Any, *given: Any) -> ToolOutput:
    """Run a handler for so many seconds at most, and give its output."""
    work = None if is_coroutine_function(handler) else Work(handler)
    output = asyncio.ensure_future(outcome_of(handler if work is None else work, *given))
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


async def outcome_of(handler: Any, *given: Any) -> ToolOutput:
    """Run a handler, and give its output.

    A plain function runs in a thread, so that it does not hold up the event loop. What is no output
    becomes the data of one.
    """
    if is_coroutine_function(handler):
        output = await handler(*given)
    else:
        output = await asyncio.to_thread(handler, *given)
        if inspect.isawaitable(output):
            output = await output
    return output if hasattr(output, "success") else ToolOutput.ok(data=output)


def is_coroutine_function(handler: Any) -> bool:
    """Say whether calling a handler only makes a coroutine."""
    call = getattr(handler, "__call__", None)  # noqa: B004
    return inspect.iscoroutinefunction(handler) or inspect.iscoroutinefunction(call)
