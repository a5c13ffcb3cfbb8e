"""Ray with two workers gives what Toolwire gives without it, also when a worker dies."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import Given, KilledOnce
from toolwire.columns import DetectColumn

ray = pytest.importorskip("ray", reason="ray is not installed")

import toolwire.ray  # noqa: E402


@pytest.fixture(scope="module", autouse=True)
def _cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    # The path of a socket is short, so this is not pytest's own folder.
    folder = f"/tmp/toolwire-ray-{tmp_path_factory.getbasetemp().name}"
    ray.init(
        num_cpus=2,
        include_dashboard=False,
        object_store_memory=1 << 30,
        _temp_dir=folder,
        runtime_env={"env_vars": {"PYTHONPATH": str(Path(__file__).parent)}},
    )
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield
    ray.shutdown()
    shutil.rmtree(folder, ignore_errors=True)


def rows(dataset: Any) -> list[tuple[int, Any]]:
    found: list[tuple[int, Any]] = []
    for batch in dataset.iter_batches(batch_format="pyarrow", batch_size=None):
        assert batch.schema.names == ["n", "d"]
        found += list(zip(batch["n"].to_pylist(), batch["d"].to_pylist(), strict=True))
    return found


def test_ray(given: Given) -> None:
    dataset = ray.data.read_parquet(str(given.folder))
    given.check(rows(toolwire.ray.detect(dataset, "text", "d", drop=["text"])))


def test_a_worker_that_dies_loses_nothing(given: Given, tmp_path: Path) -> None:
    mark = tmp_path / "killed"
    function = KilledOnce(DetectColumn("text", "d", drop=["text"]), mark)
    dataset = ray.data.read_parquet(str(given.folder))
    found = dataset.map_batches(function, batch_format="pyarrow", batch_size=10_000)
    given.check(rows(found))
    assert mark.exists()
