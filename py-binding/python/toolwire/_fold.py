"""JSON for a person to read: in lines, what is long folded, what nobody would see as marks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from toolwire._console import safe_line

__all__ = ["folded", "unfolded"]

LONGEST_TEXT, MOST_ITEMS, DEEPEST = 200, 20, 8


def unfolded(value: Any) -> str:
    """Write the whole value."""
    return "\n".join(_lines(value, 0, full=True))


def folded(value: Any) -> str:
    """Write the value with long texts and lists cut; how much is cut stands outside of the quotes."""
    return "\n".join(_lines(value, 0, full=False))


def _lines(value: Any, depth: int, *, full: bool) -> Iterator[str]:
    indent = "  " * depth
    if isinstance(value, str):
        yield indent + _text(value, full=full)
        return
    if not isinstance(value, (dict, list)) or not value:
        yield indent + safe_line(json.dumps(value))
        return
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    if depth >= DEEPEST and not full:
        yield f"{indent}{opening}…{closing}  ({_count(len(value), 'item')} folded)"
        return
    named = list(value.items()) if isinstance(value, dict) else [(None, item) for item in value]
    shown = named if full else named[:MOST_ITEMS]
    yield indent + opening
    for place, (name, item) in enumerate(shown):
        lines = list(_lines(item, depth + 1, full=full))
        if name is not None:
            key = f"{indent}  {_text(name, full=True)}: "
            lines[0] = key + lines[0].lstrip(" ")
        if place + 1 < len(named):
            lines[-1] += ","
        yield from lines
    if len(shown) < len(named):
        yield f"{indent}  … {_count(len(named) - len(shown), 'more item')} folded"
    yield indent + closing


def _text(text: str, *, full: bool) -> str:
    shown = text if full else text[:LONGEST_TEXT]
    quoted = safe_line(json.dumps(shown, ensure_ascii=False))
    if len(shown) == len(text):
        return quoted
    return f"{quoted}… {_count(len(text) - len(shown), 'more character')} folded"


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
