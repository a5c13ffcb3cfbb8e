"""Files and folders in which producers keep logs: plain, packed, in an archive, in a database."""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

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


def plain(path: Path) -> Iterator[bytes]:
    """Read a file."""
    with open(path, "rb") as file:
        while piece := file.read(PIECE):
            yield piece


def packed(path: Path) -> Iterator[bytes]:
    """Read a file that is packed with gzip."""
    import gzip

    with gzip.open(path, "rb") as file:
        while piece := file.read(PIECE):
            yield piece


def unpacked(data: bytes, what: str) -> bytes:
    """Unpack what is packed with zstd, with one of the modules that can."""
    for name in ("compression.zstd", "backports.zstd"):
        with contextlib.suppress(ImportError):
            plain: bytes = importlib.import_module(name).decompress(data)
            return plain
    with contextlib.suppress(ImportError):
        made = importlib.import_module("zstandard").ZstdDecompressor().decompressobj()
        plain = made.decompress(data)
        return plain
    raise ValueError(
        f"{what} is packed with zstd, which this Python cannot read: "
        "install backports.zstd or zstandard"
    )


def unpacked_file(path: Path) -> Iterator[bytes]:
    """Read a file that is packed with zstd."""
    yield unpacked(path.read_bytes(), str(path))


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
    """Read a sample of an evaluation."""
    with opened_archive(path) as archive:
        yield member(archive, name)


def archived(path: Path) -> Iterator[Source]:
    """Give the samples of an evaluation."""
    with opened_archive(path) as archive:
        names = [name for name in archive.namelist() if name.startswith("samples/")]
        names = names or [name for name in archive.namelist() if name.endswith((".json", ".jsonl"))]
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
    with open(path, "rb") as file:
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
                info = json.loads(path.read_bytes())
                parts = sorted((root / "part" / path.stem).glob("*.json"))
                record = {"info": info, "parts": [json.loads(part.read_bytes()) for part in parts]}
                record["sessionID"] = messages.name
                yield json.dumps(record, ensure_ascii=False).encode("utf-8", "replace") + b"\n"

        yield Source(messages, messages.name, "opencode", lines)


EVENTS = re.compile(r"(event-\d+.*|\d+)\.json")


def of_folder(folder: Path) -> Iterator[Source]:
    """Give the sessions of a folder and of the folders in it."""
    if any((one / "message").is_dir() for one in (folder, folder / "storage")):
        yield from opencode_storage(folder)
        return
    names = sorted(folder.iterdir())
    events = sorted((one for one in names if EVENTS.fullmatch(one.name)), key=number)
    messages = sorted((one for one in names if one.name.startswith("message_")), key=number)
    for parts in (events, messages):
        if parts:
            yield Source(folder, "", None, partial(joined, parts))
    histories = [one for one in names if one.name == "api_conversation_history.json"]
    for one in histories or names:
        if one.is_dir():
            yield from of_folder(one)
        elif one.suffix in LOGS and one not in events and one not in messages:
            yield from of_file(one)


#: How the names of logs end.
LOGS = frozenset(
    {".json", ".jsonl", ".ndjson", ".log", ".sse", ".traj", ".eval", ".db", ".sqlite3", ".gz"}
    | {".zst", ".txt", ".md", ".sqlite", ".vscdb"}
)


def sources(path: Path) -> Iterator[Source]:
    """Give the sessions of a file or a folder."""
    yield from of_folder(path) if path.is_dir() else of_file(path)
