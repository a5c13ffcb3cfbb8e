"""Dask in two processes gives what Toolwire gives without it."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
import toolwire
from conftest import Given

dask = pytest.importorskip("dask", reason="dask is not installed")
distributed = pytest.importorskip("distributed", reason="distributed is not installed")


def detect(frame: Any) -> Any:
    """Add a column to a partition, as docs/scale.md shows."""
    import pandas as pd

    column = toolwire.Detector().detect_batch(frame["text"])
    found = pd.arrays.ArrowExtensionArray(pa.chunked_array(column))
    return frame.assign(d=pd.Series(found, index=frame.index))


def test_dask(given: Given) -> None:
    import dask.dataframe as dd

    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with (
        distributed.LocalCluster(host="127.0.0.1", **options) as cluster,
        distributed.Client(cluster),
    ):
        frame = dd.read_parquet(given.folder).map_partitions(detect, enforce_metadata=False)
        found = frame.compute()
    rows: list[Any] = pa.array(found["d"]).to_pylist()
    given.check(list(zip(found["n"].tolist(), rows, strict=True)))
