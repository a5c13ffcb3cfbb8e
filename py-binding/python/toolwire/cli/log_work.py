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
    """What came of one log, or of several."""

    sum: Sum
    status: int = 0
    #: What the user is told of them.
    problems: list[str] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    logs: int = 1
    #: The bytes that were read in another process.
    read: int = 0

    def add(self, other: Done) -> None:
        """Add what came of other logs."""
        if other.sum.account:
            self.sum.add(other.sum)
        self.status = max(self.status, other.status, key=ORDER.index)
        self.problems += other.problems
        self.rows += other.rows
        self.logs += other.logs
        self.read += other.read


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
        return Done(Sum(plan.by), FAILED, [session.problem])
    try:
        for piece in whole_pieces(session):
            take(reader.feed_piece(piece))
            told.read(len(piece))
            if len(made) >= ROWS:
                told.rows(named(made, reader.dialect))
                made = []
    except FailedError as error:
        return Done(Sum(plan.by), FAILED, [str(error)])
    take(reader.finish())
    made.extend(rows.rest())
    told.rows(named(made, reader.dialect))
    account = reader.account
    problems = [unknown(session, reader)] if account["verdict"] == "unknown" else []
    return Done(counting.finish(reader, plan.prices), STATUSES[account["verdict"]], problems)


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


def nothing(plan: Plan) -> Done:
    """Give what comes of no log."""
    return Done(Sum(plan.by), logs=0)


def together(plan: Plan, sessions: Sequence[Session]) -> Done:
    """Read logs in a process of its own, which hands their rows back with one sum.

    To hand over the sum of each log would take as long as to read it.
    """
    done = nothing(plan)
    told = Told(done.rows.extend, bool)
    for session in sessions:
        done.add(work(plan, session, told))
        done.read += size(session)
    return done


def worked(plan: Plan, sessions: Sequence[Session], jobs: int, told: Told) -> Iterator[Done]:
    """Give what comes of the logs, in their order."""
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
        parts = [files[first : first + at_once] for first in range(0, len(files), at_once)]
        try:
            for done in pool.map(partial(together, plan), parts):
                told.rows(done.rows)
                told.read(done.read)
                yield done
        except BrokenProcessPool:
            raise FailedError("one of the processes of --jobs has ended early") from None
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
