"""The keywords of schemas in each backend, and the table of them in docs/constrain.md."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import toolwire
from backends import Engine
from keywords import COLUMNS, FORMATS, KEYWORDS, LLGUIDANCE, OWN, XGRAMMAR, Keyword

from examples import NOTATIONS

DOCS = Path(__file__).parents[2] / "docs/constrain.md"
#: What writes the values of a column: the backend, and a format.
WRITERS = [
    (XGRAMMAR, "structural_tag", "hermes"),
    (LLGUIDANCE, "lark", "hermes"),
    (OWN, "gbnf", "hermes"),
    (OWN, "llama.cpp", "hermes"),
    (OWN, "structural_tag", "pythonic"),
    (OWN, "lark", "pythonic"),
    (OWN, "gbnf", "pythonic"),
    (OWN, "llama.cpp", "pythonic"),
]
END = {"type": "const_string", "value": "</p>"}
#: Raw texts between tags, for which the same rules are written.
RAW = [(OWN, backend, "qwen3_coder") for backend in NOTATIONS]


def named(case: Keyword) -> str:
    """Name a case by its schema."""
    return f"{case.keyword}: {json.dumps(case.schema, separators=(',', ':'))[:80]}"


def is_text(case: Keyword) -> bool:
    """Whether the values of a case are texts alone."""
    return all(isinstance(value, str) for value in [*case.right, *case.wrong])


def faults(case: Keyword, backend: str, slug: str) -> str | None:
    """Why a right value is refused."""
    is_open = case.keyword == "additionalProperties" and case.schema[case.keyword] is not False
    if is_open and (backend, slug) == ("lark", "pythonic"):
        return (
            "llguidance takes the comma and the next declared key as one token, and goes not back"
        )
    return None


def all_writers() -> Iterator[Any]:
    """Give each case with each writer of its values; known faults fail strictly."""
    for case in KEYWORDS:
        for writer in [*WRITERS, *(RAW if is_text(case) else [])]:
            reason = faults(case, *writer[1:])
            marks = [pytest.mark.xfail(strict=True, reason=reason)] if reason else []
            yield pytest.param(case, *writer, marks=marks, id=f"{named(case)}-{writer[1:]}")


@pytest.mark.parametrize("case", KEYWORDS, ids=named)
def test_the_values_are_right_and_wrong(case: Keyword) -> None:
    schema = {**case.schema, **(case.definitions or {})}
    checker = jsonschema.Draft202012Validator.FORMAT_CHECKER
    validator = jsonschema.Draft202012Validator(schema, format_checker=checker)
    assert all(validator.is_valid(value) for value in case.right)
    known = case.keyword != "format" or case.schema["format"] in checker.checkers
    # Objects are closed, though the standard leaves them open.
    closed = case.keyword == "properties"
    if known and not closed:
        assert not any(validator.is_valid(value) for value in case.wrong)


@pytest.mark.parametrize(("case", "column", "backend", "slug"), list(all_writers()))
def test_a_keyword_is_held_or_noted(
    all_backends: dict[str, Engine], case: Keyword, column: str, backend: str, slug: str
) -> None:
    tools = [case.tool()]
    options: dict[str, Any] = {
        "format": slug,
        "backend": NOTATIONS[backend],
        "tool_choice": "required",
        "text": False,
    }
    constraint = toolwire.constrain(tools, **options)
    engine = all_backends[backend]
    compiled = engine.compile(constraint.grammar)
    is_held = column in case.held
    for value in [*case.right, *case.wrong]:
        text = toolwire.render_calls([{"name": "t", "arguments": {"v": value}}], slug, tools=tools)
        is_right = any(value is right for right in case.right)
        # What is a note lets wrong values through.
        expected = is_right or not is_held
        assert engine.accepts(compiled, text) == expected, (text, constraint.grammar)
    noted = {note.keyword for note in constraint.notes}
    assert (case.keyword not in noted) == is_held, noted
    for note in constraint.notes:
        assert note.tool == "t"
        assert note.pointer.startswith("/properties/v")
    if not noted:
        assert toolwire.constrain(tools, strict=True, **options).grammar == constraint.grammar
        return
    with pytest.raises(toolwire.InvalidArgumentError) as raised:
        toolwire.constrain(tools, strict=True, **options)
    assert raised.value.kind == "cannot_constrain"


@pytest.mark.xfail(
    strict=True,
    reason="xgrammar 0.2.8 counts a character twice that is in two tokens, in `any_text` with "
    "`excludes` and `max_chars`",
)
def test_a_character_in_two_tokens_counts_once(all_backends: dict[str, Engine]) -> None:
    engine = all_backends["structural_tag"]
    text = {"type": "any_text", "excludes": ["<"], "max_chars": 2}
    compiled = engine.compile({"type": "sequence", "elements": [text, END]})
    assert engine.accepts(compiled, "é漢</p>")
    run = engine.run(compiled)
    # Each token is a byte.
    assert all(run.tries(byte) for byte in "é漢</p>".encode())


def table() -> dict[str, dict[str, str]]:
    """Read the table of keywords in the docs: what each column says of each keyword."""
    lines = DOCS.read_text().split("\n")
    start = next(place for place, line in enumerate(lines) if line.startswith("| keyword |"))
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[start:]]
    assert tuple(cells[0][1:]) == COLUMNS
    found: dict[str, dict[str, str]] = {}
    for row in cells[2:]:
        if len(row) != len(cells[0]):
            break
        says = dict(zip(COLUMNS, row[1:], strict=True))
        for keyword in re.findall(r"`([$\w]+)`", row[0]):
            assert found.setdefault(keyword, says) is says, keyword
        if "other formats" in row[0]:
            found["other formats"] = says
    return found


def row_of(case: Keyword) -> str:
    """Name the row of the docs to which a case belongs."""
    held = {name for names in FORMATS.values() for name in names}
    is_other = case.keyword == "format" and case.schema["format"] not in held
    return "other formats" if is_other else case.keyword


def test_the_docs_say_what_the_cases_show() -> None:
    said = table()
    assert set(said) == {row_of(case) for case in KEYWORDS}
    for keyword, says in said.items():
        for column, cell in says.items():
            shown = {column in case.held for case in KEYWORDS if row_of(case) == keyword}
            # "held", "note", or where it is which.
            expected = {"held": {True}, "note": {False}}.get(cell, {True, False})
            if cell == "as `anyOf`, note":
                expected = {False}
            assert shown == expected, (keyword, column, cell)


def test_the_docs_name_the_formats_that_are_held() -> None:
    line = next(
        line for line in DOCS.read_text().split("\n") if "`multipleOf`, `format` of" in line
    )
    for word in FORMATS:
        assert re.search(rf"\b{word}\b", line.split("|")[1]), word
