"""The rows of ``toolwire transcript --out``: one for each call, in JSON, CSV or Parquet."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from toolwire._extra import MissingExtraError
from toolwire.cli.terminal import FailedError
from toolwire.transcript import Patch

FORMS = (".jsonl", ".csv", ".parquet")
#: The columns, and the type of each in Parquet.
COLUMNS = {
    "file": "string",
    "session": "string",
    "agent": "string",
    "index": "int64",
    "id": "string",
    "tool": "string",
    "content": "string",
    "arguments": "string",
    "status": "string",
    "error_kind": "string",
    "error": "string",
    "started": "string",
    "duration_ms": "int64",
    "model": "string",
    "subagent": "string",
    "parent": "string",
}
ROWS_AT_ONCE = 10_000

Row = dict[str, Any]


class Rows:
    """Makes the rows of one session while it is read: a call's when its result comes."""

    def __init__(self, file: str, session: str) -> None:
        self.file = writable_name(file)
        self.session = session
        self._waiting: dict[int, Row] = {}

    def take(self, patch: Patch) -> Iterator[Row]:
        """Take a patch; give the row of a call that has ended."""
        entry = patch.entry
        if entry.type != "tool_use":
            return
        row = self._row(patch.index, entry)
        if entry.status == "created":
            self._waiting[patch.index] = row
        else:
            self._waiting.pop(patch.index, None)
            yield row

    def rest(self) -> Iterator[Row]:
        """Give the rows of the calls that have no result."""
        yield from self._waiting.values()
        self._waiting = {}

    def _row(self, index: int, entry: Any) -> Row:
        about, error = entry.about or {}, entry.error or {}
        return {
            "file": self.file,
            "session": self.session or about.get("session"),
            "agent": None,
            "index": index,
            "id": entry.id or None,
            "tool": entry.name,
            "content": entry.content,
            "arguments": entry.arguments_raw,
            "status": entry.status,
            "error_kind": error.get("kind"),
            "error": error.get("message"),
            "started": moment(entry.started),
            "duration_ms": entry.duration,
            "model": about.get("model"),
            "subagent": about.get("agent"),
            "parent": about.get("parent"),
        }


def writable_name(file: str) -> str:
    r"""Give the name of a file as text; bytes that are no UTF-8 become marks.

    >>> writable_name("a\udcff.jsonl") == "a\ufffd.jsonl"
    True
    """
    return os.fsencode(file).decode("utf-8", "replace")


def moment(milliseconds: int | None) -> str | None:
    """Write a time as RFC 3339 does, in universal time.

    >>> moment(1_500)
    '1970-01-01T00:00:01.500Z'
    """
    if milliseconds is None:
        return None
    try:
        at = datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(milliseconds=milliseconds)
    except OverflowError:
        return None
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


class RowsFile:
    """A file that is written under another name, and gets its own when it is whole."""

    def __init__(self, name: str) -> None:
        if not name.endswith(FORMS):
            raise FailedError(f"--out must end in {', '.join(FORMS)}")
        self.name = name
        self.part = f"{name}.part"
        self.count = 0
        self._rows: list[Row] = []
        try:
            self._write, self._close = self._opened()
        except OSError as error:
            raise self._failure(error) from None

    def write(self, rows: Sequence[Row]) -> None:
        """Write rows."""
        self._rows += rows
        self.count += len(rows)
        if len(self._rows) >= ROWS_AT_ONCE:
            self._flush()

    def finish(self) -> None:
        """Close the file, and give it its name."""
        self._flush()
        try:
            self._close()
            os.replace(self.part, self.name)
        except OSError as error:
            raise self._failure(error) from None

    def give_up(self) -> None:
        """Close the file, and remove it."""
        self._close()
        Path(self.part).unlink(missing_ok=True)

    def _flush(self) -> None:
        rows, self._rows = self._rows, []
        try:
            self._write(rows)
        except OSError as error:
            raise self._failure(error) from None

    def _failure(self, error: OSError) -> FailedError:
        return FailedError(f"cannot write {self.part}: {error.strerror or error}")

    def _opened(self) -> tuple[Callable[[list[Row]], object], Callable[[], None]]:
        if self.name.endswith(".parquet"):
            return self._opened_parquet()
        file = open(self.part, "w", encoding="utf-8", newline="")  # noqa: SIM115 - see _close
        if self.name.endswith(".jsonl"):
            written = json.JSONEncoder(ensure_ascii=False).encode
            lines = lambda rows: file.writelines(f"{written(row)}\n" for row in rows)  # noqa: E731
            return lines, file.close
        table = csv.DictWriter(file, COLUMNS)
        table.writeheader()
        return table.writerows, file.close

    def _opened_parquet(self) -> tuple[Callable[[list[Row]], object], Callable[[], None]]:
        try:
            import pyarrow as pa
            import pyarrow.parquet
        except ImportError:
            raise FailedError(str(MissingExtraError("arrow", "pyarrow"))) from None
        schema = pa.schema([(name, pa.type_for_alias(kind)) for name, kind in COLUMNS.items()])
        writer = pyarrow.parquet.ParquetWriter(self.part, schema, compression="zstd")

        def write(rows: list[Row]) -> None:
            writer.write_table(pa.Table.from_pylist(rows, schema=schema))

        return write, writer.close
