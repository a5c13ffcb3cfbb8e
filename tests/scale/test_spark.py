"""Spark with two workers gives what Toolwire gives without it, also when a worker dies."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import Given, KilledOnce
from toolwire.columns import DetectColumn

pyspark = pytest.importorskip("pyspark", reason="pyspark is not installed")
if shutil.which("java") is None:
    pytest.skip(
        "there is no Java: apt-get install openjdk-17-jre-headless", allow_module_level=True
    )

import toolwire.spark  # noqa: E402
from pyspark.sql import SparkSession  # noqa: E402


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Start a cluster of two workers, each a process of its own."""
    here = str(Path(__file__).parent)
    os.environ.update(
        SPARK_LOCAL_IP="127.0.0.1",
        # A worker takes the Python of the path otherwise, which has no pyarrow.
        PYSPARK_PYTHON=sys.executable,
        SPARK_HOME=str(Path(pyspark.__file__).parent),
        PYTHONPATH=here,
    )
    folder = tmp_path_factory.mktemp("spark")
    options = {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.local.dir": str(folder),
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.executorEnv.PYTHONPATH": here,
    }
    # `local[2]` never tries a task again.
    builder = SparkSession.builder.master("local-cluster[2,1,1024]").appName("toolwire")
    for name, value in options.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


def rows(frame: Any) -> list[tuple[int, Any]]:
    table = frame.select("n", "d").toArrow()
    return list(zip(table["n"].to_pylist(), table["d"].to_pylist(), strict=True))


def test_a_table(given: Given, session: Any) -> None:
    frame = session.read.parquet(str(given.folder))
    found = toolwire.spark.detect_frame(frame, "text", "d", drop=["text"])
    assert found.columns == ["n", "d"]
    given.check(rows(found))


def test_a_column(given: Given, session: Any) -> None:
    frame = session.read.parquet(str(given.folder))
    given.check(rows(frame.withColumn("d", toolwire.spark.detect("text"))))


def test_sql(given: Given, session: Any) -> None:
    session.udf.register("detect_calls", toolwire.spark.udf(fields=["calls"]))
    session.read.parquet(str(given.folder)).createOrReplaceTempView("texts")
    counted = session.sql("SELECT sum(size(detect_calls(text).calls)) AS calls FROM texts")
    expected = sum(len(row["calls"]) for row in given.found if row)
    # Spark gives -1 for the size of null.
    nulls = given.found.count(None)
    assert counted.collect()[0]["calls"] + nulls in (expected, expected + nulls)


def test_binary(given: Given, session: Any) -> None:
    frame = session.read.parquet(str(given.folder)).limit(100)
    frame = frame.withColumn("text", frame["text"].cast("binary"))
    found = toolwire.spark.detect_frame(frame, "text", "d").select("text", "d").toArrow()
    for text, row in zip(found["text"].to_pylist(), found["d"].to_pylist(), strict=True):
        for call in row["calls"] if row else ():
            assert text[call["start"] : call["end"]][:1] in (b"<", b"{")


def test_a_worker_that_dies_loses_nothing(given: Given, session: Any, tmp_path: Path) -> None:
    mark = tmp_path / "killed"
    killed = KilledOnce(DetectColumn("text", "d", drop=["text"]), mark)
    frame = session.read.parquet(str(given.folder))
    schema = toolwire.spark.detect_frame(frame, "text", "d", drop=["text"]).schema
    given.check(rows(frame.mapInArrow(lambda batches: map(killed, batches), schema)))
    assert mark.exists()
