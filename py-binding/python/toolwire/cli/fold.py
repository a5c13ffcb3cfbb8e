"""JSON for a person to read: long values folded, invisible characters shown as marks."""

from __future__ import annotations

import json
from typing import Any

from toolwire.cli.terminal import safe_line, written

__all__ = ["folded", "read", "unfolded"]

LONGEST_TEXT, MOST_ITEMS, DEEPEST, DEEPEST_INDENT = 200, 20, 8, 32


class Verbatim(str):
    """JSON text that is shown unchanged: a number keeps all its digits."""

    __slots__ = ()


class Members(list["tuple[str, Any]"]):
    """The members of an object, including repeated names."""


# Stands for a value where a line has none.
_NOTHING = object()


def read(text: str) -> Any:
    """Read JSON text of a store for a person; invalid text is shown unchanged."""
    try:
        return json.loads(
            text,
            parse_int=Verbatim,
            parse_float=Verbatim,
            parse_constant=Verbatim,
            object_pairs_hook=Members,
        )
    except (ValueError, RecursionError):
        return Verbatim(text)


def unfolded(value: Any) -> str:
    """Write the whole value."""
    return "\n".join(_lines(value, full=True))


def folded(value: Any) -> str:
    """Write the value with long texts and lists cut; a note outside the quotes says how much."""
    return "\n".join(_lines(value, full=False))


def _lines(value: Any, *, full: bool) -> list[str]:
    lines: list[str] = []
    # The parts that are still to be written, the next one last: depth, text before, value, text
    # after.
    left: list[tuple[int, str, Any, str]] = [(0, "", value, "")]
    while left:
        depth, before, item, behind = left.pop()
        indent = "  " * min(depth, DEEPEST_INDENT)
        if item is _NOTHING or not isinstance(item, (dict, list)) or not item:
            shown = "" if item is _NOTHING else _short(item, full=full)
            lines.append(f"{indent}{before}{shown}{behind}")
            continue
        is_list = isinstance(item, list) and not isinstance(item, Members)
        opening, closing = "[]" if is_list else "{}"
        if depth >= DEEPEST and not full:
            count = _count(len(item), "item")
            lines.append(f"{indent}{before}{opening}…{closing}  ({count} folded){behind}")
            continue
        lines.append(f"{indent}{before}{opening}")
        left += reversed([*_inner(item, depth + 1, full=full), (depth, closing, _NOTHING, behind)])
    return lines


def _inner(container: Any, depth: int, *, full: bool) -> list[tuple[int, str, Any, str]]:
    """Give the parts of a list or an object that are written, in order."""
    named = container.items() if isinstance(container, dict) else container
    if not isinstance(container, (dict, Members)):
        named = ((None, item) for item in container)
    shown = [
        (depth, "" if name is None else f"{_text(str(name), full=True)}: ", item, ",")
        for place, (name, item) in enumerate(named)
        if full or place < MOST_ITEMS
    ]
    more = len(container) - len(shown)
    if more:
        shown.append((depth, f"… {_count(more, 'more item')} folded", _NOTHING, ""))
    else:
        shown[-1] = (*shown[-1][:3], "")
    return shown


def _short(value: Any, *, full: bool) -> str:
    """Write a value that takes one line."""
    if isinstance(value, Members):
        return "{}"
    return _text(value, full=full) if isinstance(value, str) else safe_line(written(value))


def _text(text: str, *, full: bool) -> str:
    shown = text if full else text[:LONGEST_TEXT]
    said = safe_line(shown if isinstance(text, Verbatim) else json.dumps(shown, ensure_ascii=False))
    if len(shown) == len(text):
        return said
    return f"{said}… {_count(len(text) - len(shown), 'more character')} folded"


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
