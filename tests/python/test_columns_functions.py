"""The functions that engines run over tables and dicts of lists."""

from __future__ import annotations

import importlib
import pickle
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import toolwire
from toolwire import columns
from toolwire._extra import MissingExtraError
from toolwire.columns import DetectArray, DetectColumn, detected_type

from examples import documented, fails

pa = pytest.importorskip("pyarrow", reason="pyarrow is not there for this Python")

ENGINES = ("daft", "duckdb", "polars", "ray", "spark")
TEXTS = [
    "no call",
    None,
    'é <tool:echo>{"a": 1}</tool>',
    "<think>hm</think>",
    "<tool:echo>{a}</tool>",
]
FOUND: list[Any] = pa.array(toolwire.Detector().detect_batch(TEXTS)).to_pylist()
TABLE = pa.table({"n": range(5), "text": TEXTS})


@pytest.mark.parametrize("name", documented(columns))
def test_every_example_is_true(name: str) -> None:
    value = documented(columns)[name]
    assert fails(value.__doc__ or "", name, {}) == ""


def test_a_table_gets_a_column() -> None:
    found = DetectColumn()(TABLE)
    assert found.schema.names == ["n", "text", "detected"]
    assert found["detected"].to_pylist() == FOUND
    assert found.select(["n", "text"]).equals(TABLE)
    batch = TABLE.to_batches()[0]
    found = DetectColumn("text", "d", drop=["text"], fields=["calls"])(batch)
    assert isinstance(found, pa.RecordBatch)
    assert found.schema.names == ["n", "d"]
    assert found["d"].to_pylist() == [row and {"calls": row["calls"]} for row in FOUND]
    assert DetectColumn("text", "text")(TABLE)["text"].to_pylist() == FOUND
    assert DetectColumn()(TABLE.slice(2, 2))["detected"].to_pylist() == FOUND[2:4]
    assert DetectColumn(drop=["none"])(TABLE.slice(0, 0))["detected"].to_pylist() == []


def test_a_mapping_gets_a_list() -> None:
    batch = {"n": [0, 1, 2, 3, 4], "text": TEXTS}
    assert DetectColumn()(batch) == {**batch, "detected": FOUND}
    assert DetectColumn("text", "d", drop="text")(batch) == {"n": batch["n"], "d": FOUND}

    class Lazy(Mapping[str, Any]):
        def __getitem__(self, name: str) -> Any:
            return batch[name]

        def __iter__(self) -> Any:
            return iter(batch)

        def __len__(self) -> int:
            return len(batch)

    assert DetectColumn()(Lazy()) == {**batch, "detected": FOUND}


def test_an_array_gives_an_array() -> None:
    assert DetectArray()(pa.array(TEXTS)).to_pylist() == FOUND
    chunked = pa.chunked_array([TEXTS[:2], TEXTS[2:]])
    assert DetectArray()(chunked).num_chunks == 2
    assert DetectArray()(chunked).to_pylist() == FOUND


def test_a_view_comes_out_as_a_string() -> None:
    view = pa.array(TEXTS, pa.string_view())
    found = DetectArray()(view)
    assert found.type == detected_type()
    assert found.type.field("text").type == pa.string()
    assert found.to_pylist() == FOUND
    binary = DetectArray()(view.cast(pa.binary_view()))
    assert binary.type == detected_type(text=pa.binary())


def test_the_type_is_that_of_the_result() -> None:
    for fields in (None, ["calls"], ["rejections", "text"]):
        assert DetectArray(fields=fields)(pa.array(TEXTS)).type == detected_type(fields)


@pytest.mark.parametrize(
    "function",
    [
        DetectColumn(),
        DetectColumn("text", "d", drop=["n"], fields=["calls"], threads=2, formats=["tag"]),
        DetectColumn(model="Qwen/Qwen3-8B", tools=[{"name": "echo"}], repair="safe"),
    ],
)
def test_a_function_can_be_pickled(function: DetectColumn) -> None:
    kept = pickle.dumps(function)
    again = pickle.loads(kept)
    assert repr(again) == repr(function)
    assert again(TABLE).equals(function(TABLE))
    assert pickle.dumps(again) == kept
    # In another process it is the same too.
    code = "import pickle, sys; print(repr(pickle.load(sys.stdin.buffer)))"
    done = subprocess.run([sys.executable, "-c", code], input=kept, capture_output=True, check=True)
    assert done.stdout.decode().strip() == repr(function)


def test_misuse_is_told_where_the_function_is_made() -> None:
    with pytest.raises(toolwire.InvalidArgumentError, match="unknown field"):
        DetectColumn(fields=["call"])
    with pytest.raises(toolwire.InvalidArgumentError, match="unknown format"):
        DetectArray(formats=["tga"])
    with pytest.raises(toolwire.InvalidArgumentError, match="Seen"):
        DetectArray(seen=toolwire.Seen())
    with pytest.raises(toolwire.InvalidArgumentError, match="drop"):
        DetectColumn(into="d", drop=["d"])
    with pytest.raises(toolwire.InvalidArgumentError, match="'txt'; there are: 'n', 'text'"):
        DetectColumn("txt")(TABLE)
    with pytest.raises(toolwire.InvalidArgumentError, match="'txt'; there are: 'n'"):
        DetectColumn("txt")({"n": [1]})
    with pytest.raises(toolwire.WrongTypeError, match="not list"):
        DetectColumn()([TABLE])


def test_nothing_that_is_big_is_imported_early() -> None:
    modules = "columns, daft, duckdb, ray, spark"
    big = ["pyarrow", *ENGINES, "pyspark"]
    code = f"import sys; from toolwire import {modules}; print(set({big}) & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert done.stdout.decode().strip() == "set()"


@pytest.mark.parametrize("name", ENGINES)
def test_a_missing_engine_is_told(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    package = {"spark": "pyspark", "polars": "polars", "daft": "daft"}.get(name, "pyarrow")
    for module in [one for one in sys.modules if one.split(".")[0] == package]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(
        MissingExtraError, match=f"{package} is not installed: pip install {package}$"
    ):
        use(name)


def use(name: str) -> None:
    """Use a module for an engine as far as it goes without the engine."""
    module = importlib.import_module(f"toolwire.{name}")
    if name == "duckdb":
        module.register(None)
    elif name == "ray":
        DetectColumn()({"text": []})
    else:
        module.detect("text")


def test_an_engine_is_an_extra() -> None:
    text = (Path(__file__).parents[2] / "py-binding" / "pyproject.toml").read_text()
    for name in (*ENGINES, "arrow"):
        assert re.search(rf"^{name} = \[", text, re.MULTILINE), name
