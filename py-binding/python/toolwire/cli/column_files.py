"""The files of ``toolwire detect --column``: which there are, and their texts, batch by batch."""

from __future__ import annotations

import glob
import gzip
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from toolwire._native import json_members
from toolwire.cli.terminal import FailedError

PARQUET = (".parquet", ".pq")
JSON_LINES = (".jsonl", ".ndjson", ".json")
PACKED = ("", ".gz", ".zst")
# What is read at once for each thread.
PIECE, ROWS = 4 << 20, 16_384


@dataclass
class Batch:
    """Rows that are read and written at once."""

    file: str
    texts: Any
    """A column of texts."""
    table: Any
    """The columns beside it, as a record batch of pyarrow."""
    lines: list[bytes] | None
    """The lines, if these are lines of JSON and are wanted."""
    kinds: bytes
    """What each line is, as ``json_members`` says; empty for rows of Parquet."""
    done: int
    """How many bytes of the files were read for it."""


def is_parquet(name: str) -> bool:
    """Say whether a file is one of Parquet, by its name."""
    return name.endswith(PARQUET)


def find_files(names: Sequence[str], but: str | None) -> list[str]:
    """Give the files: those of folders and patterns too, but not the one that is written."""
    found: list[str] = []
    for name in names:
        if name != "-" and Path(name).is_dir():
            known = tuple(end + packed for end in JSON_LINES for packed in PACKED) + PARQUET
            inside = sorted(str(one) for one in Path(name).rglob("*") if one.is_file())
            found += [one for one in inside if one.endswith(known)]
        elif name != "-" and not Path(name).exists() and glob.has_magic(name):
            found += sorted(glob.glob(name, recursive=True))
        else:
            found.append(name)
    files = [one for one in found if but is None or one == "-" or not _same(one, but)]
    if not files:
        raise FailedError(f"there are no files of Parquet or JSON lines in {', '.join(names)}")
    forms = {is_parquet(one) for one in files}
    if len(forms) > 1:
        raise FailedError("the files must be all of Parquet, or all of JSON lines")
    return files


def _same(one: str, other: str) -> bool:
    return os.path.exists(other) and os.path.exists(one) and os.path.samefile(one, other)


def total_size(files: Sequence[str]) -> int:
    """Give the number of bytes of the files, as far as they have one."""
    return sum(os.path.getsize(one) for one in files if one != "-" and os.path.exists(one))


def read(name: str, column: str, jobs: int, keep_lines: bool, pa: Any) -> Iterator[Batch]:
    """Read a file; what cannot be read is a ``FailedError``."""
    try:
        if is_parquet(name):
            yield from _read_parquet(name, column, jobs, pa)
        else:
            yield from _read_lines(name, column, jobs, keep_lines, pa)
    except (OSError, EOFError, ValueError) as error:
        raise FailedError(
            f"cannot read {name}: {getattr(error, 'strerror', None) or error}"
        ) from None


def _read_parquet(name: str, column: str, jobs: int, pa: Any) -> Iterator[Batch]:
    import pyarrow.parquet

    size = os.path.getsize(name)
    # What is read ahead would be kept: the whole file.
    with pyarrow.parquet.ParquetFile(name, pre_buffer=False) as file:
        rows = max(file.metadata.num_rows, 1)
        for batch in file.iter_batches(ROWS * jobs):
            texts = _texts(batch, name, column, pa)
            yield Batch(name, texts, batch, None, b"", size * batch.num_rows // rows)


def _texts(batch: Any, name: str, column: str, pa: Any) -> Any:
    """Give the column of a batch, or the member of one: ``messages.-1.content``."""
    if column in batch.schema.names:
        return batch[column]
    first, *path = column.split(".")
    if first not in batch.schema.names:
        known = ", ".join(batch.schema.names) or "none"
        raise FailedError(f"{name} has no column {column}; there are: {known}")
    array = batch[first]
    for step in path:
        if pa.types.is_struct(array.type) and array.type.get_field_index(step) >= 0:
            # Nulls of the struct are nulls of its member.
            array = pa.compute.struct_field(array, step)
        elif pa.types.is_list(array.type) or pa.types.is_large_list(array.type):
            array = _element(array, step, name, column, pa)
        else:
            raise FailedError(f"{name}: column {column}: there is no {step} in {array.type}")
    return array


def _element(array: Any, step: str, name: str, column: str, pa: Any) -> Any:
    """Give the element of each list at a position, which may count from the end."""
    try:
        position = int(step)
    except ValueError:
        raise FailedError(f"{name}: column {column}: {step} is no position in a list") from None
    count = pa.compute.list_value_length(array)
    starts = array.offsets[:-1] if position >= 0 else array.offsets[1:]
    inside = pa.compute.greater(count, position if position >= 0 else -position - 1)
    places = pa.compute.add(starts, position)
    return array.values.take(pa.compute.if_else(inside, places, None))


def _opened(name: str, pa: Any) -> tuple[BinaryIO, Callable[[], int]]:
    """Open a file, and give a function that says how many of its bytes were read."""
    if name == "-":
        if sys.stdin is None:
            raise FailedError("cannot read standard input: it is closed")
        return sys.stdin.buffer, lambda: 0
    raw = open(name, "rb")  # noqa: SIM115 - closed by the caller
    if name.endswith(".gz"):
        return gzip.GzipFile(fileobj=raw), raw.tell  # type: ignore[return-value]
    if name.endswith(".zst"):
        return pa.CompressedInputStream(raw, "zstd"), raw.tell
    return raw, raw.tell


def _read_lines(name: str, column: str, jobs: int, keep_lines: bool, pa: Any) -> Iterator[Batch]:
    file, read_bytes = _opened(name, pa)
    path, number, before, rest = column.split("."), 1, 0, b""
    with file:
        while True:
            more = file.read(PIECE * jobs)
            piece = rest + more
            # The last line may go on; without an end of a line, all of it does.
            end = piece.rfind(b"\n") + 1 if more else len(piece)
            piece, rest = piece[:end], piece[end:]
            if piece:
                done = read_bytes()
                yield _lines(name, piece, path, number, keep_lines, pa, done - before)
                before = done
                number += piece.count(b"\n")
            if not more:
                return


def _lines(
    name: str, piece: bytes, path: list[str], first: int, keep: bool, pa: Any, done: int
) -> Batch:
    texts, numbers, kinds = json_members(piece, path, first)
    numbers = pa.array(numbers)
    files = pa.repeat(name, len(numbers))
    table = pa.RecordBatch.from_arrays([files, numbers], names=["file", "line"])
    lines = [line for line in piece.split(b"\n") if line.strip()] if keep else None
    return Batch(name, texts, table, lines, kinds, done)
