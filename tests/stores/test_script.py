"""The script of the store on Redis is one file, which both packages hold."""

from __future__ import annotations

import subprocess
import tarfile
from pathlib import Path

import pytest
from cases import ROOT
from toolwire.runs.store_redis import read_script

SOURCE = ROOT / "py-binding/python/toolwire/runs/redis.lua"
OF_PHP = ROOT / "php/toolwire/src/Store/redis.lua"


def test_python_and_php_read_one_file() -> None:
    assert SOURCE.samefile(OF_PHP)
    assert SOURCE.is_file()
    # What is installed is what maturin took into the wheel.
    assert read_script() == SOURCE.read_bytes()
    assert b"local function put(" in read_script()


def test_no_other_file_of_the_packages_holds_a_script() -> None:
    calls = "redis.call("
    sources = [*ROOT.glob("py-binding/python/**/*.py"), *ROOT.glob("php/**/*.php")]
    assert len(sources) > 100
    assert [str(path) for path in sources if calls in path.read_text(encoding="utf-8")] == []


def test_the_composer_package_holds_it_as_a_file(tmp_path: Path) -> None:
    target = tmp_path / "package"
    subprocess.run([ROOT / "php/package.sh", target], check=True, capture_output=True)
    held = target / "src/Store/redis.lua"
    assert not held.is_symlink()
    assert held.read_bytes() == SOURCE.read_bytes()
    assert [str(path) for path in target.rglob("*") if path.is_symlink()] == []


def test_the_source_distribution_holds_it(tmp_path: Path) -> None:
    maturin = ROOT / ".venv/bin/maturin"
    if not maturin.exists():
        pytest.skip("maturin is not installed in .venv")
    manifest = ROOT / "py-binding/Cargo.toml"
    command = [str(maturin), "sdist", "-m", str(manifest), "-o", str(tmp_path)]
    subprocess.run(command, check=True, capture_output=True)
    (archive,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(archive) as sources:
        (name,) = [name for name in sources.getnames() if name.endswith("/redis.lua")]
        held = sources.extractfile(name)
        assert held is not None
        assert held.read() == SOURCE.read_bytes()
