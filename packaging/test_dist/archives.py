"""What holds for every archive: its checksum, and the oldest system that can load it.

`describe.py` holds them to their sizes.
"""

from __future__ import annotations

import hashlib
import io
import re
import zipfile
from pathlib import Path

from root import FailedError
from row import Row

# CentOS 7 and everything newer has it.
GLIBC = (2, 17)


def check_archives(dist: Path) -> Row:
    """Check the checksums of all files, and the glibc that the binaries need."""
    sums = {}
    for line in (dist / "SHA256SUMS").read_text().splitlines():
        digest, name = line.split(maxsplit=1)
        sums[name.removeprefix("*")] = digest
    wrong = [
        name
        for name, digest in sums.items()
        if hashlib.sha256((dist / name).read_bytes()).hexdigest() != digest
    ]
    if wrong:
        raise FailedError(f"files that differ from SHA256SUMS: {wrong}")
    binaries = sorted([*dist.glob("*.whl"), *dist.glob("php_toolwire-*.zip")])
    missing = {file.name for file in (*binaries, *dist.glob("*.crate"), *dist.glob("*.zip"))} - {
        *sums
    }
    if missing:
        raise FailedError(f"SHA256SUMS lacks {sorted(missing)}")
    problems = [problem for file in binaries for problem in of_binary(file)]
    if problems:
        raise FailedError("\n".join(problems))
    glibc = f"{len(binaries)} need no glibc newer than {GLIBC[0]}.{GLIBC[1]}"
    return Row("SHA256SUMS", "this machine", f"{len(sums)} checksums; {glibc}")


def of_binary(file: Path) -> list[str]:
    """Say what is wrong with a wheel or with an extension."""
    problems = []
    with zipfile.ZipFile(io.BytesIO(file.read_bytes())) as archive:
        for name in archive.namelist():
            content = archive.read(name)
            if content[:4] != b"\x7fELF":
                continue
            # The versions of the symbols that are needed are texts in the file.
            versions = re.findall(rb"\0GLIBC_(\d+)\.(\d+)", content)
            newest = max(((int(major), int(minor)) for major, minor in versions), default=(0, 0))
            if newest > GLIBC:
                problems.append(f"{file.name}: {name} needs glibc {newest[0]}.{newest[1]}")
    return problems
