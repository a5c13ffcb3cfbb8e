"""What changed between two texts, two JSON values or two dicts.

A drop-in for ``stageflow.tools.diff``; ``docs/diffs.md`` lists what it does better.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from toolwire import _native

__all__ = ["DiffLine", "DiffResult", "DiffType", "diff_json", "diff_structured", "diff_text"]


class DiffType(str, Enum):
    """How a diff is written.

    >>> DiffType("context") is DiffType.CONTEXT
    True
    """

    def __new__(cls, value: str) -> DiffType:
        """Make a member that is its value."""
        member = str.__new__(cls, value)
        member._value_ = value
        return member

    UNIFIED = "unified"
    CONTEXT = "context"
    JSON_PATCH = "json_patch"
    LINE_BY_LINE = "line_by_line"


@dataclass(frozen=True, slots=True)
class DiffLine:
    r"""A line of a diff.

    ``type`` is ``equal``, ``add`` or ``remove``; ``content`` the line with its end, or a field as
    it is shown. Lines are numbered from 1, on the sides that have them.

    >>> diff_text("a\n", "a\nb\n").changes[1]
    DiffLine(type='add', content='b\n', line_number_old=None, line_number_new=2)
    """

    type: str
    content: str
    line_number_old: int | None = None
    line_number_new: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """Give every field by its name.

        >>> DiffLine("add", "x", None, 1).to_dict()
        {'type': 'add', 'content': 'x', 'line_number_old': None, 'line_number_new': 1}
        """
        return {
            "type": self.type,
            "content": self.content,
            "line_number_old": self.line_number_old,
            "line_number_new": self.line_number_new,
        }


@dataclass(frozen=True, slots=True)
class DiffResult:
    r"""What changed.

    ``changes`` are the lines that the diff shows, ``additions``, ``deletions`` and ``unchanged``
    count them; a JSON Patch has no lines, and its operations are counted. ``similarity`` is from 0
    to 1, to three decimals.

    >>> diff_json({"a": 1}, {"a": 2}).diff_output
    '[\n  {"op": "replace", "path": "/a", "value": 2}\n]'
    """

    diff_type: DiffType
    diff_output: str
    changes: list[DiffLine] = field(default_factory=list)
    additions: int = 0
    deletions: int = 0
    unchanged: int = 0
    similarity: float = 1.0
    old_content: str | None = None
    new_content: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Give every field by its name, except the contents.

        >>> diff_text("a", "a").to_dict()["diff_type"]
        'unified'
        """
        return {
            "diff_type": self.diff_type.value,
            "diff_output": self.diff_output,
            "changes": [line.to_dict() for line in self.changes],
            "additions": self.additions,
            "deletions": self.deletions,
            "unchanged": self.unchanged,
            "similarity": self.similarity,
        }

    @property
    def has_changes(self) -> bool:
        """Whether anything was added or removed."""
        return self.additions > 0 or self.deletions > 0

    @property
    def change_summary(self) -> str:
        """The counts for a person, as ``+5 -3``."""
        return _native.change_summary(self.additions, self.deletions)


def diff_text(
    old: str,
    new: str,
    diff_type: DiffType = DiffType.UNIFIED,
    context_lines: int = 3,
    fromfile: str = "a/original",
    tofile: str = "b/modified",
) -> DiffResult:
    r"""Find the lines that were removed and added.

    >>> print(diff_text("red\ngreen\n", "red\nblue\n", DiffType.LINE_BY_LINE).diff_output, end="")
    --- a/original
    +++ b/modified
      red
    - green
    + blue
    """
    return _native.diff_text(old, new, diff_type, context_lines, fromfile, tofile)


def diff_json(
    old: dict[str, Any] | list[Any] | None,
    new: dict[str, Any] | list[Any] | None,
) -> DiffResult:
    """Find the operations of an RFC 6902 patch that makes the old value the new one.

    >>> print(diff_json({"tags": ["a", "b", "c"]}, {"tags": ["a"], "a/b": None}).diff_output)
    [
      {"op": "remove", "path": "/tags/2"},
      {"op": "remove", "path": "/tags/1"},
      {"op": "add", "path": "/a~1b", "value": null}
    ]
    """
    return _native.diff_json(old, new)


def diff_structured(
    old: Mapping[str, Any],
    new: Mapping[str, Any],
    ignore_keys: Container[str] | None = None,
) -> DiffResult:
    """Find the fields that were removed, added and changed; Python compares and shows values.

    >>> print(diff_structured({"a": 1, "b": (1, 2)}, {"a": 1, "b": None}).diff_output)
    --- old
    +++ new
    - b: (1, 2)
    + b: None
    """
    return _native.diff_structured(old, new, ignore_keys)
