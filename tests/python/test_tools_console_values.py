"""Values that the console's ``toolwire approvals`` shows: numbers and texts of any kind, folded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tools_console import console, kept
from toolwire.cli.fold import folded, read, unfolded
from toolwire.tools import ApprovalStatus, SqliteStore


@pytest.fixture
def path(tmp_path: Path) -> str:
    with SqliteStore(tmp_path / "tools.db"):
        return str(tmp_path / "tools.db")


DIGITS = "9" * 5000


def test_a_number_of_any_length_is_shown_digit_for_digit(path: str) -> None:
    # PHP keeps numbers as text; Python makes such a number only when the limit is lifted.
    id = kept(path, f'{{"n": {DIGITS}, "f": 1.50}}', "import sys; sys.set_int_max_str_digits(0)")
    status, shown = console("show", path, id)
    assert (status, f'"n": {DIGITS[:200]}… 4,800 more characters folded,' in shown) == (0, True)
    assert f'"n": {DIGITS},' in console("show", path, id, "--full")[1]
    assert f'"arguments": {{"n":{DIGITS},"f":1.5}}}}\n' in console("show", path, id, "--json")[1]
    for options in ([], ["--json"]):
        status, listed = console("list", path, *options)
        assert (status, "<an integer too long to show>" in listed) == (0, True)


def test_no_text_of_a_request_keeps_the_others_from_being_listed(path: str) -> None:
    ids = [
        kept(path, r'{"text": "a\ud800", "\udfff": 1}'),
        kept(path, '{"a": ' * 100 + "1" + "}" * 100),
        kept(path, '{"good": 1}'),
    ]
    for options in ([], ["--json"]):
        status, listed = console("list", path, *options)
        assert status == 0
        assert all(id in listed for id in ids)
    for id in ids:
        for options in ([], ["--json"], ["--full"]):
            status, shown = console("show", path, id, *options)
            assert (status, id in shown) == (0, True)


def test_text_of_a_store_is_shown_as_it_stands() -> None:
    text = '{"n": -1.50e400, "n": 1, "e": {}, "l": [[]], "x": null}'
    lines = ["{", '  "n": -1.50e400,', '  "n": 1,', '  "e": {},', '  "l": [', "    []", "  ],"]
    assert unfolded(read(text)).splitlines() == [*lines, '  "x": null', "}"]
    nested = "[" * 100_000 + "]" * 100_000
    assert folded(read(nested)) == "[" * 200 + "… 199,800 more characters folded"
    assert unfolded(read("[" * 500 + "]" * 500)).count("\n") == 998


def test_what_is_folded_cannot_be_forged() -> None:
    value: Any = {
        "a": 'x"… 5 more characters folded',
        "b\u200b": [[], {}, None, 1.5, "ä\n\x1b[31m"],
    }
    assert folded(value) == unfolded(value)
    lines = unfolded(value).splitlines()
    assert lines[1] == r'  "a": "x\"… 5 more characters folded",'
    assert lines[2] == '  "b⟨U+200B⟩": ['
    assert json.loads(unfolded([1, {"a": ["b", {}]}])) == [1, {"a": ["b", {}]}]
    deep: Any = 1
    for _ in range(20):
        deep = [deep]
    assert "[…]  (1 item folded)" in folded(deep)
    assert len(folded(["x" * 10_000] * 10_000)) < 10_000
    assert str(ApprovalStatus.EXPIRED) == "expired"
