"""What the tests of grammars share."""

from __future__ import annotations

import os
from typing import Any

import pytest
from backends import backends

#: How many random texts each grammar gives: few in `make test-constrain`, more in the long form.
SEEDS = int(os.environ.get("CONSTRAIN_SEEDS", "2"))


@pytest.fixture(scope="session")
def all_backends() -> dict[str, Any]:
    """Give the backends by the notation that they read."""
    return backends()
