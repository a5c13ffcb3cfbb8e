"""Which logs ``toolwire transcript`` reads: files, folders, patterns, or what agents keep."""

from __future__ import annotations

import glob
import os
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from toolwire._log_files import LOGS, Log, Source, log_at, logs_of, named, unreadable
from toolwire.cli.progress import bar
from toolwire.cli.terminal import FailedError
from toolwire.transcript import PIECE, Session

#: The name of standard input.
STDIN = "-"
#: How many files are named that are not read.
MOST_NAMED = 5


def input_pieces() -> Iterator[bytes]:
    """Read standard input."""
    if sys.stdin is None:
        raise FailedError("cannot read standard input: it is closed")
    while piece := sys.stdin.buffer.read(PIECE):
        yield piece


def asked_logs(names: Sequence[str]) -> Iterator[Log]:
    """List the logs of files, folders and patterns; what cannot be read says so when it is read."""
    for name in names:
        yield from _logs(name)


def _logs(name: str) -> Iterator[Log]:
    if name == STDIN:
        yield Log(name, "", 0, partial(list, [Source(Path(name), "", None, input_pieces)]))
    elif os.path.isdir(name):
        try:
            yield from logs_of(Path(name))
        except OSError as error:
            yield Log(name, "", 0, partial(list, [unreadable(Path(name), error)]))
    elif not os.path.exists(name) and glob.has_magic(name):
        yield from _matching(name)
    else:
        # A pipe that is named is read, and one in a folder is not.
        found = log_at(name, partial(os.stat, name))
        yield Log(found.key, found.stamp, found.size, partial(named, Path(name)))


def _matching(pattern: str) -> Iterator[Log]:
    files = sorted(glob.glob(pattern, recursive=True))
    if not files:
        raise FailedError(f"cannot read {pattern}: no file has such a name")
    # A pattern may lead to a file by several links.
    once = {os.path.realpath(file): file for file in reversed(files)}
    for file in sorted(once.values()):
        yield from _logs(file)


def sessions_in(log: Log, wanted: str | None) -> Iterator[Session]:
    """Give the sessions of a log, or those of one name."""
    for source in log.read():
        if wanted is None or wanted in (source.name, source.path.name):
            yield Session(source)


def whole_pieces(session: Session) -> Iterator[bytes]:
    """Read a session piece by piece; what cannot be read is a ``FailedError``."""
    if session.problem:
        raise FailedError(session.problem)
    try:
        yield from session.pieces()
    except (OSError, EOFError, ValueError) as error:
        problem = getattr(error, "strerror", None) or error
        raise FailedError(f"cannot read {session.path}: {problem}") from None


def pieces(session: Session) -> Iterator[bytes]:
    """Read a session that is printed, with a bar on a terminal if it is printed elsewhere."""
    with bar(0 if sys.stdout.isatty() else size(session)) as show:
        for piece in whole_pieces(session):
            yield piece
            show(len(piece))


def passed_over(names: Sequence[str]) -> str:
    """Say which files of folders are not read, since no log has such a name; empty if none."""
    found = [
        os.path.join(inside, file)
        for name in names
        for inside, _, files in os.walk(name)
        for file in files
        if os.path.splitext(file)[1] not in LOGS
    ]
    if not found:
        return ""
    shown = sorted(found)[:MOST_NAMED] + (["…"] if len(found) > MOST_NAMED else [])
    return f"{len(found):,} files are passed over, no log has such a name: {', '.join(shown)}"


def size(session: Session) -> int:
    """Give the size of a session's file in bytes; 0 if it has none."""
    try:
        return os.path.getsize(session.path)
    except OSError:
        return 0


def title(session: Session) -> str:
    """Name a session among those of many files: its file, and its name in it."""
    return f"{session.path}: {session.name}" if session.name else str(session.path)
