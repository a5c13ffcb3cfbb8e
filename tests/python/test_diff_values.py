"""Diffs of values that only Python has, and of values that share, change or hold themselves."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator, Mapping
from datetime import date, datetime
from typing import Any, NoReturn

import pytest
import toolwire
import toolwire.tools
import toolwire.tools.diff
from diff_values import Json, values
from toolwire.tools import diff_json, diff_structured


def parts(value: Json) -> Iterator[Json]:
    """Give a value and everything that it holds, the objects themselves."""
    yield value
    for part in (
        value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    ):
        yield from parts(part)


def test_values_that_hold_the_same_objects_have_the_diff_of_their_copies() -> None:
    draw = random.Random(5)
    operations = 0
    for _ in range(1500):
        old = {name: values(draw, 4) for name in "abcé"}
        held = list(parts(old))
        new = {
            name: draw.choice([one, one, one, [one], draw.choice(held)])
            for name, one in old.items()
        }
        new["all"] = list(old.values())
        ours = diff_json(old, new)
        # The copy shares no object with the original.
        copied = diff_json(copy.deepcopy(old), json.loads(json.dumps(new)))
        assert ours == copied
        assert ours.new_content == json.dumps(new, indent=2)
        operations += ours.additions + ours.deletions
    assert operations > 3000


class Appends:
    """An object whose `repr()` appends to a list."""

    def __init__(self, items: list[Any]) -> None:
        self.items = items

    def __str__(self) -> str:
        self.items.append("more")
        return "shown"


def test_a_shared_value_that_changes_meanwhile_is_read_again() -> None:
    items: list[Any] = [1, 2, 3, 4]
    found = diff_json({"items": items, "odd": Appends(items)}, {"items": items})
    assert '{"op": "add", "path": "/items/4", "value": "more"}' in found.diff_output
    found = diff_json({"items": items}, {"odd": Appends(items), "items": items})
    assert '{"op": "add", "path": "/items/5", "value": "more"}' in found.diff_output
    items = [1, 2, 3, 4]
    named: Json = {1: Appends(items), "items": items}
    found = diff_json({"items": items}, named)
    assert '{"op": "add", "path": "/items/4", "value": "more"}' in found.diff_output


def test_what_python_alone_has_in_json() -> None:
    old: Json = {"at": date(2024, 1, 1), "t": (1, 2), 1: "one", None: float("nan"), "s": "\ud800"}
    new = old | {"at": date(2024, 1, 2), 1: "two", "t": [1, 2]}
    assert diff_json(old, new).diff_output.splitlines()[1:3] == [
        '  {"op": "replace", "path": "/at", "value": "2024-01-02"},',
        '  {"op": "replace", "path": "/1", "value": "two"}',
    ]
    assert diff_json(old, old).similarity == 1.0


def test_a_value_that_holds_itself_is_refused_as_json() -> None:
    nested: list[Any] = []
    nested.append(nested)
    twice: list[Any] = []
    twice += [twice, twice]
    for value in (nested, twice):
        with pytest.raises(toolwire.WrongTypeError):
            diff_json(value, [])


class Unshowable:
    def __repr__(self) -> str:
        raise RuntimeError("no")


class Incomparable:
    def __ne__(self, other: object) -> bool:
        raise ValueError("the truth value of an array is ambiguous")

    def __repr__(self) -> str:
        return "array([1, 2])"


class Stops:
    def __repr__(self) -> NoReturn:
        raise KeyboardInterrupt


class Configuration(Mapping[str, Any]):
    def __init__(self, **values: Any) -> None:
        self.values_by_name = values

    def __getitem__(self, key: str) -> Any:
        return self.values_by_name[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.values_by_name)

    def __len__(self) -> int:
        return len(self.values_by_name)


def test_fields_may_hold_any_value() -> None:
    own: dict[str, Any] = {"n": 1}
    own["own"] = own
    other: dict[str, Any] = {"n": 1}
    other["own"] = other
    found = diff_structured(
        {
            "at": datetime(2024, 1, 1),
            "same": date(2024, 1, 1),
            "u": 1,
            "i": Incomparable(),
            "own": own,
        },
        {
            "at": datetime(2024, 1, 2),
            "same": date(2024, 1, 1),
            "u": Unshowable(),
            "i": Incomparable(),
            "own": other,
        },
    )
    assert [line.content for line in found.changes] == [
        "at: datetime.datetime(2024, 1, 1, 0, 0)",
        "at: datetime.datetime(2024, 1, 2, 0, 0)",
        "u: 1",
        "u: <unprintable Unshowable object>",
        "i: array([1, 2])",
        "i: array([1, 2])",
        "own: {'n': 1, 'own': {...}}",
        "own: {'n': 1, 'own': {...}}",
    ]
    assert 0 < found.similarity < 1
    with pytest.raises(KeyboardInterrupt):
        diff_structured({"a": 1}, {"a": Stops()})


def test_fields_are_compared_as_python_does() -> None:
    nan = float("nan")
    same: Json = {"a": 1, "b": {1, 2}, "c": (1,), 1: "x"}
    assert not diff_structured(
        same, dict(zip(same, [True, {2, 1}, (1.0,), "x"], strict=True))
    ).has_changes
    assert diff_structured({"a": nan}, {"a": nan}).has_changes
    assert diff_structured(Configuration(a=1), Configuration(a=2)).change_summary == "+1 -1"
    with pytest.raises(toolwire.WrongTypeError):
        diff_structured(None, {})  # type: ignore[arg-type]


def test_ignored_fields_count_nowhere() -> None:
    found = diff_structured(
        {"a": 1, "secret": "x" * 50}, {"a": 1, "secret": "y"}, ignore_keys={"secret"}
    )
    assert (found.has_changes, found.similarity) == (False, 1.0)
