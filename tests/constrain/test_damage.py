"""Damaged calls of each format: what a grammar lets through is read as calls, and nothing else."""

from __future__ import annotations

import json
import random
from collections import Counter
from typing import Any

import pytest
import toolwire
from backends import Engine
from conftest import SEEDS
from damage import FAULTS, damaged
from test_formats import ONE_CALL, constrain, problem, written

from examples import BACKENDS, CALLS, FORMATS, TOOLS

#: How many random damages each written text gets.
COUNT = SEEDS * 12


def other_reading(detector: toolwire.Detector, whole: str, slug: str) -> str | None:
    """Why a text is read otherwise than the grammar wrote it.

    The grammar writes calls in one way, but for white space: so what was read, written again, is
    the text itself, or an argument was read as another one.
    """
    detection = detector.detect(whole)
    found = problem(detection, slug)
    if found is not None:
        return found
    calls: list[dict[str, Any]] = [
        {"name": call.name, "arguments": json.loads(call.arguments_raw)} for call in detection.calls
    ]
    for call, read in zip(calls, detection.calls, strict=True):
        if read.id and read.id in whole:
            call["id"] = read.id
    again = written(slug, calls) or ""
    same = "".join(again.split()) == "".join(whole.split())
    return None if same else f"written again: {again!r}"


def texts(slug: str, stop: tuple[str, ...]) -> list[str]:
    """Write what a format can hold, without the token that ends the turn."""
    all_written = [written(slug, calls) for calls in CALLS]
    kept = [text.removesuffix("".join(stop[:1])) for text in all_written if text]
    assert len(kept) > 3
    return kept


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("slug", FORMATS)
def test_damaged_texts(all_backends: dict[str, Engine], slug: str, backend: str) -> None:
    constraint = constrain(slug, backend)
    engine = all_backends[backend]
    compiled = engine.compile(constraint.grammar)
    detector = toolwire.Detector(formats=[slug], tools=TOOLS)
    choose = random.Random(slug)
    seen = Counter[bool]()
    for text in texts(slug, constraint.stop):
        for one in damaged(text, COUNT, choose):
            accepted = engine.accepts(compiled, one)
            seen[accepted] += 1
            if accepted and one != text:
                whole = one + "".join(constraint.stop[:1])
                found = other_reading(detector, whole, slug)
                assert found is None, (found, whole)
    # Most damage is no call any more.
    assert seen[False] > len(CALLS) * SEEDS, seen


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("slug", FORMATS)
def test_texts_cut_at_every_place(all_backends: dict[str, Engine], slug: str, backend: str) -> None:
    constraint = constrain(slug, backend)
    engine = all_backends[backend]
    compiled = engine.compile(constraint.grammar)
    detector = toolwire.Detector(formats=[slug], tools=TOOLS)
    seen = 0
    for text in texts(slug, constraint.stop):
        ends = engine.ends(compiled, text)
        seen += len(ends)
        for end in ends:
            whole = text[:end] + "".join(constraint.stop[:1])
            found = other_reading(detector, whole, slug)
            assert found is None, (found, whole)
        assert 0 not in ends
        # A text of several calls may be cut behind each of them.
        assert len(ends) <= 2 + text.count("\n"), ends
    assert seen > 3


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("slug", FORMATS)
def test_calls_that_no_schema_allows(
    all_backends: dict[str, Engine], slug: str, backend: str
) -> None:
    engine = all_backends[backend]
    constraint = constrain(slug, backend)
    compiled = engine.compile(constraint.grammar)
    seen = 0
    for what, call in FAULTS.items():
        text = written(slug, [call])
        if text is None:
            continue
        seen += 1
        text = text.removesuffix("".join(constraint.stop[:1]))
        assert not engine.accepts(compiled, text), (what, text)
        # A wrong call does not hide behind a right one.
        several = written(slug, [CALLS[0][0], call])
        if several is not None and slug != ONE_CALL:
            several = several.removesuffix("".join(constraint.stop[:1]))
            assert not engine.accepts(compiled, several), (what, several)
    assert seen > len(FAULTS) - 4


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("slug", FORMATS)
def test_a_second_call_where_one_is_allowed(
    all_backends: dict[str, Engine], slug: str, backend: str
) -> None:
    engine = all_backends[backend]
    options: list[dict[str, Any]] = [{"parallel": False}, {"tool_choice": "now"}]
    for option in options:
        constraint = constrain(slug, backend, **option)
        compiled = engine.compile(constraint.grammar)
        ends = "".join(constraint.stop[:1])
        one = written(slug, [CALLS[0][0]])
        two = written(slug, [CALLS[0][0], CALLS[0][0]])
        other = written(slug, [CALLS[2][0]])
        assert one is not None
        assert other is not None
        assert engine.accepts(compiled, one.removesuffix(ends))
        assert two is None or not engine.accepts(compiled, two.removesuffix(ends)), two
        is_named = "tool_choice" in option
        assert engine.accepts(compiled, other.removesuffix(ends)) != is_named, other
