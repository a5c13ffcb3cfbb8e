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

:func:`dialects` names the dialects that are known; ``auto`` tells them apart. No log raises: what
was in it, understood or not, is told by ``account``.
"""

from __future__ import annotations

import os

from toolwire._native import (
    Entry,
    Patch,
    Reader,
    Transcript,
    normalize_batch,
    read_transcript,
    transcript_dialects,
)
from toolwire._native import index_html as _index_html

# These modules take as long to import as all of this package.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Iterator
    from pathlib import Path
    from typing import Any, BinaryIO

    from toolwire._log_files import Source

__all__ = [
    "Entry",
    "Patch",
    "Reader",
    "Session",
    "Transcript",
    "dialects",
    "follow",
    "index_html",
    "normalize",
    "normalize_batch",
    "read",
    "stream",
]

PIECE = 1 << 18


def dialects() -> tuple[str, ...]:
    """Name the dialects of logs that are known.

    >>> {"claude_code", "codex", "openai"} <= set(toolwire.transcript.dialects())
    True
    """
    return transcript_dialects()


def normalize(
    text_or_path: str | bytes | os.PathLike[str],
    *,
    worktree: str | os.PathLike[str] | None = None,
    stderr: str | bytes | None = None,
    dialect: str = "auto",
    faithful: bool = False,
) -> Transcript:
    r"""Read a whole log: its text, or the file or folder that a ``pathlib.Path`` names.

    The file may be packed, or a database or an archive of a known producer; all its sessions are
    read one after the other. :func:`read` gives them one by one.

    ``worktree`` is the folder that the agent worked in, from which paths are shown; ``stderr`` what
    it wrote to standard error. ``faithful`` writes entries byte for byte as vibe-kanban's Droid log
    normaliser does, which loses the errors of tools that read, edit or search. A ``str`` is never a
    path: a log may say anything.

    >>> [entry.type for entry in toolwire.transcript.normalize("hello\n", stderr="oops").entries]
    ['system_message', 'error_message']
    """
    if not isinstance(text_or_path, os.PathLike):
        return read_transcript(text_or_path, worktree, stderr, dialect, faithful)
    found = list(sources(text_or_path))
    if dialect == "auto":
        dialect = next((one.dialect for one in found if one.dialect is not None), dialect)
    text = b"".join(piece for one in found for piece in one.pieces())
    return read_transcript(text, worktree, stderr, dialect, faithful)


def index_html(pages: Iterable[tuple[str, Transcript]]) -> str:
    """Write an index of many sessions, the newest first: one HTML page with a filter.

    ``pages`` gives the path of each session's page, from the index on, and the session. A generator
    keeps no more than one session in memory.

    >>> session = toolwire.transcript.normalize("Hello")
    >>> index = toolwire.transcript.index_html([("a b.html", session)])
    >>> '<a href="./a%20b.html">' in index
    True
    """
    return _index_html(pages)


def sources(path: str | os.PathLike[str]) -> Iterator[Source]:
    """Give the sessions of a file or a folder."""
    # Archives and databases take time to import, which a text does not need.
    from pathlib import Path

    from toolwire import _log_files

    return _log_files.sources(Path(path))


class Session:
    """One session of a file or a folder.

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "a.jsonl")
    >>> _ = path.write_text('{"role": "user", "content": "Hello"}')
    >>> session, = toolwire.transcript.read(path)
    >>> session.path.name, session.name
    ('a.jsonl', '')
    """

    #: The file, or the folder if the session is spread over its files.
    path: Path
    #: What tells the session from the others of its file; empty if it is the only one.
    name: str
    #: Why the file cannot be read; empty if it can. Such a session is a damaged record.
    problem: str

    def __init__(self, source: Source) -> None:
        self.path = source.path
        self.name = source.name
        self.problem = source.problem
        self._source = source

    def __repr__(self) -> str:
        return f"Session({self.path!r}, {self.name!r})"

    def stream(self, **options: Any) -> Iterator[Patch]:
        """Give the patches of the session one by one; takes the options of :func:`stream`.

        >>> import tempfile, pathlib
        >>> path = pathlib.Path(tempfile.mkdtemp(), "a.jsonl")
        >>> _ = path.write_text('{"role": "user", "content": "Hello"}')
        >>> session, = toolwire.transcript.read(path)
        >>> [patch.op for patch in session.stream()]
        ['add']
        """
        reader = self.reader(**options)
        for piece in self.pieces():
            yield from reader.feed_piece(piece)
        yield from reader.finish()

    def normalize(self, **options: Any) -> Transcript:
        """Read the session whole; takes the options of :func:`normalize`.

        >>> import tempfile, pathlib
        >>> path = pathlib.Path(tempfile.mkdtemp(), "a.jsonl")
        >>> _ = path.write_text('{"role": "user", "content": "Hello"}')
        >>> session, = toolwire.transcript.read(path)
        >>> session.normalize().account["verdict"]
        'whole'
        """
        options.setdefault("dialect", self._source.dialect or "auto")
        return normalize(b"".join(self.pieces()), **options)

    def reader(self, **options: Any) -> Reader:
        """Make a reader for the session.

        >>> import tempfile, pathlib
        >>> path = pathlib.Path(tempfile.mkdtemp(), "a.jsonl")
        >>> _ = path.write_text('{"role": "user", "content": "Hello"}')
        >>> session, = toolwire.transcript.read(path)
        >>> session.reader().account["records"]
        0
        """
        if options.get("dialect", "auto") == "auto":
            options["dialect"] = self._source.dialect or "auto"
        return Reader(**options)

    def pieces(self) -> Iterator[bytes]:
        """Give the bytes of the session's log piece by piece.

        >>> import tempfile, pathlib
        >>> path = pathlib.Path(tempfile.mkdtemp(), "a.jsonl")
        >>> _ = path.write_text('{"role": "user", "content": "Hello"}')
        >>> session, = toolwire.transcript.read(path)
        >>> list(session.pieces())
        [b'{"role": "user", "content": "Hello"}']
        """
        return self._source.pieces()


def read(path: str | os.PathLike[str]) -> Iterator[Session]:
    """Give the sessions of a file or a folder, which may be of any size.

    Plain and packed files, folders that hold logs, and the databases and archives of producers that
    are known are read; nothing is written. A session is read when it is asked for.

    >>> import tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "a.jsonl").write_text('{"role": "user", "content": "Hello"}')
    >>> for session in toolwire.transcript.read(folder):
    ...     print(session.path.name, [patch.entry.content for patch in session.stream()])
    a.jsonl ['Hello']
    """
    for source in sources(path):
        yield Session(source)


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


class _GrowingFile:
    """A file that is read while it grows, is emptied, or is replaced by one of its name."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = path
        self._file: BinaryIO = open(path, "rb")  # noqa: SIM115 - see close
        self._ended = True

    def read(self) -> bytes:
        """Read what is new; what is read anew from its start begins a line."""
        if os.fstat(self._file.fileno()).st_size < self._file.tell():
            self._file.seek(0)
            return self._new_line() + self._read()
        return self._read() or self._replaced()

    def _read(self) -> bytes:
        piece = self._file.read(PIECE)
        if piece:
            self._ended = piece.endswith(b"\n")
        return piece

    def _new_line(self) -> bytes:
        return b"" if self._ended else b"\n"

    def _replaced(self) -> bytes:
        """Read the file that has taken the name; nothing if it is still the same one."""
        try:
            newer = open(self._path, "rb")  # noqa: SIM115 - see close
        except OSError:  # it was moved away, and the next one is still to come
            return b""
        if os.path.samestat(os.fstat(newer.fileno()), os.fstat(self._file.fileno())):
            newer.close()
            return b""
        self._file.close()
        self._file = newer
        return self._new_line() + self._read()

    def close(self) -> None:
        """Close the file."""
        self._file.close()


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

    A file that is emptied, or replaced by another one of its name, is read from its start. Looks
    every ``interval`` seconds, and ends when nothing has come for ``idle`` seconds; then text
    behind the last line end counts as a line. Without ``idle`` it never ends.

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "log.jsonl")
    >>> _ = path.write_text("one")
    >>> import asyncio
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
    # Half of the time of `import toolwire` would go into it.
    import asyncio

    file, waited = _GrowingFile(path), 0.0
    try:
        while True:
            piece = await asyncio.to_thread(file.read)
            for patch in reader.feed_piece(piece):
                yield patch
            waited = 0.0 if piece else waited + interval
            if idle is not None and waited > idle:
                break
            if not piece:
                await asyncio.sleep(interval)
    finally:
        file.close()
    for patch in reader.finish():
        yield patch
