"""Shows what a run would change: diffs in colour on a terminal, with a bound on what is shown.

What a program reports may come from a stranger. Each line is indented under a heading of its own,
and its control characters are marks, so that no text can steer the terminal or pass for a fact.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence

import toolwire
from toolwire.cli.terminal import painter, safe_line
from toolwire.runs.approval_change import ApprovalChange

__all__ = ["add_no_color", "titled_change_lines"]

MOST_LINES, LONGEST_LINE = 100, 400
KINDS = {"+": "added", "-": "removed", "@": "hunk"}


def add_no_color(parser: argparse.ArgumentParser) -> None:
    """Add the option."""
    parser.add_argument("--no-color", action="store_true", help="print no colours, as NO_COLOR=1")


def titled_change_lines(
    changes: Sequence[ApprovalChange] | None, *, full: bool = False, colour: bool = True
) -> list[str]:
    """Give the lines that show the changes; none if the program reports no changes at all."""
    if changes is None:
        return []
    if not changes:
        return ["changes      none, as the program says"]
    paint = painter(colour=colour)
    lines = ["changes"]
    for change in changes:
        lines.append(_heading(change))
        lines += _text_lines(change, paint, full=full)
        if change.left_out:
            lines.append(f"    … {change.left_out:,} more bytes are not kept, and are not shown")
    return lines


def _heading(change: ApprovalChange) -> str:
    """Give the line above a change: what changes, and how much."""
    if change.kind == "left_out":
        return f"  … {safe_line(change.text)}, not shown"
    name = "" if change.label is None else safe_line(change.label)
    facts = []
    if change.kind == "diff":
        counted = ((change.additions, "+"), (change.deletions, "-"))
        facts = [f"{mark}{count:,}" for count, mark in counted if count]
        if not facts:
            facts = ["only secrets change" if change.has_secrets else "no difference"]
        elif change.has_secrets:
            facts.append("secrets are not shown")
    return "  " + " ".join([name or "change", *([f"({', '.join(facts)})"] if facts else [])])


def _text_lines(
    change: ApprovalChange, paint: Callable[[str, str], str], *, full: bool
) -> list[str]:
    if change.kind == "left_out" or not change.text:
        return []
    given = change.text.removesuffix("\n").split("\n")
    shown = given if full else given[:MOST_LINES]
    lines = []
    for line in shown:
        kind = KINDS.get(line[:1], "") if change.kind == "diff" else ""
        lines.append(f"    {paint(kind, _line(line, full=full))}")
    if len(shown) < len(given):
        lines.append(f"    … {len(given) - len(shown):,} more lines folded")
    return lines


def _line(line: str, *, full: bool) -> str:
    """Give a line for the terminal; tabs stay."""
    shown = line if full else line[:LONGEST_LINE]
    text = toolwire.visible(shown)
    if len(shown) < len(line):
        text += f"… {len(line) - len(shown):,} more characters folded"
    return text
