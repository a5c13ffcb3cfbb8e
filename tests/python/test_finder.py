"""The finder on Python's own values: identity, mappings, hostile objects, re-entrancy."""

from __future__ import annotations

import collections
import sys
import types
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
import toolwire

FIND: Any = toolwire.find_handler_result
FIND_ALL: Any = toolwire.find_all_handler_results


def packet(handler: Any = "publish", type_: Any = "tool_result", **metadata: Any) -> dict[str, Any]:
    return {"type": type_, "metadata": {"handler_tool": handler, **metadata}}


class Slow(Mapping[Any, Any]):
    """A mapping that is no dict."""

    def __init__(self, entries: dict[Any, Any]) -> None:
        self.entries = entries

    def __getitem__(self, key: Any) -> Any:
        return self.entries[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)


def test_the_caller_s_own_object_is_returned() -> None:
    packets = [packet("a"), packet("b"), packet("b")]
    assert FIND(packets, "b") is packets[1]
    assert [id(found) for found in FIND_ALL(packets, ["b", "a", "b"])] == [
        id(one) for one in packets
    ]
    before = [sys.getrefcount(one) for one in packets]
    for _ in range(1000):
        FIND(packets, "b")
        FIND(packets, "none")
        FIND_ALL(packets, ["a", "b"])
    assert [sys.getrefcount(one) for one in packets] == before


@pytest.mark.parametrize(
    "make",
    [
        dict,
        collections.OrderedDict,
        collections.UserDict,
        types.MappingProxyType,
        Slow,
        lambda entries: collections.defaultdict(list, entries),
        lambda entries: collections.ChainMap({}, entries),
    ],
)
def test_mappings_of_all_kinds(make: Any) -> None:
    packets = [
        make({"type": "x"}),
        make({}),
        make({**packet(), "metadata": make(packet()["metadata"])}),
    ]
    lengths = [len(one) for one in packets]
    assert FIND(packets, "publish") is packets[2]
    assert FIND(packets, "publish", success_only=True) is None
    assert FIND_ALL(packets, "publish") == [packets[2]]
    assert [len(one) for one in packets] == lengths


@pytest.mark.parametrize("make", [list, tuple, iter, collections.deque, collections.UserList])
def test_sequences_of_all_kinds(make: Any) -> None:
    packets = [packet("a"), packet("b")]
    assert FIND(make(packets), "b") is packets[1]
    assert FIND_ALL(make(packets), ["b"]) == [packets[1]]


@pytest.mark.parametrize(
    "packets", [None, 1, "tool_result", b"x", bytearray(b"x"), packet(), Slow({}), object()]
)
def test_packets_that_are_no_sequence(packets: Any) -> None:
    for find in (FIND, FIND_ALL):
        with pytest.raises(toolwire.WrongTypeError, match="packets"):
            find(packets, "publish")


def test_arguments_of_a_wrong_type_or_value() -> None:
    for handler in (None, 1, b"publish"):
        with pytest.raises(toolwire.WrongTypeError, match="handler"):
            FIND([], handler)
    for handlers in (None, 1, [1], [None]):
        with pytest.raises(toolwire.WrongTypeError, match="handlers"):
            FIND_ALL([], handlers)
    for option in ("partial", "success_only"):
        with pytest.raises(toolwire.WrongTypeError, match=option):
            FIND([], "publish", **{option: 1})
    with pytest.raises(toolwire.WrongTypeError, match="type"):
        FIND([], "publish", type=1)
    with pytest.raises(toolwire.InvalidArgumentError, match=r"fetch.*tool_result") as caught:
        FIND([], "publish", type="fetch")
    assert caught.value.kind == "unknown_packet_type"
    with pytest.raises(TypeError):
        FIND([], "publish", True)


@pytest.mark.parametrize(
    "entry",
    [
        None, 1, "x", b"x", [], (), object(), {}, {"type": "tool_result"}, {1: 2},
        {"type": []}, {"type": {}},
        {"type": "tool_result", "metadata": None},
        {"type": "tool_result", "metadata": "handler_tool"},
        {"type": "tool_result", "metadata": [1]},
        packet(None), packet(1), packet(b"publish"), packet([]),
        packet(type_=None), packet(type_="TOOL_RESULT"),
    ],
)  # fmt: skip
def test_what_is_no_packet_is_skipped(entry: Any) -> None:
    good = packet()
    assert FIND([entry, good], "publish") is good
    assert FIND_ALL([entry, good, entry], "publish") == [good]
    assert isinstance(toolwire.project_result_success(entry), bool)
    for project in (
        toolwire.project_result_data, toolwire.project_envelope_data,
        toolwire.project_result_envelope,
    ):  # fmt: skip
        assert isinstance(project(entry), (dict, list))


def test_keys_of_parsed_json_and_of_any_layout() -> None:
    import json

    packets = json.loads(json.dumps([packet(f"h{n}", extra=n) for n in range(100)]))
    mixed = []
    for number, one in enumerate(packets):
        filler = {f"k{n}": n for n in range(number % 20)}
        mixed.append({**filler, **one} if number % 3 else {**one, **filler})
    for given in (packets, mixed):
        for number in range(100):
            assert FIND(given, f"h{number}") is given[number]
        assert FIND_ALL(given, [f"h{n}" for n in range(100)]) == given


def test_dicts_with_holes_and_odd_keys() -> None:
    one = packet()
    for name in ("a", "b"):
        one[name] = 1
    del one["a"]
    kind = one.pop("type")
    one[("tuple",)] = 1  # type: ignore[index]
    one[1] = 2  # type: ignore[index]
    one["type"] = kind
    assert FIND([packet("x"), one, {**one}], "publish") is one


class Word(str):
    """A subclass of `str` that equals the text `shown`, whatever its own text is."""

    shown = ""

    def __eq__(self, other: object) -> bool:
        return self.shown == other

    def __hash__(self) -> int:
        return hash(self.shown)


def word(text: str, shown: str) -> Word:
    made = Word(text)
    made.shown = shown
    return made


def test_lists_of_plain_packets_and_others() -> None:
    wide: dict[Any, Any] = {f"k{number}": number for number in range(40)}
    holes = {"gone": 1, "type": "tool_result", "also": 1, "metadata": {"x": 1, "handler_tool": "a"}}
    del holes["gone"], holes["also"]
    odd: dict[Any, Any] = {word("other", "type"): "tool_result", "metadata": {"handler_tool": "a"}}
    plain = packet("a")
    good: list[Any] = [
        plain,
        dict(reversed(plain.items())),
        {**wide, **plain},
        {**plain, "metadata": {**wide, "handler_tool": "a"}},
        odd,
        {"é": 1, **plain},
        {1: 2, **plain},
        holes,
        packet("a", "ai_handler_complete"),
        packet(word("a", "b")),
        Slow(plain),
        {**plain, "metadata": Slow(plain["metadata"])},
        types.SimpleNamespace(**plain).__dict__,
    ]
    bad: list[Any] = [
        packet("é"),
        packet("b"),
        packet("a", "fetch"),
        packet("a", "é"),
        {},
        None,
        1,
        wide,
        packet(1.5),
    ]
    bad += [
        packet(None),
        {**plain, "metadata": [plain]},
        {"type": "tool_result"},
        packet("A"),
        packet("aa"),
    ]
    for number, one in enumerate(good):
        assert FIND([one], "a") is one, number
        assert FIND([*bad, *bad, one, *good], "a") is one, number
        assert FIND((*bad, *bad, one, *good), "a") is one, number
    assert FIND(bad * 3, "a") is None
    for handlers in (["a"], ["x", "a"], ["a"] * 40):
        found = FIND_ALL([*bad, *good, *bad, *good], handlers)
        assert [id(one) for one in found] == [id(one) for one in [*good, *good]]
    assert [id(one) for one in FIND_ALL(good, ["a"], success_only=True)] == [id(good[8])]
    assert FIND(bad, "é", partial=True) is bad[0]
    assert FIND(bad, "a", partial=True) is bad[-1]


def test_text_of_any_code_points() -> None:
    for handler in ("é", "€", "😀", "\0", "\ud800", "a\udcffb", ""):
        packets = [packet("other"), packet(handler)]
        assert FIND(packets, handler) is packets[1]
        assert FIND_ALL(packets, {handler}) == [packets[1]]
    assert FIND([packet("a\ud800b")], "\ud800", partial=True) is not None
    assert FIND([packet("a\ud800b")], "\ud801", partial=True) is None

    class Text(str):
        __slots__ = ()

    packets = [
        {Text("type"): Text("tool_result"), "metadata": {Text("handler_tool"): Text("publish")}}
    ]
    assert FIND(packets, Text("publish")) is packets[0]


class Mine(Exception):
    """Raised by hostile objects."""


def test_errors_of_mappings_and_iterators_are_passed_on() -> None:
    class Raising(Slow):
        def __getitem__(self, key: Any) -> Any:
            raise Mine(key)

    class Truth:
        def __bool__(self) -> bool:
            raise Mine

    def broken() -> Iterator[Any]:
        yield packet("x")
        raise Mine

    hostile: list[Any] = [
        [Raising({})],
        [{"type": "tool_result", "metadata": Raising({})}],
        broken(),
    ]
    for packets in hostile:
        with pytest.raises(Mine):
            FIND(packets, "publish")
    with pytest.raises(Mine):
        FIND_ALL(broken(), "x")
    with pytest.raises(Mine):
        FIND([packet(tool_success=Truth())], "publish", success_only=True)
    with pytest.raises(Mine):
        toolwire.project_result_success(packet(tool_success=Truth()))
    with pytest.raises(Mine):
        toolwire.project_result_data(Raising({}))


@pytest.mark.parametrize("method", ["__eq__", "__hash__"])
def test_a_dict_that_is_changed_while_it_is_looked_into(method: str) -> None:
    packets: list[Any] = []

    class Hostile:
        armed = False

        def __hash__(self) -> int:
            return hash("type")

        def __eq__(self, other: object) -> bool:
            if self.armed:
                for one in packets:
                    if isinstance(one, dict):
                        one.clear()
                packets.clear()
            return False

    for _ in range(50):
        key = Hostile()
        packets.append({key: 1, "type": "x"})
        packets.append({key: 1, **packet("other")})
    Hostile.armed = True
    assert FIND(packets, "publish") is None
    assert len(packets) <= 100


def test_a_list_that_is_changed_while_it_is_searched() -> None:
    packets: list[Any] = []

    class Shrinking(Slow):
        def __getitem__(self, key: Any) -> Any:
            packets.clear()
            raise KeyError(key)

    class Growing(Slow):
        def __getitem__(self, key: Any) -> Any:
            if len(packets) < 1000:
                packets.append(Growing({}))
            raise KeyError(key)

    packets += [Shrinking({}), packet()]
    assert FIND(packets, "publish") is None
    packets += [Growing({})]
    assert FIND(packets, "publish") is None
    assert len(packets) == 1000


def test_a_mapping_may_use_the_finder() -> None:
    good = packet()

    class Nested(Slow):
        def __getitem__(self, key: Any) -> Any:
            assert FIND([good], "publish") is good
            return self.entries[key]

    nested = Nested(packet("nested"))
    assert FIND([nested, good], "nested") is nested


def test_python_truth_decides_success() -> None:
    class Falsy:
        def __bool__(self) -> bool:
            return False

    falsy: list[Any] = [0, 0.0, "", [], {}, (), None, False, Falsy(), b"", range(0), 0j]
    for value in falsy:
        assert FIND([packet(tool_success=value)], "publish", success_only=True) is None, value
    truthy: list[Any] = [
        1,
        "0",
        "false",
        [0],
        {"a": 0},
        (0,),
        True,
        object(),
        float("nan"),
        range(1),
    ]
    for value in truthy:
        assert FIND([packet(tool_success=value)], "publish", success_only=True) is not None, value


def test_projections_hand_out_the_caller_s_own_objects() -> None:
    data: dict[Any, Any] = {"id": 1}
    assert toolwire.project_result_data(packet(tool_result_data=data)) is data
    envelope = {"success": True, "data": data, "message": "x"}
    one = packet(tool_result=envelope)
    assert toolwire.project_result_envelope(one) is envelope
    assert toolwire.project_result_data(one) is data
    assert toolwire.project_envelope_data(envelope) is data
    made = toolwire.project_result_envelope(packet(tool_result_data=data))
    assert made == {"success": False, "result": data}
    assert made["result"] is data
    key = (1, 2)
    flat = {"success": True, "é\ud800": data, key: 3, 4: 5, "error": None}
    kept = toolwire.project_envelope_data(flat)
    assert kept == {"é\ud800": data, key: 3, 4: 5}
    assert kept["é\ud800"] is data
    assert list(flat) == ["success", "é\ud800", key, 4, "error"]
