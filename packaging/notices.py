"""Writes the licences of what the extension and the wheel contain: crates, SQLite, Rust itself.

usage: notices.py FILE

Of a crate that may be used under MIT or another licence, MIT is taken.
"""

import re
import sys
from collections import defaultdict
from pathlib import Path

from crates import ROOT, Crate, all_linked

FILES = re.compile(r"(?i)(licen[cs]e|copying|copyright|notice|unlicense)([-_.].*)?$")
MIT = re.compile(r"(?i)licen[cs]e[-_.]mit([-_.].*)?$")
ABOUT = """\
Toolwire is licensed under MIT or Apache-2.0. The extension and the wheel also contain the work of
others, which is named here with its licences.

SQLite (https://sqlite.org), in the crate libsqlite3-sys, is in the public domain.

The standard library of Rust (https://rust-lang.org), by The Rust Project Contributors, is licensed
under MIT or Apache-2.0: it has the licence that stands below for crates without a licence file.
"""


def offers_mit(licence: str) -> bool:
    """Whether a licence lets us choose MIT, alone."""
    return " AND " not in licence and "MIT" in re.split(r" OR |[()]", licence)


def texts(crate: Crate) -> list[str]:
    """Read the texts of a crate's licence."""
    files = sorted(path for path in crate.folder.iterdir() if FILES.match(path.name))
    if offers_mit(crate.licence):
        files = [path for path in files if MIT.match(path.name)] or files
    found = [path.read_text(encoding="utf-8").strip() for path in files]
    if found:
        return found
    if not offers_mit(crate.licence):
        sys.exit(f"notices: {crate.name} {crate.version} ({crate.licence}) has no licence file")
    # The files of the crate have no text, and MIT has one that all use.
    ours = (ROOT / "LICENSE-MIT").read_text(encoding="utf-8").strip()
    return [re.sub(r"Copyright .*", "Copyright (c) the authors that are named above", ours)]


def main(target: Path) -> None:
    """Write the file: the crates of each text, then the text."""
    users: dict[str, list[Crate]] = defaultdict(list)
    theirs = [crate for crate in all_linked() if not crate.ours]
    for crate in theirs:
        for text in texts(crate):
            users[text].append(crate)
    parts = [ABOUT]
    for text, crates in sorted(users.items(), key=lambda item: item[1][0]):
        lines = ["=" * 80]
        for crate in crates:
            by = ", ".join(re.sub(r" *<.*?>", "", author) for author in crate.authors)
            lines.append(
                f"{crate.name} {crate.version} ({crate.licence}) {crate.repository}".strip()
            )
            if by:
                lines.append(f"    by {by}")
        parts.append("\n".join([*lines, "", text, ""]))
    target.write_text("\n".join(parts), encoding="utf-8")
    print(f"notices: {len(theirs)} crates, {len(users)} texts")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
