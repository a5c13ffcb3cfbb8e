"""Does what the guide says, section by section, against a small model server."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from agent_programs_case import EXTENSION, ROOT, serving
from guide_case import PAGE, DiskModel, Walk, sections

PYTHON, PHP, BOTH = "In Python", "In PHP", "From one language to the other"
needs_php = pytest.mark.skipif(
    shutil.which("php") is None or not EXTENSION.exists(),
    reason="there is no PHP with the extension",
)


@pytest.mark.parametrize(
    "titles",
    [
        pytest.param((PYTHON,), id="Python"),
        pytest.param((PHP,), id="PHP", marks=needs_php),
        pytest.param((PYTHON, PHP, BOTH), id="the whole page", marks=needs_php),
    ],
)
def test_a_reader_gets_what_the_page_says(titles: tuple[str, ...], tmp_path: Path) -> None:
    with serving(DiskModel()) as model:
        walk = Walk(tmp_path, model)
        for title in titles:
            for block in sections()[title]:
                walk.do(block)
    assert len(walk.ids) > 2


def test_no_block_is_left_out() -> None:
    blocks = [block for section in sections().values() for block in section]
    fences = PAGE.read_text(encoding="utf-8").count("\n```") // 2
    # The one before the sections says where the model is.
    assert len(blocks) == fences - 1
    assert {"console", "diff", "php", "python", "sh"} == {block.language for block in blocks}


def test_the_text_names_the_file_of_each_block() -> None:
    text = PAGE.read_text(encoding="utf-8")
    marked = re.findall(r"([^\n]*\n[^\n]*)\n\n<!-- (?:file|change): (\S+) -->", text)
    assert len(marked) > 10
    assert [name for before, name in marked if f"`{name}`" not in before] == []


def test_the_readme_shows_lines_of_the_page() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = re.findall(r"(?s)```console\n(.*?)```", readme)
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    assert len(shown) == 1
    assert [line for line in shown[0].splitlines() if line not in lines] == []


def test_toolwire_is_installed_from_a_folder() -> None:
    """Nothing of that name is on PyPI yet."""
    commands = re.findall(r"(?m)^pip install .*$", PAGE.read_text(encoding="utf-8"))
    assert [word for word in commands if "toolwire" in word and "--no-index" not in word] == []
    assert len(commands) == 2
