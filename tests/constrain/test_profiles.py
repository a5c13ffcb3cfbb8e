"""The messages of each profile: with reasoning, text and calls."""

from __future__ import annotations

import json
from typing import Any

import pytest
import toolwire
from conftest import SEEDS
from sampling import generate
from test_formats import VALIDATORS

from examples import BACKENDS, CALLS, NOTATIONS, TOOLS, hints

PROFILES = {one.slug: one for one in toolwire.profiles() if one.formats}
#: No marker opens their calls, so a message is text or calls.
PLAIN = ("json", "xlam", "pythonic", "llama3")
CHOICES = ("auto", "required", "now", "none")
#: What text is told to be that looks like a damaged marker.
DAMAGED = ("malformed", "other_format", "bad_name")
SEEN: set[str] = set()


def problem(detection: toolwire.Detection, choice: str, stop: tuple[str, ...]) -> str | None:
    """Why a message is not read as the choice allows it."""
    names = [call.name for call in detection.calls]
    first = detection.calls[0].span[0] if detection.calls else len(detection.text) + 10**9
    for rejection in detection.rejections:
        # A text may hold what looks like a damaged marker, but no call is lost or damaged.
        is_text = rejection.code in DAMAGED and rejection.span[1] <= first
        if not is_text:
            return f"{rejection.code}: {rejection.message}"
    if (choice == "required" and not names) or (choice == "none" and names):
        return f"calls: {names}"
    if choice == "now" and names != ["now"]:
        return f"calls: {names}"
    if any(token in detection.text for token in stop):
        return f"text: {detection.text!r}"
    for call in detection.calls:
        for error in VALIDATORS[call.name].iter_errors(json.loads(call.arguments_raw)):
            return f"{call.name}: {error.message}"
    return None


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("slug", PROFILES)
def test_what_is_generated_is_read(all_backends: dict[str, Any], slug: str, backend: str) -> None:
    profile = PROFILES[slug]
    definition = profile.__getnewargs__()[0]
    for choice in CHOICES:
        for reasoning in (None, False, "engine"):
            constraint = toolwire.constrain(
                TOOLS,
                model=profile,
                backend=NOTATIONS[backend],
                tool_choice=choice,
                reasoning=reasoning,
            )
            key = json.dumps([backend, constraint.grammar])
            if key in SEEN:
                continue
            SEEN.add(key)
            compiled = all_backends[backend].compile(constraint.grammar)
            thinking = None if reasoning is None else False
            detector = toolwire.Detector(model=definition, tools=TOOLS, thinking=thinking)
            for seed in range(SEEDS):
                text = generate(all_backends[backend], compiled, seed, markers(profile))
                if text is None:
                    continue
                # The server takes the token that ends the turn for itself.
                found = problem(detector.detect(text), choice, constraint.stop)
                assert found is None, (choice, reasoning, found, text.decode())


def markers(profile: toolwire.Profile) -> list[bytes]:
    """Find the markers of a message, which a random writer would not find."""
    reasoning = "So." if profile.reasoning else ""
    message = {"reasoning": reasoning, "text": "Well.", "calls": CALLS[2]}
    try:
        return hints(toolwire.render_message(message, profile, tools=TOOLS))
    except toolwire.InvalidArgumentError:
        return hints("")


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("slug", PROFILES)
def test_what_is_written_is_accepted(all_backends: dict[str, Any], slug: str, backend: str) -> None:
    profile = PROFILES[slug]
    constraint = toolwire.constrain(TOOLS, model=profile, backend=NOTATIONS[backend])
    compiled = all_backends[backend].compile(constraint.grammar)
    reasoning = "So it is." if profile.reasoning else ""
    for message in (
        {"reasoning": reasoning, "text": "It is 5.", "calls": []},
        {"reasoning": reasoning, "text": "", "calls": CALLS[2]},
        {"reasoning": reasoning, "text": "I look.", "calls": CALLS[1]},
    ):
        if message["text"] and message["calls"] and constraint.format in PLAIN:
            continue
        try:
            text = toolwire.render_message(message, profile, tools=TOOLS)
        except toolwire.InvalidArgumentError:
            continue
        ends = [text] + [text.rstrip().removesuffix(stop) for stop in constraint.stop]
        assert any(all_backends[backend].accepts(compiled, end) for end in ends), text
