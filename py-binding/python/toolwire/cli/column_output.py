"""What ``toolwire detect --column`` writes: Parquet, JSON lines or CSV, and the totals."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Callable
from typing import Any

from toolwire.cli.column_files import Batch
from toolwire.cli.csv_cell import cell
from toolwire.cli.out_file import PartFile
from toolwire.cli.terminal import FailedError, safe_line

INTO = "detected"


class Totals:
    """The counts of all rows that were written."""

    def __init__(self) -> None:
        self.rows = 0
        self.without_text = 0
        self.no_json = 0
        self.with_calls = 0
        self.calls: Counter[str] = Counter()
        self.rejections: Counter[str] = Counter()

    def add(self, batch: Batch, found: Any, pa: Any) -> None:
        """Count the rows of a batch."""
        calls, rejections = found.field("calls"), found.field("rejections")
        self.rows += len(found)
        self.no_json += batch.kinds.count(b"x")
        self.without_text += found.null_count - batch.kinds.count(b"x")
        has = pa.compute.greater(pa.compute.list_value_length(calls), 0)
        self.with_calls += pa.compute.sum(has).as_py() or 0
        self._count(self.calls, calls.flatten().field("name"))
        self._count(self.rejections, rejections.flatten().field("code"))

    @staticmethod
    def _count(counts: Counter[str], values: Any) -> None:
        for one in values.value_counts().to_pylist():
            counts[one["values"]] += one["counts"]

    def to_dict(self) -> dict[str, Any]:
        """Give the counts, the most frequent first."""
        return {
            "rows": self.rows,
            "without_text": self.without_text,
            "no_json": self.no_json,
            "with_calls": self.with_calls,
            "calls": dict(self.calls.most_common()),
            "rejections": dict(self.rejections.most_common()),
        }

    def lines(self) -> list[str]:
        """Say the counts for a person."""
        lines = [f"{self.rows:,} rows, {self.with_calls:,} with calls"]
        if self.without_text:
            lines.append(f"{self.without_text:,} rows have no text")
        if self.no_json:
            lines.append(f"{self.no_json:,} lines are no JSON")
        for title, counts in (("calls", self.calls), ("refused", self.rejections)):
            width = len(f"{max(counts.values(), default=0):,}")
            for name, count in counts.most_common():
                lines.append(f"{title:8} {count:>{width},}  {safe_line(name)}")
        return lines


def chosen(found: Any, fields: list[str] | None, pa: Any) -> Any:
    """Give the wanted fields of a column of detections."""
    if fields is None or fields == found.type.names:
        return found
    arrays = [found.field(name) for name in fields]
    kept = [found.type.field(name) for name in fields]
    return pa.StructArray.from_arrays(arrays, fields=kept, mask=found.is_null())


class Output:
    """Writes rows with what was found in them."""

    def __init__(self, name: str, drop: list[str], pa: Any) -> None:
        self.file = PartFile(name)
        self.drop = drop
        self.pa = pa
        self.wants_lines = name.endswith(".jsonl")
        self._write: Callable[[Batch, Any], None] | None = None

    def write(self, batch: Batch, found: Any) -> None:
        """Write a batch."""
        if self._write is None:
            self._write = self._open(batch, found)
        with self.file.writing():
            self._write(batch, found)

    def _table(self, batch: Batch, found: Any) -> Any:
        names = batch.table.schema.names
        if unknown := [name for name in self.drop if name not in names]:
            raise FailedError(f"{batch.file} has no column {unknown[0]} to drop")
        table = batch.table.drop_columns([n for n in names if n in (*self.drop, INTO)])
        return table.append_column(INTO, found)

    def _open(self, batch: Batch, found: Any) -> Callable[[Batch, Any], None]:
        if not self.file.name.endswith(".parquet"):
            return self._open_text()
        schema = self._table(batch, found).schema
        writer = self.file.open_parquet(schema)

        def write(batch: Batch, found: Any) -> None:
            table = self._table(batch, found)
            if not table.schema.equals(schema):
                raise FailedError(f"{batch.file}: its columns differ from those of the first file")
            writer.write_batch(table)

        return write

    def _open_text(self) -> Callable[[Batch, Any], None]:
        file = self.file.open_text()
        if self.wants_lines:
            return lambda batch, found: file.writelines(self._json_lines(batch, found))
        rows = csv.writer(file)
        header: list[list[str]] = []

        def write(batch: Batch, found: Any) -> None:
            table = self._table(batch, found)
            names = table.schema.names[:-1] + [f"{INTO}.{name}" for name in found.type.names]
            if not header:
                header.append(names)
                rows.writerow(map(cell, names))
            if names != header[0]:
                raise FailedError(f"{batch.file}: its columns differ from those of the first file")
            columns = [_cells(column) for column in (*table.columns[:-1], *found.flatten())]
            rows.writerows(zip(*columns, strict=True))

        return write

    def _json_lines(self, batch: Batch, found: Any) -> Any:
        rows = found.to_pylist()
        if batch.lines is None:
            names = [name for name in batch.table.schema.names if name not in (*self.drop, INTO)]
            for old, row in zip(batch.table.select(names).to_pylist(), rows, strict=True):
                yield json.dumps({**old, INTO: row}, ensure_ascii=False, default=_plain) + "\n"
            return
        for line, kind, row in zip(batch.lines, batch.kinds, rows, strict=True):
            added = f"{json.dumps(INTO)}: {json.dumps(row, ensure_ascii=False, default=_plain)}}}\n"
            text = line.decode("utf-8", "replace").strip()
            if kind == ord("x") or not text.startswith("{"):
                yield f"{json.dumps({'malformed': text}, ensure_ascii=False)[:-1]}, {added}"
            else:
                inside = text[:-1].rstrip()
                yield f"{inside}{'' if inside == '{' else ', '}{added}"


def _plain(value: Any) -> str:
    """Write what JSON has no form for: dates, decimals, bytes."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def _cells(column: Any) -> list[Any]:
    """Give the cells of a column; one that is no plain value is written as JSON."""
    return [
        json.dumps(one, ensure_ascii=False, default=_plain)
        if isinstance(one, (dict, list))
        else cell(_plain(one) if isinstance(one, bytes) else one)
        for one in column.to_pylist()
    ]
