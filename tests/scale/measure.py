"""What detection costs in Ray and Spark with two workers, in seconds of the processor.

measure.py ENGINE...    engines: ray, spark

Each runs 1,000,000 texts through a function that does nothing, one that finds calls, and a loop
over `detect`; the least of five (or TOOLWIRE_RUNS), after two runs that do not count. All processes
of the engine are counted, so run nothing else beside it.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from conftest import texts
from toolwire.columns import DetectColumn

ROWS, WARM = 1_000_000, 2
RUNS = int(os.environ.get("TOOLWIRE_RUNS", "5"))
TICK = os.sysconf("SC_CLK_TCK")


def used() -> float:
    """Give the processor time of this process and all that it has started."""
    stats = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        # The parent, and the times of the process and of its children that have ended.
        stats[int(folder.name)] = (int(fields[1]), sum(map(int, fields[11:15])))
    ours = {os.getpid()}
    found = ours
    while found:
        found = {pid for pid, (parent, _) in stats.items() if parent in ours} - ours
        ours |= found
    return sum(stats[pid][1] for pid in ours if pid in stats) / TICK


class Nothing:
    """A function that gives what it is given."""

    def __call__(self, batch: Any) -> Any:
        """Give the batch."""
        return batch


class Loop:
    """A function that calls `detect` for each text."""

    def __call__(self, batch: Any) -> Any:
        """Add a column with the number of calls."""
        import toolwire

        detector = toolwire.Detector()
        names = [
            [call.name for call in detector.detect(one)] if one is not None else None
            for one in batch["text"].to_pylist()
        ]
        return batch.append_column("found", pa.array(names, pa.list_(pa.string())))


def least(run: Callable[[], Any]) -> float:
    """Give the least time of some runs."""
    taken = []
    for _ in range(WARM + RUNS):
        start = used()
        run()
        taken.append(used() - start)
    return min(taken[WARM:])


def report(engine: str, run: Callable[[Any], Callable[[], Any]]) -> None:
    """Measure an engine, whose runs of a function `run` makes."""
    detect = DetectColumn("text", "found", fields=["calls"])
    seconds = {
        name: least(run(function))
        for name, function in (("nothing", Nothing()), ("detect", detect), ("loop", Loop()))
    }
    more = (seconds["detect"] - seconds["nothing"]) / ROWS * 1e6
    part = seconds["detect"] / seconds["loop"]
    shown = ", ".join(f"{name} {value:.2f} s" for name, value in seconds.items())
    print(f"{engine}: {shown}; {more:.2f} µs a row, {part:.2f} of a loop")


def in_ray(folder: str) -> None:
    """Measure Ray."""
    import ray

    environment = {"PYTHONPATH": str(Path(__file__).parent)}
    ray.init(
        num_cpus=2,
        include_dashboard=False,
        object_store_memory=1 << 30,
        runtime_env={"env_vars": environment},
    )
    ray.data.DataContext.get_current().enable_progress_bars = False

    def run(function: Any) -> Callable[[], Any]:
        def once() -> None:
            data = ray.data.read_parquet(folder)
            data = data.map_batches(function, batch_format="pyarrow", batch_size=None)
            assert data.materialize().count() == ROWS

        return once

    report("Ray", run)
    ray.shutdown()


def in_spark(folder: str) -> None:
    """Measure Spark."""
    os.environ.update(
        SPARK_LOCAL_IP="127.0.0.1",
        PYSPARK_PYTHON=sys.executable,
        PYTHONPATH=str(Path(__file__).parent),
    )
    import pyspark
    from pyspark.sql import SparkSession, types

    os.environ["SPARK_HOME"] = str(Path(pyspark.__file__).parent)
    builder = SparkSession.builder.master("local-cluster[2,1,1024]").config(
        "spark.driver.host", "127.0.0.1"
    )
    session = builder.config("spark.ui.enabled", "false").getOrCreate()
    frame = session.read.parquet(folder)
    import toolwire.spark

    names = types.ArrayType(types.StringType())
    schemas = {
        Nothing: frame.schema,
        DetectColumn: toolwire.spark.detect_frame(frame, "text", "found", fields=["calls"]).schema,
        Loop: types.StructType([*frame.schema.fields, types.StructField("found", names)]),
    }

    def run(function: Any) -> Callable[[], Any]:
        made = frame.mapInArrow(lambda batches: map(function, batches), schemas[type(function)])
        return lambda: made.write.format("noop").mode("overwrite").save()

    report("Spark", run)
    session.stop()


def main(engines: list[str]) -> None:
    """Write the texts, and measure the engines."""
    with tempfile.TemporaryDirectory() as folder:
        short = texts(ROWS)
        for at in range(4):
            part = pa.table({"text": short[at * ROWS // 4 : (at + 1) * ROWS // 4]})
            pq.write_table(part, f"{folder}/{at}.parquet")
        if "ray" in engines:
            in_ray(folder)
        if "spark" in engines:
            in_spark(folder)


if __name__ == "__main__":
    main(sys.argv[1:] or ["ray", "spark"])
