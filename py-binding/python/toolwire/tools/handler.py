"""Running a handler: where it runs, and for how long.

>>> from toolwire.tools.handler import is_coroutine_function
>>> is_coroutine_function(print)
False
"""

from __future__ import annotations

import asyncio
import inspect
from typing import Any

from toolwire.tools.base import ExecuteOf
from toolwire.tools.definitions import ToolInput, ToolOutput

__all__ = ["StillWorkingError", "is_coroutine_function", "output_in_time"]


class StillWorkingError(Exception):
    """The time of a handler is over, and nobody can stop it."""


async def output_in_time(
    handler: Any, given: ToolInput, ctx: Any, seconds: float | None
) -> ToolOutput:
    """Give a handler's output, within the time that it has."""
    with_ctx = (ctx,) if isinstance(handler, ExecuteOf) else ()
    if seconds is None:
        return await outcome_of(handler, given, *with_ctx)
    try:
        return await asyncio.wait_for(outcome_of(handler, given, *with_ctx), seconds)
    except asyncio.TimeoutError as error:
        message = f"the handler did not finish within {seconds:g} seconds"
        # A coroutine has ended. Nobody can stop a thread, so what it does is not known.
        ended = is_coroutine_function(handler)
        raise (TimeoutError if ended else StillWorkingError)(message) from error


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
