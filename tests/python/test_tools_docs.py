"""The documentation of ``toolwire.tools``: its examples and its page."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from pathlib import Path
from types import ModuleType

import pytest
import toolwire._native
import toolwire.events
import toolwire.mcp
import toolwire.telemetry
import toolwire.tools

from examples import fails, undocumented

PAGES = Path(__file__).resolve().parents[2] / "docs"

MODULES = [toolwire.events, toolwire.mcp, toolwire.telemetry, toolwire.tools]
MODULES += [
    importlib.import_module(f"{package.__name__}.{module.name}")
    for package in (toolwire.mcp, toolwire.tools)
    for module in pkgutil.iter_modules(package.__path__)
]
NAMES = {"toolwire": toolwire, **vars(toolwire.mcp), **vars(toolwire.tools)}
NATIVE = ("MemoryStore", "SqliteStore", "ResolvedToolCall", "UnresolvedToolCall")


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_every_module_s_example_is_true(module: ModuleType) -> None:
    docs = {module.__name__: module.__doc__ or ""}
    for name in module.__all__:
        docs[name] = inspect.getdoc(getattr(module, name)) or ""
    assert any(">>>" in doc for doc in docs.values()), f"{module.__name__}: no example"
    assert "".join(fails(doc, name, NAMES) for name, doc in docs.items()) == ""


@pytest.mark.parametrize("name", NATIVE)
def test_every_native_class_s_example_is_true(name: str) -> None:
    assert not fails(inspect.getdoc(getattr(toolwire._native, name)) or "", name, NAMES)


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_every_public_name_is_documented(module: ModuleType) -> None:
    assert len(module.__all__) == len(set(module.__all__))
    assert undocumented(module) == []


@pytest.mark.parametrize(
    ("name", "count"), [("tools.md", 5), ("runs.md", 2), ("mcp.md", 2), ("telemetry.md", 1)]
)
def test_the_page_s_examples_print_what_it_says(
    capsys: pytest.CaptureFixture[str], name: str, count: int
) -> None:
    toolwire.tools.clear_approval_service()
    toolwire.tools.clear_undo_store()
    page = (PAGES / name).read_text(encoding="utf-8")
    examples = re.findall(r"```python\n(.*?)```\n\nprints\n\n```text\n(.*?)```", page, re.DOTALL)
    assert len(examples) == page.count("```python") == count
    for source, printed in examples:
        exec(compile(source, name, "exec"), {})
        assert capsys.readouterr().out == printed
