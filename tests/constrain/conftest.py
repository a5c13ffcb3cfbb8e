"""What the tests of grammars share."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from backends import Engine, Llguidance, Xgrammar
from llama_cpp import LlamaCpp
from sampling import ENDED, UNFINISHED

#: How many random texts each grammar gives: few in `make test-constrain`, more in
#: `make test-constrain-all`.
SEEDS = int(os.environ.get("CONSTRAIN_SEEDS", "2"))
#: Of the tests of profiles, one in so many runs; 1 for all of them. It is no multiple of the number
#: of backends, so that each of them has a part.
SHARE = int(os.environ.get("CONSTRAIN_SHARE", "1"))
#: The folder into which the Makefile puts llama.cpp's library.
LLAMA_CPP = Path(__file__).parents[2] / "build/llama-cpp"
#: The least part of the random texts of a file that must end, and so be read.
LEAST_ENDED = 0.6
MESSAGES = "test_damaged_messages"
#: Of fewer texts, chance decides.
FEW = 200


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave out most of the tests of profiles in the short form."""
    of_profiles = [one for one in items if one.path.stem in ("test_profiles", MESSAGES)]
    kept = set(of_profiles[::SHARE])
    items[:] = [one for one in items if one in kept or one not in of_profiles]


@pytest.fixture(scope="module", autouse=True)
def texts_end() -> Iterator[None]:
    """Fail where too many of a file's random texts did not end: nothing was tested with them."""
    ENDED.clear()
    UNFINISHED.clear()
    yield
    for name in ENDED | UNFINISHED:
        whole = ENDED[name] + UNFINISHED[name]
        print(f"{name}: {ENDED[name]} of {whole} random texts ended")
        assert whole < FEW or ENDED[name] >= LEAST_ENDED * whole, (name, ENDED, UNFINISHED)


@pytest.fixture(scope="session")
def all_backends() -> dict[str, Engine]:
    """Give the backends by their names, which are those of notations but for the last one."""
    xgrammar = Xgrammar()
    return {
        "structural_tag": xgrammar,
        "lark": Llguidance(),
        "gbnf": xgrammar,
        "llama.cpp": LlamaCpp(LLAMA_CPP),
    }
