"""The list of what is compiled in, compared with Cargo.lock and with what cargo links."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = ("toolwire-php", "toolwire-py")
TARGETS = ("x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu")
OURS = "toolwire"

tomllib = pytest.importorskip("tomllib")
pytest.importorskip("cyclonedx")


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Write the list as a release does."""
    file = tmp_path_factory.mktemp("sbom") / "toolwire.cdx.json"
    command = [sys.executable, str(ROOT / "packaging" / "sbom.py"), str(file)]
    environment = {**os.environ, "SOURCE_DATE_EPOCH": "1700000000"}
    subprocess.run(command, check=True, env=environment, capture_output=True)
    written: dict[str, Any] = json.loads(file.read_bytes())
    return written


def listed(document: dict[str, Any]) -> dict[tuple[str, str], dict[str, Any]]:
    return {(one["name"], one["version"]): one for one in document["components"]}


def linked() -> set[tuple[str, str]]:
    """Give what cargo links into the extension and the wheel, by its own tree."""
    found = set()
    for target in TARGETS:
        command = ["cargo", "tree", "--locked", "--target", target, "--prefix", "none"]
        command += [
            "-e",
            "normal,no-proc-macro",
            *(part for one in SHIPPED for part in ("-p", one)),
        ]
        done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
        for line in done.stdout.splitlines():
            if line:
                name, version = line.split()[:2]
                found.add((name, version.removeprefix("v")))
    return found


def test_each_crate_is_that_of_the_lock_file(document: dict[str, Any]) -> None:
    lock = tomllib.loads((ROOT / "Cargo.lock").read_text(encoding="utf-8"))
    sums = {(one["name"], one["version"]): one.get("checksum") for one in lock["package"]}
    assert len(listed(document)) == len(document["components"]) > 50
    for crate, component in listed(document).items():
        assert crate in sums, f"{crate} is not in Cargo.lock"
        hashes = [one["content"] for one in component.get("hashes", ())]
        assert hashes == [sums[crate]] if sums[crate] else not hashes, crate
        name, version = crate
        purl = component.get("purl")
        assert purl == (f"pkg:cargo/{name}@{version}" if sums[crate] else None)
        assert component["licenses"], f"{crate} has no licence"


def test_all_that_cargo_links_is_listed(document: dict[str, Any]) -> None:
    linked_crates = linked()
    assert linked_crates <= set(listed(document))
    # The list may have a few more: what only the features of tests and benches would turn on.
    assert len(listed(document)) - len(linked_crates) < 12
    assert document["metadata"]["component"]["name"] == OURS


def test_what_depends_on_what_is_in_the_list(document: dict[str, Any]) -> None:
    names = {one["bom-ref"] for one in document["components"]} | {OURS}
    needs = {one["ref"]: set(one.get("dependsOn", ())) for one in document["dependencies"]}
    assert set(needs) == names
    assert set().union(*needs.values()) <= names
