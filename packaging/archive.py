"""Writes a folder as a zip that has the same bytes each time: sorted, with one date, from a list.

usage: archive.py ZIP FOLDER [NAME]     with NAME, the files stand in a folder of that name
"""

import os
import stat
import sys
import time
import zipfile
from pathlib import Path

import zopfli.zlib

EPOCH = max(int(os.environ["SOURCE_DATE_EPOCH"]), 315532800)  # a zip knows no day before 1980


class Zopfli:
    """Compresses like zlib's compressor, by 3 % better; the zips have a limit."""

    def __init__(self) -> None:
        self._content = bytearray()

    def compress(self, content: bytes) -> bytes:
        """Take a part of a file."""
        self._content += content
        return b""

    def flush(self) -> bytes:
        """Give the whole file, without zlib's head of two bytes and its sum of four."""
        content = bytes(self._content)
        return zopfli.zlib.compress(content, numiterations=5, blocksplittingmax=0)[2:-4]


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
    with zipfile.ZipFile(target, "w") as archive:
        for name, (content, mode) in sorted(files.items()):
            with archive.open(entry(name, mode), "w") as file:
                file._compressor = Zopfli()
                file.write(content)


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
