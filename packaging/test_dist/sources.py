"""The sources: compiled by the Rust of this machine, as PIE and pip do where no binary fits."""

from __future__ import annotations

import json
import os
import sys
import zipfile
from pathlib import Path

from at_hand import DEBIAN_PHP, fresh_source, in_php, in_venv, php_version, python_version
from root import FailedError, documented, remove, run
from row import Row


def extension(dist: Path, folder: Path) -> Row:
    """Compile the package for PIE with phpize; run README's example and the cases."""
    (archive,) = dist.glob("toolwire-php-*.zip")
    expect_a_package(archive)
    source = fresh_source(folder)
    installed = folder / "installed"
    commands = documented("extension sources").replace(
        "make install", f"make install INSTALL_ROOT={installed}"
    )
    run(["sh", "-ec", f"cp {archive} .\n{commands}"], dict(os.environ), folder)
    (built,) = installed.rglob("toolwire.so")
    # The tests count the cases beside the extension.
    placed = built.rename(source / "build/toolwire.so")
    ran, cases = in_php(placed, DEBIAN_PHP, source)
    place = f"this machine, PHP {php_version(DEBIAN_PHP)}, {compiler()}, `phpize`"
    remove(folder)
    return Row(archive.name, place, ran, cases)


def expect_a_package(archive: Path) -> None:
    """Read the package of the sources as PIE does: its type, its name, where it is built."""
    with zipfile.ZipFile(archive) as opened:
        package = json.loads(opened.read("composer.json"))
        names = set(opened.namelist())
    settings = package["php-ext"]
    build = settings.get("build-path", ".")
    missing = {f"{build}/config.m4", "Cargo.lock"} - {name.removeprefix("./") for name in names}
    if package["type"] != "php-ext" or settings["extension-name"] != "toolwire" or missing:
        raise FailedError(
            f"{archive.name} is no package for PIE: {package['type']}, lacks {missing}"
        )


def wheel(dist: Path, folder: Path) -> Row:
    """Let pip compile the wheel; run README's examples and the cases."""
    (archive,) = dist.glob("toolwire-*.tar.gz")
    source = fresh_source(folder)
    python = Path(sys.executable)
    file, ran, cases = in_venv(python, [str(archive)], source)
    place = f"this machine, Python {python_version(python)}, {compiler()}, `pip install` in a venv"
    remove(folder)
    return Row(file, place, ran, cases)


def compiler() -> str:
    """Give the version of Rust that compiles the sources."""
    return "Rust " + run(["rustc", "--version"], dict(os.environ)).split()[1]
