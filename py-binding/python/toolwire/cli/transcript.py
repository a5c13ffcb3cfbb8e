"""The console's command ``toolwire transcript``: agents' logs, as a person reads them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from toolwire._log_files import Log
from toolwire.cli.agent_folders import agent_folders
from toolwire.cli.interrupt import interruptible
from toolwire.cli.log_files import STDIN, asked_logs, passed_over, pieces, sessions_in, title
from toolwire.cli.log_pages import write_html
from toolwire.cli.log_print import (
    account_lines,
    is_failure,
    print_failure,
    print_json,
    print_patch,
)
from toolwire.cli.log_rows import Rows, RowsFile
from toolwire.cli.log_summary import KEYS, Sum, read_prices
from toolwire.cli.log_work import (
    ORDER,
    STATUSES,
    Done,
    Plan,
    Told,
    of_agent,
    unknown,
    worked,
)
from toolwire.cli.parser import add_command, positive
from toolwire.cli.progress import bar, unheard
from toolwire.cli.terminal import (
    DONE,
    FAILED,
    INTERRUPTED,
    FailedError,
    complain,
    safe_line,
    written,
)
from toolwire.transcript import Patch, Reader, Session, dialects, followed

EPILOG = """\
A line begins with < for what the person, with > for what the model says, with ! for an error. A
call has two: when it is made, and when its result comes. With --json each line is an operation of
JSON Patch (RFC 6902) on {"entries": []}.

examples:
  toolwire transcript                             the sessions that your agents have kept
  toolwire transcript session.jsonl
  toolwire transcript --summary logs/ old.zip     calls, failures and times of many logs
  toolwire transcript --summary --by model --prices prices.json logs/
  toolwire transcript --errors 'logs/**/*.jsonl'  each call that failed; a row each with --json
  toolwire transcript --out calls.csv --jobs 2 logs/
  toolwire transcript --json session.jsonl | jq -r 'select(.op == "replace").value.content.content'
  toolwire transcript --html session.html session.jsonl
  toolwire transcript --html pages/ logs/         a page of each session, and an index
  droid exec --output-format stream-json "fix it" | toolwire transcript -
  toolwire transcript --follow session.jsonl

The output ends with an account of the logs: records, what was skipped or damaged, calls.

exit status: 0 all understood and joined; 1 a call has no result, or a result no call; 2 wrong
usage, or a file that cannot be read or written; 3 no log that is known; 4 partly damaged; the worst
of all logs counts
"""


def ended(reader: Reader, name: str, arguments: argparse.Namespace) -> int:
    """Print the account, and give the exit status that follows from it."""
    account = reader.account
    if arguments.json:
        print(written({"account": account}))
    else:
        print("\n".join(account_lines(account)))
    sys.stdout.flush()
    if account["verdict"] == "unknown":
        look = f", {safe_line(reader.look)}" if reader.look else ""
        known = ", ".join(dialects())
        print(
            f"toolwire: no dialect known for {safe_line(name)}: "
            f"{account['records']} records{look}; known are {known}",
            file=sys.stderr,
        )
    elif 2 * account["understood"] < account["records"] - sum(account["skipped"].values()):
        print(
            f"toolwire: only {account['understood']} of {account['records']} records of "
            f"{safe_line(name)} are understood",
            file=sys.stderr,
        )
    return STATUSES[account["verdict"]]


async def follow_log(name: str, arguments: argparse.Namespace) -> int:
    """Print the patches of a log while it grows."""
    show = print_json if arguments.json else print_patch
    reader = Reader(worktree=arguments.worktree, dialect=arguments.dialect)
    try:
        async for patch in followed(name, reader, 0.2, arguments.idle):
            show(patch)
            sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise FailedError(f"cannot read {name}: {error.strerror or error}") from None
    return ended(reader, name, arguments)


def read_log(reader: Reader, log: Iterator[bytes], name: str, arguments: argparse.Namespace) -> int:
    """Print one session, and give the exit status."""
    show = print_json if arguments.json else print_patch

    def print_all(patches: list[Patch]) -> None:
        for patch in patches:
            show(patch)

    for piece in log:
        print_all(reader.feed_piece(piece))
    print_all(reader.finish())
    return ended(reader, name, arguments)


def print_sessions(sessions: Sequence[Session]) -> int:
    """List the sessions of files and folders."""
    several = len({session.path for session in sessions}) > 1
    for session in sessions:
        print(safe_line(title(session) if several else session.name or title(session)))
    print(f"= {len(sessions)} sessions; --session NAME shows one, --summary counts all")
    return DONE


def print_errors(sessions: Sequence[Session], arguments: argparse.Namespace) -> int:
    """Print each call that failed."""
    options = {"worktree": arguments.worktree, "dialect": arguments.dialect}
    total, worst = Sum("tool"), DONE
    for session in sessions:
        reader = session.reader(**options)
        show = failure_printer(session, reader, as_json=arguments.json)
        try:
            for piece in pieces(session):
                show(reader.feed_piece(piece))
        except FailedError as error:
            complain(str(error))
            worst = FAILED
            continue
        show(reader.finish())
        worst = max(worst, STATUSES[reader.account["verdict"]], key=ORDER.index)
        if reader.account["verdict"] == "unknown":
            complain(unknown(session, reader))
        total.add(Sum("tool", account=reader.account))
    if arguments.json:
        print(written({"account": total.account}))
    elif total.account:
        print("\n".join(account_lines(total.account)))
    return worst


def failure_printer(
    session: Session, reader: Reader, *, as_json: bool
) -> Callable[[Sequence[Patch]], None]:
    """Give a function that prints what failed in a session, below the session's name."""
    rows, heads = Rows(str(session.path), session.name), [f"# {safe_line(title(session))}"]

    def show(patches: Sequence[Patch]) -> None:
        for patch in patches:
            if as_json:
                failed = [row for row in rows.take(patch) if row["status"] == "failed"]
                for row in of_agent(failed, reader.dialect):
                    print(written(row))
            elif is_failure(patch):
                while heads:
                    print(heads.pop())
                print_failure(patch)

    return show


def sum_up(arguments: argparse.Namespace) -> int:
    """Print the sums of all logs, and write the rows of their calls if they are wanted."""
    # The first logs are read while the others are still listed, unless a bar shows how many.
    logs: Iterable[Log] = listed(arguments)
    size = 0
    if sys.stderr.isatty():
        logs = list(logs)
        size = sum(log.size for log in logs)
    prices = {} if arguments.prices is None else read_prices(arguments.prices)
    options = {"worktree": arguments.worktree, "dialect": arguments.dialect}
    rows = None if arguments.out is None else RowsFile(arguments.out)
    plan = Plan(arguments.by, prices, options, rows is not None, arguments.session)
    total = Done(Sum(arguments.by))
    with interruptible() as interrupt, bar(size) as show:
        told = Told(unheard if rows is None else rows.write, show)
        try:
            for done in interrupt.until(worked(plan, logs, arguments.jobs or 1, told)):
                for problem in done.problems:
                    complain(problem)
                done.problems, done.rows = [], []
                total.add(done)
            if not total.logs and not interrupt.happened:
                raise no_log(arguments)
            if not total.sessions and not interrupt.happened:
                raise no_session(arguments)
        except BaseException:
            if rows is not None:
                rows.file.give_up()
            raise
        if rows is not None:
            rows.finish()
    if over := passed_over(arguments.files):
        complain(over)
    print_sum(total.sum, arguments)
    if interrupt.happened:
        all_logs = sum(1 for _ in listed(arguments))
        complain(f"interrupted: {total.logs:,} of {all_logs:,} logs are counted")
        return INTERRUPTED
    return total.status


def print_sum(total: Sum, arguments: argparse.Namespace) -> None:
    """Print the sums and the account."""
    if arguments.json:
        print(written({**total.to_dict(), "account": total.account}))
    elif total.account:
        lines = total.lines() if arguments.summary else []
        print("\n".join(lines + account_lines(total.account)))
    if total.account.get("verdict") == "unknown":
        complain(f"known are {', '.join(dialects())}")
    if total.unpriced:
        models = ", ".join(safe_line(model) or "unknown" for model in sorted(total.unpriced))
        complain(f"{arguments.prices} has no price for {models}: their cost is not counted")


def listed(arguments: argparse.Namespace) -> Iterator[Log]:
    """List the logs that are asked for."""
    names = arguments.files
    if not names:
        names = [str(folder) for folder in agent_folders()]
        if not names:
            raise FailedError("no agent has kept a log here; name a file or a folder")
    yield from asked_logs(names)


def no_log(arguments: argparse.Namespace) -> FailedError:
    """Say that there is no log where one is asked for."""
    names = arguments.files or [str(folder) for folder in agent_folders()]
    return FailedError(f"cannot read {', '.join(names)}: there is no log in it")


def logs_of(arguments: argparse.Namespace) -> list[Log]:
    """Find the logs that are asked for."""
    logs = list(listed(arguments))
    if not logs:
        raise no_log(arguments)
    if over := passed_over(arguments.files):
        complain(over)
    return logs


def sessions_of(logs: Sequence[Log], arguments: argparse.Namespace) -> list[Session]:
    """Give the sessions of the logs, or those of the name that is asked for."""
    sessions = [one for log in logs for one in sessions_in(log, arguments.session)]
    if not sessions:
        raise no_session(arguments)
    return sessions


def no_session(arguments: argparse.Namespace) -> FailedError:
    """Say that no log has the session that is asked for."""
    where = ", ".join(arguments.files) or "what your agents have kept"
    return FailedError(f"{where} has no session {arguments.session or ''}".rstrip())


def check(arguments: argparse.Namespace) -> None:
    """Refuse options that do not go together."""
    sums = arguments.summary or arguments.out is not None
    for name in ("by", "prices", "jobs"):
        if getattr(arguments, name) is not None and not sums:
            raise FailedError(f"--{name} needs --summary or --out")
    if arguments.follow and (len(arguments.files) != 1 or sums or arguments.errors):
        raise FailedError("--follow takes one file, and prints it")
    arguments.by = arguments.by or KEYS[0]


def run(arguments: argparse.Namespace) -> int:
    """Read logs."""
    check(arguments)
    # Standard input is printed while it comes.
    if arguments.follow and arguments.files != [STDIN]:
        # It takes as long to import as all the rest.
        import asyncio

        return asyncio.run(follow_log(arguments.files[0], arguments))
    if arguments.summary or arguments.out is not None:
        return sum_up(arguments)
    sessions = sessions_of(logs_of(arguments), arguments)
    if arguments.html is not None:
        return write_html(sessions, arguments)
    if arguments.errors:
        return print_errors(sessions, arguments)
    if len(sessions) > 1 and not arguments.json:
        return print_sessions(sessions)
    if not arguments.files and not arguments.json:
        return print_sessions(sessions)
    several = len(sessions) > 1
    return max((print_log(one, several, arguments) for one in sessions), key=ORDER.index)


def print_log(session: Session, several: bool, arguments: argparse.Namespace) -> int:
    """Print a session, one of several or the only one, and give the exit status."""
    reader = session.reader(worktree=arguments.worktree, dialect=arguments.dialect)
    try:
        return read_log(reader, pieces(session), str(session.path), arguments)
    except FailedError as error:
        if not several:
            raise
        complain(str(error))
        return FAILED


def add_to(commands: Any) -> None:
    """Add the command to the console's."""
    more = "Read agents' logs, each call with its result."
    parser = add_command(commands, "transcript", "read agents' logs", EPILOG, description=more)
    parser.add_argument(
        "files",
        nargs="*",
        metavar="FILE",
        help="logs, packed or not, folders, patterns, databases; - is standard input; without any, "
        "the sessions that your agents have kept",
    )
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument(
        "--summary", action="store_true", help="print calls, failures, times and tokens"
    )
    shown.add_argument("--errors", action="store_true", help="print each call that failed")
    shown.add_argument(
        "--html",
        metavar="OUT",
        help="write the page of the session; of several, pages with an index",
    )
    parser.add_argument(
        "--json", action="store_true", help="print a patch a line; with --summary, the sums"
    )
    parser.add_argument("--by", choices=KEYS, help="with --summary: what is summed up; tool")
    parser.add_argument(
        "--prices",
        metavar="TABLE",
        help="with --summary: what a million tokens of each model cost, as JSON or CSV",
    )
    parser.add_argument(
        "--out", metavar="OUT", help="write a row for each call: .jsonl, .csv or .parquet"
    )
    parser.add_argument(
        "--jobs", type=positive, metavar="N", help="with --summary or --out: so many processes"
    )
    parser.add_argument("--follow", action="store_true", help="go on while the log grows")
    parser.add_argument(
        "--idle",
        type=float,
        metavar="SECONDS",
        help="with --follow: end when nothing came for so long",
    )
    parser.add_argument("--session", metavar="NAME", help="which session, if there are several")
    parser.add_argument("--worktree", metavar="DIR", help="the folder from which paths are shown")
    parser.add_argument(
        "--dialect",
        default="auto",
        choices=("auto", *dialects()),
        metavar="NAME",
        help="whose log it is; auto, the default, tells it from the log",
    )
    parser.set_defaults(run=run)
