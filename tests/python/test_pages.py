"""Runs the Python examples of the README and of pages that give the output beside a line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NAMES = (
    "agents",
    "constrain",
    "detection",
    "formats/README",
    "install",
    "packet",
    "profiles",
    "provider",
    "reply",
    "scale",
)
PAGES = ["README.md", *(f"docs/{name}.md" for name in NAMES)]
CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)
SAID = re.compile(r"^\s*print\(.*\)\s+# (.*)$", re.MULTILINE)


def examples() -> list[tuple[str, str]]:
    found = []
    for page in PAGES:
        sources = re.findall(
            r"```python\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL
        )
        assert sources, f"{page} has no example"
        found += [(page, source) for source in sources]
    return found


@pytest.mark.parametrize(("page", "source"), examples())
def test_an_example_prints_what_it_says(
    page: str, source: str, capsys: pytest.CaptureFixture[str]
) -> None:
    said = SAID.findall(source)
    assert said, f"an example of {page} says of no line what it prints"
    if "import pyarrow" in source:
        pytest.importorskip("pyarrow", reason="pyarrow is not there for this Python")
    exec(compile(source, page, "exec"), {})
    printed = [line.strip() for line in capsys.readouterr().out.splitlines()]
    places = [printed.index(line) for line in said]
    assert places == sorted(places)


def test_every_link_of_every_page_leads_somewhere() -> None:
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    dead = [
        f"{page.relative_to(ROOT)}: {target}"
        for page in pages
        for target in re.findall(r"\]\(([^)#\s]+)", CODE.sub("", page.read_text(encoding="utf-8")))
        if not target.startswith(("http://", "https://", "mailto:"))
        and not (page.parent / target).exists()
    ]
    assert dead == []


def test_the_index_names_every_page() -> None:
    index = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    missing = [page.name for page in (ROOT / "docs").glob("*.md") if f"]({page.name})" not in index]
    assert missing == ["README.md"]
