"""The index of sessions: what ``toolwire sessions`` lists and searches, in the user's cache.

The index is a SQLite file with full text, which only its user can read. A log is read anew when its
size or its time of change has changed, and leaves the index when it is gone. A damaged index, or
one of another version, is made anew: nothing is in it that the logs have not.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from toolwire._log_files import SPREAD, Log, logs_in
from toolwire.cli.terminal import FailedError
from toolwire.transcript import Patch, Session

#: Another number makes the index anew.
VERSION = 2
#: How much text of a session can be searched, in characters.
MOST_TEXT = 1 << 20
#: How long a title is.
LONGEST_TITLE = 160
#: How many logs are read before the index is written.
AT_ONCE = 200
SCHEMA = """
CREATE TABLE logs (id INTEGER PRIMARY KEY, path BLOB UNIQUE, stamp TEXT);
CREATE TABLE sessions (
  id INTEGER PRIMARY KEY, key TEXT, log INTEGER, path BLOB, name TEXT, agent TEXT, started INTEGER,
  title TEXT, calls INTEGER, failed INTEGER, tokens INTEGER, verdict TEXT
);
CREATE INDEX sessions_log ON sessions (log);
CREATE INDEX sessions_key ON sessions (key);
CREATE TABLE tools (session INTEGER, name TEXT);
CREATE INDEX tools_session ON tools (session);
CREATE VIRTUAL TABLE words USING fts5 (text);
"""
COLUMNS = "key, path, name, agent, started, title, calls, failed, tokens, verdict"


@dataclass(frozen=True)
class Known:
    """A session as the index has it."""

    key: str
    path: str
    name: str
    agent: str | None
    #: Milliseconds since 1970.
    started: int | None
    title: str
    calls: int
    failed: int
    tokens: int
    verdict: str


def cache_file() -> Path:
    """Give the place of the index."""
    cache = os.environ.get("XDG_CACHE_HOME")
    try:
        return (Path(cache) if cache else Path.home() / ".cache") / "toolwire" / "sessions.db"
    except RuntimeError:
        raise FailedError("there is no home for the index; set XDG_CACHE_HOME") from None


class Reading:
    """What the index keeps of one session."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.length = 0
        self.title = ""
        self.started: int | None = None
        self.failed = 0
        self.tools: set[str] = set()

    def take(self, patch: Patch) -> None:
        """Take a patch."""
        entry = patch.entry
        if self.started is None:
            about = entry.about or {}
            self.started = about.get("at") if entry.started is None else entry.started
        if entry.type == "tool_use":
            self.failed += patch.op == "replace" and entry.status == "failed"
            if patch.op == "replace":
                return
            self.tools.add(entry.name or "")
        elif entry.type == "user_message" and not self.title:
            self.title = " ".join(entry.content[: 4 * LONGEST_TITLE].split())[:LONGEST_TITLE]
        room = MOST_TEXT - self.length
        if room > 0:
            text = entry.content[:room]
            self.texts.append(text)
            self.length += len(text)


class SessionIndex:
    """The index; made when it is first opened."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.store = self._opened()
        #: What was wrong with the logs that were read.
        self.problems: list[str] = []

    def _opened(self) -> sqlite3.Connection:
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            self.file.parent.chmod(0o700)
            # The file is nobody else's to read from its first byte on.
            os.close(os.open(self.file, os.O_CREAT | os.O_RDWR, 0o600))
            self.file.chmod(0o600)
            store = sqlite3.connect(self.file, timeout=30)
            # What a crash loses is in the logs.
            store.execute("PRAGMA synchronous = OFF")
            (version,) = store.execute("PRAGMA user_version").fetchone()
            if version == VERSION:
                return store
            if version:
                store.close()
                forget(self.file)
                return self._opened()
            self._make(store)
        except OSError as error:
            raise FailedError(f"cannot keep an index in {self.file}: {error}") from None
        return store

    def _make(self, store: sqlite3.Connection) -> None:
        """Make the tables, unless another process has just done so."""
        store.execute("BEGIN IMMEDIATE")
        if store.execute("PRAGMA user_version").fetchone() == (0,):
            for statement in SCHEMA.split(";\n"):
                store.execute(statement)
            store.execute(f"PRAGMA user_version = {VERSION}")
        store.commit()

    def close(self) -> None:
        """Close the file."""
        self.store.close()

    def changed(self, folders: Sequence[Path]) -> list[Log]:
        """Give the logs that are new or have changed, and drop those that are gone."""
        known = self.store.execute("SELECT * FROM logs")
        before = {os.fsdecode(path): (id, stamp) for id, path, stamp in known}
        # One folder may be in another one.
        logs = {log.key: log for folder in folders for log in logs_in(folder)}
        changed = []
        for log in logs.values():
            _, stamp = before.pop(log.key, (None, None))
            if stamp != log.stamp:
                changed.append(log)
        roots = tuple(f"{folder}{os.sep}" for folder in folders)
        with self.store:
            for path, (id, _) in before.items():
                if path.startswith(roots) or not os.path.exists(path.partition(SPREAD)[0]):
                    self._drop(id)
        return changed

    def read(self, logs: Sequence[Log], show: Callable[[int], object]) -> None:
        """Read logs into the index."""
        for first in range(0, len(logs), AT_ONCE):
            with self.store:
                # Another process may be reading the same logs.
                self.store.execute("BEGIN IMMEDIATE")
                for log in logs[first : first + AT_ONCE]:
                    self._renew(log)
                    show(log.size)

    def _renew(self, log: Log) -> None:
        """Read a log, unless another process has just done so."""
        query = "SELECT id, stamp FROM logs WHERE path = ?"
        for id, stamp in self.store.execute(query, (os.fsencode(log.key),)).fetchall():
            if stamp == log.stamp:
                return
            self._drop(id)
        self._add(log)

    def _drop(self, log: int) -> None:
        query = "SELECT id FROM sessions WHERE log = ?"
        for (session,) in self.store.execute(query, (log,)).fetchall():
            self.store.execute("DELETE FROM words WHERE rowid = ?", (session,))
            self.store.execute("DELETE FROM tools WHERE session = ?", (session,))
        self.store.execute("DELETE FROM sessions WHERE log = ?", (log,))
        self.store.execute("DELETE FROM logs WHERE id = ?", (log,))

    def _add(self, log: Log) -> None:
        row = (os.fsencode(log.key), log.stamp)
        made = self.store.execute("INSERT INTO logs (path, stamp) VALUES (?, ?)", row)
        problem, known = "", False
        for source in log.read():
            problem = problem or source.problem
            if not source.problem:
                try:
                    known |= self._add_session(made.lastrowid, Session(source))
                except (OSError, EOFError, ValueError) as error:
                    problem = f"cannot read {source.path}: {error}"
        if problem:
            # What went wrong may be over at the next reading.
            clear = "UPDATE logs SET stamp = NULL WHERE id = ?"
            self.store.execute(clear, (made.lastrowid,))
        if problem or not known:
            self.problems.append(
                problem or f"{log.key.partition(SPREAD)[0]} is no log that is known"
            )

    def _add_session(self, log: int | None, session: Session) -> bool:
        """Read a session; say whether its log is known."""
        reading, reader = Reading(), session.reader()
        for piece in session.pieces():
            for patch in reader.feed_piece(piece):
                reading.take(patch)
        for patch in reader.finish():
            reading.take(patch)
        account = reader.account
        if account["verdict"] == "unknown":
            return False
        path, name = str(session.path), session.name
        key = hashlib.sha256(f"{path}\0{name}".encode("utf-8", "surrogateescape")).hexdigest()[:8]
        tokens = account["tokens"]["input"] + account["tokens"]["output"]
        counts = (account["calls"], reading.failed, tokens, account["verdict"])
        row = (
            key,
            log,
            os.fsencode(path),
            name,
            reader.dialect,
            reading.started,
            reading.title,
            *counts,
        )
        made = self.store.execute(
            "INSERT INTO sessions (key, log, path, name, agent, started, title, calls, failed, "
            "tokens, verdict) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            tuple(kept(value) for value in row),
        )
        tools = [(made.lastrowid, kept(name)) for name in sorted(reading.tools)]
        self.store.executemany("INSERT INTO tools VALUES (?, ?)", tools)
        text = kept("\n".join(reading.texts))
        self.store.execute("INSERT INTO words (rowid, text) VALUES (?, ?)", (made.lastrowid, text))
        return True

    def found(self, words: list[str], tool: str | None, agent: str | None) -> list[Known]:
        """Give the sessions with all words, a call of a tool, and of an agent; the newest first."""
        conditions: list[str] = ["1"]
        values: list[Any] = []
        if words:
            conditions.append("id IN (SELECT rowid FROM words WHERE words MATCH ?)")
            # In quotes, nothing is a word of the language of queries.
            quoted = (kept(word).replace('"', '""') for word in words)
            values.append(" ".join(f'"{word}"*' for word in quoted))
        if tool is not None:
            conditions.append("id IN (SELECT session FROM tools WHERE name = ?)")
            values.append(tool)
        if agent is not None:
            conditions.append("agent = ?")
            values.append(agent)
        query = (
            f"SELECT {COLUMNS} FROM sessions WHERE {' AND '.join(conditions)} "
            "ORDER BY started IS NULL, started DESC, id"
        )
        return [known_of(row) for row in self.store.execute(query, values)]

    def named(self, key: str) -> Known:
        """Give the session with a key."""
        query = f"SELECT {COLUMNS} FROM sessions WHERE key = ?"
        row = self.store.execute(query, (key,)).fetchone()
        if row is None:
            raise FailedError(f"there is no session {key}; toolwire sessions lists them")
        return known_of(row)


def known_of(row: tuple[Any, ...]) -> Known:
    """Give the session of a row; the name of a file is bytes, which may be no UTF-8."""
    key, path, *rest = row
    return Known(key, os.fsdecode(path), *rest)


def kept(value: Any) -> Any:
    """Give a value as SQLite can keep it: text has no lone surrogates, nor zeros."""
    if not isinstance(value, str):
        return value
    return value.encode("utf-8", "replace").decode().replace("\0", " ")


def forget(file: Path) -> bool:
    """Remove the index; say whether there was one."""
    there = file.exists()
    for end in ("", "-journal", "-wal", "-shm"):
        Path(f"{file}{end}").unlink(missing_ok=True)
    return there
