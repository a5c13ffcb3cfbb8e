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
# It has PHPUnit 9.
DEBIAN_PHP = Path("/usr/bin/php")


def extension(archive: Path, php: Path, folder: Path) -> Row:
    """Load the extension of an archive into a PHP; run README's example and the cases."""
    source = fresh_source(folder)
    with zipfile.ZipFile(archive) as opened:
        opened.extract("toolwire.so", source / "build")
    ran, cases = in_php(source / "build/toolwire.so", php, source)
    place = f"this machine, PHP {php_version(php)}, `-d extension=`"
    remove(folder)
    return Row(archive.name, place, ran, cases)


def in_php(extension: Path, php: Path, source: Path) -> tuple[str, int]:
    """Run README's example and the cases with an extension; say so, with the number of cases."""
    phpunit = php.parent / "phpunit"
    if not phpunit.exists():
        # A PHP that was built has none; PHPUnit 11 runs on each of them.
        phpunit = ROOTS / "8.4/bin/phpunit"
    parts = phpunit.resolve().parent.parent / "share/php"
    settings = "phpunit.xml" if php == DEBIAN_PHP else "phpunit-10.xml"
    command = [str(php), "-d", "memory_limit=-1", "-d", f"include_path=.:{parts}"]
    command += ["-d", f"extension={extension}", str(phpunit.resolve())]
    command += ["-c", f"tests/php/{settings}", "--filter", r"CasesTest::testCase|README\.md"]
    run(command, {**os.environ, "TOOLWIRE_SO": str(extension)}, source)
    counts = json.loads((source / "build/cases-php.json").read_text())
    return "README (1 example), shared cases", sum(counts.values())


def php_version(php: Path) -> str:
    """Give the version of a PHP, and whether it has threads."""
    return run([str(php), "-n", "-r", "echo PHP_VERSION, PHP_ZTS ? ' with threads' : '';"])


def wheel(dist: Path, python: Path, folder: Path) -> Row:
    """Install the wheel that pip finds for a Python; run README's examples and the cases."""
    source = fresh_source(folder)
    only = ["--no-index", "--only-binary", ":all:", "--find-links", str(dist), "toolwire"]
    file, ran, cases = in_venv(python, only, source)
    place = f"this machine, Python {python_version(python)}, `pip install` in a venv"
    remove(folder)
    return Row(file, place, ran, cases)


def in_venv(python: Path, what: list[str], source: Path) -> tuple[str, str, int]:
    """Install in a venv; run README's examples and the cases; give the file that pip took."""
    venv = source.parent / "venv"
    pip = [str(venv / "bin/python"), "-m", "pip", "install", "--quiet"]
    run([str(python), "-m", "venv", str(venv)])
    tools = (REPOSITORY / "requirements-dev.txt").read_text(encoding="utf-8")
    pytest = re.findall(r"^pytest==.*$", tools, re.MULTILINE)
    run([*pip, *pytest])
    report = source.parent / "report.json"
    run([*pip, *what, "--report", str(report)])
    (installed,) = json.loads(report.read_text())["install"]
    tests = ["tests/python/test_cases.py", "tests/python/test_pages.py", "-k", "README or cases"]
    said = run([str(venv / "bin/python"), "-m", "pytest", "-q", *tests], dict(os.environ), source)
    passed(said)
    counts = json.loads((source / "build/cases-python.json").read_text())
    file = installed["download_info"]["url"].rpartition("/")[2]
    return file, "README (2 examples), shared cases", sum(counts.values())


def python_version(python: Path) -> str:
    """Give the version of a Python."""
    return run([str(python), "-c", "import platform; print(platform.python_version())"]).strip()


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
