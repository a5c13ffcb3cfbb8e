"""Sums up many logs, and writes their calls: one after the other, or in several processes."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from toolwire.cli.log_files import size, title, whole_pieces
from toolwire.cli.log_rows import Row, Rows
from toolwire.cli.log_summary import Counting, Price, Sum
from toolwire.cli.terminal import FAILED, FailedError, safe_line
from toolwire.transcript import Session

#: The exit status of each verdict.
STATUSES = {"whole": 0, "unjoined": 1, "unknown": 3, "damaged": 4}
#: From the best to the worst: a log that is not known is worse than a damaged one.
ORDER = (0, 1, 4, 3, FAILED)
#: How many rows are handed on at once.
ROWS = 1000


@dataclass(frozen=True)
class Plan:
    """What is to be done with each log."""

    by: str
    prices: Mapping[str, Price]
    options: Mapping[str, Any]
    with_rows: bool


@dataclass
class Done:
    """What came of one log."""

    sum: Sum
    status: int = 0
    #: What the user is told of it.
    problem: str | None = None
    rows: list[Row] = field(default_factory=list)


@dataclass(frozen=True)
class Told:
    """Who is told while a log is read."""

    #: Takes rows of calls.
    rows: Callable[[list[Row]], object]
    #: Takes the number of bytes that were read.
    read: Callable[[int], object]


def work(plan: Plan, session: Session, told: Told) -> Done:
    """Read a log: count its calls, and hand on their rows."""
    counting, rows = Counting(plan.by), Rows(str(session.path), session.name)
    reader = session.reader(**plan.options)
    made: list[Row] = []

    def take(patches: Sequence[Any]) -> None:
        for patch in patches:
            counting.take(patch)
            if plan.with_rows:
                made.extend(rows.take(patch))

    if session.problem:
        return Done(Sum(plan.by), FAILED, session.problem)
    try:
        for piece in whole_pieces(session):
            take(reader.feed_piece(piece))
            told.read(len(piece))
            if len(made) >= ROWS:
                told.rows(named(made, reader.dialect))
                made = []
    except FailedError as error:
        return Done(Sum(plan.by), FAILED, str(error))
    take(reader.finish())
    made.extend(rows.rest())
    told.rows(named(made, reader.dialect))
    account = reader.account
    problem = unknown(session, reader) if account["verdict"] == "unknown" else None
    return Done(counting.finish(reader, plan.prices), STATUSES[account["verdict"]], problem)


def named(rows: list[Row], dialect: str | None) -> list[Row]:
    """Write whose log it is into its rows; that is known once some of it is read."""
    for row in rows:
        row["agent"] = dialect
    return rows


def unknown(session: Session, reader: Any) -> str:
    """Say that a log is not known, and what it looks like."""
    look = f", {safe_line(reader.look)}" if reader.look else ""
    records = reader.account["records"]
    return f"no dialect known for {safe_line(title(session))}: {records} records{look}"


def alone(plan: Plan, session: Session) -> Done:
    """Read a log in a process of its own, which hands its rows back with the sums."""
    rows: list[Row] = []
    done = work(plan, session, Told(rows.extend, bool))
    done.rows = rows
    return done


def worked(plan: Plan, sessions: Sequence[Session], jobs: int, told: Told) -> Iterator[Done]:
    """Give what comes of each log, in their order."""
    files = [one for one in sessions if isinstance(one, Session)]
    if jobs == 1 or len(files) < 2:
        for session in sessions:
            yield work(plan, session, told)
        return
    for other in sessions:
        if not isinstance(other, Session):
            yield work(plan, other, told)
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    # Ctrl-C is the first process's to handle.
    ignore = partial(signal.signal, signal.SIGINT, signal.SIG_IGN)
    with ProcessPoolExecutor(min(jobs, len(files)), initializer=ignore) as pool:
        at_once = max(1, min(64, len(files) // (jobs * 4)))
        try:
            all_done = pool.map(partial(alone, plan), files, chunksize=at_once)
            for session, done in zip(files, all_done, strict=True):
                told.rows(done.rows)
                told.read(size(session))
                yield done
        except BrokenProcessPool:
            raise FailedError("one of the processes of --jobs has ended early") from None
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
