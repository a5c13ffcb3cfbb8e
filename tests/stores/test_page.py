"""The Python example of `docs/stores.md` prints what it says."""

from __future__ import annotations

import re

import pytest
from cases import ROOT
from server_stores import url_of
from servers import Server


def test_the_example_prints_what_it_says(
    servers: dict[str, Server], capsys: pytest.CaptureFixture[str]
) -> None:
    page = (ROOT / "docs" / "stores.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    said = re.findall(r"^print\(.*\)  # (.*)$", example, re.MULTILINE)
    for url, name in (
        ("redis://:PASSWORD@localhost:6379/0", "redis"),
        ("postgresql://shop:PASSWORD@localhost:5432/shop", "postgres"),
    ):
        assert example.count(url) == 1
        example = example.replace(url, url_of(servers[name]))
    exec(compile(example, "stores.md", "exec"), {})
    assert capsys.readouterr().out.splitlines() == said != []
