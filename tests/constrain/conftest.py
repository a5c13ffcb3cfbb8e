"""What the tests of grammars share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from backends import Engine, Llguidance, Xgrammar
from llama_cpp import LlamaCpp

#: How many random texts each grammar gives: few in `make test-constrain`, more in the long form.
SEEDS = int(os.environ.get("CONSTRAIN_SEEDS", "2"))
#: The folder into which the Makefile puts llama.cpp's library.
LLAMA_CPP = Path(__file__).parents[2] / "build/llama-cpp"


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
