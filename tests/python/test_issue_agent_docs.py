"""The documentation of ``toolwire.issue_agent``: examples, page and workflow."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import shlex
from pathlib import Path
from types import ModuleType

import pytest
import toolwire._native
import toolwire.cli.issue_agent.command
import toolwire.cli.issue_agent.run
import toolwire.issue_agent
from toolwire.cli.main import make_parser

from examples import fails, undocumented

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "issue-agent.md"
WORKFLOW = ROOT / "examples" / "github" / "issue-agent.yml"

MODULES = [toolwire.issue_agent] + [
    importlib.import_module(f"toolwire.issue_agent.{module.name}")
    for module in pkgutil.iter_modules(toolwire.issue_agent.__path__)
]


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_every_module_s_example_is_true(module: ModuleType) -> None:
    docs = {module.__name__: module.__doc__ or ""}
    for name in module.__all__:
        docs[name] = inspect.getdoc(getattr(module, name)) or ""
        for member, value in (
            vars(getattr(module, name)).items() if inspect.isclass(getattr(module, name)) else ()
        ):
            docs[f"{name}.{member}"] = inspect.getdoc(value) or "" if callable(value) else ""
    assert any(">>>" in doc for doc in docs.values()), f"{module.__name__}: no example"
    assert (
        "".join(fails(doc, name, vars(module)) for name, doc in docs.items() if ">>>" in doc) == ""
    )


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_every_public_name_is_documented(module: ModuleType) -> None:
    assert len(module.__all__) == len(set(module.__all__))
    assert undocumented(module) == []


def test_the_package_hands_out_what_its_modules_do() -> None:
    handed_out = set(toolwire.issue_agent.__all__)
    assert {"Dispatcher", "FinalAnalyzer", "ActionExecutor", "GitHubClient"} <= handed_out
    assert all(hasattr(toolwire.issue_agent, name) for name in handed_out)


def test_the_page_s_examples_print_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    page = PAGE.read_text(encoding="utf-8")
    examples = re.findall(
        r"```python\n(.*?)\n```\n\nprints\n\n```text\n(.*?)```\n\n", page, re.DOTALL
    )
    assert len(examples) == page.count("```python") == 3
    for source, printed in examples:
        exec(compile(source, str(PAGE), "exec"), {})
        assert capsys.readouterr().out == printed


def test_the_page_names_every_variable_that_is_read() -> None:
    page = PAGE.read_text(encoding="utf-8")
    (named,) = re.findall(
        r"^environment: (.*?)\n\n", toolwire.cli.issue_agent.command.RUN_EPILOG, re.M | re.S
    )
    read = re.findall(r"[A-Z]\w+", named)
    assert {"GITHUB_API_URL", "OPENAI_BASE_URL", "TOOLWIRE_MODEL"} <= set(read)
    assert [name for name in read if f"`{name}`" not in page] == []


def test_the_workflow_runs_what_the_console_knows() -> None:
    workflow = WORKFLOW.read_text(encoding="utf-8")
    commands = re.findall(r"run: (toolwire .*)", workflow)
    assert len(commands) == 1
    arguments = make_parser().parse_args(shlex.split(commands[0])[1:])
    assert arguments.run is toolwire.cli.issue_agent.run.run_agent
    assert arguments.label == ["bug", "question", "documentation"]
    # No command contains text of strangers.
    assert not re.search(r"run:.*\$\{\{", workflow)
    extras = (ROOT / "py-binding" / "pyproject.toml").read_text(encoding="utf-8")
    for extra in re.findall(r"toolwire\[([a-z,]+)\]", workflow)[0].split(","):
        assert re.search(rf"^{extra} = \[", extras, re.MULTILINE)
    assert toolwire.cli.issue_agent.command.RECORD_FILE == toolwire.issue_agent.RECORD_FILE
    assert toolwire.issue_agent.RECORD_FILE in workflow
