"""The console's ``transcript`` over many logs: sums, failures, rows, costs, files that change."""

from __future__ import annotations

import asyncio
import csv
import gzip
import json
import os
import re
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from typing import Any

import pytest
from test_console import run
from toolwire import transcript
from toolwire.cli import agent_folders
from toolwire.cli.main import main

Record = dict[str, Any]


def record(kind: str, second: int, content: list[Record], **message: Any) -> str:
    head = {"type": kind, "uuid": f"{kind}{second}", "sessionId": "s", "cwd": "/srv"}
    at = f"2026-01-0{1 + second // 60}T00:00:{second % 60:02}.000Z"
    role = "user" if kind == "user" else "assistant"
    made = {**head, "timestamp": at, "message": {"role": role, "content": content, **message}}
    return json.dumps(made) + "\n"


def call(id: str, name: str, second: int, **message: Any) -> str:
    block = {"type": "tool_use", "id": id, "name": name, "input": {"command": f"run {id}"}}
    return record("assistant", second, [block], id=f"m{second}", **message)


def result(id: str, second: int, text: str = "ok", failed: bool = False) -> str:
    block = {"type": "tool_result", "tool_use_id": id, "content": text, "is_error": failed}
    return record("user", second, [block])


USED = {"model": "claude-a", "usage": {"input_tokens": 1_000_000, "output_tokens": 200_000}}
FIRST = (
    call("a", "Bash", 0, **USED)
    + result("a", 2)
    + call("b", "Bash", 3, model="claude-b", usage={"input_tokens": 500_000, "output_tokens": 0})
    + result("b", 4, "no such file", failed=True)
)
SECOND = call("c", "Read", 61, **USED) + result("c", 65) + call("d", "Read", 66)
FOREIGN = "just a note\n"


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    folder = tmp_path / "logs"
    (folder / "old").mkdir(parents=True)
    (folder / "a.jsonl").write_text(FIRST)
    (folder / "old" / "b.jsonl.gz").write_bytes(gzip.compress(SECOND.encode()))
    return folder


def sums(*arguments: str | Path) -> tuple[int, dict[str, Any], str]:
    status, out, errors = run("transcript", "--summary", "--json", *arguments)
    return status, json.loads(out), errors


def test_many_logs_are_summed_up(logs: Path) -> None:
    status, found, errors = sums(logs)
    assert (status, errors) == (1, "")
    assert [row["tool"] for row in found["rows"]] == ["Bash", "Read"]
    bash, read = found["rows"]
    assert {name: bash[name] for name in ("calls", "failed", "pending")} == {
        "calls": 2,
        "failed": 1,
        "pending": 0,
    }
    assert (bash["median_ms"], bash["p95_ms"], bash["total_ms"]) == (1000, 2000, 3000)
    assert (read["calls"], read["pending"], read["median_ms"]) == (2, 1, 4000)
    assert found["total"]["input"] == 2_500_000
    assert found["account"]["calls"] == 4
    status, out, _ = run("transcript", "--summary", logs)
    assert status == 1
    assert out.splitlines()[0].split() == [
        *("tool", "calls", "failed", "denied", "pending", "median", "95", "%", "time"),
        *("input", "output", "cached"),
    ]


@pytest.mark.parametrize(
    ("by", "expected"),
    [
        ("agent", {"claude_code": (4, 2_500_000)}),
        # The last call names no model; its log names one.
        ("model", {"claude-a": (3, 2_000_000), "claude-b": (1, 500_000)}),
        ("day", {"2026-01-01": (2, 1_500_000), "2026-01-02": (2, 1_000_000)}),
    ],
)
def test_sums_are_by_agent_model_and_day(
    logs: Path, by: str, expected: dict[str | None, tuple[int, int | None]]
) -> None:
    _, found, _ = sums("--by", by, logs)
    assert {row[by]: (row["calls"], row["input"]) for row in found["rows"]} == expected


def test_files_patterns_archives_and_standard_input_are_read(logs: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "c.zip", "w") as archive:
        archive.writestr("c.jsonl", FIRST)
    names = [f"{logs}/**/*.gz", str(logs / "a.jsonl"), str(tmp_path / "c.zip"), "-"]
    command = [sys.executable, "-m", "toolwire", "transcript", "--summary", "--json", *names]
    done = subprocess.run(command, input=FIRST.encode(), capture_output=True, check=False)
    assert done.returncode == 1, done.stderr
    assert json.loads(done.stdout)["total"]["calls"] == 8
    assert run("transcript", "--summary", f"{tmp_path}/none*")[0] == 2


def test_several_processes_give_the_same(logs: Path, tmp_path: Path) -> None:
    for number in range(40):
        (logs / f"{number}.jsonl").write_text(FIRST)
    assert sums(logs, "--jobs", "2") == sums(logs)
    for jobs in ("1", "2"):
        out = tmp_path / f"{jobs}.jsonl"
        assert run("transcript", "--out", out, "--jobs", jobs, logs)[0] == 1
    assert (tmp_path / "1.jsonl").read_text() == (tmp_path / "2.jsonl").read_text()


def test_what_no_log_tells_is_empty(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    item = {"id": "i1", "type": "command_execution", "command": "make", "status": "failed"}
    file.write_text(json.dumps({"type": "item.completed", "item": item}) + "\n")
    _, found, _ = sums(file)
    row = found["rows"][0]
    assert (row["calls"], row["median_ms"], row["total_ms"], row["input"]) == (1, None, None, None)
    assert "0.0" not in run("transcript", "--summary", file)[1]


def test_a_foreign_file_is_named_and_the_worst_log_counts(logs: Path) -> None:
    (logs / "note.txt").write_text(FOREIGN)
    status, found, errors = sums(logs)
    assert status == 3
    assert f"no dialect known for {logs / 'note.txt'}: 1 records" in errors
    assert found["total"]["calls"] == 4
    (logs / "broken.gz").write_bytes(gzip.compress(SECOND.encode())[:40])
    assert sums(logs)[0] == 3


def test_prices_are_those_of_the_user(logs: Path, tmp_path: Path) -> None:
    prices = tmp_path / "prices.json"
    prices.write_text('{"claude-a": {"input": 3, "output": 15, "cached": 0.3}}')
    _, found, errors = sums("--by", "model", "--prices", prices, logs)
    costs = {row["model"]: row["cost"] for row in found["rows"]}
    assert costs == {"claude-a": pytest.approx(2 * (3 + 3)), "claude-b": None}
    assert "has no price for claude-b: their cost is not counted" in errors
    table = tmp_path / "prices.csv"
    table.write_text("model,input,output,cached\nclaude-a,3,15,0.3\n")
    assert sums("--by", "model", "--prices", table, logs)[1] == found
    prices.write_text('{"claude-a": {"input": "much"}}')
    status, _, errors = run("transcript", "--summary", "--prices", prices, logs)
    assert status == 2
    assert "is no table of prices" in errors


def test_failures_are_shown_with_their_calls(logs: Path) -> None:
    status, out, _ = run("transcript", "--errors", logs)
    assert status == 1
    assert out.splitlines()[:3] == [
        f"# {logs / 'a.jsonl'}",
        "  tool_error: Bash: run b",
        "    no such file",
    ]


def rows_of(file: Path) -> list[dict[str, Any]]:
    if file.suffix == ".csv":
        with file.open(newline="", encoding="utf-8") as table:
            return [
                {key: value or None for key, value in row.items()} for row in csv.DictReader(table)
            ]
    if file.suffix == ".jsonl":
        return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    pq = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not there for this Python")
    read: list[dict[str, Any]] = pq.read_table(file).to_pylist()
    return read


@pytest.mark.parametrize("form", [".csv", ".jsonl", ".parquet"])
def test_each_call_is_a_row(logs: Path, tmp_path: Path, form: str) -> None:
    out = tmp_path / f"calls{form}"
    if form == ".parquet":
        pytest.importorskip("pyarrow", reason="pyarrow is not there for this Python")
    assert run("transcript", "--out", out, logs)[0] == 1
    rows = rows_of(out)
    assert [row["id"] for row in rows] == ["a", "b", "c", "d"]
    assert [row["status"] for row in rows] == ["success", "failed", "success", "created"]
    assert rows[1]["error"] == "no such file"
    assert rows[0]["started"] == "2026-01-01T00:00:00.000Z"
    assert [str(row["duration_ms"]) for row in rows] == ["2000", "1000", "4000", "None"]
    assert {row["agent"] for row in rows} == {"claude_code"}
    assert [row["model"] for row in rows] == ["claude-a", "claude-b", "claude-a", None]
    assert not list(tmp_path.glob("*.part"))
    assert run("transcript", "--out", tmp_path / "calls.txt", logs)[0] == 2


def interrupted(command: list[Any], wait: float) -> bytes:
    """Start a program, send it Ctrl-C, and give what it says."""
    with subprocess.Popen(
        [sys.executable, "-m", "toolwire", "transcript", *command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        time.sleep(wait)
        process.send_signal(signal.SIGINT)
        try:
            # Standard input stays open, and ends with the program alone.
            assert process.wait(30) == 130
        finally:
            process.kill()
        assert process.stderr is not None
        return process.stderr.read()


@pytest.mark.parametrize("form", [".csv", ".jsonl", ".parquet"])
def test_ctrl_c_leaves_valid_rows(logs: Path, tmp_path: Path, form: str) -> None:
    out = tmp_path / f"calls{form}"
    if form == ".parquet":
        pytest.importorskip("pyarrow", reason="pyarrow is not there for this Python")
    told = interrupted(["--out", out, logs / "a.jsonl", "-", logs / "old"], 3.0)
    assert b"interrupted: 1 of 3 logs are counted" in told
    assert [row["id"] for row in rows_of(out)] == ["a", "b"]
    assert not list(tmp_path.glob("*.part"))


def test_ctrl_c_ends_several_processes(logs: Path, tmp_path: Path) -> None:
    pipe, out = tmp_path / "pipe", tmp_path / "calls.jsonl"
    # One of the processes waits for a pipe that nobody writes to.
    os.mkfifo(pipe)
    names = [logs / "a.jsonl", logs / "old" / "b.jsonl.gz", pipe]
    told = interrupted(["--out", out, "--jobs", "2", *names], 4.0)
    assert b"interrupted: 2 of 3 logs are counted" in told
    assert [row["id"] for row in rows_of(out)] == ["a", "b", "c", "d"]
    assert not list(tmp_path.glob("*.part"))


def test_a_session_of_many_files_is_read_in_any_process(logs: Path) -> None:
    storage = logs / "opencode" / "storage"
    for session in ("s1", "s2"):
        info = {"id": f"m-{session}", "sessionID": session, "role": "user"}
        part = {"type": "text", "text": f"Hello {session}", "id": "p", "messageID": info["id"]}
        for file, record in (
            (storage / "message" / session / f"{info['id']}.json", info),
            (storage / "part" / info["id"] / "p.json", part),
        ):
            file.parent.mkdir(parents=True)
            file.write_text(json.dumps(record))
    alone, shared = sums("--by", "agent", logs), sums("--by", "agent", "--jobs", "2", logs)
    assert alone == shared
    assert alone[1]["account"]["records"] == 9


def test_a_missing_file_among_many_stops_nothing(logs: Path, tmp_path: Path) -> None:
    missing = tmp_path / "missing.jsonl"
    for option in ("--summary", "--errors", "--json"):
        status, out, errors = run("transcript", option, missing, logs / "a.jsonl")
        assert status == 2
        assert f"cannot read {missing}: No such file" in errors
        assert "2 calls; 2 with result" in out or '"calls": 2' in out
    status, out, errors = run("transcript", "--summary", missing)
    assert (status, out) == (2, "")


def test_pages_of_many_sessions_have_an_index(logs: Path, tmp_path: Path) -> None:
    (logs / "note.txt").write_text(FOREIGN)
    folder = tmp_path / "deep" / "pages"
    status, out, errors = run("transcript", "--html", folder, logs)
    assert (status, out) == (3, f"2 of 3 sessions are in {folder / 'index.html'}\n")
    assert "no dialect known for" in errors
    pages = sorted(one.name for one in folder.iterdir())
    assert pages == ["0001-a.html", "0003-b.jsonl.html", "index.html"]
    index = (folder / "index.html").read_text(encoding="utf-8")
    assert all(f'href="./{name}"' in index for name in pages[:2])
    assert "run a" in (folder / "0001-a.html").read_text(encoding="utf-8")
    file = tmp_path / "one.html"
    assert run("transcript", "--html", file, logs / "a.jsonl")[0] == 0
    assert "run a" in file.read_text(encoding="utf-8")
    status, _, errors = run("transcript", "--html", file, logs)
    assert (status, "need a folder" in errors) == (2, True)


def test_standard_input_is_followed(logs: Path) -> None:
    log = (logs / "a.jsonl").read_bytes()
    assert run("transcript", "--follow", "-", stdin=log) == run("transcript", "-", stdin=log)


def test_the_docs_name_the_folders_of_agents() -> None:
    docs = Path(__file__).parents[2] / "docs" / "transcripts.md"
    _, _, section = docs.read_text(encoding="utf-8").partition("### The folders of agents")
    table = section.partition("| in |")[2].partition("What lies")[0]
    folders = [*agent_folders.HOMES, *agent_folders.DATA, *agent_folders.SETTINGS]
    in_table = [one for one in re.findall(r"`([^`]*)`", table) if not one.startswith("~")]
    assert sorted(one for one in in_table if not one.isupper()) == sorted(folders)


def test_without_files_the_agents_folders_are_listed(tmp_path: Path) -> None:
    home = {"HOME": str(tmp_path), "XDG_DATA_HOME": "", "XDG_CONFIG_HOME": "", "CODEX_HOME": ""}
    home["CLAUDE_CONFIG_DIR"] = ""
    status, _, errors = run("transcript", **home)
    assert status == 2
    assert "no agent has kept a log here" in errors
    folder = tmp_path / ".claude" / "projects" / "-srv"
    folder.mkdir(parents=True)
    (folder / "one.jsonl").write_text(FIRST)
    status, out, _ = run("transcript", **home)
    assert (status, out.splitlines()[-1][:12]) == (0, "= 1 sessions")
    status, out, _ = run("transcript", "--summary", **home)
    assert (status, out.splitlines()[-1]) == (0, "= 2 calls; 2 with result; 0 pending")
    chats = tmp_path / ".config/Code/User/workspaceStorage/1f/chatSessions"
    chats.mkdir(parents=True)
    (chats / "two.json").write_text(FIRST)
    status, out, _ = run("transcript", **home)
    assert (status, out.splitlines()[-1][:12]) == (0, "= 2 sessions")


def test_a_file_that_is_replaced_is_followed(tmp_path: Path) -> None:
    file = tmp_path / "log.jsonl"
    file.write_text(call("a", "Bash", 0) + result("a", 1)[:20])

    async def read() -> list[str]:
        found = []
        async for patch in transcript.follow(file, interval=0.01, idle=5.0):
            found.append(patch.entry.content)
            if found == ["run a"]:
                newer = tmp_path / "newer"
                newer.write_text(call("z", "Bash", 5))
                newer.replace(file)
            if found[-1] == "run z":
                break
        return found

    assert asyncio.run(read())[0] == "run a"
    assert asyncio.run(read())[-1] == "run z"


def test_a_name_cannot_steer_the_terminal(tmp_path: Path) -> None:
    name = "a\x1b[31m.jsonl"
    (tmp_path / name).write_text(
        call("a", "ba\x1b[2Jsh", 0) + result("a", 1, "x\x1b]0;t\x07", True)
    )
    (tmp_path / "b.txt").write_text(FOREIGN)
    for option in ("--summary", "--errors"):
        for stream in run("transcript", option, tmp_path)[1:]:
            assert "\x1b" not in stream


def test_wrong_options_say_what_to_do(logs: Path) -> None:
    wrong: list[tuple[list[str | Path], str]] = [
        (["--by", "day", logs], "--by needs --summary or --out"),
        (["--jobs", "2", logs], "--jobs needs --summary or --out"),
        (["--follow", logs / "a.jsonl", logs / "b"], "--follow takes one file"),
        (["--session", "none", logs], "has no session none"),
    ]
    for arguments, told in wrong:
        status, _, errors = run("transcript", *arguments)
        assert status == 2
        assert told in errors


def test_bare_toolwire_prints_its_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    assert capsys.readouterr().out.startswith("usage: toolwire ")
