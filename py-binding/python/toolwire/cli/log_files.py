"""Which logs ``toolwire transcript`` reads: files, folders, patterns, or what agents keep."""

from __future__ import annotations

import contextlib
import glob
import os
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from toolwire._log_files import LOGS
from toolwire.cli.terminal import FailedError
from toolwire.transcript import PIECE, Session, read

#: A smaller file is read before anybody sees a bar.
BIG = 8 << 20
#: How many files are named that are not read.
MOST_NAMED = 5


def input_pieces() -> Iterator[bytes]:
    """Read standard input."""
    if sys.stdin is None:
        raise FailedError("cannot read standard input: it is closed")
    while piece := sys.stdin.buffer.read(PIECE):
        yield piece


def unreadable(name: object, error: Exception) -> FailedError:
    """Give the failure of a file that cannot be read."""
    return FailedError(f"cannot read {name}: {getattr(error, 'strerror', None) or error}")


def found_sessions(names: Sequence[str], wanted: str | None = None) -> list[Session]:
    """List the sessions of files, folders and patterns, or those of one name."""
    sessions = [session for name in names for session in _sessions(name)]
    if wanted is None:
        return sessions
    chosen = [one for one in sessions if wanted in (one.name, one.path.name)]
    if not chosen:
        raise FailedError(f"{', '.join(names)} has no session {wanted}")
    return chosen


def _sessions(name: str) -> list[Session]:
    if not os.path.exists(name) and glob.has_magic(name):
        files = sorted(glob.glob(name, recursive=True))
        if not files:
            raise FailedError(f"cannot read {name}: no file has such a name")
        # A pattern may lead to a file by several links.
        once = {os.path.realpath(file): file for file in reversed(files)}
        return [session for file in sorted(once.values()) for session in _of(file)]
    return _of(name)


def _of(name: str) -> list[Session]:
    try:
        return list(read(name))
    except (OSError, ValueError) as error:
        raise unreadable(name, error) from None


def next_piece(session: Session, log: Iterator[bytes]) -> bytes:
    """Read the next piece; empty at the end."""
    try:
        return next(log, b"")
    except (OSError, EOFError, ValueError) as error:
        raise unreadable(session.path, error) from None


def whole_pieces(session: Session) -> Iterator[bytes]:
    """Read a session piece by piece."""
    log = session.pieces()
    while piece := next_piece(session, log):
        yield piece


def pieces(session: Session, quiet: bool) -> Iterator[bytes]:
    """Read a session piece by piece, with a bar on a terminal for a big one."""
    unseen = quiet or not sys.stdout.isatty()
    with bar(size(session) if unseen else 0) as show:
        for piece in whole_pieces(session):
            yield piece
            show(len(piece))


@contextlib.contextmanager
def bar(total: int) -> Iterator[Any]:
    """Show a bar on a terminal while many bytes are read, if there is a package for it."""
    made: Any = None
    if total > BIG and sys.stderr.isatty():
        with contextlib.suppress(ImportError):
            from tqdm import tqdm

            made = tqdm(total=total, unit="B", unit_scale=True, leave=False, file=sys.stderr)
    try:
        yield (lambda _: None) if made is None else made.update
    finally:
        if made is not None:
            made.close()


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
    named = sorted(found)[:MOST_NAMED] + (["…"] if len(found) > MOST_NAMED else [])
    return f"{len(found):,} files are passed over, no log has such a name: {', '.join(named)}"


def size(session: Session) -> int:
    """Give the size of a session's file in bytes; 0 if it has none."""
    try:
        return os.path.getsize(session.path)
    except OSError:
        return 0


def title(session: Session) -> str:
    """Name a session among those of many files: its file, and its name in it."""
    return f"{session.path}: {session.name}" if session.name else str(session.path)
