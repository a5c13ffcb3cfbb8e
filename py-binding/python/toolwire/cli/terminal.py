"""What the commands print with: text that cannot steer a terminal, JSON, colours, errors.

No text sends a control character to the terminal: control characters are shown as marks.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import re
import sys
from collections.abc import Callable
from typing import Any

import toolwire
from toolwire._integer import writable

DONE, REFUSED, FAILED, INTERRUPTED = 0, 1, 2, 130

# Line ends and tabs, which `toolwire.visible` leaves; it marks the rest.
IN_A_LINE = {ord(one): f"⟨U+{ord(one):04X}⟩" for one in "\t\n\r"}
NOT_PRINTABLE_ASCII = re.compile(r"[^\x20-\x7e]")
# How many levels are written of a value that Python does not write as it is.
DEEPEST = 64
COLOURS = {
    "call": "\x1b[32m",
    "refused": "\x1b[31m",
    "reasoning": "\x1b[2m",
    "frame": "\x1b[2m",
    "added": "\x1b[32m",
    "removed": "\x1b[31m",
    "hunk": "\x1b[36m",
}


class FailedError(Exception):
    """A command failed; the message is for the user."""


def safe(text: str) -> str:
    """Give text for a terminal: lines and tabs stay, invisible characters become marks."""
    return toolwire.visible(text.replace("\r\n", "\n"))


def safe_line(text: str) -> str:
    """Give text for one line of a terminal."""
    return toolwire.visible(text).translate(IN_A_LINE)


def painter(*, colour: bool = True) -> Callable[[str, str], str]:
    """Give a function that colours text; it does so on a terminal alone, unless NO_COLOR is set."""
    unwanted = not colour or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    plain = unwanted or not sys.stdout.isatty()

    def paint(kind: str, text: str) -> str:
        code = "" if plain else COLOURS.get(kind, "")
        return f"{code}{text}\x1b[0m" if code else text

    return paint


def written(value: Any) -> str:
    """Write a value as JSON of printable ASCII; what Python cannot write is counted, or null."""
    try:
        text = json.dumps(value, allow_nan=False)
    except (ValueError, RecursionError):
        text = json.dumps(_writable(value, 0))
    return text.replace("\x7f", "\\u007f")


def _writable(value: Any, depth: int) -> Any:
    """Give a value that can be written: some values of a store cannot."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, int) and not isinstance(value, bool):
        return writable(value)
    if isinstance(value, (dict, list, tuple)) and depth >= DEEPEST:
        return f"<{'dict' if isinstance(value, dict) else 'list'} with {len(value)} items>"
    if isinstance(value, dict):
        return {key: _writable(item, depth + 1) for key, item in value.items()}
    return (
        [_writable(item, depth + 1) for item in value]
        if isinstance(value, (list, tuple))
        else value
    )


def in_one_line(raw: str) -> str:
    """Give JSON in one line, without the white space between tokens."""
    return re.sub(r"[\t\n\r][\t\n\r ]*", " ", raw)


def written_text(raw: str) -> str:
    """Write JSON text in one line of printable ASCII, its numbers digit for digit."""
    return NOT_PRINTABLE_ASCII.sub(lambda match: written(match[0])[1:-1], in_one_line(raw))


def complain(message: str) -> None:
    """Tell the user on standard error."""
    with contextlib.suppress(OSError, AttributeError):
        sys.stderr.write(f"toolwire: {safe_line(message)}\n")
        sys.stderr.flush()


def drop_output() -> None:
    """Drop unwritten output, so that the interpreter does not fail at its end."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
