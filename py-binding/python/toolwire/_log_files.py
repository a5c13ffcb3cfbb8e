"""Files and folders in which producers keep logs: plain, packed, in an archive, in a database."""

from __future__ import annotations

import contextlib
import json
import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toolwire._log_damage import Damaged, DamagedError, json_of, object_of, until_damage
from toolwire._log_packed import frames

if TYPE_CHECKING:
    import zipfile

PIECE = 1 << 18
#: The number of zstd in an archive.
ZSTD = 93

Pieces = Callable[[], Iterator[bytes]]


@dataclass(frozen=True)
class Source:
    """One session of a file or a folder."""

    path: Path
    #: What tells it from the others of its file; empty if it is the only one.
    name: str
    #: The dialect, if the file tells it.
    dialect: str | None
    pieces: Pieces = field(repr=False, compare=False)
    #: Why the file cannot be read; empty if it can.
    problem: str = ""


def plain(path: Path) -> Iterator[bytes]:
    """Read a file."""
    with open(path, "rb") as file:
        while piece := file.read(PIECE):
            yield piece


def unzipped(path: Path) -> Iterator[bytes]:
    """Unpack a file that is packed with gzip."""
    import gzip

    with gzip.open(path, "rb") as file:
        # What can be read before the damage is given in small pieces.
        while piece := file.read1(PIECE):
            yield piece


def packed(path: Path) -> Iterator[bytes]:
    """Read a file that is packed with gzip, as far as it is whole."""
    yield from until_damage(unzipped(path), path.name)


def unpacked_file(path: Path) -> Iterator[bytes]:
    """Read a file that is packed with zstd, as far as it is whole."""
    yield from until_damage(frames(path.read_bytes(), path.name), path.name)


def member(archive: zipfile.ZipFile, name: str) -> Iterator[bytes]:
    """Read a file of an archive."""
    import zipfile

    info = archive.getinfo(name)
    if info.compress_type != ZSTD or archive.fp is None:
        try:
            file: Any = archive.open(name)
            with file:
                while piece := file.read1(PIECE):
                    yield piece
        except (RuntimeError, zipfile.BadZipFile) as error:
            # It needs a password, is packed in a way that is not known, or its sum is wrong.
            raise DamagedError(str(error)) from None
        return
    # Python before 3.14 cannot unpack it.
    archive.fp.seek(info.header_offset + 26)
    lengths = archive.fp.read(4)
    skipped = int.from_bytes(lengths[:2], "little") + int.from_bytes(lengths[2:], "little")
    archive.fp.seek(skipped, os.SEEK_CUR)
    yield from frames(archive.fp.read(info.compress_size), name)


@contextlib.contextmanager
def opened_archive(path: Path) -> Iterator[zipfile.ZipFile]:
    """Open an archive; one that is damaged is a ValueError."""
    import zipfile

    try:
        with zipfile.ZipFile(path) as archive:
            yield archive
    except zipfile.BadZipFile as error:
        raise ValueError(f"{path} is a damaged archive: {error}") from None


def in_archive(path: Path, name: str) -> Iterator[bytes]:
    """Read a sample of an evaluation, as far as it is whole."""
    with opened_archive(path) as archive:
        yield from until_damage(member(archive, name), f"{name} in {path.name}")


#: How the names of logs in an archive end.
MEMBERS = (".json", ".jsonl", ".ndjson", ".log", ".sse", ".traj")


def archived(path: Path) -> Iterator[Source]:
    """Give the samples of an evaluation, or the logs of any other archive."""
    with opened_archive(path) as archive:
        names = [name for name in archive.namelist() if name.startswith("samples/")]
        names = names or [name for name in archive.namelist() if name.endswith(MEMBERS)]
    if not names:
        raise ValueError(f"{path} is an archive without a log")
    for name in names:
        yield Source(path, name, None, partial(in_archive, path, name))


def kept(path: Path) -> Iterator[Source]:
    """Give the sessions of a database."""
    from toolwire import _log_stores as stores

    store = stores.store_of(path)
    if store is None:
        yield Source(path, "", None, partial(plain, path))
        return
    for name in stores.session_ids(path, store):
        yield Source(path, name, store.dialect, partial(stores.lines, path, store, name))


def of_file(path: Path) -> Iterator[Source]:
    """Give the sessions of a file, by its first bytes."""
    if not stat.S_ISREG(os.stat(path).st_mode):
        # What is read of a pipe is gone.
        yield Source(path, "", None, partial(plain, path))
        return
    with open(path, "rb", buffering=0) as file:
        start = file.read(16)
    if start == b"SQLite format 3\0":
        yield from kept(path)
    elif start[:4] == b"PK\x03\x04":
        yield from archived(path)
    elif start[:2] == b"\x1f\x8b":
        yield Source(path, "", None, partial(packed, path))
    elif start[:4] == b"\x28\xb5\x2f\xfd":
        yield Source(path, "", None, partial(unpacked_file, path))
    else:
        yield Source(path, "", None, partial(plain, path))


def joined(paths: list[Path]) -> Iterator[bytes]:
    """Give documents one a line."""
    for path in paths:
        try:
            record = json.loads(path.read_bytes())
        except ValueError:
            yield path.read_bytes().replace(b"\n", b" ") + b"\n"
            continue
        yield json.dumps(record, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def number(path: Path) -> tuple[int, str]:
    """Order files by the number in their name."""
    found = re.search(r"\d+", path.name)
    return (int(found.group()) if found else -1, path.name)


def opencode_lines(root: Path, messages: Path) -> Iterator[bytes]:
    """Give the messages of a session of OpenCode's older storage, each with its parts."""
    for path in sorted(messages.glob("*.json")):
        info = object_of(path.read_bytes(), path.name)
        if isinstance(info, Damaged):
            yield info.line()
            continue
        parts = []
        for file in sorted((root / "part" / path.stem).glob("*.json")):
            part = json_of(file.read_bytes(), file.name)
            if isinstance(part, Damaged):
                yield part.line()
            else:
                parts.append(part)
        record = {"info": info, "parts": parts, "sessionID": messages.name}
        yield json.dumps(record, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def opencode_storage(root: Path) -> Iterator[Log]:
    """Give the sessions of OpenCode's older storage."""
    for messages in sorted((root / "message").iterdir()):
        files = sorted(messages.glob("*.json"))
        parts = [part for file in files for part in (root / "part" / file.stem).glob("*.json")]
        pieces = partial(opencode_lines, root, messages)
        yield log_of([Source(messages, messages.name, "opencode", pieces)], [*files, *parts])


#: What stands in the key of a log that is spread over files, between its folder and its name.
SPREAD = "\0"


@dataclass(frozen=True)
class Log:
    """A file with sessions, or a session that is spread over files."""

    #: What tells it from all others: its path, and for a spread one what tells it in its folder.
    key: str
    #: What changes when it changes.
    stamp: str
    #: Its size in bytes.
    size: int
    #: Gives its sessions; one that cannot be read says so. It can be called in another process.
    read: Callable[[], Iterable[Source]] = field(repr=False, compare=False)


def log_of(sources: list[Source], files: list[Path]) -> Log:
    """Make the log of sessions that are spread over files."""
    states = [file.stat() for file in files]
    newest = max((state.st_mtime_ns for state in states), default=0)
    size = sum(state.st_size for state in states)
    key = f"{sources[0].path}{SPREAD}{sources[0].name or files[0].name}"
    return Log(key, f"{newest} {size} {len(states)}", size, partial(list, sources))


def log_at(path: str, state: Callable[[], os.stat_result]) -> Log:
    """Make the log of a file; what is wrong with it is told when it is read."""
    read = partial(readable, path)
    try:
        found = state()
    except OSError:
        return Log(path, "", 0, read)
    return Log(path, f"{found.st_mtime_ns} {found.st_size}", found.st_size, read)


EVENTS = re.compile(r"(event-\d+.*|\d+)\.json")


def logs_of(folder: Path) -> Iterator[Log]:
    """Give the logs of a folder and of the folders in it."""
    for root in (folder, folder / "storage"):
        if (root / "message").is_dir():
            yield from opencode_storage(root)
            return
    with os.scandir(folder) as entries:
        found = sorted(entries, key=lambda one: one.name)
    events = [folder / one.name for one in found if EVENTS.fullmatch(one.name)]
    messages = [folder / one.name for one in found if one.name.startswith("message_")]
    for parts in (events, messages):
        if parts:
            spread = Source(folder, "", None, partial(joined, sorted(parts, key=number)))
            yield log_of([spread], parts)
    histories = [one for one in found if one.name == "api_conversation_history.json"]
    joint = {one.name for one in (*events, *messages)}
    for one in histories or found:
        # A link may lead to a folder above it, without an end.
        if one.is_dir(follow_symlinks=False):
            yield from logs_in(folder / one.name)
        elif os.path.splitext(one.name)[1] in LOGS and one.name not in joint and not one.is_dir():
            yield log_at(one.path, one.stat)


def logs_in(folder: Path) -> Iterator[Log]:
    """Give the logs of a folder in another one, or a file; one that cannot be read says so."""
    try:
        if folder.is_file():
            yield log_at(str(folder), folder.stat)
            return
        yield from logs_of(folder)
    except OSError as error:
        yield Log(str(folder), "", 0, partial(list, [unreadable(folder, error)]))


def of_folder(folder: Path) -> Iterator[Source]:
    """Give the sessions of a folder and of the folders in it."""
    for log in logs_of(folder):
        yield from log.read()


def readable(file: str) -> Iterator[Source]:
    """Give the sessions of a file among others; one that cannot be read says so."""
    path = Path(file)
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            # A pipe would be waited for.
            raise ValueError("it is no file")
        yield from of_file(path)
    except (OSError, ValueError) as error:
        yield unreadable(path, error)


def named(path: Path) -> Iterator[Source]:
    """Give the sessions of a file or a folder; one that cannot be read says so."""
    try:
        yield from sources(path)
    except (OSError, ValueError) as error:
        yield unreadable(path, error)


def unreadable(path: Path, error: Exception) -> Source:
    """Make the session that says why a file cannot be read."""
    problem = f"cannot read {path}: {getattr(error, 'strerror', None) or error}"
    return Source(path, "", None, partial(iter, (Damaged(problem).line(),)), problem)


#: How the names of logs end.
LOGS = frozenset(
    {".json", ".jsonl", ".ndjson", ".log", ".sse", ".traj", ".eval", ".db", ".sqlite3", ".gz"}
    | {".zst", ".zip", ".txt", ".md", ".sqlite", ".vscdb"}
)


def sources(path: Path) -> Iterator[Source]:
    """Give the sessions of a file or a folder."""
    yield from of_folder(path) if path.is_dir() else of_file(path)
