r"""The wire of a server: a bound on each message, and nothing else on the standard streams.

>>> import io
>>> from toolwire.mcp.wire import lines_of
>>> list(lines_of(io.BytesIO(b'one\n' + b'x' * 20 + b'\ntwo\n'), longest=10))
[b'one\n', None, b'two\n']
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from collections.abc import AsyncIterator, Coroutine, Iterator
from typing import Any, BinaryIO, TypeVar

import anyio
import anyio.to_thread

__all__ = ["MOST_BYTES", "Input", "Output", "cancelled_once", "lines_of", "taken_streams"]

_Given = TypeVar("_Given")

MOST_BYTES = 4 * 1024 * 1024
"""The longest message, as over HTTP."""

TOO_LONG = (
    '{"jsonrpc": "2.0", "id": null, "error": {"code": -32600, '
    f'"message": "a message has at most {MOST_BYTES:,} bytes"}}}}\n'
)


def lines_of(stream: BinaryIO, longest: int = MOST_BYTES) -> Iterator[bytes | None]:
    """Give the lines; None stands for one that is longer, which is read over."""
    while line := stream.readline(longest + 1):
        if len(line) <= longest or line.endswith(b"\n"):
            yield line
            continue
        while line and not line.endswith(b"\n"):
            line = stream.readline(longest)
        yield None


class Output:
    """What the server writes to."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    async def write(self, text: str) -> None:
        """Write a message."""
        await anyio.to_thread.run_sync(self._stream.write, text.encode("utf-8", "replace"))

    async def flush(self) -> None:
        """Send what was written."""
        await anyio.to_thread.run_sync(self._stream.flush)


class Input:
    """What the server reads from: messages, a line each."""

    def __init__(self, stream: BinaryIO, output: Output) -> None:
        self._lines = lines_of(stream)
        self._output = output

    async def __aiter__(self) -> AsyncIterator[str]:
        while True:
            line = await anyio.to_thread.run_sync(next, self._lines, b"", abandon_on_cancel=True)
            if line is None:
                await self._output.write(TOO_LONG)
                await self._output.flush()
            elif not line:
                return
            else:
                yield line.decode("utf-8", "replace")


@contextlib.contextmanager
def taken_streams() -> Iterator[tuple[Input, Output]]:
    """Take standard input and output for the wire.

    Whatever a handler or its children print meanwhile goes to standard error, and they read
    nothing.
    """
    input_copy, output_copy = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    flush()
    os.dup2(2, 1)
    # A thread may still read when the server ends, so these are never closed under it.
    output = Output(os.fdopen(output_copy, "wb", closefd=False))
    try:
        yield Input(os.fdopen(input_copy, "rb", closefd=False), output), output
    finally:
        flush()
        os.dup2(output_copy, 1)
        os.dup2(input_copy, 0)


def flush() -> None:
    """Write what is printed and not written yet to where it belongs now."""
    with contextlib.suppress(Exception):
        sys.stdout.flush()


async def cancelled_once(coroutine: Coroutine[Any, Any, _Given]) -> _Given:
    """Await a coroutine; a cancellation reaches it once, so that a run can write down its end.

    The SDK's task groups cancel whatever a cancelled task awaits after that too.
    """
    task = asyncio.ensure_future(coroutine)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        task.cancel()
        with anyio.CancelScope(shield=True):
            await asyncio.wait([task])
        raise
