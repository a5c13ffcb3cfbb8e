"""What entries of a store may be turned into by a fault or by hand.

``changes_of`` gives, for the value of an entry and that of another entry of its kind, everything
that a test puts in its place: cut texts, other types, bytes that are no UTF-8, NUL, long texts,
times that have passed, and parts of the other entry.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

HUGE = "x" * 2_000_000
PAST, FUTURE = "1999-01-01T00:00:00+00:00", "9998-01-01T00:00:00+00:00"
WRONG: dict[str, Any] = {
    "null": None,
    "a flag": True,
    "a negative number": -1,
    "a large number": 10**30,
    "a text": "text",
    "an empty text": "",
    "a list": [],
    "an object": {},
    "NUL": "a\0b",
    "huge": HUGE,
    "the past": PAST,
    "the far future": FUTURE,
}


def changes_of(value: bytes, other: bytes) -> Iterator[tuple[str, bytes | None]]:
    """Give what may stand in the place of a value, with names; None for a deleted entry."""
    yield "deleted", None
    yield "the other entry", other
    middle = len(value) // 2
    yield from ((f"cut after {size}", value[:size]) for size in (0, 1, middle, len(value) - 1))
    yield from ((f"a whole {name}", json.dumps(wrong).encode()) for name, wrong in WRONG.items())
    yield "bytes before it", b"\xff\xfe" + value
    yield "a byte that is no UTF-8", value[:middle] + b"\xff" + value[middle + 1 :]
    yield "half of a character", value[:middle] + b"\xe2\x82" + value[middle:]
    yield "NUL behind it", value + b"\0"
    yield "NUL in it", value[:middle] + b"\0" + value[middle:]
    yield "twice", value + value
    yield "padded", value + b" " * 2_000_000
    yield "deep", b"[" * 100_000
    yield "deep fields", b'{"a":' * 100_000
    yield "infinite", b"1e999"
    yield from _fields(value, other)


def _fields(value: bytes, other: bytes) -> Iterator[tuple[str, bytes]]:
    """Change each field, and each field of an object in a field."""
    record, source = json.loads(value), json.loads(other)
    if not isinstance(record, dict):
        return
    paths: list[tuple[str, ...]] = [(name,) for name in record]
    for name, part in record.items():
        if isinstance(part, dict):
            paths += [(name, inner) for inner in part]
    for path in paths:
        label = ".".join(path)
        changed = copy.deepcopy(record)
        place = _parent(changed, path)
        del place[path[-1]]
        yield f"no {label}", json.dumps(changed).encode()
        for name, wrong in WRONG.items():
            if place is not None:
                place[path[-1]] = wrong
                yield f"{label} is {name}", json.dumps(changed).encode()
        theirs = _parent(source, path)
        if isinstance(theirs, dict) and path[-1] in theirs:
            place[path[-1]] = theirs[path[-1]]
            yield f"{label} of the other entry", json.dumps(changed).encode()


def _parent(record: Any, path: tuple[str, ...]) -> Any:
    for name in path[:-1]:
        record = record.get(name) if isinstance(record, dict) else None
    return record
