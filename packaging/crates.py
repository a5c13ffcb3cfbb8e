"""Lists the crates of other people that are linked into the extension and the wheel.

Build scripts, macros and tests run on the machine that builds; nothing of them is shipped.
"""

import json
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path

import tomllib

ROOT = Path(__file__).resolve().parent.parent
SHIPPED = ("toolwire-php", "toolwire-py")
TARGETS = ("x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu")


@dataclass(frozen=True, order=True)
class Crate:
    """A crate as cargo sees it; `needs` has the names and versions of what it links."""

    name: str
    version: str
    licence: str
    authors: tuple[str, ...]
    repository: str
    folder: Path
    ours: bool
    sum: str
    needs: tuple[tuple[str, str], ...]


def metadata(target: str) -> dict:
    """Ask cargo what it knows of all crates that are used on a target."""
    command = ["cargo", "metadata", "--locked", "--format-version=1", f"--filter-platform={target}"]
    run = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    return json.loads(run.stdout)


def is_macro(package: dict) -> bool:
    """Whether the compiler loads a crate instead of linking it."""
    return any("proc-macro" in target["kind"] for target in package["targets"])


def linked(target: str, sums: dict[tuple[str, str], str]) -> set[Crate]:
    """List the crates that are linked on a target, those of the workspace too."""
    known = metadata(target)
    packages = {package["id"]: package for package in known["packages"]}
    ours = set(known["workspace_members"])
    nodes = {node["id"]: node for node in known["resolve"]["nodes"]}

    def needs(identity: str) -> list[str]:
        return [
            need["pkg"]
            for need in nodes[identity]["deps"]
            if any(kind["kind"] is None for kind in need["dep_kinds"])
            and not is_macro(packages[need["pkg"]])
        ]

    waiting = [identity for identity in ours if packages[identity]["name"] in SHIPPED]
    seen = set(waiting)
    while waiting:
        new = set(needs(waiting.pop())) - seen
        seen |= new
        waiting += new

    def key(identity: str) -> tuple[str, str]:
        return packages[identity]["name"], packages[identity]["version"]

    return {
        Crate(
            *key(identity),
            licence=(packages[identity]["license"] or "").replace("/", " OR "),
            authors=tuple(packages[identity]["authors"]),
            repository=packages[identity]["repository"] or "",
            folder=Path(packages[identity]["manifest_path"]).parent,
            ours=identity in ours,
            sum=sums.get(key(identity), ""),
            needs=tuple(sorted(map(key, needs(identity)))),
        )
        for identity in seen
    }


def version() -> str:
    """Read the version of the workspace."""
    cargo = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))
    return cargo["workspace"]["package"]["version"]


def all_linked() -> list[Crate]:
    """List the crates that are linked on any target, sorted."""
    lock = tomllib.loads((ROOT / "Cargo.lock").read_text(encoding="utf-8"))
    sums = {
        (package["name"], package["version"]): package.get("checksum", "")
        for package in lock["package"]
    }
    found: dict[tuple[str, str], Crate] = {}
    for crate in (crate for target in TARGETS for crate in linked(target, sums)):
        key = crate.name, crate.version
        before = found[key].needs if key in found else ()
        found[key] = replace(crate, needs=tuple(sorted({*before, *crate.needs})))
    return sorted(found.values())
