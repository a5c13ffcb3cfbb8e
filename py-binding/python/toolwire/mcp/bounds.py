"""Bounds on what a server may send: one message over a pipe, one answer over HTTP.

>>> from toolwire.mcp.bounds import MOST_BYTES
>>> MOST_BYTES
4194304
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any

import anyio
import httpx2
from anyio.abc import Process
from mcp.client.stdio import get_default_environment
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter

from toolwire._body import (
    ACCEPTED,
    BodyError,
    BodyTooLongError,
    DecodedBody,
    Decoding,
    take_body,
)
from toolwire.mcp.log import LONGEST_LINE, BoundedLines

__all__ = ["MOST_BYTES", "BoundedTransport", "Noted", "piped"]

MOST_BYTES = 4 * 1024 * 1024
GRACE_SECONDS = 2.0

MOST_SHOWN = 600
"""How many lines of a server's standard error are shown in a minute."""


@dataclass
class Noted:
    """What a server sent that was not handed over.

    That is more than is taken, a first line that is no message, the status of a failure, or an
    answer whose encoding cannot be read.
    """

    too_large: bool = False
    unreadable: bytes = b""
    status: int | None = None
    unfit: str = ""

    def take(self, error: BodyError) -> None:
        """Note what is wrong with the body of an answer."""
        self.too_large = self.too_large or isinstance(error, BodyTooLongError)
        self.unfit = self.unfit or str(error)


class _Body(DecodedBody):
    """The body of a server's answer; what is wrong with it is noted for the person."""

    def __init__(self, inner: Any, decoding: Decoding, noted: Noted) -> None:
        super().__init__(inner, decoding)
        self._noted = noted

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for piece in super().__aiter__():
                yield piece
        except BodyError as error:
            self._noted.take(error)
            raise httpx2.ReadError(str(error)) from None


class BoundedTransport(httpx2.AsyncBaseTransport):
    """Ends an answer that becomes too long; the SDK bounds the events of a stream itself."""

    def __init__(self, noted: Noted) -> None:
        self._inner = httpx2.AsyncHTTPTransport()
        self._noted = noted

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request."""
        request.headers["accept-encoding"] = ACCEPTED
        response = await self._inner.handle_async_request(request)
        self._noted.status = response.status_code if response.status_code >= 400 else None
        is_stream = response.headers.get("content-type", "").startswith("text/event-stream")
        try:
            take_body(response, None if is_stream else MOST_BYTES, _Body, self._noted)
        except BodyError as error:
            self._noted.take(error)
            await response.aclose()
            raise httpx2.ReadError(str(error)) from None
        return response

    async def aclose(self) -> None:
        """Close the connections."""
        await self._inner.aclose()


@contextlib.asynccontextmanager
async def piped(
    command: Sequence[str], env: dict[str, str] | None, cwd: str | None, noted: Noted
) -> AsyncIterator[Any]:
    """Start a server and talk to it over its standard streams.

    It has the few variables of the environment that are safe, and ``env``. What it writes to
    standard error is shown there, with marks for what would steer a terminal. At the end its input
    is closed; if it stays, it is ended with all that it has started.
    """
    process = await anyio.open_process(
        list(command),
        env={**get_default_environment(), **(env or {})},
        cwd=cwd,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    to_session, from_server = anyio.create_memory_object_stream[Any](0)
    to_server, from_session = anyio.create_memory_object_stream[Any](0)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_read, process, to_session, noted)
        tasks.start_soon(_write, process, from_session, to_session)
        tasks.start_soon(_show, process)
        try:
            yield from_server, to_server
        finally:
            from_server.close()
            to_server.close()
            with anyio.CancelScope(shield=True):
                await _end(process)
            tasks.cancel_scope.cancel()


class Lines:
    r"""Puts lines together of what comes in pieces, however small these are.

    >>> lines = Lines()
    >>> lines.feed(b"one\ntw"), lines.feed(b"o\n\n")
    ([b'one'], [b'two', b''])
    """

    def __init__(self, longest: int = MOST_BYTES) -> None:
        self._longest = longest
        self._kept = bytearray()

    def feed(self, piece: bytes) -> list[bytes] | None:
        """Give the lines that end in a piece; None when one is too long."""
        *ends, rest = piece.split(b"\n")
        lines = []
        for end in ends:
            self._kept += end
            lines.append(bytes(self._kept))
            self._kept.clear()
        self._kept += rest
        is_bounded = max(map(len, (*lines, self._kept))) <= self._longest
        return lines if is_bounded else None


async def _read(process: Process, to_session: Any, noted: Noted) -> None:
    """Hand over a message for each line; one that is too long ends the connection."""
    assert process.stdout is not None
    incoming = Lines()
    gone = (anyio.ClosedResourceError, anyio.BrokenResourceError, anyio.EndOfStream)
    with contextlib.suppress(*gone):
        async with to_session:
            async for piece in process.stdout:
                lines = incoming.feed(piece)
                if lines is None:
                    noted.too_large = True
                    return
                for line in filter(None, map(bytes.strip, lines)):
                    message = _message(line)
                    if message is None:
                        noted.unreadable = noted.unreadable or line[:80]
                    else:
                        await to_session.send(message)


def _message(line: bytes) -> SessionMessage | None:
    try:
        return SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False))
    except ValueError:
        return None


async def _write(process: Process, from_session: Any, to_session: Any) -> None:
    """Write what the session sends; when the pipe is broken, the session sees the end."""
    assert process.stdin is not None
    try:
        async with from_session:
            async for sent in from_session:
                text = sent.message.model_dump_json(by_alias=True, exclude_unset=True)
                await process.stdin.send((text + "\n").encode("utf-8", "replace"))
    except (anyio.ClosedResourceError, anyio.BrokenResourceError, OSError):
        await to_session.aclose()


async def _show(process: Process) -> None:
    """Show what the server writes to standard error, line by line, and not without an end."""
    assert process.stderr is not None
    lines, kept = BoundedLines(MOST_SHOWN), b""

    def show(line: bytes) -> None:
        text = lines.take(line.decode("utf-8", "replace"), time.monotonic())
        if text is not None and sys.stderr is not None:
            print(text, file=sys.stderr, flush=True)

    # The program's standard error may be closed, or the server gone.
    with contextlib.suppress(OSError, ValueError, anyio.ClosedResourceError):
        async for piece in process.stderr:
            *whole, kept = (kept + piece).split(b"\n")
            if len(kept) > LONGEST_LINE:
                whole, kept = [*whole, kept], b""
            for line in whole:
                show(line)
        if kept:
            show(kept)


async def _end(process: Process) -> None:
    """End the server: by its input, then with all that it has started."""
    with contextlib.suppress(Exception):
        if process.stdin is not None:
            await process.stdin.aclose()
    for sign in (None, signal.SIGTERM, signal.SIGKILL):
        if sign is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, sign)
        with anyio.move_on_after(GRACE_SECONDS):
            # `wait` also waits for the pipes, which a child of the server may keep open.
            while process.returncode is None:
                await anyio.sleep(0.01)
            break
    with contextlib.suppress(Exception):
        await process.aclose()
