"""The shared cases: reading them, and comparing what Toolwire gives with what they expect."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
CASES = ROOT / "tests" / "cases"
COUNTS = ROOT / "build" / "cases-python.json"


class MalformedError(Exception):
    """A file of cases is not of the agreed form."""


def pairs(items: list[tuple[str, Any]]) -> dict[str, Any] | str:
    """Make a dict of an object's entries; an object with a repeated key is malformed.

    `{"$concat": […]}` stands for a long text. A part is a text, or `[text, count]` for a text that
    is repeated.
    """
    made = dict(items)
    if made.keys() == {"$concat"}:
        return "".join(
            part if isinstance(part, str) else part[0] * part[1] for part in made["$concat"]
        )
    if len(made) != len(items):
        raise MalformedError(f"an object repeats a key: {[key for key, _ in items]}")
    return made


def load(topics: set[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Give every case with its topic; refuse a file that is not of the agreed form."""
    files = sorted(CASES.glob("*.json"))
    if not files:
        raise MalformedError(f"no cases in {CASES}")
    for file in files:
        if file.stem not in topics:
            raise MalformedError(f"{file.name}: unknown topic")
        seen = set()
        for case in json.loads(file.read_bytes(), object_pairs_hook=pairs):
            name = case.get("name")
            if not isinstance(name, str) or name in seen:
                raise MalformedError(f"{file.name}: no name, or a second case {name!r}")
            seen.add(name)
            if case.keys() not in ({"name", "input", "output"}, {"name", "input", "error"}):
                raise MalformedError(f"{file.name}: {name}: fields {sorted(case)}")
            if "error" in case and case["error"].keys() != {"kind"}:
                raise MalformedError(
                    f"{file.name}: {name}: fields of error {sorted(case['error'])}"
                )
            yield file.stem, case


def fields(value: dict[str, Any], required: str, optional: str = "") -> dict[str, Any]:
    """Check the fields of an object of a case, and give it back."""
    missing = set(required.split()) - value.keys()
    unknown = value.keys() - set(required.split()) - set(optional.split())
    if missing or unknown:
        raise MalformedError(f"missing fields {sorted(missing)}, unknown fields {sorted(unknown)}")
    return value


def text(value: Any) -> str:
    """Read a text; bytes that are not UTF-8 become lone surrogates."""
    return raw(value).decode("utf-8", "surrogateescape")


def raw(value: Any) -> bytes:
    """Read a text as bytes."""
    if isinstance(value, str):
        return value.encode()
    return base64.b64decode(fields(value, "$base64")["$base64"], validate=True)


def same(actual: Any, expected: Any) -> bool:
    """Compare two JSON values: types, order of keys and the sign of zero count."""
    if type(actual) is not type(expected):
        return False
    if isinstance(expected, dict):
        return list(actual) == list(expected) and all(
            same(actual[key], expected[key]) for key in expected
        )
    if isinstance(expected, list):
        return len(actual) == len(expected) and all(map(same, actual, expected))
    return repr(actual) == repr(expected)
