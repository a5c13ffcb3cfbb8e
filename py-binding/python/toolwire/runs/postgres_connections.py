"""Connections to a PostgreSQL server: a few, for any number of threads, made anew when they break.

>>> from toolwire.runs.postgres_connections import Connections
>>> Connections("host=localhost dbname=shop password=secret", 4, 5.0).place
'localhost/shop'
"""

from __future__ import annotations

import contextlib
import os
import select
import threading
from collections.abc import Iterator
from typing import Any

from toolwire.runs.store_server import import_package, safe_place, secrets_of

__all__ = ["Connections"]


class Connections:
    """Opens at most ``most`` connections, and hands each to one thread at a time.

    After a fork, the child opens connections of its own.
    """

    def __init__(self, server: str, most: int, timeout_seconds: float) -> None:
        self.psycopg = import_package("psycopg", "PostgresStore")
        # 3.2 brought the cursors whose placeholders are the server's own.
        self._cursor = self.psycopg.RawCursor
        try:
            given = self.psycopg.conninfo.conninfo_to_dict(server)
        except (self.psycopg.Error, ValueError, TypeError):
            given = None
        if given is None:
            # The message of the cause shows parts of the URL.
            form = "postgresql://user:password@host:5432/database, with %40 for an @"
            raise ValueError(f"the URL of the PostgreSQL server is not of the form {form}")
        password = str(given.get("password") or "")
        self.secrets = [*secrets_of(server), *([password] if password else [])]
        whole = max(1, round(timeout_seconds))
        patience = {
            "connect_timeout": max(2, whole),
            # A network that swallows everything breaks a connection after that time.
            "tcp_user_timeout": whole * 1000,
            "keepalives_idle": whole,
            "keepalives_interval": whole,
            "keepalives_count": 3,
        }
        self._settings = {**patience, "application_name": "toolwire", **given}
        self._timeout = timeout_seconds
        place = f"{given.get('host') or 'localhost'}/{given.get('dbname') or ''}"
        self.place = safe_place(place, self.secrets)
        self._free: list[Any] = []
        self._slots = threading.BoundedSemaphore(most)
        self._most = most
        self._process = os.getpid()
        self.closed = False

    @contextlib.contextmanager
    def take(self) -> Iterator[Any]:
        """Lend a connection that works, as far as that can be seen without asking the server."""
        self._after_fork()
        with self._slots:
            connection = self._open()
            try:
                yield connection
            finally:
                # In the middle of something, a connection is of no use to others.
                idle = self.psycopg.pq.TransactionStatus.IDLE
                if self.closed or connection.info.transaction_status != idle:
                    connection.close()
                else:
                    self._free.append(connection)

    def has_pipelines(self) -> bool:
        """Say whether several statements can go to the server in one trip: from libpq 14 on."""
        return bool(self.psycopg.Pipeline.is_supported())

    def close(self) -> None:
        """Close the connections that nobody uses now, and each other one after its use."""
        self.closed = True
        while self._free:
            self._free.pop().close()

    def drop(self) -> None:
        """Close the connections that nobody uses now: the server behind the name may be another."""
        while self._free:
            with contextlib.suppress(IndexError):
                self._free.pop().close()

    def _after_fork(self) -> None:
        if self._process != os.getpid():
            # A connection that was inherited closes itself only in the process that made it.
            self._free = []
            self._slots = threading.BoundedSemaphore(self._most)
            self._process = os.getpid()

    def _open(self) -> Any:
        while self._free:
            try:
                connection = self._free.pop()
            except IndexError:
                break
            if not is_stale(connection):
                return connection
            connection.close()
        connection = self.psycopg.connect(
            autocommit=True, cursor_factory=self._cursor, **self._settings
        )
        milliseconds = max(1, int(self._timeout * 1000))
        connection.execute(f"SET statement_timeout = {milliseconds}")
        return connection


def is_stale(connection: Any) -> bool:
    """Say whether the server has ended an idle connection.

    It has sent something then: the end of the stream, or the reason for it.
    """
    if connection.closed:
        return True
    readable, _, _ = select.select([connection.fileno()], [], [], 0)
    return bool(readable)
