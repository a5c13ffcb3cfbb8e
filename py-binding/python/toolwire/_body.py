"""Bodies of HTTP answers, decoded piece by piece within a bound.

A few kilobytes of gzip may hold gigabytes, so what counts is what they become.

>>> import gzip
>>> from toolwire._body import Decoding
>>> decoding = Decoding("gzip", most_bytes=1000)
>>> b"".join(decoding.pieces(gzip.compress(b"a" * 1000)))[:5]
b'aaaaa'
>>> list(Decoding("gzip", most_bytes=999).pieces(gzip.compress(b"a" * 1000)))
Traceback (most recent call last):
toolwire._body.BodyTooLongError: the answer has more than 999 bytes
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any

__all__ = [
    "ACCEPTED",
    "BodyError",
    "BodyTooLongError",
    "DecodedBody",
    "Decoding",
    "bounding_hook",
    "take_body",
]

ACCEPTED = "gzip"
"""The header ``Accept-Encoding`` of a request whose answer is read here."""

PIECE = 64 * 1024


class BodyError(Exception):
    """The body of an answer cannot be read."""


class BodyTooLongError(BodyError):
    """The body of an answer is longer than what is taken."""


class Decoding:
    """Decodes one body; ``most_bytes`` bounds what comes out, and is None for an endless stream."""

    def __init__(self, encoding: str, most_bytes: int | None) -> None:
        codings = [coding.strip().lower() for coding in encoding.split(",")]
        named = [coding for coding in codings if coding not in ("", "identity")]
        if named not in ([], ["gzip"], ["x-gzip"]):
            raise BodyError(f"the answer is encoded as {', '.join(named)[:40]!r}, and not as asked")
        self._inflating = zlib.decompressobj(zlib.MAX_WBITS | 16) if named else None
        self._most_bytes = most_bytes
        self._size = 0
        self._begun = False

    def pieces(self, chunk: bytes) -> Iterator[bytes]:
        """Give what a chunk becomes, in pieces of a bounded size."""
        self._begun = self._begun or bool(chunk)
        for piece in (chunk,) if self._inflating is None else self._inflated(chunk):
            self._size += len(piece)
            if self._most_bytes is not None and self._size > self._most_bytes:
                raise BodyTooLongError(f"the answer has more than {self._most_bytes:,} bytes")
            yield piece

    def finish(self) -> None:
        """Say that nothing follows; raise when something is missing."""
        if self._begun and self._inflating is not None and not self._inflating.eof:
            raise BodyError("the answer is cut off")

    def _inflated(self, chunk: bytes) -> Iterator[bytes]:
        assert self._inflating is not None
        while True:
            try:
                piece = self._inflating.decompress(chunk, PIECE)
            except zlib.error:
                raise BodyError("the answer is no gzip, although it says so") from None
            if self._inflating.unused_data:
                # Another member may follow, and another one: what is read is one.
                raise BodyError("the answer goes on behind its end")
            if piece:
                yield piece
            chunk = self._inflating.unconsumed_tail
            # A full piece may leave output in the decompressor although its input is used up.
            if self._inflating.eof or (not chunk and len(piece) < PIECE):
                return


class DecodedBody:
    """The decoded body of an answer, to be mixed with a library's class of streams."""

    def __init__(self, inner: Any, decoding: Decoding) -> None:
        self._inner = inner
        self._decoding = decoding

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._inner:
            for piece in self._decoding.pieces(chunk):
                yield piece
        self._decoding.finish()

    async def aclose(self) -> None:
        """Close the connection's stream."""
        await self._inner.aclose()


def take_body(
    response: Any, most_bytes: int | None, body: type[DecodedBody] = DecodedBody, *more: Any
) -> None:
    """Let the body of a response of ``httpx`` or ``httpx2``, not yet read, be decoded here.

    Raises :class:`BodyError` for an encoding that nobody asked for.
    """
    decoding = Decoding(response.headers.get("content-encoding", ""), most_bytes)
    library = sys.modules[type(response).__module__.partition(".")[0]]
    kind = type("Body", (body, library.AsyncByteStream), {})
    response.stream = kind(response.stream, decoding, *more)
    for name in ("content-encoding", "content-length"):
        # What the library reads is decoded already, and has another length.
        response.headers.pop(name, None)


def bounding_hook(most_bytes: int) -> Callable[[Any], Awaitable[None]]:
    """Make the hook for responses of a client that bounds each body."""

    async def bound(response: Any) -> None:
        take_body(response, most_bytes)

    return bound
