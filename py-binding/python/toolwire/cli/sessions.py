"""The console's command ``toolwire sessions``: finds the sessions that agents have kept."""

from __future__ import annotations

import argparse
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any

from toolwire.cli.agent_folders import agent_folders
from toolwire.cli.log_files import MOST_NAMED
from toolwire.cli.log_rows import moment
from toolwire.cli.parser import add_command, positive
from toolwire.cli.progress import bar
from toolwire.cli.session_index import Known, SessionIndex, cache_file, forget
from toolwire.cli.terminal import DONE, REFUSED, FailedError, complain, safe_line, written
from toolwire.transcript import dialects

EPILOG = """\
The sessions are those of your agents' own folders, or of the folders that --in names. Their text is
kept in an index in your cache folder, which only you can read; --forget removes it. Nothing leaves
this machine.

examples:
  toolwire sessions                          all sessions, the newest first
  toolwire sessions flaky test               those in which both words stand, or words that begin so
  toolwire sessions --tool Bash --limit 5    the newest five in which Bash was called
  toolwire sessions --in ~/old-logs deploy
  toolwire sessions --show 1f0c3a77          one of them, as text
  toolwire sessions --show 1f0c3a77 --html session.html
  toolwire sessions --forget

exit status: 0 done; 1 no session was found; 2 wrong usage, or a file that cannot be read or written
"""


def folders(arguments: argparse.Namespace) -> list[Path]:
    """Give the folders whose sessions are meant."""
    if not arguments.folders:
        return agent_folders()
    for name in arguments.folders:
        if not Path(name).is_dir():
            raise FailedError(f"{name} is no folder")
    return [Path(name).resolve() for name in arguments.folders]


def lines(found: list[Known]) -> Iterator[str]:
    """Write sessions as lines for a person."""
    width = max((len(one.agent or "") for one in found), default=0)
    for one in found:
        at = (moment(one.started) or "")[:16].replace("T", " ")
        failed = f"{one.failed} failed" if one.failed else ""
        title = safe_line(one.title or one.name or Path(one.path).name)
        agent = safe_line(one.agent or "").ljust(width)
        yield f"{one.key}  {at:16}  {agent}  {one.calls:>5} calls  {failed:>10}  {title}"


def inside(one: Known, roots: list[Path]) -> bool:
    """Say whether a session is in one of the folders."""
    return one.path.startswith(tuple(f"{root}{os.sep}" for root in roots))


def show(known: Known, arguments: argparse.Namespace) -> int:
    """Print one session, or write its page."""
    from toolwire.cli.main import make_parser

    given = ["transcript", known.path]
    given += ["--session", known.name] if known.name else []
    given += ["--html", arguments.html] if arguments.html is not None else []
    given += ["--json"] if arguments.json else []
    chosen = make_parser(given).parse_args(given)
    status: int = chosen.run(chosen)
    return status


def run(arguments: argparse.Namespace) -> int:
    """List, search, show or forget sessions."""
    file = cache_file()
    if arguments.forget:
        print(f"{file} is removed" if forget(file) else f"there is no index {file}")
        return DONE
    if arguments.html is not None and arguments.show is None:
        raise FailedError("--html needs --show")
    try:
        return asked(file, arguments)
    except sqlite3.OperationalError as error:
        raise FailedError(f"cannot use the index {file}: {error}") from None
    except sqlite3.DatabaseError:
        # Nothing is in the index that the logs have not.
        forget(file)
        return asked(file, arguments)


def tell_problems(problems: list[str]) -> None:
    """Name the files that are read for the first time and give no session."""
    for problem in problems[:MOST_NAMED]:
        complain(problem)
    if len(problems) > MOST_NAMED:
        complain(f"{len(problems) - MOST_NAMED:,} more files give no session")


def asked(file: Path, arguments: argparse.Namespace) -> int:
    """Do what is asked with the index."""
    with closing(SessionIndex(file)) as index:
        if arguments.show is not None:
            return show(index.named(arguments.show), arguments)
        roots = folders(arguments)
        changed = index.changed(roots)
        with bar(sum(log.size for log in changed)) as progress:
            index.read(changed, progress)
        tell_problems(index.problems)
        known = index.found(arguments.words, arguments.tool, arguments.agent)
    found = [one for one in known if inside(one, roots)] if arguments.folders else known
    found = found[: arguments.limit]
    if arguments.json:
        for one in found:
            print(written(asdict(one)))
    else:
        print("\n".join([*lines(found), f"= {len(found)} sessions"]))
    return DONE if found else REFUSED


def add_to(commands: Any) -> None:
    """Add the command to the console's."""
    more = "List and search the sessions that agents have kept on this machine."
    parser = add_command(commands, "sessions", "find agents' sessions", EPILOG, description=more)
    parser.add_argument("words", nargs="*", metavar="WORD", help="words that the session has")
    parser.add_argument("--tool", metavar="NAME", help="in which this tool was called")
    parser.add_argument(
        "--agent", choices=dialects(), metavar="DIALECT", help="whose log is of this dialect"
    )
    parser.add_argument(
        "--in", dest="folders", action="append", metavar="FOLDER", help="of this folder"
    )
    parser.add_argument("--limit", type=positive, metavar="N", help="the newest N of them")
    parser.add_argument("--show", metavar="ID", help="print this session")
    parser.add_argument("--html", metavar="OUT", help="with --show: write the page of the session")
    parser.add_argument("--json", action="store_true", help="print a JSON object a line")
    parser.add_argument("--forget", action="store_true", help="remove the index")
    parser.set_defaults(run=run)
