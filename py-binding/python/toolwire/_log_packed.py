"""What is packed with zstd, in files and in databases of logs."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Callable, Iterator
from typing import Any

from toolwire._log_damage import DamagedError

#: How much of what is packed is unpacked at once: a few bytes may stand for 128 KiB.
PACKED = 1 << 10
#: How large the text of one record may be.
MOST_UNPACKED = 256 << 20


def unpacked(data: bytes, what: str) -> bytes:
    """Unpack what is packed with zstd; damage and too much are a :class:`DamagedError`."""
    pieces, size = [], 0
    for piece in frames(data, what):
        pieces.append(piece)
        size += len(piece)
        if size > MOST_UNPACKED:
            raise DamagedError(f"{what} is more than {MOST_UNPACKED >> 20} MiB")
    return b"".join(pieces)


def frames(data: bytes, what: str) -> Iterator[bytes]:
    """Unpack what is packed with zstd in small pieces, as far as it is whole."""
    new, made, rest = unpacker(what), None, memoryview(data)
    while rest:
        piece, rest = bytes(rest[:PACKED]), rest[PACKED:]
        while piece:
            made = made or new()
            try:
                yield made.decompress(piece)
            except Exception as error:
                # Each of the modules has an error of its own.
                raise DamagedError(f"{what} is damaged: {error}") from None
            piece = b""
            if made.eof:
                # Another frame may follow.
                piece, made = made.unused_data, None
    if made is not None:
        raise DamagedError(f"{what} is damaged: it ends too early")


def unpacker(what: str) -> Callable[[], Any]:
    """Find one of the modules that can unpack zstd."""
    for name in ("compression.zstd", "backports.zstd"):
        with contextlib.suppress(ImportError):
            found: Callable[[], Any] = importlib.import_module(name).ZstdDecompressor
            return found
    with contextlib.suppress(ImportError):
        zstandard = importlib.import_module("zstandard")
        return lambda: zstandard.ZstdDecompressor().decompressobj()
    raise ValueError(
        f"{what} is packed with zstd, which this Python cannot read: "
        "install backports.zstd or zstandard"
    )
