"""The console's ``sessions``: the index of what agents have kept, and what it finds."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest
from test_console import run
from test_logs import cursor_chats

USER = {"role": "user", "content": "Why is the deploy so flaky?"}
CALL = {"id": "a1", "type": "function", "function": {"name": "grep", "arguments": "{}"}}
LOG: list[dict[str, Any]] = [
    USER,
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "a1", "content": "a secret of the result"},
    {"role": "assistant", "content": "A race."},
]


def lines(*records: object) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


class Home:
    """A user with a cache folder and a folder of logs."""

    def __init__(self, folder: Path) -> None:
        self.cache = folder / "cache"
        self.logs = folder / "logs"
        self.logs.mkdir()
        self.index = self.cache / "toolwire" / "sessions.db"

    def sessions(self, *words: str | Path) -> tuple[int, list[dict[str, Any]], str]:
        status, out, errors = run(
            *("sessions", "--json", "--in", self.logs, *words), XDG_CACHE_HOME=str(self.cache)
        )
        return status, [json.loads(line) for line in out.splitlines()], errors

    def titles(self, *words: str | Path) -> list[str]:
        return [one["title"] for one in self.sessions(*words)[1]]

    def write(self, name: str, *records: object) -> Path:
        file = self.logs / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(lines(*records), encoding="utf-8")
        return file


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home(tmp_path)
    made.write("a.jsonl", *LOG)
    made.write("b/b.jsonl", {"role": "user", "content": "Écris un test"}, LOG[3])
    return made


def test_sessions_are_listed_and_found(home: Home) -> None:
    assert sorted(home.titles()) == ["Why is the deploy so flaky?", "Écris un test"]
    assert home.titles("flaky", "dep") == ["Why is the deploy so flaky?"]
    assert home.titles("ecris") == ["Écris un test"]
    assert home.titles("--tool", "grep") == ["Why is the deploy so flaky?"]
    assert home.titles("--agent", "openai", "race") == home.titles("race")
    assert len(home.titles("--limit", "1")) == 1
    status, found, _ = home.sessions("nothing of the kind")
    assert (status, found) == (1, [])
    _, (one,), _ = home.sessions("flaky")
    assert (one["calls"], one["failed"], one["verdict"]) == (1, 0, "whole")


def test_what_results_say_is_not_in_the_index(home: Home) -> None:
    assert home.titles("secret") == []


def test_the_index_follows_the_logs(home: Home) -> None:
    assert len(home.titles()) == 2
    home.write("a.jsonl", {"role": "user", "content": "Another question"}, LOG[3])
    assert home.titles("flaky") == []
    assert home.titles("another") == ["Another question"]
    home.write("c.jsonl", {"role": "user", "content": "A third one"}, LOG[3])
    (home.logs / "a.jsonl").unlink()
    assert sorted(home.titles()) == ["A third one", "Écris un test"]


def test_the_index_is_its_users_alone_and_can_be_removed(home: Home) -> None:
    home.titles()
    assert stat.S_IMODE(home.index.stat().st_mode) == 0o600
    assert stat.S_IMODE(home.index.parent.stat().st_mode) == 0o700
    status, out, _ = run("sessions", "--forget", XDG_CACHE_HOME=str(home.cache))
    assert (status, out) == (0, f"{home.index} is removed\n")
    assert not home.index.exists()


@pytest.mark.parametrize("damage", [b"no database", None])
def test_a_damaged_index_is_made_anew(home: Home, damage: bytes | None) -> None:
    whole = home.titles()
    content = home.index.read_bytes()
    if damage is None:
        # The pages behind the first one are overwritten.
        damage = content[:4096] + b"\xff" * (len(content) - 4096)
    home.index.write_bytes(damage)
    assert home.titles() == whole


@pytest.mark.parametrize("word", ['"', "AND", "NOT", "a*", "(", "text:", "--", "\0x", "'"])
def test_any_word_can_be_searched_for(home: Home, word: str) -> None:
    if "\0" in word:
        pytest.skip("no command line holds a zero byte")
    status, _, errors = home.sessions("--", word)
    assert (status in (0, 1), errors) == (True, "")


def test_odd_folders_and_names_do_no_harm(home: Home) -> None:
    (home.logs / "broken.jsonl").symlink_to(home.logs / "none")
    (home.logs / "loop").symlink_to(home.logs)
    os.mkfifo(home.logs / "pipe.jsonl")
    home.write("x\x1b[31m.jsonl", {"role": "user", "content": "\x1b]0;title\x07red"}, LOG[3])
    (home.logs / "note.txt").write_text("a note\n")
    assert len(home.titles()) == 3
    status, out, _ = run("sessions", "--in", home.logs, XDG_CACHE_HOME=str(home.cache))
    assert (status, "\x1b" in out, out.splitlines()[-1]) == (0, False, "= 3 sessions")


def test_a_session_is_shown_as_text_and_as_a_page(home: Home, tmp_path: Path) -> None:
    _, (one,), _ = home.sessions("flaky")
    cache = {"XDG_CACHE_HOME": str(home.cache)}
    status, out, _ = run("sessions", "--show", one["key"], **cache)
    assert (status, out.splitlines()[0]) == (0, "< Why is the deploy so flaky?")
    page = tmp_path / "page.html"
    assert run("sessions", "--show", one["key"], "--html", page, **cache)[0] == 0
    assert "flaky" in page.read_text(encoding="utf-8")
    status, _, errors = run("sessions", "--show", "00000000", **cache)
    assert (status, "there is no session 00000000" in errors) == (2, True)
    assert run("sessions", "--html", page, **cache)[0] == 2
    assert run("sessions", "--in", tmp_path / "none", **cache)[0] == 2


def test_a_file_that_an_agent_shares_with_others_is_read_alone(tmp_path: Path) -> None:
    storage = tmp_path / ".config" / "Cursor" / "User" / "globalStorage"
    storage.mkdir(parents=True)
    cursor_chats(storage / "state.vscdb")
    (storage / "storage.json").write_text('{"telemetry": 1}')
    home = {"HOME": str(tmp_path), "XDG_DATA_HOME": "", "XDG_CONFIG_HOME": "", "XDG_CACHE_HOME": ""}
    home |= {"CODEX_HOME": "", "CLAUDE_CONFIG_DIR": ""}
    for _ in range(2):
        status, out, errors = run("sessions", "--json", **home)
        assert (status, errors) == (0, "")
        assert [json.loads(line)["agent"] for line in out.splitlines()] == ["cursor_chat"] * 3
    assert "3 sessions" in run("transcript", **home)[1]
    (storage / "state.vscdb").unlink()
    assert run("sessions", "--json", **home)[1] == ""
