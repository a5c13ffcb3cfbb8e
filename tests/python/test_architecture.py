"""No two files of the package import each other, at their head or inside of a function."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

SOURCES = Path(__file__).parents[2] / "py-binding" / "python"


def modules() -> dict[str, Path]:
    """Give the package's modules by name; a front door imports all that it shows."""
    files = sorted((SOURCES / "toolwire").rglob("*.py"))
    assert len(files) > 100
    named = {".".join(file.relative_to(SOURCES).with_suffix("").parts): file for file in files}
    return {name: file for name, file in named.items() if file.name != "__init__.py"}


def imported(file: Path, known: dict[str, Path]) -> Iterator[str]:
    """Give the modules of the package that a file imports anywhere."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        names: list[str] = []
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        yield from (name for name in names if name in known)


def reached(start: str, edges: dict[str, set[str]]) -> set[str]:
    """Give what a module imports, itself or by others."""
    found: set[str] = set()
    left = list(edges[start])
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            left.extend(edges[name])
    return found


def test_no_files_import_each_other_in_a_circle() -> None:
    known = modules()
    edges = {name: set(imported(file, known)) - {name} for name, file in known.items()}
    assert "toolwire.runs.run" in edges["toolwire.runs.runner"]
    circles = sorted(name for name in edges if name in reached(name, edges))
    assert circles == [], f"these files import each other: {circles}"


def test_the_home_of_runs_knows_nothing_of_the_drop_in() -> None:
    known = modules()
    files = {name: file for name, file in known.items() if name.startswith("toolwire.runs.")}
    assert len(files) > 30
    leads_up = [
        f"{name} imports {target}"
        for name, file in files.items()
        for target in imported(file, known)
        if target.startswith("toolwire.tools.")
    ]
    assert leads_up == []
