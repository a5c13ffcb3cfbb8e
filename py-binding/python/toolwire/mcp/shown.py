r"""What a server says, as a person or a model may see it: without hidden characters, and bounded.

>>> from toolwire.mcp.shown import shown_text
>>> shown_text("rm \u202etxt.a", 80), shown_text("abcdef", 4)
('rm ⟨U+202E⟩txt.a', 'abcd⟨2 more characters⟩')
"""

from __future__ import annotations

import json
from typing import Any

import toolwire

__all__ = [
    "LONGEST_DESCRIPTION",
    "LONGEST_ERROR",
    "MOST_RESULT_BYTES",
    "UnfitError",
    "checked_tool_name",
    "shown_result",
    "shown_schema",
    "shown_text",
]

LONGEST_NAME = 128
LONGEST_DESCRIPTION = 8192
LONGEST_ERROR = 20_000
MOST_SCHEMA_BYTES = 128 * 1024
MOST_RESULT_BYTES = 1024 * 1024
DEEPEST_SCHEMA = 64

ABOUT = ("title", "description", "$comment")
"""The keywords of a schema that only say something."""


class UnfitError(Exception):
    """What a server says cannot be taken; the message says why."""


def shown_text(text: str, longest: int) -> str:
    """Give a text with marks for what nobody sees, and how much of it was cut."""
    more = len(text) - longest
    return toolwire.visible(text[:longest]) + (f"⟨{more:,} more characters⟩" if more > 0 else "")


def checked_tool_name(name: str) -> str:
    """Give the name of a tool, which is sent back as it is.

    Raises :class:`UnfitError` for one that cannot be shown as it is.
    """
    if not 0 < len(name) <= LONGEST_NAME:
        raise UnfitError(f"a name has 1 to {LONGEST_NAME} characters")
    if is_hiding(name) or any(mark in name for mark in "\n\r\t"):
        raise UnfitError("its name has hidden characters")
    return name


def shown_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """Give a schema whose descriptions have no hidden characters.

    Raises :class:`UnfitError` where names or values have some, which cannot be replaced, and for a
    schema that is too long or too deep.
    """
    if size_of(schema) > MOST_SCHEMA_BYTES:
        raise UnfitError(f"its schema has more than {MOST_SCHEMA_BYTES:,} bytes")
    shown: dict[str, Any] = _schema(schema, DEEPEST_SCHEMA)
    return shown


def _schema(value: Any, deeper: int) -> Any:
    if deeper == 0:
        raise UnfitError(f"its schema is more than {DEEPEST_SCHEMA} levels deep")
    if isinstance(value, str) and is_hiding(value):
        raise UnfitError("its schema has hidden characters in a name or a value")
    if isinstance(value, list):
        return [_schema(one, deeper - 1) for one in value]
    if not isinstance(value, dict):
        return value
    shown = {}
    for name, one in value.items():
        _schema(name, deeper)
        if name in ABOUT and isinstance(one, str):
            shown[name] = shown_text(one, LONGEST_DESCRIPTION)
        else:
            shown[name] = _schema(one, deeper - 1)
    return shown


def shown_result(value: Any) -> Any:
    """Give the data of a result with marks for what nobody sees.

    Raises :class:`UnfitError` for more than is taken.
    """
    try:
        if size_of(value) > MOST_RESULT_BYTES:
            told = f"the tool ran; its result has more than {MOST_RESULT_BYTES:,} bytes"
            raise UnfitError(told)
        return _data(value)
    except RecursionError:
        raise UnfitError("the tool ran; its result is too deep") from None


def _data(value: Any) -> Any:
    if isinstance(value, str):
        return toolwire.visible(value)
    if isinstance(value, list):
        return [_data(one) for one in value]
    if not isinstance(value, dict):
        return value
    shown = {toolwire.visible(name): _data(one) for name, one in value.items()}
    if len(shown) < len(value):
        raise UnfitError("the tool ran; its result has names that look alike")
    return shown


def is_hiding(text: str) -> bool:
    """Say whether a text has characters that nobody sees."""
    return toolwire.visible(text) != text


def size_of(value: Any) -> int:
    """Give the length of a value as JSON, in bytes."""
    return len(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
