"""Checks the sizes of what was built, and writes dist/BUILT.md and dist/SHA256SUMS.

usage: describe.py FOLDER
"""

import hashlib
import re
import sys
import zipfile
from pathlib import Path

from crates import version

MOST_ZIP = 5_200_000
MOST_SHARED_OBJECT = 13_000_000
ADVICE = (
    "look for a crate or generic code that has grown (cargo bloat --crates), or build more of it "
    "small: [profile.dist.package] in Cargo.toml"
)
KINDS = (
    (r"php_toolwire-.*_php([\d.]+)-(\w+?)-.*-zts\.zip", "extension for PHP {} with threads, {}"),
    (r"php_toolwire-.*_php([\d.]+)-(\w+?)-.*-nts\.zip", "extension for PHP {}, {}"),
    (r".*-cp310-abi3-.*_(x86_64|aarch64)\.whl", "wheel for Python 3.10 and newer (slower), {}"),
    (r".*-cp3(\d+)-cp3\d+-.*_(x86_64|aarch64)\.whl", "wheel for Python 3.{}, {}"),
    (r".*-cp3(\d+)-cp3\d+t-.*_(x86_64|aarch64)\.whl", "wheel for Python 3.{} without GIL, {}"),
    (r"toolwire-php-.*\.zip", "Composer package of the extension's sources, for PIE"),
    (r"toolwire-toolwire-.*\.zip", "Composer package: plain PHP, stubs, drop-ins"),
    (r"toolwire-wordpress-.*\.zip", "WordPress plugin"),
    (r"toolwire-[\d.]+\.tar\.gz", "sources of the wheel"),
    (r"toolwire-[\d.]+\.crate", "Rust crate"),
    (r"toolwire\.cdx\.json", "what the extension and the wheel contain (CycloneDX)"),
    (r"THIRD-PARTY-NOTICES\.txt", "licences of what the extension and the wheel contain"),
)


def kind(name: str) -> str:
    """Say what a file is."""
    for pattern, words in KINDS:
        found = re.fullmatch(pattern, name)
        if found:
            return words.format(*found.groups())
    sys.exit(f"describe: {name} is none of the files that make dist writes")


def shared_object(path: Path) -> int | None:
    """Count the bytes of the compiled code in an archive."""
    if path.suffix not in (".zip", ".whl"):
        return None
    with zipfile.ZipFile(path) as archive:
        sizes = [info.file_size for info in archive.infolist() if info.filename.endswith(".so")]
    return sizes[0] if sizes else None


def check(path: Path, content: int | None) -> list[str]:
    """Say what is too large about a file."""
    found = []
    size = path.stat().st_size
    if content is not None and size > MOST_ZIP:
        found.append(f"{path.name} has {size} bytes, more than {MOST_ZIP}")
    if content is not None and content > MOST_SHARED_OBJECT:
        found.append(f"the code in {path.name} has {content} bytes, more than {MOST_SHARED_OBJECT}")
    return found


def megabytes(size: int | None) -> str:
    """Write a size for people."""
    return "" if size is None else f"{size / 1e6:.2f}"


def main(folder: Path) -> int:
    """Write both files; return 1 when something is too large."""
    files = sorted(path for path in folder.iterdir() if path.name not in ("BUILT.md", "SHA256SUMS"))
    rows = []
    problems = []
    sums = []
    for path in files:
        content = shared_object(path)
        problems += check(path, content)
        size = path.stat().st_size
        rows.append(
            f"| {kind(path.name)} | `{path.name}` | {megabytes(size)} | {megabytes(content)} |"
        )
        sums.append(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}")
    heading = f"# Toolwire {version()}: what was built\n\n"
    table = "| what | file | MB | MB of code in it |\n|---|---|---:|---:|\n"
    built = heading + table + "\n".join(rows) + "\n"
    (folder / "BUILT.md").write_text(built, encoding="utf-8")
    (folder / "SHA256SUMS").write_text("\n".join(sums) + "\n", encoding="utf-8")
    for problem in problems:
        print(f"describe: {problem}: {ADVICE}", file=sys.stderr)
    print(built)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
