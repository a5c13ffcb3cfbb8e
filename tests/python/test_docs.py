"""The documentation of the package: docstrings and their examples, types, names."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import toolwire
import toolwire._errors
import toolwire._native
import toolwire._result

from examples import fails

ROOT = Path(__file__).resolve().parents[2]


def documented() -> dict[str, Any]:
    """Give every public object and method by its name."""
    found: dict[str, Any] = {"toolwire": toolwire}
    for name in toolwire.__all__:
        value = getattr(toolwire, name)
        if not callable(value):
            continue
        found[name] = value
        if inspect.isclass(value):
            for member in vars(value):
                if not member.startswith("_") and callable(getattr(value, member)):
                    found[f"{name}.{member}"] = getattr(value, member)
    return found


@pytest.mark.parametrize("name", documented())
def test_every_example_is_true(name: str) -> None:
    value = documented()[name]
    doc = inspect.getdoc(value) or ""
    assert re.match(r"[A-Z][^\n]*\.", doc), f"{name}: the first line is no sentence"
    names = {"toolwire": toolwire, "ToolResult": toolwire.ToolResult}
    bases = (toolwire.InvalidArgumentError, toolwire.WrongTypeError, toolwire.InvalidStateError)
    assert ">>>" in doc or value in bases, f"{name}: no example"
    assert fails(doc, name, names) == ""


def test_every_attribute_is_documented() -> None:
    for name in toolwire.__all__:
        value = getattr(toolwire, name)
        if inspect.isclass(value) and value.__module__ == "toolwire":
            for member, attribute in vars(value).items():
                if inspect.isgetsetdescriptor(attribute) and not member.startswith("_"):
                    assert attribute.__doc__, f"{name}.{member}"


def test_all_names_everything_public() -> None:
    public = {name for name in dir(toolwire) if not name.startswith("_")}
    modules = {name for name in public if inspect.ismodule(getattr(toolwire, name))}
    helpers = {"annotations", "MappingProxyType", "TYPE_CHECKING", "error_kinds"}
    assert public - modules - helpers == set(toolwire.__all__) - {
        "__version__",
        "provider",
        "transcript",
    }
    assert len(toolwire.__all__) == len(set(toolwire.__all__))


def test_the_version_is_that_of_the_workspace() -> None:
    version = re.search(r'^version = "(.+)"$', (ROOT / "Cargo.toml").read_text(), re.MULTILINE)
    assert version is not None
    assert toolwire.__version__ == version[1]


def test_signatures_name_the_options() -> None:
    for use in (toolwire.detect, toolwire.Detector):
        parameters = inspect.signature(use).parameters
        options = [
            name for name, one in parameters.items() if one.kind is inspect.Parameter.KEYWORD_ONLY
        ]
        assert len(options) == 22
        toolwire.detect("", **dict.fromkeys(options))


def run(*command: str) -> str:
    done = subprocess.run(
        [sys.executable, *command], capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_stub_says_what_the_module_is() -> None:
    options = ("--allowlist", "py-binding/stubtest.txt")
    config = ("--mypy-config-file", "py-binding/pyproject.toml")
    run("-m", "mypy.stubtest", "toolwire", *options, *config)


EXAMPLE = """
from enum import Enum

import toolwire


class Tools(Enum):
    SEARCH = "search"


def answer(call: toolwire.ToolCall) -> str:
    return str(call.arguments.get("query", ""))


detection = toolwire.detect("text", formats=["tag"], seen=toolwire.Seen(10), fences="all")
spans: list[tuple[int, int]] = [call.span for call in detection]
text: str = detection.replace(answer)
event: toolwire.Event
for event in toolwire.Detector(max_calls=3).stream().feed(b"x"):
    found: toolwire.ToolCall | None = event.call
    json: str | None = event.json if event.type == "arguments_delta" else None
slugs: list[str] = [format.slug for format in toolwire.formats()]
arrow = {"slug": "arrow", "body": "named", "call": {"open": "=>", "name_end": ":", "close": ";"}}
toolwire.detect("text", formats=["auto", arrow], coerce=True)
toolwire.detect("text", formats=arrow)
packets = [{"type": "tool_result"}]
packet: dict[str, str] | None = toolwire.find_handler_result(packets, "x", type="tool_result")
result = toolwire.ToolResult(Tools.SEARCH, True, {"a": 1})
report = toolwire.Report([result])
report.add(result)
rate: float | None = report.success_rate
summary: str = toolwire.results_summary([result])
"""


def test_a_program_is_checked_by_mypy(tmp_path: Path) -> None:
    file = tmp_path / "example.py"
    file.write_text(EXAMPLE)
    run("-m", "mypy", "--strict", str(file))
    file.write_text(EXAMPLE.replace('fences="all"', 'fences="some"'))
    with pytest.raises(AssertionError, match="fences"):
        run("-m", "mypy", "--strict", str(file))


def test_no_text_says_to_install_from_pypi_what_is_not_there() -> None:
    """An extra of `toolwire` would be looked for on PyPI, which has no such package yet."""
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    modules = (ROOT / "py-binding" / "python").rglob("*.py")
    told = re.compile(r"""pip install ['"]?toolwire\[""")
    assert [str(file) for file in [*pages, *modules] if told.search(file.read_text("utf-8"))] == []
