"""The rows of ``toolwire transcript --out``: one for each call, in JSON, CSV or Parquet."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta, timezone
from typing import Any

from toolwire.cli.csv_cell import cell
from toolwire.cli.out_file import PartFile, check_form, pyarrow
from toolwire.transcript import Patch

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
        self._waiting: dict[int, Any] = {}

    def take(self, patch: Patch) -> Iterator[Row]:
        """Take a patch; give the row of a call that has ended."""
        entry = patch.entry
        if entry.type != "tool_use":
            return
        if entry.status == "created":
            self._waiting[patch.index] = entry
        else:
            self._waiting.pop(patch.index, None)
            yield self._row(patch.index, entry)

    def rest(self) -> Iterator[Row]:
        """Give the rows of the calls that have no result."""
        for index, entry in self._waiting.items():
            yield self._row(index, entry)
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
    """Writes rows into a file."""

    def __init__(self, name: str) -> None:
        check_form(name)
        self.file = PartFile(name)
        self._rows: list[Row] = []
        self._write = self._opened()

    def write(self, rows: Sequence[Row]) -> None:
        """Write rows."""
        self._rows += rows
        if len(self._rows) >= ROWS_AT_ONCE:
            self._flush()

    def finish(self) -> None:
        """Write what is left, and give the file its name."""
        self._flush()
        self.file.finish()

    def _flush(self) -> None:
        rows, self._rows = self._rows, []
        with self.file.writing():
            self._write(rows)

    def _opened(self) -> Callable[[list[Row]], object]:
        if self.file.name.endswith(".parquet"):
            return self._opened_parquet()
        file = self.file.open_text()
        if self.file.name.endswith(".csv"):
            table = csv.DictWriter(file, COLUMNS)
            table.writeheader()
            return lambda rows: table.writerows(
                {name: cell(value) for name, value in row.items()} for row in rows
            )
        encode = json.JSONEncoder(ensure_ascii=False).encode
        return lambda rows: file.writelines(f"{encode(row)}\n" for row in rows)

    def _opened_parquet(self) -> Callable[[list[Row]], object]:
        pa = pyarrow()
        schema = pa.schema([(name, pa.type_for_alias(kind)) for name, kind in COLUMNS.items()])
        writer = self.file.open_parquet(schema)
        return lambda rows: writer.write_table(pa.Table.from_pylist(rows, schema=schema))
