"""The workflows and RELEASING.md: what they name is there, and their rights are few."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
RELEASING = (ROOT / "RELEASING.md").read_text(encoding="utf-8")
# What make is given beside targets.
ASSIGNMENT = re.compile(r"\w+=")
# A name that stands for a file or a folder of the repository, or for a program in it.
PATH = re.compile(
    r"(?<![\w./$-])((?:\.ci|\.github|packaging|wordpress|docs|tests|examples)/[\w./-]*\w"
    r"|[A-Z]+\.md|Cargo\.toml|composer\.json)(?![\w*])"
)


def load(file: Path) -> dict[Any, Any]:
    read: dict[Any, Any] = yaml.safe_load(file.read_text(encoding="utf-8"))
    return read


def jobs() -> list[tuple[str, dict[str, Any]]]:
    assert {file.name for file in WORKFLOWS} == {"ci.yml", "release.yml"}
    return [
        (f"{file.name}: {name}", job)
        for file in WORKFLOWS
        for name, job in load(file)["jobs"].items()
    ]


def image_of(job: dict[str, Any]) -> str | None:
    container = job.get("container")
    return container["image"] if isinstance(container, dict) else container


def test_an_image_is_named_by_its_digest() -> None:
    images = {image for _, job in jobs() if (image := image_of(job)) is not None}
    services = [one["image"] for _, job in jobs() for one in job.get("services", {}).values()]
    assert images
    for image in [*images, *services]:
        assert re.fullmatch(r"[a-z0-9./-]+:[\w.-]+@sha256:[0-9a-f]{64}", image), image
    assert len(images) == 1, "every job runs in the same image"


def targets() -> set[str]:
    """Give the targets of the Makefile, as make itself sees them."""
    done = subprocess.run(
        ["make", "-npq", "help"], capture_output=True, text=True, check=False, cwd=ROOT
    )
    found = set(re.findall(r"^([a-z][\w.-]*):(?!=)", done.stdout, re.MULTILINE))
    assert {"test", "dist", "test-dist", "lint"} <= found, done.stderr
    return found


def made(text: str) -> set[str]:
    """Give the targets that the lines of a shell make."""
    words = [
        shlex.split(line, comments=True)
        for line in text.splitlines()
        if line.strip().startswith("make ")
    ]
    return {word for line in words for word in line[1:] if not ASSIGNMENT.match(word)}


def code_of(page: str) -> str:
    """Give what stands in the code blocks and between the ticks of a page."""
    found = re.findall(r"```sh\n(.*?)```|`([^`\n]+)`", page, re.DOTALL)
    return "\n".join(block or word for block, word in found)


def fill(text: str, row: dict[str, Any]) -> str:
    """Put the values of a row of a matrix into a text."""
    for key, value in row.items():
        text = text.replace(f"${{{{ matrix.{key} }}}}", str(value))
    return text


def commands(job: dict[str, Any]) -> str:
    """Give the commands of a job, each once for each row of its matrix."""
    runs = [step for step in job["steps"] if "run" in step]
    matrix = job.get("strategy", {}).get("matrix", {})
    rows = matrix.get("include") or [{key: one} for key, all_ in matrix.items() for one in all_]
    texts = []
    for step in runs:
        for row in rows or [{}]:
            text = step["run"]
            for name, value in step.get("env", {}).items():
                pattern = rf'"?\${name}\b"?'
                text = re.sub(pattern, fill(str(value), row).replace("\\", ""), text)
            texts.append(text)
    return "\n".join(texts)


@pytest.mark.parametrize(("name", "job"), jobs())
def test_the_commands_of_a_job_exist(name: str, job: dict[str, Any]) -> None:
    text = commands(job)
    assert made(text) <= targets(), name
    missing = [path for path in PATH.findall(text) if not (ROOT / path).exists()]
    assert missing == []
    # Nothing from outside is part of a command.
    assert all("${{" not in step.get("run", "") for step in job["steps"])


def test_the_search_for_commands_finds_them() -> None:
    found = set().union(*(made(commands(job)) for _, job in jobs()))
    assert {"setup", "dist", "dist-wheels", "test-dist", "test-php-versions"} <= found
    page = "run `make dist test-dist A=b` now; `make deny B='c d'`"
    assert made(code_of(page)) == {"dist", "test-dist", "deny"}
    assert PATH.findall("`packaging/none x` RELEASING.md") == ["packaging/none", "RELEASING.md"]


def test_what_releasing_names_exists() -> None:
    code = code_of(RELEASING)
    assert made(code) <= targets()
    assert {"dist", "dist-same", "test-dist"} <= made(code)
    named = set(PATH.findall(code))
    assert len(named) > 10
    assert [path for path in named if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.name)
def test_actions_are_pinned_by_commit(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    used = re.findall(r"^\s*(?:- )?uses: (.*)$", text, re.MULTILINE)
    steps = [step for job in load(file)["jobs"].values() for step in job["steps"]]
    assert len(used) == sum("uses" in step for step in steps) > 0
    for one in used:
        assert re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", one), one
    # A version has one commit, in every workflow.
    everywhere = [*WORKFLOWS, ROOT / "examples" / "github" / "issue-agent.yml"]
    pins = {
        one
        for other in everywhere
        for one in re.findall(r"uses: (\S+) # (\S+)", other.read_text(encoding="utf-8"))
    }
    names = [(one.partition("@")[0], version) for one, version in pins]
    assert len(names) == len(set(names))


def test_each_job_has_the_rights_that_it_needs() -> None:
    for file in WORKFLOWS:
        assert load(file)["permissions"] == {}
    writes = {
        name: sorted(right for right, value in job["permissions"].items() if value == "write")
        for name, job in jobs()
    }
    assert {name: rights for name, rights in writes.items() if rights} == {
        "release.yml: provenance": ["attestations", "id-token"],
        "release.yml: draft": ["contents"],
        "release.yml: pypi": ["id-token"],
        "release.yml: crates-io": ["id-token"],
    }
    for name, job in jobs():
        assert job["timeout-minutes"] <= 180, name
        for step in job["steps"]:
            if "checkout" in step.get("uses", ""):
                assert step["with"]["persist-credentials"] is False, name
        if "id-token" in job["permissions"] and not name.endswith("provenance"):
            assert job["environment"], name
    # Nothing is published that was not installed and tested.
    release = load(ROOT / ".github" / "workflows" / "release.yml")["jobs"]
    order = {name: job.get("needs") for name, job in release.items() if "needs" in job}
    assert order["provenance"] == "test"
    assert order["draft"] == "provenance"
    assert order["pypi"] == order["crates-io"] == "draft"


def test_dependabot_looks_where_there_is_something() -> None:
    page = load(ROOT / ".github" / "dependabot.yml")
    files = {
        "cargo": ("Cargo.toml",),
        "pip": ("requirements*.txt", "pyproject.toml"),
        "npm": ("package.json",),
        "composer": ("composer.json",),
        "github-actions": (".github/workflows/*.yml",),
    }
    assert {update["package-ecosystem"] for update in page["updates"]} == set(files)
    for update in page["updates"]:
        for folder in update.get("directories") or [update["directory"]]:
            place = ROOT / folder.strip("/")
            patterns = files[update["package-ecosystem"]]
            assert any(list(place.glob(pattern)) for pattern in patterns), (update, folder)


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
def test_a_tag_that_is_not_the_version_is_refused() -> None:
    for tag in ("v0.1.0", "99.0.0"):
        done = subprocess.run(
            [str(ROOT / "packaging" / "check-tag"), tag],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 1
        assert f"the tag is {tag}, the version of Cargo.toml is " in done.stderr
