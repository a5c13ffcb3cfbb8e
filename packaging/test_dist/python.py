"""The wheel: installed by pip in a venv, without an index."""

from __future__ import annotations

import json
import re
from pathlib import Path

from root import FailedError, Root, documented
from row import Row

VENV = "/opt/app"
# Debian's pytest runs in the venv, which has nothing but the wheel.
PYTEST = (
    "cd /src && PYTHONPATH=/usr/lib/python3/dist-packages "
    f"{VENV}/bin/python -m pytest -q -p no:cacheprovider"
)


def wheel(root: Root, suite: str, only: Path | None = None) -> Row:
    """Install what pip finds, or one wheel; run the README and the cases; uninstall."""
    version = root.run("python3 -c 'import platform; print(platform.python_version())'").strip()
    install = documented("wheel")
    if only is not None:
        install = install.replace("--find-links . toolwire", only.name)
    new_venv, install = install.split("\n", 1)
    root.run(new_venv)
    before = root.files()
    said = root.run(f"cd /dist\n{install}")
    taken = re.search(r"Processing (?:\S*/)?(\S+\.whl)", said)
    if taken is None:
        raise FailedError(f"pip does not say which file it took:\n{said}")
    # The text has refused calls, of which the exit status tells.
    console = f"{VENV}/bin/toolwire"
    root.run(
        f"{console} --version && {console} detect /src/examples/data/reply.md | grep '^call 0'"
    )
    pages = root.run(f"{PYTEST} -k README tests/python/test_pages.py")
    root.run(f"{PYTEST} tests/python/test_cases.py")
    counts = json.loads((root.folder / "src/build/cases-python.json").read_text())
    root.run(f"{VENV}/bin/pip uninstall -y toolwire")
    root.run(f"! {VENV}/bin/python -c 'import toolwire' 2>/dev/null")
    root.expect_the_same_files(before)
    return Row(
        Path(taken[1]).name,
        f"Debian {suite}, Python {version}, `pip install` in a venv",
        f"README ({passed(pages)}), console, shared cases",
        sum(counts.values()),
    )


def passed(said: str) -> str:
    """Give how many tests pytest passed, which must be some."""
    match = re.search(r"^(\d+) passed", said, re.MULTILINE)
    if match is None:
        raise FailedError(f"pytest passed nothing:\n{said[-1000:]}")
    return f"{match[1]} examples"
