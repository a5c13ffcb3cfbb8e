"""Logs that producers keep in SQLite: which tables are whose, and their rows as records.

A database is opened read-only. Each row becomes a record in the form of its producer's dialect.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from toolwire._log_damage import Damaged, DamagedError, json_of, object_of
from toolwire._log_packed import unpacked

Record = dict[str, Any]
Found = Record | Damaged


@dataclass(frozen=True)
class Store:
    """The tables of one producer."""

    dialect: str
    #: Tables and columns that tell the producer.
    needs: frozenset[str]
    #: Gives the ids of the sessions, the oldest first.
    sessions: str
    #: Gives the records of a session.
    records: Callable[[sqlite3.Connection, str], Iterator[Found]]


def rows(base: sqlite3.Connection, query: str, *values: str) -> Iterator[Record]:
    """Give the rows of a query as records."""
    for row in base.execute(query, values):
        yield dict(zip(row.keys(), row, strict=True))


def goose(base: sqlite3.Connection, session: str) -> Iterator[Found]:
    """Give Goose's messages."""
    query = "select rowid as place, * from messages where session_id = ? order by rowid"
    for row in rows(base, query, session):
        created = row.get("created_timestamp", row.get("created_at"))
        content = json_of(row["content_json"], f"row {row['place']} of messages")
        if isinstance(content, Damaged):
            yield content
            continue
        yield {"id": row.get("message_id"), "role": row["role"], "created": created} | {
            "content": content
        }


def crush(base: sqlite3.Connection, session: str) -> Iterator[Found]:
    """Give Crush's messages."""
    query = "select * from messages where session_id = ? order by created_at, rowid"
    for row in rows(base, query, session):
        parts = json_of(row["parts"], f"message {row['id']}")
        yield parts if isinstance(parts, Damaged) else row | {"parts": parts}


def opencode(base: sqlite3.Connection, session: str) -> Iterator[Found]:
    """Give OpenCode's messages with their parts."""
    for row in rows(base, "select * from message where session_id = ? order by id", session):
        data = object_of(row["data"], f"message {row['id']}")
        if isinstance(data, Damaged):
            yield data
            data = {}
        parts = []
        query = "select id, data from part where message_id = ? order by id"
        for part in rows(base, query, row["id"]):
            held = object_of(part["data"], f"part {part['id']} of message {row['id']}")
            if isinstance(held, Damaged):
                yield held
                continue
            parts.append({"id": part["id"], "messageID": row["id"], "sessionID": session} | held)
        if data or parts:
            info = {"id": row["id"], "sessionID": session} | data
            yield {"info": info, "parts": parts, "sessionID": session}


def zed(base: sqlite3.Connection, session: str) -> Iterator[Found]:
    """Give a thread of Zed."""
    for row in rows(base, "select data_type, data from threads where id = ?", session):
        data = row["data"]
        if row["data_type"] == "zstd":
            try:
                data = unpacked(data, f"thread {session}")
            except DamagedError as error:
                yield Damaged(str(error))
                continue
        yield object_of(data, f"thread {session}")


def amazon_q(column: str, table: str) -> Callable[[sqlite3.Connection, str], Iterator[Found]]:
    """Give the conversations of Amazon Q or Kiro."""

    def records(base: sqlite3.Connection, session: str) -> Iterator[Found]:
        query = f'select value from "{table}" where "{column}" = ?'
        for row in rows(base, query, session):
            yield object_of(row["value"], f"conversation {session}")

    return records


OF_RESPONSE = "select * from {} where response_id = ? order by id"


def llm(base: sqlite3.Connection, session: str) -> Iterator[Found]:
    """Give llm's rows; the results of calls hang on the response that came after them."""
    query = (
        "select * from responses where ifnull(conversation_id, id) = ? order by datetime_utc, id"
    )
    for row in rows(base, query, session):
        answer = {"response": row["response"], "reasoning": row.get("reasoning")}
        yield {"table": "responses"} | row
        for one in rows(base, OF_RESPONSE.format("tool_results"), row["id"]):
            yield {"table": "tool_results"} | one
        yield {"table": "answers"} | answer
        for one in rows(base, OF_RESPONSE.format("tool_calls"), row["id"]):
            yield {"table": "tool_calls"} | one


CHAT = "workbench.panel.aichat.view.aichat.chatdata"
OF_KEY = "select value from {} where key = ?"


def cursor(base: sqlite3.Connection, session: str) -> Iterator[Found]:
    """Give a chat of Cursor: its facts, then its bubbles in their order."""
    if session == CHAT:
        for row in rows(base, OF_KEY.format("ItemTable"), session):
            yield object_of(row["value"], session)
        return
    for row in rows(base, OF_KEY.format("cursorDiskKV"), f"composerData:{session}"):
        chat = object_of(row["value"], f"chat {session}")
        if isinstance(chat, Damaged):
            yield chat
            return
        headers = chat.get("fullConversationHeadersOnly") or []
        if not headers:
            yield chat
            return
        yield {"composerId": session} | {key: chat[key] for key in CHAT_FACTS if key in chat}
        for header in headers:
            name = header.get("bubbleId") if isinstance(header, dict) else None
            key = f"bubbleId:{session}:{name}"
            found = list(rows(base, OF_KEY.format("cursorDiskKV"), key))
            bubble = object_of(found[0]["value"] if found else None, f"bubble {name}")
            yield (bubble if isinstance(bubble, Damaged) else {"composerId": session} | bubble)


#: What the record of a chat says beside its bubbles.
CHAT_FACTS = ("name", "createdAt", "modelConfig", "fullConversationHeadersOnly")

#: Chats that hold anything, the oldest first; those of the older panel are one document.
CURSOR_CHATS = (
    "select substr(key, 14) from cursorDiskKV "
    "where key >= 'composerData:' and key < 'composerData;' "
    "and instr(cast(value as text), '\"bubbleId\"') union all "
    f"select key from ItemTable where key = '{CHAT}'"
)


def vscode(base: sqlite3.Connection, session: str) -> Iterator[Found]:
    """Give the chats that VS Code kept before it had files for them."""
    for row in rows(base, OF_KEY.format("ItemTable"), session):
        chats = json_of(row["value"], session)
        yield from chats if isinstance(chats, list) else (object_of(row["value"], session),)


def data_of(
    table: str, column: str, order: str
) -> Callable[[sqlite3.Connection, str], Iterator[Found]]:
    """Give the records that a column holds as JSON."""

    def records(base: sqlite3.Connection, session: str) -> Iterator[Found]:
        query = (
            f"select rowid as place, {column} as data from {table} "
            f"where session_id = ? order by {order}"
        )
        for row in rows(base, query, session):
            yield object_of(row["data"], f"row {row['place']} of {table}")

    return records


STORES = (
    Store(
        "goose",
        frozenset({"sessions", "messages.content_json"}),
        "select distinct session_id from messages order by rowid",
        goose,
    ),
    Store(
        "crush",
        frozenset({"sessions", "messages.parts"}),
        "select id from sessions order by created_at, rowid",
        crush,
    ),
    Store(
        "opencode",
        frozenset({"session", "message.data", "part.data"}),
        "select id from session order by id",
        opencode,
    ),
    Store(
        "zed",
        frozenset({"threads.data_type", "threads.data"}),
        "select id from threads order by updated_at",
        zed,
    ),
    Store(
        "amazon_q",
        frozenset({"conversations_v2.value"}),
        "select conversation_id from conversations_v2 order by rowid",
        amazon_q("conversation_id", "conversations_v2"),
    ),
    Store(
        "amazon_q",
        frozenset({"conversations.key", "conversations.value"}),
        "select key from conversations order by rowid",
        amazon_q("key", "conversations"),
    ),
    Store(
        "llm",
        frozenset({"responses.prompt", "tool_calls.tool_call_id"}),
        "select ifnull(conversation_id, id) as id from responses group by 1 "
        "order by min(datetime_utc)",
        llm,
    ),
    Store(
        "cursor_chat",
        frozenset({"ItemTable.value", "cursorDiskKV.value"}),
        CURSOR_CHATS,
        cursor,
    ),
    Store(
        "vscode_chat",
        frozenset({"ItemTable.value"}),
        "select key from ItemTable where key = 'interactive.sessions'",
        vscode,
    ),
    Store(
        "responses",
        frozenset({"agent_messages.message_data"}),
        "select distinct session_id from agent_messages order by id",
        data_of("agent_messages", "message_data", "id"),
    ),
    Store(
        "adk",
        frozenset({"app_states", "events.event_data"}),
        "select distinct session_id from events order by timestamp",
        data_of("events", "event_data", "timestamp"),
    ),
)


@contextmanager
def opened(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a database that is only read; one that cannot be read is a ValueError."""
    try:
        with closing(
            sqlite3.connect(f"file:{quote(str(path.absolute()))}?mode=ro", uri=True)
        ) as base:
            base.row_factory = sqlite3.Row
            base.text_factory = lambda text: text.decode("utf-8", "replace")
            yield base
    except sqlite3.Error as error:
        raise ValueError(f"{path} cannot be read as a database: {error}") from None


def store_of(path: Path) -> Store | None:
    """Tell whose database it is."""
    with opened(path) as base:
        known: set[str] = set()
        for (name,) in base.execute("select name from sqlite_master where type = 'table'"):
            columns = base.execute("select name from pragma_table_info(?)", (name,))
            known |= {name} | {f"{name}.{column}" for (column,) in columns}
    return next((store for store in STORES if store.needs <= known), None)


def session_ids(path: Path, store: Store) -> list[str]:
    """List the sessions of a database."""
    with opened(path) as base:
        return [str(row[0]) for row in base.execute(store.sessions) if row[0] is not None]


def lines(path: Path, store: Store, session: str) -> Iterator[bytes]:
    """Give the records of a session, one a line; a row that cannot be read is told at its place."""
    count = 0
    with opened(path) as base:
        try:
            for record in store.records(base, session):
                count += 1
                yield record.line() if isinstance(record, Damaged) else line(record)
        except sqlite3.DatabaseError as error:
            yield Damaged(f"{path.name} behind record {count} of {session}: {error}").line()


def line(record: Record) -> bytes:
    """Write a record; what a column holds that JSON cannot have is told by its length."""
    text = json.dumps(record, ensure_ascii=False, default=lambda value: f"[{len(value)} bytes]")
    return text.encode("utf-8", "replace") + b"\n"
