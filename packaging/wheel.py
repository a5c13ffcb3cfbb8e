"""Adds licences and the list of contents to a wheel, with the same bytes each time.

usage: wheel.py WHEEL FOLDER     FOLDER has the files to add, and takes the wheel
"""

import base64
import csv
import hashlib
import io
import sys
import zipfile
from pathlib import Path

from archive import write
from crates import ROOT

LICENCES = ("LICENSE", "LICENSE-APACHE", "LICENSE-MIT")


def record_line(name: str, content: bytes) -> tuple[str, str, str]:
    """Write the line of a file in the wheel's RECORD."""
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return name, f"sha256={digest}", str(len(content))


def main(wheel: Path, folder: Path) -> None:
    """Write the wheel, with what is added, into the folder."""
    with zipfile.ZipFile(wheel) as archive:
        files = {
            info.filename: (archive.read(info), info.external_attr >> 16)
            for info in archive.infolist()
            if not info.is_dir()
        }
    about = next(name.split("/")[0] for name in files if name.endswith(".dist-info/WHEEL"))
    # What maturin writes of the contents has a number and a date of its own.
    files = {name: file for name, file in files.items() if not name.startswith(f"{about}/sboms/")}
    notices = folder / "THIRD-PARTY-NOTICES.txt"
    for path in [*(ROOT / name for name in LICENCES), notices]:
        files[f"{about}/licenses/{path.name}"] = path.read_bytes(), 0o644
    files[f"{about}/sboms/toolwire.cdx.json"] = (folder / "toolwire.cdx.json").read_bytes(), 0o644

    metadata = files[f"{about}/METADATA"][0].decode()
    head, _, body = metadata.partition("\n\n")
    lines = [line for line in head.rstrip("\n").split("\n") if not line.startswith("License-File:")]
    lines += [f"License-File: {name}" for name in [*LICENCES, notices.name]]
    files[f"{about}/METADATA"] = "\n\n".join(["\n".join(lines), body]).encode(), 0o644

    record = f"{about}/RECORD"
    del files[record]
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerows(record_line(name, content) for name, (content, _) in sorted(files.items()))
    rows.writerow((record, "", ""))
    files[record] = text.getvalue().encode(), 0o644
    write(folder / wheel.name, files)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
