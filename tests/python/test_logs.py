"""Logs of agents: files, folders, databases, archives, the account, the console's exit status."""

from __future__ import annotations

import gzip
import json
import re
import sqlite3
import subprocess
import sys
import zipfile
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from toolwire import transcript

ROOT = Path(__file__).resolve().parents[2]
CASES = json.loads((ROOT / "tests/cases/logs.json").read_text(encoding="utf-8"))
CALL = {"id": "a1", "type": "function", "function": {"name": "count", "arguments": "{}"}}
MESSAGES: list[dict[str, Any]] = [
    {"role": "user", "content": "How many rows?"},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "a1", "content": "3"},
    {"role": "assistant", "content": "Three rows."},
]


def lines(*records: object) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "toolwire", "transcript", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def read_one(path: Path) -> transcript.Transcript:
    (session,) = transcript.read(path)
    whole = session.normalize()
    assert list(session.stream()) == list(whole.patches)
    assert transcript.normalize(path).account == whole.account
    return whole


def test_the_table_of_producers_is_complete() -> None:
    page = (ROOT / "docs/transcripts.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `(\w+)` \|", page.split("## Entries")[0], re.MULTILINE)
    assert sorted(listed) == sorted(transcript.dialects())


def test_every_dialect_has_cases() -> None:
    cases = json.loads((ROOT / "tests/cases/transcript.json").read_text(encoding="utf-8"))
    covered = {case["output"].get("dialect") for case in CASES + cases if "output" in case}
    assert set(transcript.dialects()) <= covered


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_no_log_is_taken_for_another(case: dict[str, Any]) -> None:
    log = case["input"]["log"]
    if isinstance(log, dict) or case["output"]["dialect"] is None:
        return
    expected = transcript.normalize(log, dialect=case["output"]["dialect"])
    assert transcript.normalize(log).account["calls"] == expected.account["calls"]


def test_a_packed_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "log.gz"
    path.write_bytes(gzip.compress(lines(*MESSAGES).encode()))
    assert read_one(path).account["joined"] == 1


def test_the_samples_of_an_archive_are_sessions(tmp_path: Path) -> None:
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header.json", "{}")
        for number in (1, 2):
            sample = {"id": str(number), "epoch": 1, "messages": MESSAGES}
            archive.writestr(f"samples/{number}_epoch_1.json", json.dumps(sample))
    found = [(one.name, one.normalize().dialect) for one in transcript.read(path)]
    assert found == [(f"samples/{number}_epoch_1.json", "inspect") for number in (1, 2)]
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(ValueError, match="damaged archive"):
        list(transcript.read(path))


def database(path: Path, *statements: str, rows: dict[str, list[tuple[Any, ...]]]) -> None:
    with closing(sqlite3.connect(path)) as base:
        for statement in statements:
            base.execute(statement)
        for table, values in rows.items():
            marks = ", ".join("?" * len(values[0]))
            base.executemany(f"insert into {table} values ({marks})", values)
        base.commit()


def part(kind: str, **data: Any) -> dict[str, Any]:
    return {"type": kind, "data": data}


def crush(path: Path, *sessions: str) -> None:
    parts = [
        ("user", [part("text", text="How many rows?")]),
        ("assistant", [part("tool_call", id="a1", name="count", input="{}")]),
        ("tool", [part("tool_result", tool_call_id="a1", content="3", is_error=False)]),
    ]
    messages = [
        (f"{session}{place}", session, role, json.dumps(content), place)
        for session in sessions
        for place, (role, content) in enumerate(parts)
    ]
    database(
        path,
        "create table sessions(id, created_at)",
        "create table messages(id, session_id, role, parts, created_at)",
        rows={"sessions": [(one, 1) for one in sessions], "messages": messages},
    )


def test_a_database_is_read_and_not_written(tmp_path: Path) -> None:
    path = tmp_path / "crush.db"
    crush(path, "s1", "s2")
    before = path.read_bytes()
    found = [(one.name, one.normalize()) for one in transcript.read(path)]
    assert [(name, read.session_id, read.account["joined"]) for name, read in found] == [
        ("s1", "s1", 1),
        ("s2", "s2", 1),
    ]
    assert path.read_bytes() == before


def test_opencodes_database_and_its_storage_give_the_same(tmp_path: Path) -> None:
    state = {"status": "completed", "input": {}, "output": "3", "metadata": {}}
    made = {"type": "tool", "callID": "a1", "tool": "count", "state": state}
    info = {"role": "assistant", "time": {"created": 1}}
    base = tmp_path / "opencode.db"
    database(
        base,
        "create table session(id, directory)",
        "create table message(id, session_id, data)",
        "create table part(id, message_id, session_id, data)",
        rows={
            "session": [("ses", "/srv")],
            "message": [("msg", "ses", json.dumps(info))],
            "part": [("prt", "msg", "ses", json.dumps(made))],
        },
    )
    root = tmp_path / "home" / "storage"
    for folder, name, record in (
        ("message/ses", "msg", info | {"id": "msg", "sessionID": "ses"}),
        ("part/msg", "prt", made | {"id": "prt", "messageID": "msg", "sessionID": "ses"}),
    ):
        (root / folder).mkdir(parents=True)
        (root / folder / f"{name}.json").write_text(json.dumps(record))
    one, other = read_one(base), read_one(tmp_path / "home")
    assert one.session_id == other.session_id == "ses"
    assert [call.result.data for call in one.calls if call.result] == ["3"]
    assert one.account == other.account


def cursor_chats(path: Path) -> None:
    chat = "11111111-aaaa"
    heads = [{"bubbleId": name, "type": 1} for name in ("b2", "b1")]
    made = {"toolCallId": "c1", "name": "count", "status": "completed", "result": "3"}
    tabs = {"tabs": [{"tabId": "t1", "bubbles": [{"type": "user", "text": "Hi"}]}]}
    older = {"composerId": "k", "conversation": [{"bubbleId": "x", "type": 2, "text": "Hello"}]}
    rows = {
        f"bubbleId:{chat}:b1": {"bubbleId": "b1", "type": 2, "toolFormerData": made},
        f"bubbleId:{chat}:b2": {"bubbleId": "b2", "type": 1, "text": "How many rows?"},
        f"composerData:{chat}": {"composerId": chat, "fullConversationHeadersOnly": heads},
        "composerData:empty": {"composerId": "empty", "fullConversationHeadersOnly": []},
        "composerData:k": older,
        "checkpointId:x": {},
    }
    database(
        path,
        "create table ItemTable(key text, value blob)",
        "create table cursorDiskKV(key text, value blob)",
        rows={
            "ItemTable": [
                ("workbench.panel.aichat.view.aichat.chatdata", json.dumps(tabs)),
                ("other", "x"),
            ],
            "cursorDiskKV": [(key, json.dumps(value).encode()) for key, value in rows.items()],
        },
    )


def test_cursors_chats_are_read_in_their_order(tmp_path: Path) -> None:
    path = tmp_path / "state.vscdb"
    cursor_chats(path)
    found = {one.name: one.normalize() for one in transcript.read(tmp_path)}
    assert [read.dialect for read in found.values()] == ["cursor_chat"] * 3
    first, older, tabs = found.values()
    assert [entry.content for entry in first.entries] == ["How many rows?", "count"]
    assert (first.session_id, first.account["verdict"]) == ("11111111-aaaa", "whole")
    assert [entry.content for entry in (*older.entries, *tabs.entries)] == ["Hello", "Hi"]


def test_older_chats_of_vs_code_are_read(tmp_path: Path) -> None:
    request = {"requestId": "r", "message": {"text": "Hi"}, "response": [{"value": "Hello"}]}
    chats = [
        {"version": 3, "sessionId": name, "creationDate": 1, "requests": [request]} for name in "ab"
    ]
    path = tmp_path / "state.vscdb"
    database(
        path,
        "create table ItemTable(key text, value blob)",
        rows={"ItemTable": [("interactive.sessions", json.dumps(chats))]},
    )
    read = read_one(path)
    assert read.dialect == "vscode_chat"
    assert [entry.content for entry in read.entries] == ["Hi", "Hello"] * 2


def test_a_folder_of_events_is_one_session(tmp_path: Path) -> None:
    shared = {"timestamp": "2026-01-01T00:00:00", "source": "agent"}
    meta = {"function_name": "execute_bash", "tool_call_id": "a1"}
    records: dict[int, dict[str, Any]] = {
        10: {"observation": "run", "cause": 9, "content": "3", "extras": {}},
        9: {"action": "run", "args": {"command": "wc"}, "tool_call_metadata": meta},
        8: {"action": "message", "source": "user", "args": {"content": "How many rows?"}},
    }
    for number, record in records.items():
        (tmp_path / f"{number}.json").write_text(json.dumps({"id": number} | shared | record))
    read = read_one(tmp_path)
    assert (read.dialect, read.account["verdict"]) == ("openhands", "whole")


def told(read: transcript.Transcript) -> tuple[str, int, list[str]]:
    said = [entry.content for entry in read.entries if "damaged: " in (entry.content or "")]
    return read.account["verdict"], read.account["damaged"], said


def test_a_damaged_row_is_told_at_its_place(tmp_path: Path) -> None:
    path = tmp_path / "crush.db"
    crush(path, "s1")
    with closing(sqlite3.connect(path)) as base:
        base.execute("insert into messages values ('s1x', 's1', 'tool', '[{\"type\": \"te', 1)")
        base.commit()
    read = read_one(path)
    said = "line 3 is damaged: {message s1x is no JSON}"
    assert told(read) == ("damaged", 1, [said])
    assert (read.account["joined"], run(path).returncode) == (1, 4)


DAMAGED_STORES: list[tuple[str, list[str], dict[str, list[tuple[Any, ...]]]]] = [
    (
        "row 1 of messages is no JSON",
        ["sessions(id)", "messages(session_id, role, content_json)"],
        {"messages": [("s", "user", "{")]},
    ),
    (
        "message m is no JSON object",
        ["session(id)", "message(id, session_id, data)", "part(id, message_id, data)"],
        {"session": [("s",)], "message": [("m", "s", "[]")]},
    ),
    (
        "part p of message m is no JSON",
        ["session(id)", "message(id, session_id, data)", "part(id, message_id, data)"],
        {"session": [("s",)], "message": [("m", "s", "{}")], "part": [("p", "m", b"\xff{")]},
    ),
    (
        "thread s is no JSON",
        ["threads(id, updated_at, data_type, data)"],
        {"threads": [("s", 1, "json", "x")]},
    ),
    ("thread s is damaged", ["threads(id, updated_at, data_type, data)"], {}),
    (
        "conversation s is no JSON",
        ["conversations_v2(conversation_id, value)"],
        {"conversations_v2": [("s", None)]},
    ),
    (
        "row 1 of agent_messages is no JSON",
        ["agent_messages(id, session_id, message_data)"],
        {"agent_messages": [(1, "s", "nul")]},
    ),
    (
        "chat k is no JSON",
        ["ItemTable(key, value)", "cursorDiskKV(key, value)"],
        {"cursorDiskKV": [("composerData:k", '{"bubbleId": ')]},
    ),
    (
        "bubble b is no JSON",
        ["ItemTable(key, value)", "cursorDiskKV(key, value)"],
        {
            "cursorDiskKV": [
                ("composerData:k", '{"fullConversationHeadersOnly": [{"bubbleId": "b"}]}')
            ]
        },
    ),
    (
        "interactive.sessions is no JSON",
        ["ItemTable(key, value)"],
        {"ItemTable": [("interactive.sessions", "[")]},
    ),
]


@pytest.mark.parametrize(("said", "tables", "rows"), DAMAGED_STORES)
def test_what_a_row_lacks_is_told_in_each_store(
    tmp_path: Path, said: str, tables: list[str], rows: dict[str, list[tuple[Any, ...]]]
) -> None:
    if not rows:
        zstd = pytest.importorskip("zstandard")
        packed = zstd.ZstdCompressor().compress(b"x" * 999)[:-5]
        rows = {"threads": [("s", 1, "zstd", packed)]}
    path = tmp_path / "log.db"
    database(path, *(f"create table {table}" for table in tables), rows=rows)
    (session,) = transcript.read(path)
    read = session.normalize()
    assert read.account["damaged"] == 1
    assert any(said in (entry.content or "") for entry in read.entries)


def test_a_damaged_page_of_a_database_is_told(tmp_path: Path) -> None:
    path = tmp_path / "crush.db"
    crush(path, "s1")
    long = "x" * 3000
    with closing(sqlite3.connect(path)) as base:
        for place in range(40):
            text = json.dumps([part("text", text=f"{place} {long}")])
            base.execute(
                "insert into messages values (?, 's1', 'user', ?, ?)", (place, text, place)
            )
        base.commit()
    raw = bytearray(path.read_bytes())
    place = raw.find(b"39 xxx")
    page = place // 4096 * 4096
    raw[page : page + 4096] = b"\xff" * 4096
    path.write_bytes(raw)
    verdict, damaged, said = told(read_one(path))
    assert (verdict, damaged) == ("unknown", 1) or verdict == "damaged"
    assert "crush.db behind record" in said[0]


def test_a_packed_file_that_ends_in_damage_is_told(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl.gz"
    whole = gzip.compress(lines(*MESSAGES).encode(), 0)
    for cut, joined in ((len(whole) - 4, 1), (len(whole) - 30, 1), (12, 0)):
        path.write_bytes(whole[:cut])
        read = read_one(path)
        assert (read.account["joined"], read.account["damaged"]) == (joined, 1), cut
    # A document is closed where it was cut.
    path.write_bytes(gzip.compress(json.dumps(MESSAGES, indent=1).encode(), 0)[:-40])
    read = read_one(path)
    assert (read.account["joined"], read.account["damaged"]) == (1, 1)


def test_a_file_packed_with_zstd_is_read_as_far_as_it_is_whole(tmp_path: Path) -> None:
    zstd = pytest.importorskip("zstandard")
    path = tmp_path / "log.jsonl.zst"
    frames = [zstd.ZstdCompressor().compress(lines(one).encode()) for one in MESSAGES]
    for kept, damaged in ((b"".join(frames), 0), (b"".join(frames)[:-5], 1), (frames[0] + b"x", 1)):
        path.write_bytes(kept)
        assert read_one(path).account["damaged"] == damaged


def test_a_damaged_sample_of_an_archive_is_told(tmp_path: Path) -> None:
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w") as archive:
        for number in (1, 2):
            sample = {"id": str(number), "epoch": 1, "messages": MESSAGES}
            archive.writestr(f"samples/{number}_epoch_1.json", json.dumps(sample))
    raw = bytearray(path.read_bytes())
    raw[raw.find(b"How many")] = 0
    path.write_bytes(raw)
    first, second = (one.normalize() for one in transcript.read(path))
    assert (first.account["damaged"], second.account["verdict"]) == (1, "whole")
    assert "samples/1_epoch_1.json in log.eval: Bad CRC-32" in first.entries[0].content
    assert run("--summary", path).returncode == 3


def test_a_file_that_cannot_be_read_keeps_no_other_from_being_read(tmp_path: Path) -> None:
    (tmp_path / "a.eval").write_bytes(b"PK\x03\x04" + b"x" * 100)
    (tmp_path / "b.db").write_bytes(b"SQLite format 3\0" + b"x" * 100)
    (tmp_path / "c.jsonl").write_text(lines(*MESSAGES))
    found = {one.path.name: one.normalize() for one in transcript.read(tmp_path)}
    assert {name: read.account["damaged"] for name, read in found.items()} == {
        "a.eval": 1,
        "b.db": 1,
        "c.jsonl": 0,
    }
    assert "b.db" in found["b.db"].entries[0].content


def test_a_damaged_file_of_opencodes_storage_is_told(tmp_path: Path) -> None:
    for name, text in (
        ("message/ses/msg.json", json.dumps({"role": "user", "time": {"created": 1}})),
        ("message/ses/nsg.json", "{"),
        ("part/msg/prt.json", json.dumps({"type": "text", "text": "Hello"})),
        ("part/msg/qrt.json", ""),
    ):
        file = tmp_path / "storage" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    read = read_one(tmp_path)
    assert told(read) == (
        "damaged",
        2,
        [
            f"line {line} is damaged: {{{name}.json is no JSON}}"
            for line, name in ((1, "qrt"), (3, "nsg"))
        ],
    )


def test_the_logs_of_a_folder_are_sessions(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "one.jsonl").write_text(lines(*MESSAGES))
    (tmp_path / "two.jsonl").write_text(lines(*MESSAGES[:2]))
    (tmp_path / "picture.png").write_bytes(b"\x89PNG")
    found = {one.path.name: one.normalize() for one in transcript.read(tmp_path)}
    assert {name: read.account["pending"] for name, read in found.items()} == {
        "one.jsonl": 0,
        "two.jsonl": 1,
    }


@pytest.mark.parametrize(
    ("log", "status", "said"),
    [
        (lines(*MESSAGES), 0, "4 records; 4 understood"),
        (lines(*MESSAGES[:2]), 1, "1 calls; 0 with result; 1 pending"),
        (lines(MESSAGES[0], MESSAGES[2]), 1, "1 results without call (a1)"),
        ('{"a": 1}\n{"b": 2}\n', 3, "2 records; 0 understood; 2 unknown"),
        ("", 3, "0 records"),
        (lines(*MESSAGES) + '{"role": "user", "cont', 4, "1 damaged (line 5)"),
    ],
)
def test_the_exit_status_follows_the_account(
    tmp_path: Path, log: str, status: int, said: str
) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(log)
    for options in ([], ["--summary"]):
        shown = run(*options, path)
        assert (shown.returncode, said in shown.stdout) == (status, True), shown.stdout
        assert ("no dialect known" in shown.stderr) == (status == 3)
    written = run("--json", path)
    account = json.loads(written.stdout.splitlines()[-1])["account"]
    assert (written.returncode, account["calls"]) == (
        status,
        transcript.normalize(log).account["calls"],
    )


def test_an_unknown_log_says_what_it_looks_like(tmp_path: Path) -> None:
    path = tmp_path / "log.json"
    path.write_text('{"a": 1, "b": 2}')
    shown = run("--summary", path)
    assert 'a record with "a", "b"' in shown.stderr
    assert "claude_code" in shown.stderr


def test_the_console_lists_sessions_and_shows_one(tmp_path: Path) -> None:
    path = tmp_path / "crush.db"
    crush(path, "s1", "s2")
    assert run(path).stdout.splitlines()[:2] == ["s1", "s2"]
    shown = run("--session", "s2", path)
    assert (shown.returncode, "count" in shown.stdout) == (0, True)
    assert run("--session", "s9", path).returncode == 2
    whole = run("--summary", path)
    assert (whole.returncode, whole.stdout.count("2 calls; 2 with result")) == (0, 1)


def test_a_long_line_keeps_its_ids_and_its_status(tmp_path: Path) -> None:
    blob = "x" * (17 << 20)
    log = lines(MESSAGES[1], {"role": "tool", "tool_call_id": "a1", "content": blob})
    path = tmp_path / "log.jsonl"
    path.write_text(log)
    read = transcript.normalize(path)
    assert (read.calls[0].status, read.account["repaired"]) == ("success", 1)
    assert read.account["verdict"] == "whole"
