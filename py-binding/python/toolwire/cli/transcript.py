"""The console's command ``toolwire transcript``: an agent's log, as a person reads it."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from toolwire.cli.parser import add_command
from toolwire.cli.terminal import DONE, FailedError, painter, safe, safe_line, written
from toolwire.transcript import (
    PIECE,
    Patch,
    Reader,
    Session,
    Transcript,
    dialects,
    followed,
    normalize,
    read,
)

# A smaller file is read before anybody sees a bar.
BIG = 8 << 20

EPILOG = """\
A line begins with < for what the person, with > for what the model says, with ! for an error. A
call has two: when it is made, and when its result comes. With --json each line is an operation of
JSON Patch (RFC 6902) on {"entries": []}.

examples:
  toolwire transcript session.jsonl
  toolwire transcript --summary session.jsonl
  toolwire transcript --json session.jsonl | jq -r 'select(.op == "replace").value.content.content'
  toolwire transcript --html session.html session.jsonl
  droid exec --output-format stream-json "fix it" | toolwire transcript -
  toolwire transcript --follow session.jsonl

The output ends with an account of the log: its records, what was skipped or damaged, its calls.

exit status: 0 all understood and joined; 1 a call has no result, or a result no call; 2 wrong
usage, or a file that cannot be read or written; 3 no log that is known; 4 partly damaged
"""

# The exit status of each verdict.
STATUSES = {"whole": 0, "unjoined": 1, "unknown": 3, "damaged": 4}

MARKS = {
    "system_message": "-",
    "user_message": "<",
    "assistant_message": ">",
    "thinking": "~",
    "error_message": "!",
}


@dataclass
class Figures:
    """The counts of one tool."""

    calls: int = 0
    failed: int = 0
    done: int = 0
    milliseconds: int = 0


def input_pieces() -> Iterator[bytes]:
    """Read standard input."""
    if sys.stdin is None:
        raise FailedError("cannot read standard input: it is closed")
    while piece := sys.stdin.buffer.read(PIECE):
        yield piece


def unreadable(name: object, error: Exception) -> FailedError:
    """Give the failure of a file that cannot be read."""
    return FailedError(f"cannot read {name}: {getattr(error, 'strerror', None) or error}")


def found_sessions(arguments: argparse.Namespace) -> list[Session]:
    """List the sessions of the file or folder, or the one that was asked for."""
    name = arguments.file
    try:
        sessions = list(read(name))
    except (OSError, ValueError) as error:
        raise unreadable(name, error) from None
    if arguments.session is not None:
        sessions = [one for one in sessions if arguments.session in (one.name, one.path.name)]
        if not sessions:
            raise FailedError(f"{name} has no session {arguments.session}")
    return sessions


def next_piece(session: Session, log: Iterator[bytes]) -> bytes:
    """Read the next piece; empty at the end."""
    try:
        return next(log, b"")
    except (OSError, EOFError, ValueError) as error:
        raise unreadable(session.path, error) from None


def pieces(session: Session, quiet: bool) -> Iterator[bytes]:
    """Read a session piece by piece, with a bar on a terminal for a big one."""
    bar: Any = None
    try:
        size = os.path.getsize(session.path)
        if size > BIG and sys.stderr.isatty() and (quiet or not sys.stdout.isatty()):
            with contextlib.suppress(ImportError):
                from tqdm import tqdm

                bar = tqdm(total=size, unit="B", unit_scale=True, leave=False, file=sys.stderr)
        log = session.pieces()
        while piece := next_piece(session, log):
            yield piece
            if bar is not None:
                bar.update(len(piece))
    finally:
        if bar is not None:
            bar.close()


def print_patch(patch: Patch) -> None:
    """Print a patch for a person."""
    paint = painter()
    entry = patch.entry
    if entry.type != "tool_use":
        mark = MARKS.get(entry.type, "-")
        head = paint("refused", mark) if mark == "!" else mark
        print(head, safe(entry.content).rstrip("\n").replace("\n", "\n  "))
        return
    head = f"{safe_line(entry.tool_name or '')}: {safe_line(entry.content)}"
    if patch.op == "add":
        print(f"* {head}")
        return
    took = "" if entry.duration is None else f" ({entry.duration} ms)"
    shown = paint("refused" if entry.status == "failed" else "call", entry.status or "")
    print(f"  {shown}: {head}{took}")
    if entry.error is not None:
        print("   ", safe(entry.error["message"]).rstrip("\n").replace("\n", "\n    "))


def print_json(patch: Patch) -> None:
    """Print a patch as JSON in one line."""
    print(written(patch.to_dict()))


def count(patch: Patch, tools: dict[str, Figures]) -> None:
    """Count a call when it is made, and again when its result comes."""
    entry = patch.entry
    if entry.type != "tool_use":
        return
    figures = tools.setdefault(entry.name or "", Figures())
    if patch.op == "add":
        figures.calls += 1
        return
    figures.done += 1
    figures.failed += entry.status == "failed"
    figures.milliseconds += entry.duration or 0


def print_summary(tools: dict[str, Figures]) -> None:
    """Print a table of the counts."""
    total = Figures()
    for one in tools.values():
        total.calls += one.calls
        total.failed += one.failed
        total.done += one.done
        total.milliseconds += one.milliseconds
    rows = sorted(tools.items(), key=lambda item: (-item[1].calls, item[0]))
    named = [(safe_line(name), figures) for name, figures in rows]
    width = max([len(name) for name, _ in named] + [5])
    print(f"{'tool':{width}}  {'calls':>7}  {'failed':>7}  {'pending':>7}  {'time':>10}")
    for name, one in [*named, ("total", total)]:
        time = f"{one.milliseconds / 1000:.1f} s"
        print(
            f"{name:{width}}  {one.calls:>7}  {one.failed:>7}  "
            f"{one.calls - one.done:>7}  {time:>10}"
        )


def print_account(account: dict[str, Any], arguments: argparse.Namespace) -> None:
    """Print what was in the log."""
    if arguments.json:
        print(written({"account": account}))
        return
    skipped = ", ".join(f"{safe_line(kind)} {count}" for kind, count in account["skipped"].items())
    parts = [f"{account['records']} records", f"{account['understood']} understood"]
    parts += [f"skipped: {skipped}"] if skipped else []
    for name in ("unknown", "repaired", "repeated"):
        parts += [f"{account[name]} {name}"] if account[name] else []
    if account["damaged"]:
        lines = ", ".join(map(str, account["damaged_lines"][:10]))
        parts.append(f"{account['damaged']} damaged (line {lines})")
    print("=", "; ".join(parts))
    parts = [f"{account['calls']} calls", f"{account['joined']} with result"]
    parts += [f"{account['pending']} pending"]
    if account["orphaned"]:
        ids = ", ".join(safe_line(one) or "no id" for one in account["orphans"][:10])
        parts.append(f"{account['orphaned']} results without call ({ids})")
    for name in ("denied", "cancelled"):
        parts += [f"{account[name]} {name}"] if account[name] else []
    if account["as_text"]:
        parts.append(f"{account['as_text']} calls written as text")
    print("=", "; ".join(parts))


def ended(reader: Reader | Transcript, arguments: argparse.Namespace) -> int:
    """Print the account, and give the exit status that follows from it."""
    account = reader.account
    if not arguments.html:
        print_account(account, arguments)
    sys.stdout.flush()
    if account["verdict"] == "unknown":
        look = f", {safe_line(reader.look)}" if reader.look else ""
        known = ", ".join(dialects())
        print(
            f"toolwire: no dialect known for {safe_line(arguments.file)}: "
            f"{account['records']} records{look}; known are {known}",
            file=sys.stderr,
        )
    elif 2 * account["understood"] < account["records"] - sum(account["skipped"].values()):
        print(
            f"toolwire: only {account['understood']} of {account['records']} records of "
            f"{safe_line(arguments.file)} are understood",
            file=sys.stderr,
        )
    return STATUSES[account["verdict"]]


def write_html(arguments: argparse.Namespace) -> int:
    """Write the page of a session."""
    dialect = arguments.dialect
    if arguments.file == "-":
        log = b"".join(input_pieces())
    else:
        sessions = found_sessions(arguments)
        log = b"".join(piece for one in sessions for piece in pieces(one, quiet=True))
        if dialect == "auto" and sessions:
            dialect = sessions[0].reader().dialect or dialect
    transcript = normalize(log, worktree=arguments.worktree, dialect=dialect)
    try:
        Path(arguments.html).write_text(transcript.to_html(), encoding="utf-8")
    except OSError as error:
        raise FailedError(f"cannot write {arguments.html}: {error.strerror or error}") from None
    return ended(transcript, arguments)


async def follow_log(arguments: argparse.Namespace) -> int:
    """Print the patches of a log while it grows."""
    show = print_json if arguments.json else print_patch
    reader = Reader(worktree=arguments.worktree, dialect=arguments.dialect)
    try:
        async for patch in followed(arguments.file, reader, 0.2, arguments.idle):
            show(patch)
            sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise FailedError(f"cannot read {arguments.file}: {error.strerror or error}") from None
    return ended(reader, arguments)


def read_log(
    reader: Reader, log: Iterator[bytes], arguments: argparse.Namespace, tools: dict[str, Figures]
) -> int:
    """Print one session, and give the exit status."""

    def show(patches: list[Patch]) -> None:
        for patch in patches:
            if arguments.summary:
                count(patch, tools)
            else:
                (print_json if arguments.json else print_patch)(patch)

    for piece in log:
        show(reader.feed_piece(piece))
    show(reader.finish())
    if arguments.summary:
        print_summary(tools)
    return ended(reader, arguments)


def print_sessions(sessions: list[Session]) -> None:
    """List the sessions of a file or a folder."""
    for session in sessions:
        print(safe_line(session.name or str(session.path)))
    print(f"= {len(sessions)} sessions; --session NAME shows one, --summary counts all")


def run(arguments: argparse.Namespace) -> int:
    """Read a log."""
    if arguments.html is not None:
        return write_html(arguments)
    if arguments.follow:
        return asyncio.run(follow_log(arguments))
    options = {"worktree": arguments.worktree, "dialect": arguments.dialect}
    if arguments.file == "-":
        return read_log(Reader(**options), input_pieces(), arguments, {})
    sessions = found_sessions(arguments)
    if not sessions:
        raise FailedError(f"cannot read {arguments.file}: there is no log in it")
    if len(sessions) > 1 and not arguments.summary and not arguments.json:
        print_sessions(sessions)
        return DONE
    worst = DONE
    for session in sessions:
        if len(sessions) > 1 and not arguments.json:
            print(f"# {safe_line(session.name or str(session.path))}")
        log = pieces(session, quiet=arguments.summary)
        status = read_log(session.reader(**options), log, arguments, {})
        # A log that is not known is worse than a damaged one.
        worst = max(worst, status, key=(DONE, 1, 4, 3).index)
    return worst


def add_to(commands: Any) -> None:
    """Add the command to the console's."""
    more = "Read an agent's log, each call with its result."
    parser = add_command(commands, "transcript", "read an agent's log", EPILOG, description=more)
    parser.add_argument(
        "file", metavar="FILE", help="a log or a folder of logs; - is standard input"
    )
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument("--json", action="store_true", help="print a patch a line")
    shown.add_argument(
        "--summary", action="store_true", help="print calls, failures and time by tool"
    )
    shown.add_argument("--html", metavar="OUT", help="write one page of the session to look at")
    parser.add_argument("--follow", action="store_true", help="go on while the log grows")
    parser.add_argument(
        "--idle",
        type=float,
        metavar="SECONDS",
        help="with --follow: end when nothing came for so long",
    )
    parser.add_argument(
        "--session", metavar="NAME", help="which session, if the file or the folder has several"
    )
    parser.add_argument("--worktree", metavar="DIR", help="the folder from which paths are shown")
    parser.add_argument(
        "--dialect",
        default="auto",
        choices=("auto", *dialects()),
        metavar="NAME",
        help="whose log it is; auto, the default, tells it from the log",
    )
    parser.set_defaults(run=run)
