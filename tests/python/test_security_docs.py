"""``docs/security.md``: its examples run, and the tests that it names exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")


def test_the_examples_print_what_they_say(capsys: pytest.CaptureFixture[str]) -> None:
    examples = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert len(examples) == 2
    for source in examples:
        exec(compile(source, "security.md", "exec"), {})
        said = [line.split("# ", 1)[1] for line in source.splitlines() if "print(" in line]
        printed = capsys.readouterr().out.splitlines()
        # A remark may follow the printed text.
        for line, shown in zip(printed, said, strict=True):
            assert shown == line or shown.startswith(f"{line}: ")


def test_every_test_that_shows_a_defence_is_there() -> None:
    table = PAGE[PAGE.index("## Threats") :]
    named = [
        name
        for line in table.splitlines()
        if line.startswith("| ")
        for name in re.findall(r"`(\w+)`", line)
    ]
    assert len(named) > 30
    files = [*ROOT.glob("tests/**/*.py"), *ROOT.glob("tests/**/*.php"), *ROOT.glob("core/**/*.rs")]
    written = "\n".join(file.read_text(encoding="utf-8") for file in files)
    defined = set(re.findall(r"(?:def|function|fn) (\w+)", written))
    assert [name for name in named if name not in defined] == []


def test_the_pages_are_found() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "](SECURITY.md)" in readme
    assert "](docs/security.md)" in readme
    assert "](docs/security.md" in (ROOT / "SECURITY.md").read_text(encoding="utf-8")
