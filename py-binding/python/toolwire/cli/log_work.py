"""Sums up many logs, and writes their calls: one after the other, or in several processes."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, count, islice
from typing import Any

from toolwire._log_files import Log
from toolwire.cli.log_files import STDIN, sessions_in, title, whole_pieces
from toolwire.cli.log_rows import Row, Rows
from toolwire.cli.log_summary import Counting, Price, Sum
from toolwire.cli.progress import unheard
from toolwire.cli.terminal import FAILED, FailedError, safe_line
from toolwire.transcript import Session

#: The exit status of each verdict.
STATUSES = {"whole": 0, "unjoined": 1, "unknown": 3, "damaged": 4}
#: From the best to the worst: a log that is not known is worse than a damaged one.
ORDER = (0, 1, 4, 3, FAILED)
#: How many logs a process is given at once.
MOST_AT_ONCE = 64
#: How many rows are handed on at once.
ROWS = 1000


@dataclass(frozen=True)
class Plan:
    """What is to be done with each log."""

    by: str
    prices: Mapping[str, Price]
    options: Mapping[str, Any]
    with_rows: bool
    #: The name of the sessions that are wanted; all without one.
    wanted: str | None = None


@dataclass
class Done:
    """What came of some logs."""

    sum: Sum
    status: int = 0
    #: What the user is told of them.
    problems: list[str] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    logs: int = 0
    sessions: int = 0
    #: The bytes that were read in another process.
    read: int = 0

    def add(self, other: Done) -> None:
        """Add what came of others."""
        if other.sum.account:
            self.sum.add(other.sum)
        self.status = max(self.status, other.status, key=ORDER.index)
        self.problems += other.problems
        self.rows += other.rows
        self.logs += other.logs
        self.sessions += other.sessions
        self.read += other.read


@dataclass(frozen=True)
class Told:
    """Who is told while logs are read."""

    #: Takes rows of calls.
    rows: Callable[[list[Row]], object]
    #: Takes the number of bytes that were read.
    read: Callable[[int], object]


def session_work(plan: Plan, session: Session, told: Told) -> Done:
    """Read a session: count its calls, and hand on their rows."""
    counting, rows = Counting(plan.by), Rows(str(session.path), session.name)
    reader = session.reader(**plan.options)
    made: list[Row] = []

    def take(patches: Sequence[Any]) -> None:
        for patch in patches:
            counting.take(patch)
            if plan.with_rows:
                made.extend(rows.take(patch))

    try:
        for piece in whole_pieces(session):
            take(reader.feed_piece(piece))
            told.read(len(piece))
            if len(made) >= ROWS:
                told.rows(of_agent(made, reader.dialect))
                made = []
    except FailedError as error:
        told.rows(of_agent([*made, *rows.rest()], reader.dialect))
        read = reader.account["records"] > 0
        found = counting.finish(reader, plan.prices) if read else Sum(plan.by)
        return Done(found, FAILED, [str(error)], sessions=1)
    take(reader.finish())
    made.extend(rows.rest())
    told.rows(of_agent(made, reader.dialect))
    account = reader.account
    problems = [unknown(session, reader)] if account["verdict"] == "unknown" else []
    status = STATUSES[account["verdict"]]
    return Done(counting.finish(reader, plan.prices), status, problems, sessions=1)


def of_agent(rows: list[Row], dialect: str | None) -> list[Row]:
    """Write whose log it is into its rows; that is known once some of it is read."""
    for row in rows:
        row["agent"] = dialect
    return rows


def unknown(session: Session, reader: Any) -> str:
    """Say that a log is not known, and what it looks like."""
    look = f", {safe_line(reader.look)}" if reader.look else ""
    records = reader.account["records"]
    return f"no dialect known for {safe_line(title(session))}: {records} records{look}"


def log_work(plan: Plan, log: Log, told: Told) -> Done:
    """Read the sessions of a log."""
    done = Done(Sum(plan.by), logs=1)
    for session in sessions_in(log, plan.wanted):
        done.add(session_work(plan, session, told))
    return done


def together(plan: Plan, logs: Sequence[Log]) -> Done:
    """Read logs in a process of its own, which hands their rows back with one sum.

    To hand over the sum of each log would take as long as to read it.
    """
    done = Done(Sum(plan.by))
    told = Told(done.rows.extend, unheard)
    for log in logs:
        done.add(log_work(plan, log, told))
        done.read += log.size
    return done


def worked(plan: Plan, logs: Iterable[Log], jobs: int, told: Told) -> Iterator[Done]:
    """Give what comes of the logs, in their order, or standard input first."""
    rest = iter(logs)
    first = list(islice(rest, 1 if jobs == 1 else 2))
    if len(first) == 2:
        yield from shared(plan, chain(first, rest), jobs, told)
        return
    for log in chain(first, rest):
        yield log_work(plan, log, told)


def parts_of(logs: Iterator[Log], jobs: int) -> Iterator[list[Log]]:
    """Give parts of the logs, which grow: the last ones of a few logs are small as well."""
    for doubled in count():
        for _ in range(4 * jobs):
            part = list(islice(logs, min(MOST_AT_ONCE, 1 << doubled)))
            if not part:
                return
            yield part


def shared(plan: Plan, logs: Iterable[Log], jobs: int, told: Told) -> Iterator[Done]:
    """Give what comes of logs that several processes read, and of standard input before them."""
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import active_children

    own: list[Log] = []

    def others() -> Iterator[Log]:
        for log in logs:
            if log.key == STDIN:
                own.append(log)
            else:
                yield log

    # Ctrl-C is the first process's to handle.
    ignore = partial(signal.signal, signal.SIGINT, signal.SIG_IGN)
    with ProcessPoolExecutor(jobs, initializer=ignore) as pool:
        try:
            # The processes begin with the first parts while the others are still listed.
            found = pool.map(partial(together, plan), parts_of(others(), jobs))
            for log in own:
                yield log_work(plan, log, told)
            for done in found:
                told.rows(done.rows)
                told.read(done.read)
                yield done
        except BrokenProcessPool:
            raise FailedError("one of the processes of --jobs has ended early") from None
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            # One of them may wait for a pipe for ever.
            for child in active_children():
                child.terminate()
            raise
