"""What grammars let through and a detector reads otherwise: each fails until it is put right."""

from __future__ import annotations

import pytest
import toolwire
from backends import Engine
from known_faults import KNOWN_FAULTS, has_known_fault
from test_formats import constrain, problem

from examples import BACKENDS, TOOLS


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    ("slug", "text"),
    [
        pytest.param(slug, text, marks=pytest.mark.xfail(strict=True, reason=reason))
        for slug, (reason, text, _) in KNOWN_FAULTS.items()
    ],
)
def test_what_is_accepted_is_read(
    all_backends: dict[str, Engine], slug: str, text: str, backend: str
) -> None:
    engine = all_backends[backend]
    compiled = engine.compile(constrain(slug, backend).grammar)
    detection = toolwire.Detector(formats=[slug], tools=TOOLS).detect(text)
    assert not engine.accepts(compiled, text) or problem(detection, slug) is None


def test_the_texts_are_those_that_are_left_out() -> None:
    assert all(has_known_fault(slug, text) for slug, (_, text, _) in KNOWN_FAULTS.items())
