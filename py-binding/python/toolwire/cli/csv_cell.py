"""Cells of CSV files, which a spreadsheet must not take for formulas.

A program that opens a CSV file runs what begins like a formula. Such a text gets an apostrophe in
front, as OWASP advises; numbers and all other texts stay as they are.

>>> cell("=1+1"), cell("a=1"), cell(-5), cell("-5")
("'=1+1", 'a=1', -5, "'-5")
"""

from __future__ import annotations

from typing import Any

BEGINNINGS = ("=", "+", "-", "@", "\t", "\r")


def cell(value: Any) -> Any:
    """Give a value as a cell that is no formula."""
    is_formula = isinstance(value, str) and value.startswith(BEGINNINGS)
    return f"'{value}" if is_formula else value
