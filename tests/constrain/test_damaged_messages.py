"""Damaged messages of each profile: what a grammar lets through is read as the choice allows."""

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
from test_profiles import PROFILES, problem

from examples import BACKENDS, CALLS, NOTATIONS, TOOLS

#: How many random damages each written message gets.
COUNT = SEEDS * 8
#: At least so many profiles have a grammar of calls, whatever cannot be constrained.
LEAST_PROFILES = 130
#: The messages: with calls alone, and behind a text.
MESSAGES: list[dict[str, Any]] = [
    {"text": "", "calls": CALLS[2]},
    {"text": "I look.\n\n", "calls": CALLS[4]},
    {"text": "", "calls": CALLS[5]},
]


def constrained(profile: toolwire.Profile, backend: str, choice: str) -> toolwire.Constraint | None:
    """Make a grammar; None where the calls of the profile have none."""
    try:
        return toolwire.constrain(
            TOOLS, model=profile, backend=NOTATIONS[backend], tool_choice=choice
        )
    except toolwire.InvalidArgumentError as error:
        if error.kind != "cannot_constrain":
            raise
        return None


def message(profile: toolwire.Profile, parts: dict[str, Any], stop: tuple[str, ...]) -> str | None:
    """Write a message, without the token that ends the turn."""
    reasoning = "So it is." if profile.reasoning else ""
    try:
        text = toolwire.render_message({"reasoning": reasoning, **parts}, profile, tools=TOOLS)
    except toolwire.InvalidArgumentError:
        return None
    for token in stop:
        if text.rstrip().endswith(token):
            return text.rstrip().removesuffix(token)
    return text


#: What was tried for grammars that several profiles share.
SEEN: set[str] = set()


#: Behind a text that ends with a part of it, a marker that repeats a letter begins too early: of
#: `>>>>` a detector takes the first `>>>`.
EARLY = ">>>>get_weather\n{}"
EARLY_FAMILY = "functionary32"


def read_otherwise(
    engine: Engine, profile: toolwire.Profile, constraint: toolwire.Constraint, choice: str
) -> tuple[Any, str] | None:
    """Find a damaged message that is let through, and read as the choice does not allow."""
    compiled = engine.compile(constraint.grammar)
    detector = toolwire.Detector(model=profile.__getnewargs__()[0], tools=TOOLS)
    choose = random.Random(profile.slug)
    accepted = Counter[bool]()
    for parts in MESSAGES:
        text = message(profile, parts, constraint.stop)
        if text is None:
            continue
        cuts = [text[:end] for end in engine.ends(compiled, text)]
        for one in [*damaged(text, COUNT, choose), *cuts]:
            is_accepted = engine.accepts(compiled, one)
            accepted[is_accepted] += 1
            if is_accepted:
                # The server takes the token that ends the turn for itself.
                detection = detector.detect(one)
                # Without calls, a text may end inside a marker.
                found = (
                    detection.calls
                    if choice == "none"
                    else problem(detection, choice, constraint.stop)
                )
                if found:
                    return found, one
    assert accepted[False] > SEEDS * 4, accepted
    # What is written without damage is in the language, if it calls.
    assert accepted[True] > 0 or choice == "none", accepted
    return None


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("choice", ["auto", "required", "none"])
@pytest.mark.parametrize("slug", PROFILES)
def test_damaged_messages(
    all_backends: dict[str, Engine], slug: str, choice: str, backend: str
) -> None:
    profile = PROFILES[slug]
    constraint = constrained(profile, backend, choice)
    if constraint is None or is_seen(backend, choice, constraint):
        return
    assert read_otherwise(all_backends[backend], profile, constraint, choice) is None


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_marker_begins_at_its_first_place(all_backends: dict[str, Engine], backend: str) -> None:
    tools = [{"name": "get_weather", "parameters": {"properties": {}}}]
    constraint = toolwire.constrain(
        tools, model=PROFILES[EARLY_FAMILY], backend=NOTATIONS[backend], tool_choice="required"
    )
    engine = all_backends[backend]
    assert not engine.accepts(engine.compile(constraint.grammar), EARLY)


def is_seen(backend: str, choice: str, constraint: toolwire.Constraint) -> bool:
    """Whether a grammar was tried for another profile."""
    key = json.dumps([backend, choice, constraint.grammar])
    was_seen = key in SEEN
    SEEN.add(key)
    return was_seen


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("slug", PROFILES)
def test_messages_with_calls_that_no_schema_allows(
    all_backends: dict[str, Engine], slug: str, backend: str
) -> None:
    profile = PROFILES[slug]
    engine = all_backends[backend]
    constraint = constrained(profile, backend, "required")
    if constraint is None or is_seen(backend, "faults", constraint):
        return
    compiled = engine.compile(constraint.grammar)
    seen = 0
    for what, call in FAULTS.items():
        text = message(profile, {"text": "", "calls": [call]}, constraint.stop)
        if text is not None:
            seen += 1
            assert not engine.accepts(compiled, text), (what, text)
    assert seen > len(FAULTS) - 5


def test_most_profiles_have_a_grammar() -> None:
    made = [constrained(profile, "gbnf", "required") for profile in PROFILES.values()]
    assert sum(one is not None for one in made) >= LEAST_PROFILES
