"""The example workflow: whom it answers, which rights it has, what its steps do."""

from __future__ import annotations

import importlib.metadata
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from issue_agent_server import ISSUE, KEY, RECORD, TOKEN, Server, State
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
WORKFLOW = ROOT / "examples" / "github" / "issue-agent.yml"
TEXT = WORKFLOW.read_text(encoding="utf-8")
PAGE: dict[Any, Any] = yaml.safe_load(TEXT)
JOB: dict[str, Any] = PAGE["jobs"]["answer"]
# YAML reads the key `on` as true.
EVENTS: dict[str, Any] = PAGE[True]


def test_actions_are_pinned_by_commit() -> None:
    used = re.findall(r"^\s*(?:- )?uses: (.*)$", TEXT, re.MULTILINE)
    assert len(used) == sum("uses" in step for step in JOB["steps"]) > 0
    for one in used:
        assert re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", one), one


def test_the_token_may_write_issues_and_nothing_else() -> None:
    assert PAGE["permissions"] == {}
    assert JOB["permissions"] == {"issues": "write"}
    assert list(PAGE["jobs"]) == ["answer"]
    page = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
    (workflow,) = re.findall(
        r"## What comes from a workflow on GitHub\n(.*?)\n## ", page, re.DOTALL
    )
    assert re.findall(r"`([a-z-]+: (?:read|write))`", workflow) == ["issues: write"]


def test_only_events_without_code_of_strangers_start_it() -> None:
    assert EVENTS == {"issues": {"types": ["opened"]}, "issue_comment": {"types": ["created"]}}
    assert not any("checkout" in step.get("uses", "") for step in JOB["steps"])


def test_nothing_of_a_stranger_is_part_of_a_command() -> None:
    assert all("${{" not in step.get("run", "") for step in JOB["steps"])
    expressions = set(re.findall(r"\$\{\{\s*(.*?)\s*\}\}", TEXT))
    group = "github.event.comment.id || github.event.issue.number"
    wheel = "vars.TOOLWIRE_WHEEL"
    assert expressions == {group, wheel, "github.token", "secrets.OPENAI_API_KEY"}


def test_whoever_is_not_answered_takes_no_place_in_a_queue() -> None:
    # A group of the whole workflow is joined before GitHub evaluates the job's condition.
    assert "concurrency" not in PAGE
    # GitHub keeps only one waiting run of a group, so each question has a group of its own.
    assert "github.event.comment.id" in JOB["concurrency"]["group"]
    assert not JOB["concurrency"].get("cancel-in-progress", False)


def pins() -> dict[str, str]:
    """Give what the workflow installs: the version of each package, and Toolwire's address."""
    (install,) = (step["run"] for step in JOB["steps"] if "pip install" in step.get("run", ""))
    words = shlex.split(install)
    assert words[:6] == ["python", "-m", "pip", "install", "--no-deps", "--only-binary"]
    own, *others = words[7:]
    name, address = own.split(" @ ")
    return {
        re.sub(r"\[.*", "", name): address,
        **dict(one.split("==") for one in others),
    }


def test_nothing_is_installed_by_a_name_that_is_not_published() -> None:
    # Whoever takes the name on PyPI would have their program run beside the token and the key.
    assert pins()["toolwire"] == "${TOOLWIRE_WHEEL:?the address of a wheel}"
    (step,) = (one for one in JOB["steps"] if one.get("name") == "Install")
    assert step["env"] == {"TOOLWIRE_WHEEL": "${{ vars.TOOLWIRE_WHEEL }}"}
    assert "#sha256=" in TEXT


def test_every_package_is_installed_in_a_version_that_is_named() -> None:
    given = pins()
    tested = (ROOT / "requirements-dev.txt").read_text(encoding="utf-8")
    for name in ("httpx", "openai"):
        assert f"{name}=={given[name]}\n" in tested
    # Without --no-deps, pip would add the newest version of each missing package.
    place = {"python_version": "3.12", "python_full_version": "3.12.0", "sys_platform": "linux"}
    needed = {"toolwire"}
    left: list[tuple[str, tuple[str, ...]]] = [("toolwire", ("github", "openai"))]
    while left:
        name, extras = left.pop()
        for text in importlib.metadata.requires(name) or []:
            one = Requirement(text)
            found = one.name.lower().replace("_", "-")
            is_needed = one.marker is None or any(
                one.marker.evaluate({**place, "extra": extra}) for extra in (*extras, "")
            )
            if is_needed and found not in needed:
                needed.add(found)
                left.append((found, tuple(one.extras)))
    assert needed == set(given)


def test_secrets_are_in_the_environment_of_the_last_command_alone() -> None:
    assert "env" not in PAGE
    assert "env" not in JOB
    holders = [
        step["name"]
        for step in JOB["steps"]
        if "secrets." in str(step) or "github.token" in str(step)
    ]
    assert holders == ["Answer"]
    assert [step.get("name") for step in JOB["steps"]].index("Install") < len(JOB["steps"]) - 2


def condition(event_name: str, event: dict[str, Any]) -> bool:
    """Evaluate the job's condition as Python, after renaming its operators and functions."""
    source = re.sub(r"!(?!=)", " not ", JOB["if"].replace("&&", " and ").replace("||", " or "))

    def value(match: re.Match[str]) -> str:
        found: Any = {"event_name": event_name, "event": event}
        for name in match[1].split("."):
            found = found.get(name) if isinstance(found, dict) else None
        return repr(found)

    source = re.sub(r"(?<!')\bgithub\.([a-z_.]+)", value, source)
    functions = {
        "contains": lambda listed, one: one in listed,
        "fromJSON": json.loads,
        "startsWith": lambda text, start: (text or "").lower().startswith(start.lower()),
    }
    return bool(eval(source, {"__builtins__": {}}, functions))


@pytest.mark.parametrize(
    ("association", "asked", "opened"),
    [
        ("OWNER", True, True),
        ("MEMBER", True, True),
        ("COLLABORATOR", True, True),
        ("CONTRIBUTOR", False, True),
        ("FIRST_TIME_CONTRIBUTOR", False, False),
        ("FIRST_TIMER", False, False),
        ("MANNEQUIN", False, False),
        ("NONE", False, False),
    ],
)
def test_whoever_does_not_belong_to_the_project_spends_nothing(
    association: str, asked: bool, opened: bool
) -> None:
    issue = {"state": "open", "author_association": association}
    assert condition("issues", {"issue": issue}) is opened
    issue["author_association"] = "NONE"
    comment = {"body": "/agent why?", "author_association": association}
    event: dict[str, Any] = {"issue": issue, "comment": comment}
    assert condition("issue_comment", event) is asked
    # Who wrote the issue does not matter for a question in a comment.
    issue["author_association"] = "OWNER"
    assert condition("issue_comment", event) is asked
    assert not condition("issue_comment", {**event, "comment": {**comment, "body": "see /agent"}})
    assert not condition("issue_comment", {**event, "issue": {**issue, "state": "closed"}})
    assert not condition(
        "issue_comment", {**event, "issue": {**issue, "pull_request": {"url": "x"}}}
    )
    assert not condition("pull_request_target", event)


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
def test_its_steps_answer_an_issue(server: Server, state: State, tmp_path: Path) -> None:
    event = {"action": "opened", "issue": ISSUE, "repository": {"full_name": "octo/repo"}}
    (tmp_path / "event.json").write_text(json.dumps(event))
    state.login = state.scopes = None
    values = {"github.token": TOKEN, "secrets.OPENAI_API_KEY": KEY}
    clean = {
        name: one for name, one in os.environ.items() if not name.startswith(("GITHUB_", "OPENAI_"))
    }
    environment = {
        **clean,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        # The package under test and its dependencies are installed already.
        "PIP_NO_INDEX": "1",
        "GITHUB_ACTIONS": "true",
        "GITHUB_API_URL": server.address,
        "GITHUB_REPOSITORY": "octo/repo",
        "GITHUB_EVENT_NAME": "issues",
        "GITHUB_EVENT_PATH": str(tmp_path / "event.json"),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
        "OPENAI_BASE_URL": f"{server.address}/v1",
    }
    steps = [step for step in JOB["steps"] if "run" in step]
    assert len(steps) == 2
    for step in steps:
        # Only the installed versions can be used: nothing is downloaded.
        command = re.sub(r"==[0-9.]+| @ \$\{TOOLWIRE_WHEEL.*?\}", "", step["run"])
        own = {
            name: re.sub(r"\$\{\{ (.*?) \}\}", lambda m: values.get(m[1], ""), one)
            for name, one in step.get("env", {}).items()
        }
        shell = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", command]
        done = subprocess.run(
            shell,
            capture_output=True,
            text=True,
            env={**environment, **own},
            cwd=tmp_path,
            timeout=120,
            check=False,
        )
        if "toolwire issue-agent" not in step["run"]:
            assert done.returncode == 0, done.stdout + done.stderr
    # Labels of the reply that the step does not allow are refused, and the output says so.
    assert done.returncode == 1
    assert "action_denied (failed, label_not_allowed): Label not allowed: macOS\n" in done.stdout
    assert state.labels == ["bug"]
    assert [one["user"]["login"] for one in state.comments] == ["github-actions[bot]"]
    assert TOKEN not in done.stdout + done.stderr
    upload = JOB["steps"][-1]
    assert upload["if"] == "always()"
    assert upload["with"]["path"] == RECORD
    assert (tmp_path / RECORD).exists()
