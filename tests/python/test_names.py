"""`docs/names.md` lists names of the package that exist, and every public name."""

from __future__ import annotations

import importlib
import re
from functools import reduce
from pathlib import Path
from types import ModuleType

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "names.md"
ROW = re.compile(r"^\|[^|]*\|[^|]*\| `([A-Za-z_.]+)` \|", re.MULTILINE)
NAMES = ROW.findall(PAGE.read_text("utf-8"))
MODULES = ("agent", "issue_agent", "provider", "tools", "transcript")


def test_names_are_read() -> None:
    assert len(NAMES) > 50
    assert len(NAMES) == len(set(NAMES))


@pytest.mark.parametrize("name", NAMES)
def test_a_name_exists(name: str) -> None:
    first, _, rest = name.partition(".")
    if first in MODULES:
        module = importlib.import_module(f"toolwire.{first}")
        assert rest in module.__all__
    else:
        reduce(getattr, name.split("."), importlib.import_module("toolwire"))


@pytest.mark.parametrize("module", ["toolwire", "toolwire.provider", "toolwire.transcript"])
def test_no_public_name_is_missing(module: str) -> None:
    package = importlib.import_module(module)
    prefix = module.removeprefix("toolwire").removeprefix(".")
    names = [f"{prefix}.{name}".lstrip(".") for name in package.__all__]
    public = [name for name in names if not name.startswith("__")]
    types = [name for name in public if not isinstance(getattr(package, name, None), ModuleType)]
    assert sorted(set(types) - set(NAMES)) == []
