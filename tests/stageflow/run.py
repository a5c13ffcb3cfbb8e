"""Runs stageflow's own tests of its tools with ``toolwire.tools`` in place of them.

    python tests/stageflow/run.py FOLDER

The tests come with the source of stageflow-core on PyPI, which is downloaded to the folder. They
run as they are: only what they import as ``stageflow.tools`` is ``toolwire.tools``.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCE = "stageflow_core-1.2.0"


def source(folder: Path) -> Path:
    """Give the folder with stageflow's source; it is downloaded and unpacked once."""
    unpacked = folder / SOURCE
    if not unpacked.is_dir():
        download = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        download += ["--disable-pip-version-check", "--no-binary", ":all:", "--dest", str(folder)]
        download += ["--require-hashes", "--requirement", str(HERE / "requirements.txt")]
        subprocess.run(download, check=True)
        unpack = ["tar", "-xzf", str(folder / f"{SOURCE}.tar.gz"), "-C", str(folder)]
        subprocess.run(unpack, check=True)
    return unpacked


def tests(unpacked: Path) -> list[str]:
    """Give the files of tests that import the tools."""
    found = sorted((unpacked / "tests").rglob("test_*.py"))
    return [str(path) for path in found if "stageflow.tools" in path.read_text(encoding="utf-8")]


def main() -> int:
    """Run the tests, and give pytest's code."""
    unpacked = source(Path(sys.argv[1]).resolve())
    plugins = os.pathsep.join([str(HERE), *filter(None, [os.environ.get("PYTHONPATH")])])
    run = [sys.executable, "-m", "pytest", "-q", "-p", "swapped", "-p", "no:cacheprovider"]
    # Their settings name plugins that are not here.
    run += ["-c", str(HERE / "pytest.ini"), "--rootdir", str(unpacked), *tests(unpacked)]
    return subprocess.run(
        run, cwd=unpacked, env={**os.environ, "PYTHONPATH": plugins}, check=False
    ).returncode


if __name__ == "__main__":
    sys.exit(main())
