"""`docs/codes.md`: the codes that a user of Python meets are on the page."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import toolwire

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "codes.md").read_text("utf-8")


def rows(enum: str) -> list[list[str]]:
    section = PAGE.split(f"\n## `{enum}`\n")[1].split("\n## ")[0]
    return [row.split(" | ") for row in re.findall(r"^\| (`.*) \|$", section, re.MULTILINE)]


def slugs(enum: str) -> set[str]:
    return {row[0].strip("`") for row in rows(enum)}


def refused(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, member in value.items():
            if key == "rejections" and isinstance(member, list):
                yield from (each["code"] for each in member)
            yield from refused(member)
    elif isinstance(value, list):
        for item in value:
            yield from refused(item)


def test_the_kinds_of_errors_are_those_of_the_page() -> None:
    classes = {
        "argument": toolwire.InvalidArgumentError,
        "type": toolwire.WrongTypeError,
        "state": toolwire.InvalidStateError,
    }
    page = {row[0].strip("`"): (int(row[1]), classes[row[2]]) for row in rows("ErrorKind")}
    assert page == dict(toolwire.ERROR_KINDS)


def test_every_rejection_of_the_shared_cases_is_on_the_page() -> None:
    codes: set[str] = set()
    for topic in ("detection", "formats", "messages", "provider"):
        cases = json.loads((ROOT / "tests" / "cases" / f"{topic}.json").read_text("utf-8"))
        codes.update(code for case in cases for code in refused(case.get("output")))
    assert len(codes) > 10
    assert codes <= slugs("call::RejectionCode")
