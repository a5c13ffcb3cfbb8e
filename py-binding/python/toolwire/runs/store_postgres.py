"""A store in a table of PostgreSQL, which processes on many machines may share.

Every change is one statement, which is committed when the method returns. The statements of a batch
go to the server in one trip, as a pipeline.

>>> from toolwire.runs import PostgresStore, StoreError
>>> try:
...     PostgresStore("postgresql://ann:secret@127.0.0.1:1/shop", timeout_seconds=1)
... except StoreError as error:
...     print(error.kind)
io
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolwire.runs.errors import StoreError
from toolwire.runs.postgres_connections import Connections
from toolwire.runs.store import Change, Expect
from toolwire.runs.store_server import check_key, one_by_one, store_error

__all__ = ["PostgresStore"]

_MOST = (1 << 63) - 1

ATTEMPTS = 20
"""How often a statement is tried that lost against another one and changed nothing."""

# A version is a millisecond and the next number of a sequence: it does not repeat even if a
# failover loses the last numbers. Keys compare by their bytes, whatever the database's collation.
_CREATE = (
    # Of several processes that make the table at once, one does.
    "SELECT pg_advisory_xact_lock(7305876211437)",
    "CREATE SEQUENCE IF NOT EXISTS {version}",
    """CREATE TABLE IF NOT EXISTS {table} (
        name text COLLATE "C" PRIMARY KEY,
        value bytea NOT NULL,
        version bigint NOT NULL DEFAULT (
            (floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint << 20)
            | (nextval({sequence}) & 1048575)
        ),
        expires_at bigint
    )""",
    "CREATE INDEX IF NOT EXISTS {expiry} ON {table} (expires_at) WHERE expires_at IS NOT NULL",
)

_LIVE = "(expires_at IS NULL OR expires_at >= $2::bigint)"

_GET = f"SELECT value, version, expires_at FROM {{table}} WHERE name = $1::text AND {_LIVE}"

_UPSERT = """
INSERT INTO {table} AS entry (name, value, expires_at)
    SELECT $1::text, $3::bytea, $4::bigint WHERE {on}
ON CONFLICT (name) DO UPDATE
    SET value = excluded.value, version = DEFAULT, expires_at = excluded.expires_at
    WHERE entry.expires_at < $2::bigint OR $5::bool
RETURNING version
"""

_UPDATE = f"""
UPDATE {{table}} SET value = $3::bytea, version = DEFAULT, expires_at = $4::bigint
WHERE name = $1::text AND version = $5::bigint AND {_LIVE} AND {{on}} RETURNING version
"""

_DELETE_ANY = f"DELETE FROM {{table}} WHERE name = $1::text AND {{on}} RETURNING {_LIVE}"

_DELETE = f"""
DELETE FROM {{table}}
WHERE name = $1::text AND version = $3::bigint AND {_LIVE} AND {{on}} RETURNING true
"""

# No key has a byte above `~`, so what begins with a prefix comes before the prefix and chr(127).
_SCAN = f"""
SELECT name, value, version, expires_at FROM {{table}}
WHERE name >= $1::text AND name > $3::text AND name < $1::text || chr(127) AND {_LIVE}
ORDER BY name LIMIT $4::bigint
"""

# An entry that another process changes now is not removed: purges do not wait for each other.
_PURGE = """
DELETE FROM {table} WHERE name IN (
    SELECT name FROM {table}
    WHERE expires_at < $2::bigint AND name >= $1::text AND name < $1::text || chr(127) AND {on}
    LIMIT $3::bigint FOR UPDATE SKIP LOCKED
)
RETURNING true
"""

# A batch is one transaction. A put whose condition is not met sets this word in it, and each later
# statement looks at it: so the server decides where the batch stops, and no answer is waited for.
_ON = "current_setting('toolwire.batch', true) IS DISTINCT FROM 'ended'"

_PUT_ON = f"""
WITH made AS ({{put}})
SELECT version,
    set_config('toolwire.batch', CASE WHEN version IS NULL THEN 'ended' ELSE '' END, true)
FROM (SELECT (SELECT version FROM made) AS version) AS one WHERE {_ON}
"""

_LOST = ("40001", "40P01")
_KINDS = {
    "25006": ("read_only", "may only be read; after a failover, name the server that takes writes"),
    "57014": ("locked", "was busy for longer than timeout_seconds"),
    "55P03": ("locked", "was busy for longer than it may be"),
    "42P01": ("corrupt", "has no such table any more"),
    "42703": ("corrupt", "has a table of that name that is no store; give another name"),
    "42804": ("corrupt", "has a table of that name that is no store; give another name"),
    "42P10": ("corrupt", "has a table of that name that is no store; give another name"),
    "42883": ("corrupt", "has a table of that name that is no store; give another name"),
    "23502": ("corrupt", "has a table of that name that gives no versions; restore a backup"),
    "28P01": ("io", "refused the user or the password"),
    "28000": ("io", "refused the user or the password"),
}


def _quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _is_broken(error: Any) -> bool:
    """Say whether an error ended the connection, and not only a statement."""
    return error.sqlstate is None or error.sqlstate.startswith(("08", "57P"))


def _put(
    key: str, value: bytes, expect: Expect, expires_at: int | None, now: int
) -> tuple[Any, ...]:
    """Give the statement of a put, and its values."""
    if isinstance(expect, str):
        return _UPSERT, check_key(key), now, value, expires_at, expect == "any"
    return _UPDATE, check_key(key), now, value, expires_at, min(expect, _MOST)


def _delete(key: str, expect: Expect, now: int) -> tuple[Any, ...]:
    """Give the statement of a delete, and its values."""
    if expect == "any":
        return _DELETE_ANY, check_key(key), now
    # No entry has the version 0, and what is absent needs no delete.
    version = 0 if expect == "absent" else min(int(expect), _MOST)
    return _DELETE, check_key(key), now, version


def _purge(prefix: str, limit: int | None, now: int) -> tuple[Any, ...]:
    """Give the statement of a purge, and its values; without a limit, it removes all."""
    return _PURGE, check_key(prefix), now, None if limit is None else min(limit, _MOST)


class PostgresStore:
    """Keeps entries in a table of PostgreSQL, for any number of threads and processes.

    ``server`` is a URL, as ``postgresql://user:password@host:5432/database``, or any connection
    string of libpq. The table is made if it is missing, with a sequence and an index; its name is
    taken as it is, in the schema that comes first in the ``search_path``. The store opens at most
    ``connections`` connections.

    The constructor connects. Errors have the kinds ``io``, ``read_only``, ``locked``, ``corrupt``
    and ``closed``. After ``io`` or ``locked``, a change may have been made or not, and the next
    call connects again.
    """

    blocking = True
    """Calls wait for the network."""

    @property
    def has_whole_batches(self) -> bool:
        """Say whether a batch is one transaction."""
        return self._connections.has_pipelines()

    def __init__(
        self,
        server: str,
        *,
        table: str = "toolwire",
        timeout_seconds: float = 5.0,
        connections: int = 8,
    ) -> None:
        if not 1 <= len(table.encode()) <= 48 or "\0" in table:
            raise ValueError("table must have 1 to 48 bytes")
        if connections < 1:
            raise ValueError(f"connections must be at least 1, got {connections}")
        self._table = _quote(table)
        self._connections = Connections(server, connections, timeout_seconds)
        self._create(table)

    def get(self, key: str, now: int) -> tuple[bytes, int, int | None] | None:
        """Give the entry under a key: value, version, expires_at."""
        rows = self._rows(_GET, check_key(key), now, reads=True)
        return self._entry(*rows[0]) if rows else None

    def put(
        self, key: str, value: bytes, expect: Expect, expires_at: int | None, now: int
    ) -> int | None:
        """Put an entry if the present version is the expected one; give its version, else None."""
        rows = self._rows(*_put(key, value, expect, expires_at, now))
        return rows[0][0] if rows else None

    def delete(self, key: str, expect: Expect, now: int) -> bool:
        """Delete an entry if its version is the expected one, and say whether there was one."""
        check_key(key)
        if expect == "absent":
            return False
        rows = self._rows(*_delete(key, expect, now))
        return bool(rows and rows[0][0])

    def batch(self, changes: Sequence[Change], now: int) -> list[int | bool | None]:
        """Make several changes in one trip, up to the first put whose condition is not met."""
        if not changes:
            return []
        if not self._connections.has_pipelines():
            return one_by_one(self, changes, now)
        sent = [self._change(change, now) for change in changes]

        def work(connection: Any) -> list[Any]:
            with connection.pipeline():
                cursors = [connection.execute(*one, binary=True) for one in sent]
            # Only now is everything answered. Without a statement for it, a transaction begins
            # with the first one and is committed at the end of the pipeline.
            return [cursor.fetchall() for cursor in cursors]

        made: list[int | bool | None] = []
        for change, rows in zip(changes, self._run(work, False), strict=True):
            if change[0] == "put":
                made.append(rows[0][0] if rows else None)
                if made[-1] is None:
                    break
            else:
                is_delete = change[0] == "delete"
                made.append(bool(rows and rows[0][0]) if is_delete else len(rows))
        return made

    def scan(
        self, prefix: str, after: str | None, limit: int, now: int
    ) -> list[tuple[str, bytes, int, int | None]]:
        """Give the next entries under a prefix, by key: key, value, version, expires_at."""
        after = "" if after is None else check_key(after)
        limit = min(max(limit, 0), _MOST)
        # The empty key comes after nothing, and no store of this library has it.
        rows = self._rows(_SCAN, check_key(prefix), now, after, limit, reads=True)
        return [(self._key(name), *self._entry(*row)) for name, *row in rows]

    def purge(self, prefix: str, now: int) -> int:
        """Remove the expired entries whose keys begin with a prefix, and give their number."""
        return len(self._rows(*_purge(prefix, None, now)))

    def shared(self) -> bool:
        """Say that other processes may write to it."""
        return True

    def close(self) -> None:
        """Close the connections. Every later call raises."""
        self._connections.close()

    def __enter__(self) -> PostgresStore:
        return self

    def __exit__(self, *_raised: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"PostgresStore({self._connections.place}, table={self._table})"

    def _entry(self, value: Any, version: Any, expires_at: Any) -> tuple[bytes, int, int | None]:
        is_version = isinstance(version, int) and version > 0
        if isinstance(value, bytes) and is_version and isinstance(expires_at, (int, type(None))):
            return value, version, expires_at
        raise self._spoiled()

    def _key(self, name: Any) -> str:
        try:
            return check_key(name)
        except (TypeError, ValueError) as error:
            raise self._spoiled() from error

    def _spoiled(self) -> StoreError:
        """Make the error for a row that no store has written."""
        message = (
            f"the table {self._table} of the PostgreSQL server {self._connections.place} has a row "
            "that is not as it was written; delete it or restore a backup"
        )
        return StoreError(message, "corrupt")

    def _create(self, table: str) -> None:
        """Make the table, unless it is there: who may not make tables can use one that is."""
        there = self._rows("SELECT to_regclass($1::text) IS NOT NULL", self._table)[0][0]
        if there:
            return
        names = {name: _quote(f"{table}_{name}") for name in ("version", "expiry")}
        names["table"] = self._table
        names["sequence"] = "'" + names["version"].replace("'", "''") + "'"
        statements = [statement.format_map(names) for statement in _CREATE]

        def make(connection: Any) -> list[Any]:
            with connection.transaction():
                for statement in statements:
                    connection.execute(statement)
            return []

        self._run(make, False)

    def _change(self, change: Change, now: int) -> tuple[str, tuple[Any, ...]]:
        """Give the statement of a change of a batch, and its values."""
        if change[0] == "put":
            statement, *values = _put(*change[1:], now)
            statement = _PUT_ON.replace("{put}", statement)
        elif change[0] == "delete":
            statement, *values = _delete(*change[1:], now)
        else:
            statement, *values = _purge(*change[1:], now)
        return self._text(statement, _ON), tuple(values)

    def _text(self, statement: str, on: str = "true") -> str:
        """Fill in the table, and the condition on which a statement does anything."""
        return statement.replace("{on}", on).replace("{table}", self._table)

    def _rows(self, statement: str, *values: Any, reads: bool = False) -> list[Any]:
        """Run a statement, and give its rows."""
        text = self._text(statement)

        def work(connection: Any) -> list[Any]:
            rows: list[Any] = connection.execute(text, values, binary=True).fetchall()
            return rows

        return self._run(work, reads)

    def _run(self, work: Any, reads: bool) -> list[Any]:
        """Do some work on a connection.

        It is done again if the server says that it changed nothing, and if it only reads.
        """
        failure: Exception | None = None
        for attempt in range(ATTEMPTS):
            if self._connections.closed:
                place = self._connections.place
                raise StoreError(f"the store at {place} was closed; open it again", "closed")
            try:
                with self._connections.take() as connection:
                    rows: list[Any] = work(connection)
                    return rows
            except self._connections.psycopg.Error as error:
                failure = self._failure(error)
                if error.sqlstate in _LOST or (reads and _is_broken(error) and attempt == 0):
                    continue
            break
        assert failure is not None
        raise failure

    def _failure(self, error: Any) -> StoreError:
        """Make the store's error for an error of the client or the server."""
        place, state, secrets = self._connections.place, error.sqlstate, self._connections.secrets
        if state == "25006" or _is_broken(error):
            # After a failover, the name of the server may lead to the new one.
            self._connections.drop()
        if state in _LOST:
            kind, text = "locked", "changed its entries too often at the same time; try again later"
        elif state in _KINDS:
            kind, text = _KINDS[state]
        else:
            kind, text = "io", f"cannot be used now: {str(error).strip()}"
            if any(secret in text for secret in secrets):
                text = "cannot be used now"
        message = f"the table {self._table} of the PostgreSQL server {place}: the server {text}"
        return store_error(message, kind, error, secrets)
