"""The record of an analysis: one JSON file, written whole or not at all.

>>> import tempfile
>>> from pathlib import Path
>>> from toolwire.issue_agent import AnalysisContext, read_record, write_record
>>> with tempfile.TemporaryDirectory() as folder:
...     path = Path(folder) / "intelligent_dispatch_results.json"
...     write_record(AnalysisContext(error="ghp_" + "x" * 36).to_dict(), path)
...     read_record(path)["error"]
'[redacted]'
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from toolwire._integer import writable
from toolwire._native import Redactor

__all__ = ["RECORD_FILE", "read_record", "without_secrets", "write_record"]

RECORD_FILE = "intelligent_dispatch_results.json"
"""The record's usual name."""

MAX_DEPTH = 64
"""How deep lists and dicts may nest in a record; deeper values are written as text."""


def without_secrets(value: Any, redactor: Redactor, depth: int = 0) -> Any:
    """Give a value that JSON can hold: without secrets, other objects as texts, ``nan`` as None.

    >>> without_secrets({"at": ("Bearer abcdefghijklmnopqrst", float("nan"))}, Redactor())
    {'at': ['Bearer [redacted]', None]}
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return writable(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, str):
        return redactor.redact(value)
    if depth < MAX_DEPTH and isinstance(value, Mapping):
        entries = list(value.items())
        return {
            redactor.redact(str(key)): without_secrets(one, redactor, depth + 1)
            for key, one in entries
        }
    if depth < MAX_DEPTH and isinstance(value, (list, tuple, set, frozenset)):
        return [without_secrets(one, redactor, depth + 1) for one in value]
    return redactor.redact(str(value))


def write_record(
    record: dict[str, Any],
    path: str | os.PathLike[str] = RECORD_FILE,
    redactor: Redactor | None = None,
) -> None:
    """Write a record without secrets; a reader sees the old or the new one, never a part.

    Raises ``OSError`` when it cannot be written.
    """
    value = without_secrets(record, redactor or Redactor())
    target = Path(path)
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(handle, "w", encoding="ascii") as file:
            json.dump(value, file, indent=2)
            file.write("\n")
            file.flush()
            os.fsync(file.fileno())
        # A temporary file is readable by its owner alone; a record gets the usual mode.
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(name, 0o666 & ~mask)
        os.replace(name, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


def read_record(path: str | os.PathLike[str] = RECORD_FILE) -> dict[str, Any]:
    """Read a record.

    Raises ``OSError`` when the file cannot be read, and ``ValueError`` when it is no record.
    """
    try:
        record = json.loads(Path(path).read_bytes())
    except RecursionError:
        raise ValueError("it nests too deep") from None
    if not isinstance(record, dict) or not isinstance(record.get("tool_results"), list):
        raise ValueError("it is no record of an analysis")
    return record
