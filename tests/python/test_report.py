"""Reports: counts, summaries and JSON of many results."""

from __future__ import annotations

import enum
import json
import math
import random
from typing import Any

import pytest
import toolwire
from toolwire import ToolResult


class Tools(enum.Enum):
    """Tools of a program that names them by an enum."""

    SEARCH = "rag_search"
    IMAGE = "generate_image"


def test_a_report_counts() -> None:
    results = [
        ToolResult(Tools.SEARCH, True, {"a": 1}, confidence=0.5),
        ToolResult("b", True, {}, confidence=None),  # type: ignore[arg-type]
        ToolResult(Tools.SEARCH, False, {}, "boom", 0.9),
        ToolResult("b", True, (1, 2), confidence=True),
    ]
    report = toolwire.Report(results)
    assert (report.total, report.succeeded, report.failed, len(report)) == (4, 3, 1, 4)
    assert (report.success_rate, report.mean_confidence) == (0.75, 0.75)
    assert list(report.by_tool) == ["rag_search", "b"]
    assert report.by_tool["b"] == {
        "total": 2, "succeeded": 2, "failed": 0, "success_rate": 1.0, "mean_confidence": 1.0,
    }  # fmt: skip
    assert report.results == tuple(results)
    assert report.to_dict()["results"] == [result.to_dict() for result in results]
    results[0].success = False
    assert report.failed == 2
    empty = toolwire.Report()
    assert (empty.total, empty.success_rate, empty.mean_confidence, empty.summary()) == (
        0,
        None,
        None,
        "",
    )


def test_a_report_as_json_is_python_s() -> None:
    rng = random.Random(5)
    data = {
        "f": [0.1, 1e-7, 1e16, -0.0],
        "t": 'é\ud800"\n\x7f',
        "n": 10**30,
        "tuple": (1,),
        "enum": Tools.IMAGE,
    }
    results = [ToolResult("t", True, {**data, "r": rng.random()}) for _ in range(20)]
    report = toolwire.Report(results)
    assert report.to_json() == json.dumps(report.to_dict(), indent=2, default=str)
    assert report.to_json(indent=4) == json.dumps(report.to_dict(), indent=4, default=str)
    assert report.to_json(indent=None) == json.dumps(report.to_dict(), default=str)
    report.add(ToolResult("t", True, {"nan": math.nan, "inf": -math.inf}, confidence=math.nan))
    read = json.loads(report.to_json(), parse_constant=lambda name: pytest.fail(name))
    assert read["results"][-1] == {
        "tool": "t", "success": True, "data": {"nan": None, "inf": None}, "confidence": None,
        "error_message": None,
    }  # fmt: skip


def test_data_that_holds_itself_is_an_error() -> None:
    data: dict[str, Any] = {}
    data["self"] = [data]
    report = toolwire.Report([ToolResult("t", True, data)])
    assert report.summary().endswith("- self: 1 items\n")
    with pytest.raises(toolwire.WrongTypeError):
        report.to_json()
