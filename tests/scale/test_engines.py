"""Engines of one process give what Toolwire gives without them."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import toolwire
from conftest import Given
from toolwire.columns import DetectArray, DetectColumn, detected_type


def test_polars_eager_and_streaming(given: Given) -> None:
    pl = pytest.importorskip("polars", reason="polars is not installed")
    import toolwire.polars  # noqa: F401

    frame = pl.read_parquet(given.folder / "*.parquet")
    found = frame.select("n", d=pl.col("text").toolwire.detect())
    given.check(list(zip(found["n"], found["d"].to_list(), strict=True)))

    lazy = pl.scan_parquet(given.folder / "*.parquet")
    calls = pl.col("text").toolwire.detect(fields=["calls"]).struct.field("calls")
    names = lazy.select(calls.explode().struct.field("name")).drop_nulls()
    counted = names.group_by("name").len().collect(engine="streaming")
    assert dict(counted.rows()) == by_name(given)


def by_name(given: Given) -> dict[str, int]:
    """Count the calls by the tool that they name."""
    counted: dict[str, int] = {}
    for row in given.found:
        for call in row["calls"] if row else ():
            counted[call["name"]] = counted.get(call["name"], 0) + 1
    return counted


@pytest.mark.parametrize("threads", [1, 2])
def test_duckdb(given: Given, threads: int) -> None:
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")
    import toolwire.duckdb

    connection = duckdb.connect(config={"threads": threads})
    toolwire.duckdb.register(connection)
    files = f"'{given.folder}/*.parquet'"
    given.check(connection.sql(f"SELECT n, detect_calls(text) FROM {files}").fetchall())
    counted = connection.sql(
        "SELECT call.name, count(*) FROM "
        f"(SELECT unnest(detect_calls(text).calls) AS call FROM {files}) GROUP BY ALL"
    )
    assert dict(counted.fetchall()) == by_name(given)


def test_daft(given: Given) -> None:
    daft = pytest.importorskip("daft", reason="daft is not installed")
    import toolwire.daft

    frame = daft.read_parquet(f"{given.folder}/*.parquet")
    found = frame.with_column("d", toolwire.daft.detect(daft.col("text"))).to_pydict()
    given.check(list(zip(found["n"], found["d"], strict=True)))


def test_datafusion(given: Given) -> None:
    datafusion = pytest.importorskip("datafusion", reason="datafusion is not installed")
    context = datafusion.SessionContext()
    function = datafusion.udf(
        DetectArray(), [pa.string_view()], detected_type(), "immutable", name="detect_calls"
    )
    context.register_udf(function)
    context.register_parquet("texts", str(given.folder))
    found = context.sql("SELECT n, detect_calls(text) AS d FROM texts").to_pydict()
    given.check(list(zip(found["n"], found["d"], strict=True)))


@pytest.mark.parametrize("form", ["arrow", None])
def test_datasets(given: Given, form: str | None) -> None:
    datasets = pytest.importorskip("datasets", reason="datasets is not installed")
    data = datasets.Dataset(given.table).with_format(form)
    found = data.map(DetectColumn("text", "d"), batched=True, batch_size=10_000)
    rows = found.with_format("arrow")[:]
    given.check(list(zip(rows["n"].to_pylist(), rows["d"].to_pylist(), strict=True)))
    # A second run takes what the first has kept.
    hashed = datasets.fingerprint.Hasher.hash
    assert hashed(DetectColumn("text")) == hashed(DetectColumn("text"))
    assert hashed(DetectColumn("text")) != hashed(DetectColumn("text", repair="safe"))


def test_pandas(given: Given) -> None:
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = pd.read_parquet(given.folder)
    column = toolwire.Detector().detect_batch(frame["text"])
    kept = pd.arrays.ArrowExtensionArray(pa.chunked_array(column))
    frame = frame.assign(d=pd.Series(kept, index=frame.index))
    found: list[Any] = pa.array(frame["d"]).to_pylist()
    given.check(list(zip(frame["n"].tolist(), found, strict=True)))


def test_the_files_of_a_folder_in_little_memory(given: Given) -> None:
    found = []
    for file in sorted(given.folder.glob("*.parquet")):
        for batch in pq.ParquetFile(file).iter_batches(1000):
            made = DetectColumn("text", "d", drop=["text"])(batch)
            assert made.schema.names == ["n", "d"]
            found += list(zip(made["n"].to_pylist(), made["d"].to_pylist(), strict=True))
    given.check(found)
