"""The console's ``toolwire undo``: what it shows of what undo needs."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from tools_console import TOKEN, console
from toolwire.tools import SqliteStore, UndoStore


@pytest.fixture
def path(tmp_path: Path) -> str:
    with SqliteStore(tmp_path / "tools.db"):
        return str(tmp_path / "tools.db")


def test_undo_list_shows_no_secret(path: str) -> None:
    data = {
        "before": {"user_pass": "hunter2", "title": "Old"},
        "notes": [f"use {TOKEN}", "x" * 300],
        TOKEN: 1,
    }

    async def keep() -> None:
        with SqliteStore(path) as store:
            await UndoStore(store=store).store(uuid4(), "edit", data)

    asyncio.run(keep())
    (kept,) = json.loads(console("list", "--json", path, command="undo")[1])
    assert kept["undo_data"] == {
        "before": {"user_pass": "[redacted]", "title": "Old"},
        "notes": ["use [redacted]", "x" * 300],
        "[redacted]": 1,
    }
    status, line = console("list", path, command="undo")
    assert (status, line.count("\n"), '"title": "Old"' in line) == (0, 1, True)
    assert "hunter2" not in line
    assert TOKEN not in line


def test_undo_data_that_could_not_be_read_again_are_refused(path: str) -> None:
    async def keep(data: dict[str, Any]) -> None:
        with SqliteStore(path) as store:
            await UndoStore(store=store).store(uuid4(), "edit", data)

    with pytest.raises(ValueError, match="surrogates not allowed"):
        asyncio.run(keep({"before": "a\ud800"}))
    asyncio.run(keep({"before": "é\U0001f600"}))
    (one,) = json.loads(console("list", "--json", path, command="undo")[1])
    assert one["undo_data"] == {"before": "é\U0001f600"}


def test_undo_data_with_a_number_of_any_length_are_listed(path: str) -> None:
    program = f"""
import asyncio, sys, uuid
from toolwire.tools import SqliteStore, UndoStore
sys.set_int_max_str_digits(0)
asyncio.run(UndoStore(store=SqliteStore({path!r})).store(uuid.uuid4(), "edit", {{"n": 10**5000}}))
"""
    subprocess.run([sys.executable, "-c", program], check=True)
    for options in ([], ["--json"]):
        status, listed = console("list", *options, path, command="undo")
        assert (status, "<int with about 5000 digits>" in listed) == (0, True)
