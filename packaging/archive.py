"""Writes a folder as a zip that has the same bytes each time: sorted, with one date, from a list.

usage: archive.py ZIP FOLDER [NAME]     with NAME, the files stand in a folder of that name
"""

import os
import stat
import sys
import time
import zipfile
from pathlib import Path

EPOCH = max(int(os.environ["SOURCE_DATE_EPOCH"]), 315532800)  # a zip knows no day before 1980


def entry(name: str, mode: int) -> zipfile.ZipInfo:
    """Make the header of a file: everyone may read it, and its date is that of the commit."""
    info = zipfile.ZipInfo(name, time.gmtime(EPOCH)[:6])
    info.compress_type = zipfile.ZIP_DEFLATED
    info.create_system = 3  # Unix, whose permissions follow
    info.external_attr = (stat.S_IFREG | (0o755 if mode & 0o100 else 0o644)) << 16
    return info


def write(target: Path, files: dict[str, tuple[bytes, int]]) -> None:
    """Write files, given by name as their bytes and permissions."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(target, "w", compresslevel=9) as archive:
        for name, (content, mode) in sorted(files.items()):
            archive.writestr(entry(name, mode), content, compresslevel=9)


def read_folder(folder: Path, under: str = "") -> dict[str, tuple[bytes, int]]:
    """Read all files of a folder; a link is read as what it leads to."""
    prefix = f"{under}/" if under else ""
    return {
        prefix + path.relative_to(folder).as_posix(): (path.read_bytes(), path.stat().st_mode)
        for path in folder.rglob("*")
        if path.is_file()
    }


if __name__ == "__main__":
    zip_file, source, *top = sys.argv[1:]
    write(Path(zip_file), read_folder(Path(source), *top))
