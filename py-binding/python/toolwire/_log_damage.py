"""Parts of logs that cannot be read: a row, a member, the rest of a packed file.

Such a part becomes a line that is no record. So the account of the log counts it as damaged, and a
message at its place says what is missing.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

#: How much of a reason is shown.
LONGEST = 200


class DamagedError(ValueError):
    """What was packed cannot be unpacked."""


@dataclass(frozen=True)
class Damaged:
    """A part that cannot be read, by its place."""

    place: str

    def line(self) -> bytes:
        """Give the line that stands for the part; braces without a record in them are damage."""
        shown = re.sub(r'[\s{}\[\]"\\\x00-\x1f\x7f]+', " ", self.place)[:LONGEST].strip()
        return b"{" + shown.encode("utf-8", "replace") + b"}\n"


def json_of(text: Any, place: str) -> Any:
    """Read a value that is JSON, or say that it is damaged."""
    try:
        return json.loads(text)
    except (TypeError, ValueError, RecursionError):
        return Damaged(f"{place} is no JSON")


def object_of(text: Any, place: str) -> dict[str, Any] | Damaged:
    """Read a value that is a JSON object, or say that it is damaged."""
    found = json_of(text, place)
    if isinstance(found, (dict, Damaged)):
        return found
    return Damaged(f"{place} is no JSON object")


def until_damage(pieces: Iterator[bytes], what: str) -> Iterator[bytes]:
    """Give the pieces of a packed file, and say so where it ends in damage.

    A line that the damage cuts through shows it by itself, and so does a document; behind a line
    that looks whole, the damage is a line of its own.
    """
    begins, ends, is_line_start = b"", b"", True
    try:
        for piece in pieces:
            yield piece
            words = piece.rstrip(b"\r\n")
            if words:
                place = words.rfind(b"\n") + 1
                if place or is_line_start:
                    begins = words[place : place + 1]
                ends = words[-1:]
            is_line_start = piece.endswith(b"\n")
    except (EOFError, OSError, zlib.error, DamagedError) as error:
        if begins in (b"", b"{", b"[", b"}", b"]") and ends in (b"", b"}", b"]"):
            lost = Damaged(f"the rest of {what}: {error}").line()
            yield lost if is_line_start else b"\n" + lost
