"""The console's ``detect --column``: many files in, rows and totals out."""

from __future__ import annotations

import csv
import gzip
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import toolwire
from test_console import run
from toolwire._native import json_members

pa = pytest.importorskip("pyarrow", reason="pyarrow is not there for this Python")
pq = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not there for this Python")

ECHO = '<tool:echo>{"a": 1}</tool>'
TEXTS = [f"é {ECHO} ok", None, "no call", "<tool:echo>{a}</tool>", f"<think>hm</think>{ECHO}"]
FOUND: list[Any] = pa.array(toolwire.Detector().detect_batch(TEXTS)).to_pylist()
COUNTS = {
    "rows": 5,
    "without_text": 1,
    "no_json": 0,
    "with_calls": 2,
    "calls": {"echo": 2},
    "rejections": {"bad_json": 1},
}


def parquet(folder: Path, name: str = "a.parquet") -> Path:
    file = folder / name
    pq.write_table(pa.table({"n": range(5), "text": TEXTS}), file)
    return file


def lines(*values: Any) -> bytes:
    return b"".join(json.dumps(value).encode() + b"\n" for value in values)


def totals(*arguments: str | Path, status: int = 0, stdin: bytes = b"") -> Any:
    code, out, errors = run("detect", "--json", *arguments, stdin=stdin)
    assert (code, errors) == (status, ""), errors
    return json.loads(out)


def test_parquet_is_counted(tmp_path: Path) -> None:
    file = parquet(tmp_path)
    assert totals("--column", "text", file) == COUNTS
    assert totals("--column", "text", "--fail-on-rejection", file, status=1) == COUNTS
    status, out, _ = run("detect", "--column", "text", file)
    assert status == 0
    assert out.splitlines() == [
        "5 rows, 2 with calls",
        "1 rows have no text",
        "calls    2  echo",
        "refused  1  bad_json",
    ]


def test_parquet_becomes_parquet(tmp_path: Path) -> None:
    file, out = parquet(tmp_path), tmp_path / "out.parquet"
    assert totals("--column", "text", "--out", out, "--jobs", "2", file) == COUNTS
    table = pq.read_table(out)
    assert table.schema.names == ["n", "text", "detected"]
    assert table["detected"].to_pylist() == FOUND
    options = ("--drop", "text", "--fields", "rejections,text")
    assert totals("--column", "text", "--out", out, *options, file) == COUNTS
    table = pq.read_table(out)
    assert table.schema.names == ["n", "detected"]
    wanted = [row and {"text": row["text"], "rejections": row["rejections"]} for row in FOUND]
    assert table["detected"].to_pylist() == wanted
    assert sorted(one.name for one in tmp_path.iterdir()) == ["a.parquet", "out.parquet"]


def test_parquet_becomes_text(tmp_path: Path) -> None:
    file = parquet(tmp_path)
    out = tmp_path / "out.jsonl"
    totals("--column", "text", "--out", out, file)
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    expected = [
        {"n": n, "text": text, "detected": row}
        for n, (text, row) in enumerate(zip(TEXTS, FOUND, strict=True))
    ]
    assert rows == expected
    out = tmp_path / "out.csv"
    totals("--column", "text", "--out", out, "--drop", "text", "--fields", "calls,reasoning", file)
    with open(out, newline="") as opened:
        rows = list(csv.DictReader(opened))
    assert [row["n"] for row in rows] == ["0", "1", "2", "3", "4"]
    assert json.loads(rows[0]["detected.calls"]) == FOUND[0]["calls"]
    assert (rows[1]["detected.calls"], rows[4]["detected.reasoning"]) == ("", "hm")


def test_no_cell_of_csv_is_a_formula(tmp_path: Path) -> None:
    file, out = tmp_path / "a.parquet", tmp_path / "out.csv"
    texts = ["=1+1", "+1", "-1", "@a", "\ta", "\ra", "a=1"]
    pq.write_table(pa.table({"text": texts, "n": [-5] * len(texts)}), file)
    totals("--column", "text", "--out", out, file)
    with open(out, newline="") as opened:
        rows = list(csv.DictReader(opened))
    assert [row["text"] for row in rows] == [*(f"'{text}" for text in texts[:-1]), "a=1"]
    assert {row["n"] for row in rows} == {"-5"}


def test_a_member_of_nested_columns(tmp_path: Path) -> None:
    messages = [
        [{"role": "user", "content": "x"}, {"role": "assistant", "content": t}] for t in TEXTS
    ]
    file = tmp_path / "a.parquet"
    pq.write_table(pa.table({"messages": [*messages, [], None]}), file)
    expected = {**COUNTS, "rows": 7, "without_text": 3}
    assert totals("--column", "messages.-1.content", file) == expected
    assert totals("--column", "messages.1.content", file) == expected
    assert totals("--column", "messages.0.content", file)["calls"] == {}
    for column, told in (
        ("text", "has no column text; there are: messages"),
        ("messages.x", "x is no position in a list"),
        ("messages.0.x", "there is no x in"),
        ("messages", "a column of text or binary"),
        ("messages.-3.content", "no row has a text in messages.-3.content"),
    ):
        status, _, errors = run("detect", "--column", column, file)
        assert status == 2
        assert told in errors


def test_lines_of_json_in_every_packing(tmp_path: Path) -> None:
    data = lines(*({"n": n, "choices": [{"message": {"content": t}}]} for n, t in enumerate(TEXTS)))
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.jsonl").write_bytes(data)
    (folder / "b.ndjson.gz").write_bytes(gzip.compress(data[:90]) + gzip.compress(data[90:]))
    with pa.CompressedOutputStream(str(folder / "c.json.zst"), "zstd") as packed:
        packed.write(data)
    (folder / "notes.txt").write_text("no rows")
    column = ("--column", "choices.0.message.content")
    thrice = {
        **COUNTS, "rows": 15, "without_text": 3, "with_calls": 6,
        "calls": {"echo": 6}, "rejections": {"bad_json": 3},
    }  # fmt: skip
    assert totals(*column, folder) == thrice
    assert totals(*column, *sorted(folder.glob("[abc]*"))) == thrice
    assert totals(*column, f"{folder}/[abc]*") == thrice
    assert totals(*column, "-", stdin=data) == COUNTS
    assert totals(*column, stdin=data) == COUNTS
    out = tmp_path / "out.parquet"
    totals(*column, "--out", out, folder)
    table = pq.read_table(out)
    assert table.schema.names == ["file", "line", "detected"]
    assert table["line"].to_pylist() == [1, 2, 3, 4, 5] * 3
    assert table["file"].to_pylist()[5] == str(folder / "b.ndjson.gz")
    assert table["detected"].to_pylist() == FOUND * 3


def test_lines_keep_their_other_members(tmp_path: Path) -> None:
    given = b'{"a": 1.50, "text": "x"}\n\n  {}\r\nno json\n[1]\n{"text": 5}\n{"text": "' + b'y"}'
    out = tmp_path / "out.jsonl"
    found = totals("--column", "text", "--out", out, "--fields", "text", stdin=given)
    assert (found["rows"], found["without_text"], found["no_json"]) == (6, 3, 1)
    written = out.read_text().splitlines()
    assert written[0] == '{"a": 1.50, "text": "x", "detected": {"text": "x"}}'
    assert written[1] == '{"detected": null}'
    assert [json.loads(line) for line in written[2:]] == [
        {"malformed": "no json", "detected": None},
        {"malformed": "[1]", "detected": None},
        {"text": 5, "detected": None},
        {"text": "y", "detected": {"text": "y"}},
    ]


MEMBERS: list[tuple[str, str, Any]] = [
    ('{"a": "x"}', "a", "x"),
    ('{"a": "x", "a": "y"}', "a", "y"),
    ('{"b": {"a": "no"}, "a": "x"}', "a", "x"),
    ('{"a": {"b": ["x", "y"]}}', "a.b.1", "y"),
    ('{"a": {"b": ["x", "y"]}}', "a.b.-1", "y"),
    ('{"a": {"b": ["x", "y"]}}', "a.b.-2", "x"),
    ('{"a": {"b": ["x", "y"]}}', "a.b.-3", None),
    ('{"a": {"b": ["x", "y"]}}', "a.b.2", None),
    ('{"a": {"0": "x"}}', "a.0", "x"),
    ('{"a": ["x"]}', "a.b", None),
    ('{"a": "x"}', "a.b", None),
    ('{"a": [], "b": 1}', "a.-1", None),
    ('{"a": null}', "a", None),
    ('["x"]', "0", "x"),
    (r'{"a": "\u00e9\n\ud83d\ude42"}', "a", "é\n\U0001f642"),
    (r'{"a": "\ud83d \\ud83d \udc00\""}', "a", '\ufffd \\ud83d \ufffd"'),
    (r'{"\u0061": "x"}', "a", "x"),
]


@pytest.mark.parametrize(("line", "path", "expected"), MEMBERS)
def test_a_member_is_found(line: str, path: str, expected: str | None) -> None:
    for given in (line, f" {line} \r"):
        texts, numbers, kinds = json_members(given.encode(), path.split("."), 7)
        assert pa.array(texts).to_pylist() == [expected]
        assert pa.array(numbers).to_pylist() == [7]
        assert kinds == (b"n" if expected is None else b"t")


def test_a_member_that_no_row_has_is_told() -> None:
    rows = lines({"text": "a"}, {"text": "b"})
    status, out, errors = run("detect", "--column", "txt", "-", stdin=rows)
    assert (status, out) == (2, "2 rows, 0 with calls\n2 rows have no text\n")
    assert errors == "toolwire: no row has a text in txt: is that the name?\n"


@pytest.mark.parametrize(
    "line", ['{"a": "x"', '{"a": "x"} y', "{a: 1}", "nope", '{"a": "\xff', "[" * 9999]
)
def test_what_is_no_json_is_told(line: str) -> None:
    texts, _, kinds = json_members(line.encode("latin-1"), ["a"], 1)
    assert (pa.array(texts).to_pylist(), kinds) == ([None], b"x")


def test_lines_are_numbered_over_pieces(tmp_path: Path) -> None:
    filler = "w" * 1000
    file, out = tmp_path / "a.jsonl", tmp_path / "out.parquet"
    file.write_bytes(b"\n" + lines(*({"t": f"{filler} {n}"} for n in range(9000))))
    assert totals("--column", "t", "--out", out, file)["rows"] == 9000
    table = pq.read_table(out)
    assert table["line"].to_pylist() == list(range(2, 9002))
    ends = [row["text"].split()[-1] for row in table["detected"].to_pylist()]
    assert ends == [str(n) for n in range(9000)]
    # One line that is longer than what is read at once.
    file.write_bytes(lines({"t": "w" * 9_000_000}, {"t": ECHO}))
    assert totals("--column", "t", file)["calls"] == {"echo": 1}


def test_misuse_is_told(tmp_path: Path) -> None:
    file = parquet(tmp_path)
    (tmp_path / "b.jsonl").write_bytes(lines({"text": "x"}))
    (tmp_path / "bad.parquet").write_bytes(b"not parquet")
    (tmp_path / "bad.jsonl.gz").write_bytes(gzip.compress(lines({"text": "x"}))[:-9])
    (tmp_path / "empty").mkdir()
    other = tmp_path / "other.parquet"
    pq.write_table(pa.table({"text": ["x"]}), other)
    out = tmp_path / "out.parquet"
    column = ("--column", "text")
    for arguments, told in (
        ((*column, "--out", tmp_path / "x.txt", file), "--out must end in"),
        ((*column, "--drop", "n", file), "--drop needs --out"),
        ((*column, "--drop", "m", "--out", out, file), "has no column m to drop"),
        ((*column, "--fields", "call", file), "unknown field"),
        ((*column, file, tmp_path / "b.jsonl"), "all of Parquet, or all of JSON lines"),
        ((*column, tmp_path / "empty"), "there are no files"),
        ((*column, tmp_path / "none.parquet"), "cannot read"),
        ((*column, tmp_path / "bad.parquet"), "cannot read"),
        ((*column, tmp_path / "bad.jsonl.gz"), "cannot read"),
        ((*column, "--out", out, file, other), "its columns differ"),
        ((*column, "--out", tmp_path / "no" / "x.csv", file), "cannot write"),
        ((file, other), "with --column alone"),
        (("--jobs", "2", file), "--jobs is for --column"),
        (("--fail-on-rejection", file), "--fail-on-rejection is for --column"),
    ):
        status, _, errors = run("detect", *arguments)
        assert status == 2, arguments
        assert told in errors, errors
        assert not out.exists()
        assert not list(tmp_path.glob("*.part"))


def test_the_output_is_not_read(tmp_path: Path) -> None:
    parquet(tmp_path)
    out = tmp_path / "out.parquet"
    for _ in range(2):
        assert totals("--column", "text", "--out", out, tmp_path) == COUNTS


@pytest.mark.parametrize("form", ["parquet", "jsonl", "csv"])
def test_an_interrupt_leaves_a_whole_file(form: str, tmp_path: Path) -> None:
    out = tmp_path / f"out.{form}"
    command = [sys.executable, "-m", "toolwire", "detect", "--column", "t", "--out", str(out)]
    process = subprocess.Popen(
        [*command, "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdin is not None
    row = lines({"t": "w" * 1000})
    # Two pieces are written, and part of a third one waits to be read.
    process.stdin.write(row * (2 * (4 << 20) // len(row) + 100))
    process.stdin.flush()
    part = Path(f"{out}.part")
    while not part.exists():
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    told = errors.decode().split(" rows are in ")[0].rsplit(" ", 1)[1].replace(",", "")
    if form == "parquet":
        rows = pq.ParquetFile(out).metadata.num_rows
    else:
        with open(out, newline="") as file:
            rows = sum(1 for _ in csv.reader(file)) - 1 if form == "csv" else len(list(file))
    assert rows == int(told) > 0
    assert not part.exists()
