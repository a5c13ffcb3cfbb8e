"""``toolwire transcript --html``: the page of one session, or those of many with their index."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from toolwire.cli.log_files import whole_pieces
from toolwire.cli.log_work import ORDER, STATUSES, unknown
from toolwire.cli.terminal import DONE, FAILED, FailedError, complain, safe_line
from toolwire.transcript import Session, Transcript, index_html, normalize

#: How much of a session's name is in that of its page.
LONGEST_NAME = 60


def session_of(session: Session, arguments: argparse.Namespace) -> Transcript:
    """Read a session whole."""
    dialect = arguments.dialect
    if dialect == "auto":
        dialect = session.reader().dialect or dialect
    log = b"".join(whole_pieces(session))
    return normalize(log, worktree=arguments.worktree, dialect=dialect)


def write_page(file: Path, html: str) -> None:
    """Write a page."""
    try:
        file.write_text(html, encoding="utf-8")
    except OSError as error:
        raise FailedError(f"cannot write {file}: {error.strerror or error}") from None


def page_name(number: int, session: Session) -> str:
    """Name the page of a session: its number, and what it is called."""
    called = re.sub(r"[^A-Za-z0-9._-]+", "-", session.name or session.path.stem)
    return f"{number:04}-{called[:LONGEST_NAME]}.html"


class Pages:
    """Writes the pages of sessions into a folder, one after the other."""

    def __init__(self, folder: Path, arguments: argparse.Namespace) -> None:
        self.folder = folder
        self.arguments = arguments
        self.status = DONE
        self.count = 0
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            problem = error.strerror or error
            raise FailedError(f"the pages of many sessions need a folder: {problem}") from None

    def write(self, sessions: Sequence[Session]) -> Iterator[tuple[str, Transcript]]:
        """Write the pages; give the name and the session of each."""
        for number, session in enumerate(sessions, 1):
            try:
                read = session_of(session, self.arguments)
            except FailedError as error:
                complain(str(error))
                self.status = FAILED
                continue
            verdict = read.account["verdict"]
            self.status = max(self.status, STATUSES[verdict], key=ORDER.index)
            if verdict == "unknown":
                complain(unknown(session, read))
                continue
            name = page_name(number, session)
            write_page(self.folder / name, read.to_html())
            self.count += 1
            yield name, read


def write_pages(sessions: Sequence[Session], arguments: argparse.Namespace) -> int:
    """Write a page of each session, and an index of them."""
    pages = Pages(Path(arguments.html), arguments)
    index = pages.folder / "index.html"
    write_page(index, index_html(pages.write(sessions)))
    print(f"{pages.count} of {len(sessions)} sessions are in {safe_line(str(index))}")
    return pages.status


def write_html(sessions: Sequence[Session], arguments: argparse.Namespace) -> int:
    """Write the page of a session, or the pages of several."""
    file = Path(arguments.html)
    if len(sessions) > 1 or file.is_dir():
        return write_pages(sessions, arguments)
    read = session_of(sessions[0], arguments)
    write_page(file, read.to_html())
    verdict = read.account["verdict"]
    if verdict == "unknown":
        complain(unknown(sessions[0], read))
    return STATUSES[verdict]
