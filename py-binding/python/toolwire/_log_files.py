"""Files and folders in which producers keep logs: plain, packed, in an archive, in a database."""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import re
import stat
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toolwire._log_damage import Damaged, DamagedError, json_of, object_of, until_damage

if TYPE_CHECKING:
    import zipfile

PIECE = 1 << 18

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


def unpacked(data: bytes, what: str) -> bytes:
    """Unpack what is packed with zstd; damage is a :class:`DamagedError`."""
    return b"".join(frames(data, what))


def frames(data: bytes, what: str) -> Iterator[bytes]:
    """Unpack what is packed with zstd, frame by frame, as far as it is whole."""
    new = unpacker(what)
    while data:
        made = new()
        try:
            yield made.decompress(data)
        except Exception as error:
            # Each of the modules has an error of its own.
            raise DamagedError(f"{what} is damaged: {error}") from None
        if not made.eof:
            raise DamagedError(f"{what} is damaged: it ends too early")
        data = made.unused_data


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


def unpacked_file(path: Path) -> Iterator[bytes]:
    """Read a file that is packed with zstd, as far as it is whole."""
    yield from until_damage(frames(path.read_bytes(), path.name), path.name)


def member(archive: zipfile.ZipFile, name: str) -> bytes:
    """Read a file of an archive."""
    try:
        return archive.read(name)
    except NotImplementedError:
        info = archive.getinfo(name)
        if info.compress_type != 93 or archive.fp is None:
            raise ValueError(f"{name} is packed in a way that is not known") from None
        archive.fp.seek(info.header_offset + 26)
        lengths = archive.fp.read(4)
        skipped = int.from_bytes(lengths[:2], "little") + int.from_bytes(lengths[2:], "little")
        archive.fp.seek(skipped, os.SEEK_CUR)
        return unpacked(archive.fp.read(info.compress_size), name)


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
    """Read a sample of an evaluation, or say that it is damaged."""
    import zipfile

    with opened_archive(path) as archive:
        try:
            read = member(archive, name)
        except (DamagedError, EOFError, RuntimeError, zlib.error, zipfile.BadZipFile) as error:
            read = Damaged(f"{name} in {path.name}: {error}").line()
        yield read


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


def opencode_storage(folder: Path) -> Iterator[Source]:
    """Give the sessions of OpenCode's older storage."""
    root = folder / "storage" if (folder / "storage" / "message").is_dir() else folder
    for messages in sorted((root / "message").iterdir()):

        def lines(messages: Path = messages) -> Iterator[bytes]:
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

        yield Source(messages, messages.name, "opencode", lines)


EVENTS = re.compile(r"(event-\d+.*|\d+)\.json")


def of_folder(folder: Path) -> Iterator[Source]:
    """Give the sessions of a folder and of the folders in it."""
    if any((one / "message").is_dir() for one in (folder, folder / "storage")):
        yield from opencode_storage(folder)
        return
    with os.scandir(folder) as entries:
        found = sorted(entries, key=lambda one: one.name)
    events = [folder / one.name for one in found if EVENTS.fullmatch(one.name)]
    messages = [folder / one.name for one in found if one.name.startswith("message_")]
    for parts in (events, messages):
        if parts:
            yield Source(folder, "", None, partial(joined, sorted(parts, key=number)))
    histories = [one for one in found if one.name == "api_conversation_history.json"]
    joint = {one.name for one in (*events, *messages)}
    for one in histories or found:
        if one.is_dir():
            # A link may lead to a folder above it, without an end.
            if not one.is_symlink():
                yield from readable(folder / one.name, of_folder)
        elif os.path.splitext(one.name)[1] in LOGS and one.name not in joint:
            yield from readable(folder / one.name)


def of_regular_file(path: Path) -> Iterator[Source]:
    """Give the sessions of a file; a pipe, which would be waited for, is a ValueError."""
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise ValueError("it is no file")
    yield from of_file(path)


def readable(
    path: Path, read: Callable[[Path], Iterator[Source]] = of_regular_file
) -> Iterator[Source]:
    """Give the sessions of a file or folder among others; one that cannot be read says so."""
    try:
        yield from read(path)
    except (OSError, ValueError) as error:
        problem = f"cannot read {path}: {getattr(error, 'strerror', None) or error}"
        lost = Damaged(problem).line()
        yield Source(path, "", None, partial(iter, (lost,)), problem)


#: How the names of logs end.
LOGS = frozenset(
    {".json", ".jsonl", ".ndjson", ".log", ".sse", ".traj", ".eval", ".db", ".sqlite3", ".gz"}
    | {".zst", ".zip", ".txt", ".md", ".sqlite", ".vscdb"}
)


def sources(path: Path) -> Iterator[Source]:
    """Give the sessions of a file or a folder."""
    yield from of_folder(path) if path.is_dir() else of_file(path)
