"""Reads the logs of agents: their calls joined with their results.

An agent writes a log of one JSON object a line. The entries are messages, and calls with their
results.

>>> import json
>>> import toolwire
>>> item = {"id": "i1", "type": "command_execution", "command": "make", "status": "failed"}
>>> log = json.dumps({"type": "item.completed", "item": item})
>>> transcript = toolwire.transcript.normalize(log)
>>> [(call.name, call.content, call.status) for call in transcript.calls], transcript.dialect
([('command_execution', 'make', 'failed')], 'codex')

:data:`DIALECTS` names the dialects that are known; ``auto`` tells them apart. No log raises: what
was in it, understood or not, is told by ``account``.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import BinaryIO

from toolwire._native import (
    Entry,
    Patch,
    Reader,
    Transcript,
    read_transcript,
    transcript_dialects,
)

__all__ = ["DIALECTS", "Entry", "Patch", "Reader", "Transcript", "follow", "normalize", "stream"]

#: The dialects that are known.
DIALECTS = transcript_dialects()

PIECE = 1 << 18


def normalize(
    text_or_path: str | bytes | os.PathLike[str],
    *,
    worktree: str | os.PathLike[str] | None = None,
    stderr: str | bytes | None = None,
    dialect: str = "auto",
    faithful: bool = False,
) -> Transcript:
    r"""Read a whole log: its text, or the file that a ``pathlib.Path`` names.

    ``worktree`` is the folder that the agent worked in, from which paths are shown; ``stderr`` what
    it wrote to standard error. ``faithful`` writes entries byte for byte as vibe-kanban's Droid log
    normaliser does, which loses the errors of tools that read, edit or search. A ``str`` is never a
    path: a log may say anything.

    >>> [entry.type for entry in toolwire.transcript.normalize("hello\n", stderr="oops").entries]
    ['system_message', 'error_message']
    """
    text = (
        Path(text_or_path).read_bytes() if isinstance(text_or_path, os.PathLike) else text_or_path
    )
    return read_transcript(text, worktree, stderr, dialect, faithful)


def stream(
    path: str | os.PathLike[str],
    *,
    worktree: str | os.PathLike[str] | None = None,
    dialect: str = "auto",
    faithful: bool = False,
) -> Iterator[Patch]:
    """Read a log of any size, and give its patches one by one; holds no more of it than a piece.

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "log.jsonl")
    >>> _ = path.write_text("one")
    >>> [(patch.index, patch.entry.content) for patch in toolwire.transcript.stream(path)]
    [(0, 'one')]
    """
    reader = Reader(worktree=worktree, dialect=dialect, faithful=faithful)
    with open(path, "rb") as file:
        while piece := file.read(PIECE):
            yield from reader.feed_piece(piece)
    yield from reader.finish()


def _grown(file: BinaryIO) -> bytes:
    """Give the new bytes of a file; a file that was emptied is read from its start."""
    if os.fstat(file.fileno()).st_size < file.tell():
        file.seek(0)
    return file.read(PIECE)


async def follow(
    path: str | os.PathLike[str],
    *,
    worktree: str | os.PathLike[str] | None = None,
    dialect: str = "auto",
    faithful: bool = False,
    interval: float = 0.2,
    idle: float | None = None,
) -> AsyncIterator[Patch]:
    """Give the patches of a log while it grows; a line counts once its end is written.

    Looks every ``interval`` seconds, and ends when nothing has come for ``idle`` seconds; then text
    behind the last line end counts as a line. Without ``idle`` it never ends.

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "log.jsonl")
    >>> _ = path.write_text("one")
    >>> async def first():
    ...     async for patch in toolwire.transcript.follow(path, idle=0):
    ...         return patch.entry.content
    >>> asyncio.run(first())
    'one'
    """
    reader = Reader(worktree=worktree, dialect=dialect, faithful=faithful)
    async for patch in followed(path, reader, interval, idle):
        yield patch


async def followed(
    path: str | os.PathLike[str], reader: Reader, interval: float, idle: float | None
) -> AsyncIterator[Patch]:
    """Give the patches that a reader makes of a file that grows."""
    with open(path, "rb") as file:
        waited = 0.0
        while True:
            piece = await asyncio.to_thread(_grown, file)
            for patch in reader.feed_piece(piece):
                yield patch
            waited = 0.0 if piece else waited + interval
            if idle is not None and waited > idle:
                break
            if not piece:
                await asyncio.sleep(interval)
    for patch in reader.finish():
        yield patch
