"""Every other PHP and Python at hand: those in build/roots that are no Debian of their own.

They run on this machine, with the settings of their folder alone.
"""

from __future__ import annotations

import json
import os
import platform
import re
import zipfile
from pathlib import Path

from python import passed
from root import REPOSITORY, copy_tracked, remove, run
from row import Row

ROOTS = REPOSITORY / "build/roots"


def extension(archive: Path, php: Path, folder: Path) -> Row:
    """Load the extension of an archive into a PHP; run README's example and the cases."""
    source = fresh_source(folder)
    with zipfile.ZipFile(archive) as opened:
        opened.extract("toolwire.so", source / "build")
    phpunit = php.parent / "phpunit"
    if not phpunit.exists():
        # A PHP that was built has none; PHPUnit 11 runs on each of them.
        phpunit = ROOTS / "8.4/bin/phpunit"
    parts = phpunit.resolve().parent.parent / "share/php"
    command = [str(php), "-d", "memory_limit=-1", "-d", f"include_path=.:{parts}"]
    command += ["-d", f"extension={source}/build/toolwire.so", str(phpunit.resolve())]
    command += ["-c", "tests/php/phpunit-10.xml", "--filter", r"CasesTest::testCase|README\.md"]
    run(command, {**os.environ, "TOOLWIRE_SO": f"{source}/build/toolwire.so"}, source)
    counts = json.loads((source / "build/cases-php.json").read_text())
    version = run([str(php), "-n", "-r", "echo PHP_VERSION, PHP_ZTS ? ' with threads' : '';"])
    remove(folder)
    return Row(
        archive.name,
        f"this machine, PHP {version}, `-d extension=`",
        "README (1 example), shared cases",
        sum(counts.values()),
    )


def wheel(dist: Path, python: Path, folder: Path) -> Row:
    """Install the wheel that pip finds for a Python; run README's examples and the cases."""
    source = fresh_source(folder)
    venv = folder / "venv"
    pip = [str(venv / "bin/python"), "-m", "pip", "install", "--quiet"]
    run([str(python), "-m", "venv", str(venv)])
    tools = (REPOSITORY / "requirements-dev.txt").read_text(encoding="utf-8")
    pytest = re.findall(r"^pytest==.*$", tools, re.MULTILINE)
    run([*pip, *pytest])
    only = ["--no-index", "--only-binary", ":all:", "--find-links", str(dist), "toolwire"]
    report = folder / "report.json"
    run([*pip, *only, "--report", str(report)])
    (installed,) = json.loads(report.read_text())["install"]
    tests = ["tests/python/test_cases.py", "tests/python/test_pages.py", "-k", "README or cases"]
    said = run([str(venv / "bin/python"), "-m", "pytest", "-q", *tests], dict(os.environ), source)
    passed(said)
    counts = json.loads((source / "build/cases-python.json").read_text())
    version = run([str(python), "-c", "import platform; print(platform.python_version())"]).strip()
    remove(folder)
    return Row(
        installed["download_info"]["url"].rpartition("/")[2],
        f"this machine, Python {version}, `pip install` in a venv",
        "README (2 examples), shared cases",
        sum(counts.values()),
    )


def fresh_source(folder: Path) -> Path:
    """Copy the tests into a folder where nothing was built."""
    remove(folder)
    copy_tracked(folder / "src")
    (folder / "src/build").mkdir()
    return folder / "src"


def php_of(archive: Path) -> Path | None:
    """Give the PHP for an archive, if it is at hand and if this machine can run it."""
    name = re.search(r"_php([\d.]+)-(\w+)-linux-glibc-(nts|zts)\.zip$", archive.name)
    machine = platform.machine().replace("aarch64", "arm64")
    if name is None or name[2] != machine:
        return None
    label = name[1] + ("-zts" if name[3] == "zts" else "")
    php = ROOTS / label / "bin/php"
    return php if php.exists() else None


def pythons(dist: Path) -> list[Path]:
    """Give the Pythons at hand for which there is a wheel."""
    tags = {tag for file in dist.glob("*.whl") for tag in re.findall(r"-cp3(\d+t?)-", file.name)}
    found = sorted(ROOTS.glob("python-3.*/bin/python"))
    return [one for one in found if one.parts[-3].rpartition(".")[2] in tags]
