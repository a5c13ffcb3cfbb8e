"""The calls of each format: what a grammar lets through is read, what is written goes through."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import jsonschema
import pytest
import toolwire
from conftest import SEEDS
from sampling import generate

from examples import (
    BACKENDS,
    CALLS,
    FORMATS,
    NOTATIONS,
    SCHEMAS,
    TOOLS,
    hints,
)

VALIDATORS = {name: jsonschema.Draft202012Validator(schema) for name, schema in SCHEMAS.items()}
#: Its line `Action:` is framing that only a profile knows.
FRAMED = "command_r"
#: So many texts are tried until one ends.
MOST_SEEDS = 20
#: It writes one call without markers, and the grammar is that of one call.
ONE_CALL = "llama3"


def constrain(slug: str, backend: str, **options: Any) -> toolwire.Constraint:
    """Make the grammar of calls alone."""
    return toolwire.constrain(
        TOOLS,
        format=slug,
        backend=NOTATIONS[backend],
        text=False,
        **{"tool_choice": "required", **options},
    )


def problem(detection: toolwire.Detection, slug: str) -> str | None:
    """Why a text is not read as calls and nothing else."""
    if detection.rejections:
        return f"{detection.rejections[0].code}: {detection.rejections[0].message}"
    if not detection.calls:
        return "no call"
    if detection.text.strip() and slug != FRAMED:
        return f"text: {detection.text!r}"
    for call in detection.calls:
        arguments = json.loads(call.arguments_raw)
        for error in VALIDATORS[call.name].iter_errors(arguments):
            return f"{call.name}: {error.message}"
    return None


def written(slug: str, calls: list[dict[str, Any]]) -> str | None:
    """Write the calls in a format, if it can hold them."""
    try:
        return toolwire.render_calls(calls, slug, tools=TOOLS)
    except toolwire.InvalidArgumentError:
        return None


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("slug", FORMATS)
def test_what_is_generated_is_read(all_backends: dict[str, Any], slug: str, backend: str) -> None:
    constraint = constrain(slug, backend)
    compiled = all_backends[backend].compile(constraint.grammar)
    detector = toolwire.Detector(formats=[slug], tools=TOOLS)
    example = written(slug, CALLS[2]) or ""
    ended = 0
    for seed in range(max(SEEDS * 3, MOST_SEEDS)):
        # Few texts of a long layout end: one of them has to.
        if seed >= SEEDS * 3 and ended:
            break
        text = generate(all_backends[backend], compiled, seed, hints(example))
        if text is None:
            continue
        ended += 1
        whole = text.decode() + "".join(constraint.stop[:1])
        found = problem(detector.detect(whole), slug)
        assert found is None, (found, whole)
    assert ended > 0


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("slug", FORMATS)
def test_what_is_written_is_accepted(all_backends: dict[str, Any], slug: str, backend: str) -> None:
    constraint = constrain(slug, backend)
    compiled = all_backends[backend].compile(constraint.grammar)
    seen = Counter[bool]()
    for calls in CALLS:
        text = written(slug, calls)
        if text is None or (len(calls) > 1 and (constraint.stop or slug == ONE_CALL)):
            continue
        text = text.removesuffix(constraint.stop[0]) if constraint.stop else text
        assert all_backends[backend].accepts(compiled, text), text
        seen[True] += 1
    assert seen[True] > 2


#: Words of which markers are made, in texts of any length and of the most that is allowed.
ORDINARY = "I call it to=x, and invoke a tool: the function of a parameter"
SHORT = "pick, invoke a tool"


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("slug", FORMATS)
def test_arguments_hold_ordinary_words(
    all_backends: dict[str, Any], slug: str, backend: str
) -> None:
    constraint = constrain(slug, backend)
    compiled = all_backends[backend].compile(constraint.grammar)
    seen = 0
    for name, arguments in (
        ("get_weather", {"city": ORDINARY}),
        ("search", {"query": SHORT, "tags": [ORDINARY], "where": {"field": ORDINARY}}),
    ):
        text = written(slug, [{"name": name, "arguments": arguments}])
        if text is None:
            continue
        text = text.removesuffix(constraint.stop[0]) if constraint.stop else text
        assert all_backends[backend].accepts(compiled, text), text
        seen += 1
    assert seen > 0
