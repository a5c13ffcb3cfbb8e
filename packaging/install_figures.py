"""Copies the tables of dist/BUILT.md and dist/TESTED.md into docs/install.md.

usage: python3 packaging/install_figures.py DIST
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

PAGE = Path(__file__).resolve().parent.parent / "docs" / "install.md"
REGION = re.compile(
    r"(?<=<!-- written by packaging/install_figures.py -->\n).*?(?=<!-- end -->)", re.DOTALL
)


def table(page: Path) -> str:
    """Give the table of a page."""
    rows = [line for line in page.read_text(encoding="utf-8").splitlines() if line.startswith("|")]
    if len(rows) < 3:
        sys.exit(f"install_figures: {page} has no table")
    return "\n".join(rows) + "\n"


def main(dist: Path) -> None:
    """Write what was built, and what of it was installed where."""
    built, tested = table(dist / "BUILT.md"), table(dist / "TESTED.md")
    text = (
        f"What `make dist` built:\n\n{built}\nWhat `make test-dist` installed and ran:\n\n{tested}"
    )
    page, count = REGION.subn(lambda _: text, PAGE.read_text(encoding="utf-8"))
    if count != 1:
        sys.exit(f"install_figures: {PAGE} has {count} places for the figures")
    PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
