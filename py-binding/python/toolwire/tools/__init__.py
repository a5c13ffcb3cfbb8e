r"""Tools that agents call: what their actions change.

>>> from toolwire.tools import diff_text
>>> diff_text("red\n", "red\nblue\n").change_summary
'+1'
"""

from __future__ import annotations

from toolwire.tools.diff import DiffLine, DiffResult, DiffType, diff_json, diff_structured, diff_text

__all__ = ["DiffLine", "DiffResult", "DiffType", "diff_json", "diff_structured", "diff_text"]
