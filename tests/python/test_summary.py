"""Summaries against the same rules in plain Python, and hostile values."""

from __future__ import annotations

import dataclasses
import decimal
import enum
import math
import random
import struct
import types
from typing import Any

import pytest
import toolwire
from plain import results_summary, summarize
from toolwire import ToolResult


class Tools(enum.Enum):
    """Names of tools, as the issue agent has them."""

    SEARCH = "rag_search"
    IMAGE = "image_analysis"


class Number(enum.IntEnum):
    ONE = 1


class Word(str, enum.Enum):
    RED = "red"


class Odd:
    """An object with a `repr()` of its own."""

    def __str__(self) -> str:
        return "odd\ud800é"


class Named:
    """A result as the plain rules read it: its tool has a `value`."""

    def __init__(self, result: Any) -> None:
        self.result = result

    @property
    def tool(self) -> Any:
        tool = self.result.tool
        return tool if isinstance(tool, enum.Enum) else types.SimpleNamespace(value=tool)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.result, name)


def plain_results(results: list[Any]) -> str:
    return results_summary(map(Named, results))


def choose(rng: random.Random, *values: Any) -> Any:
    return rng.choice(values)


def random_float(rng: random.Random) -> float:
    kind = rng.randrange(6)
    if kind == 0:
        (number,) = struct.unpack("d", rng.randbytes(8))
        return float(number)
    if kind == 1:
        odd = [
            0.0,
            -0.0,
            math.inf,
            -math.inf,
            math.nan,
            1e16,
            1e-5,
            1e-4,
            9999999999999998.0,
            5e-324,
        ]
        return odd[rng.randrange(len(odd))]
    if kind == 2:
        return float(rng.randrange(-(10**6), 10**6) / 10 ** rng.randrange(9))
    if kind == 3:
        return rng.randrange(20_001) / 20_000
    if kind == 4:
        return float(rng.randrange(2**70))
    return rng.random()


def random_text(rng: random.Random) -> str:
    alphabet = rng.choice(["ab c", "aé€😀", "a\ud800\udfff\0\n", "é"])
    return "".join(rng.choices(alphabet, k=rng.choice([0, 1, 5, 99, 100, 101, 102, 300])))


def random_value(rng: random.Random, depth: int = 0) -> Any:
    kind = rng.randrange(20 if depth < 3 else 11)
    simple: list[Any] = [
        None, True, False, rng.randrange(-10, 10), rng.randrange(-(2**70), 2**70),
        rng.choice([2**63 - 1, 2**63, -(2**63), -(2**63) - 1, 10**40]),
        random_float(rng), random_float(rng), random_text(rng), rng.randbytes(3),
        rng.choice(
            [Number.ONE, Word.RED, Tools.SEARCH, Odd(), decimal.Decimal("1.50"), 1j, range(3), int]
        ),
    ]  # fmt: skip
    if kind < len(simple):
        return simple[kind]
    items = [random_value(rng, depth + 1) for _ in range(rng.randrange(4))]
    if kind < 13:
        return items
    if kind < 15:
        return tuple(items)
    if kind < 16:
        return {str(item) for item in items}
    return random_data(rng, depth + 1)


def random_data(rng: random.Random, depth: int = 0) -> dict[Any, Any]:
    keys: list[Any] = [
        random_text(rng)[:20],
        rng.randrange(9),
        2.5,
        None,
        True,
        (1, "a"),
        Tools.IMAGE,
        "k",
        Odd(),
    ]
    return {rng.choice(keys): random_value(rng, depth) for _ in range(rng.randrange(6))}


@pytest.mark.parametrize("seed", range(20))
def test_data_as_plain_python(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(300):
        data = random_data(rng)
        assert toolwire.summarize_tool_data(data) == summarize(data)


@pytest.mark.parametrize("seed", range(10))
def test_results_as_plain_python(seed: int) -> None:
    rng = random.Random(seed)
    results = [
        ToolResult(
            choose(rng, Tools.SEARCH, Tools.IMAGE, "plain", "é\ud800", Word.RED),
            choose(rng, True, False, 1, 0, "yes", []),
            random_data(rng),
            choose(rng, None, "", "boom é", "x\ud800", 3),
            choose(rng, random_float(rng), random_float(rng), True, 0, 100, rng.randrange(2**60)),
        )
        for _ in range(500)
    ]
    assert toolwire.results_summary(results) == plain_results(results)
    assert toolwire.Report(results).summary() == plain_results(results)


def test_a_million_confidences() -> None:
    rng = random.Random(11)
    for _ in range(100):
        results = [ToolResult("t", True, None, confidence=random_float(rng)) for _ in range(1000)]
        assert toolwire.results_summary(results) == plain_results(results)


@pytest.mark.parametrize("confidence", [None, "high", [], {}, object(), b"x"])
def test_a_confidence_that_is_no_number_raises_what_python_raises(confidence: Any) -> None:
    results = [ToolResult("t", True, {}, confidence=confidence)]
    with pytest.raises((TypeError, ValueError)) as expected:
        plain_results(results)
    with pytest.raises((TypeError, ValueError)) as actual:
        toolwire.results_summary(results)
    assert (type(actual.value), str(actual.value)) == (type(expected.value), str(expected.value))


@pytest.mark.parametrize("confidence", [decimal.Decimal("0.345"), decimal.Decimal(1), 10**400])
def test_other_numbers_are_formatted_by_themselves(confidence: Any) -> None:
    results = [ToolResult("t", True, {}, confidence=confidence)]
    try:
        expected = plain_results(results)
    except OverflowError:
        with pytest.raises(OverflowError):
            toolwire.results_summary(results)
    else:
        assert toolwire.results_summary(results) == expected


@pytest.mark.parametrize("data", [[1], (1,), "x", 1, 1.5, True, {1}, object(), b"x"])
def test_data_that_is_no_mapping(data: Any) -> None:
    with pytest.raises(toolwire.WrongTypeError):
        toolwire.summarize_tool_data(data)
    with pytest.raises(toolwire.WrongTypeError):
        toolwire.results_summary([ToolResult("t", True, data)])
    assert toolwire.results_summary([ToolResult("t", False, data)]) == "\n**t** (Failed): None\n"


@pytest.mark.parametrize("data", [None, {}, [], "", 0, 0.0, False, (), set()])
def test_data_that_is_false(data: Any) -> None:
    assert toolwire.summarize_tool_data(data) == "No data returned"


class Mine(Exception):
    """Raised by hostile objects."""


class Raising:
    def __str__(self) -> str:
        raise Mine

    def __bool__(self) -> bool:
        raise Mine


@pytest.mark.parametrize(
    "results",
    [
        [ToolResult("t", True, {"a": Raising()})],
        [ToolResult("t", True, {Raising(): 1})],
        [ToolResult("t", True, Raising())],
        [ToolResult("t", Raising(), {})],  # type: ignore[arg-type]
        [ToolResult("t", False, {}, Raising())],  # type: ignore[arg-type]
        [ToolResult(Raising(), False, {})],  # type: ignore[arg-type]
    ],
)
def test_errors_of_values_are_passed_on(results: list[ToolResult]) -> None:
    with pytest.raises(Mine):
        toolwire.results_summary(results)


def test_a_result_that_lacks_an_attribute() -> None:
    with pytest.raises(AttributeError, match="tool"):
        toolwire.results_summary([object()])  # type: ignore[list-item]
    with pytest.raises(toolwire.WrongTypeError):
        toolwire.Report([object()])  # type: ignore[list-item]
    with pytest.raises(TypeError):
        toolwire.results_summary(None)  # type: ignore[arg-type]


def test_a_dict_that_changes_while_it_is_summed_up() -> None:
    data: dict[Any, Any] = {}

    class Growing:
        def __str__(self) -> str:
            data[len(data)] = 1
            return "x"

    class Swapping:
        def __str__(self) -> str:
            data.pop(next(iter(data)))
            data[object()] = Swapping()
            return "x"

    data["a"] = Growing()
    data["b"] = 1
    with pytest.raises(RuntimeError, match="changed"):
        toolwire.summarize_tool_data(data)
    data.clear()
    data.update({n: Swapping() for n in range(5)})
    # Entries are added and removed while the summary is made, and their number stays: it ends.
    assert len(toolwire.summarize_tool_data(data).splitlines()) == 5


def test_results_that_change_while_they_are_summed_up() -> None:
    results: list[Any] = []

    class Clearing:
        def __str__(self) -> str:
            results.clear()
            return "gone"

    results += [ToolResult("t", True, {"a": Clearing()}), ToolResult("u", True, {})]
    assert "gone" in toolwire.results_summary(results)


def test_any_mapping_is_data() -> None:
    import collections
    import types

    data = {"a": 1, "b": [1]}
    for made in (
        types.MappingProxyType(data),
        collections.UserDict(data),
        collections.ChainMap(data),
    ):
        assert toolwire.summarize_tool_data(made) == summarize(data)


def test_a_tool_result_is_a_dataclass() -> None:
    result = ToolResult(Tools.SEARCH, True, {"hits": 1}, confidence=0.3)
    assert repr(result) == (
        "ToolResult(tool=<Tools.SEARCH: 'rag_search'>, success=True, data={'hits': 1}, "
        "error_message=None, "
        "confidence=0.3)"
    )
    assert dataclasses.replace(result, confidence=0.5) != result
    assert dataclasses.replace(result) == result
    assert dataclasses.asdict(result)["tool"] is Tools.SEARCH
    result.success = False
    assert result.to_dict() == {
        "tool": "rag_search", "success": False, "data": {"hits": 1}, "confidence": 0.3,
        "error_message": None,
    }  # fmt: skip
    assert list(result.to_dict()) == ["tool", "success", "data", "confidence", "error_message"]
    assert result.to_dict()["data"] is result.data


def test_attributes_are_read_as_python_reads_them() -> None:
    """A dict is read in place of the attributes only where both are the same."""

    class Computed(ToolResult):
        @property
        def confidence(self) -> float:
            return 0.25

        @confidence.setter
        def confidence(self, value: float) -> None:
            self.__dict__["confidence"] = value

    class Watched(ToolResult):
        def __getattribute__(self, name: str) -> Any:
            return "watched" if name == "tool" else super().__getattribute__(name)

    @dataclasses.dataclass(slots=True)
    class Slots:
        tool: str = "slots"
        success: bool = True
        data: Any = dataclasses.field(default_factory=dict)
        error_message: str | None = None
        confidence: float = 0.5

    class Fixed:
        tool, success, data, error_message, confidence = "fixed", False, None, "of the class", 0.0

    class Lazy:
        success = False

        def __getattr__(self, name: str) -> str:
            return f"lazy {name}"

    moved = ToolResult("first", True, {"a": 1}, confidence=0.5)
    fields = dict(reversed(vars(moved).items()))
    vars(moved).clear()
    vars(moved).update(fields)
    default = ToolResult("t", False, {})
    del default.error_message
    results: list[Any] = [
        Computed("computed", True, {"a": 1}, None, 0.75),
        Watched("t", True, {"a": 1}, None, 0.75),
        Slots(),
        Fixed(),
        Lazy(),
        moved,
        default,
        types.SimpleNamespace(tool="space", success=False, error_message="e"),
    ]
    for _ in range(2):
        for order in (results, results[::-1], results * 3):
            assert toolwire.results_summary(order) == plain_results(order)


def test_a_missing_attribute_is_pythons_own_error() -> None:
    result = ToolResult("t", True, {})
    del result.tool
    with pytest.raises(AttributeError, match="tool"):
        toolwire.results_summary([result])


def test_entries_that_were_removed_are_left_out() -> None:
    data: dict[str, Any] = {f"key {number}": number for number in range(9)}
    del data["key 0"], data["key 4"], data["key 8"]
    data["é"], data["key 4"] = "ü", "\ud800"
    odd: Any = 1
    results = [
        ToolResult("t", True, data),
        ToolResult("t", False, {}, "ü"),
        ToolResult("t", odd, {}),
    ]
    assert toolwire.results_summary(results) == plain_results(results)
