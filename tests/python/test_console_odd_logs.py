"""The console over odd folders: links, pipes, names, what is no log, what cannot be read."""

from __future__ import annotations

import csv
import json
import os
import sqlite3
import stat
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from typing import Any

import pytest
from test_console import run
from test_console_logs import FIRST, FOREIGN, SECOND, call, rows_of, sums
from test_console_sessions import LOG, Home, lines
from toolwire import transcript

NOT_UTF8 = os.fsdecode(b"\xff.jsonl")


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    folder = tmp_path / "logs"
    (folder / "old").mkdir(parents=True)
    (folder / "a.jsonl").write_text(FIRST)
    (folder / "old" / "b.jsonl").write_text(SECOND)
    return folder


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home(tmp_path)
    made.write("a.jsonl", *LOG)
    return made


def test_a_link_to_a_folder_above_is_not_followed(logs: Path) -> None:
    (logs / "old" / "loop").symlink_to(logs)
    for names in ([logs], [f"{logs}/**/*.jsonl"]):
        _, found, _ = sums(*names)
        assert found["total"]["calls"] == 4


def test_a_pipe_and_a_broken_link_are_named(logs: Path) -> None:
    os.mkfifo(logs / "pipe.jsonl")
    (logs / "broken.jsonl").symlink_to(logs / "none")
    status, found, errors = sums(logs)
    assert (status, found["total"]["calls"]) == (2, 4)
    assert f"cannot read {logs / 'broken.jsonl'}: No such file" in errors
    assert f"cannot read {logs / 'pipe.jsonl'}: it is no file" in errors
    for option in ("--errors", "--json"):
        status, out, errors = run("transcript", option, logs)
        assert (status, "run b" in out) == (2, True)
        assert f"cannot read {logs / 'broken.jsonl'}" in errors


def test_a_pipe_that_is_named_is_read_whole(logs: Path) -> None:
    command = f'"{sys.executable}" -m toolwire transcript <(cat "{logs}/a.jsonl")'
    done = subprocess.run(
        ["bash", "-c", command], capture_output=True, timeout=60, text=True, check=False
    )
    assert (done.returncode, done.stdout.count("run b")) == (0, 2), done.stderr


def test_a_folder_without_permission_is_named(logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    listed = os.scandir

    def scandir(folder: Path) -> Any:
        if folder.name == "old":  # a test may run as a user who can read everything
            raise PermissionError(13, "Permission denied")
        return listed(folder)

    monkeypatch.setattr(os, "scandir", scandir)
    problems = [one.problem for one in transcript.read(logs)]
    assert problems == ["", f"cannot read {logs / 'old'}: Permission denied"]


def test_files_that_no_log_is_called_are_named(logs: Path) -> None:
    (logs / "old" / "picture.png").write_bytes(b"\x89PNG")
    _, _, errors = sums(logs)
    assert f"1 files are passed over, no log has such a name: {logs}/old/picture.png" in errors


def test_an_archive_in_a_folder_is_read(logs: Path) -> None:
    with zipfile.ZipFile(logs / "c.zip", "w") as archive:
        archive.writestr("deep/c.ndjson", FIRST)
        archive.writestr("picture.png", b"")
    with zipfile.ZipFile(logs / "empty.zip", "w") as archive:
        archive.writestr("picture.png", b"")
    status, found, errors = sums(logs)
    assert (status, found["total"]["calls"]) == (2, 6)
    member = f"{logs / 'c.zip'}: deep/c.ndjson"
    assert f"\n{member}\n" in run("transcript", logs)[1]
    assert f"# {member}\n" in run("transcript", "--errors", logs)[1]
    assert "is an archive without a log" in errors


def test_an_archive_is_unpacked_in_pieces(tmp_path: Path) -> None:
    file, block = tmp_path / "big.zip", "x" * (1 << 20)
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.jsonl", json.dumps({"role": "user", "content": block}) * 64)
    (session,) = transcript.read(file)
    sizes = [len(piece) for piece in session.pieces()]
    assert sum(sizes) > 64 << 20
    assert max(sizes) <= 1 << 20


def test_what_is_packed_with_zstd_is_unpacked_in_pieces(tmp_path: Path) -> None:
    zstandard = pytest.importorskip("zstandard", reason="zstandard is not there for this Python")
    file, whole = tmp_path / "big.jsonl.zst", FIRST.encode() + b" " * (64 << 20) + b"\n"
    file.write_bytes(zstandard.compress(whole) + zstandard.compress(SECOND.encode()))
    (session,) = transcript.read(file)
    sizes = [len(piece) for piece in session.pieces()]
    assert sum(sizes) == len(whole) + len(SECOND)
    assert max(sizes) < 33 << 20
    file.write_bytes(file.read_bytes()[:-9])
    status, found, _ = sums(file)
    assert (status, found["account"]["calls"] >= 2, found["account"]["damaged"]) == (4, True, 1)


def test_a_member_that_cannot_be_unpacked_is_damage(tmp_path: Path) -> None:
    file = tmp_path / "a.zip"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("a.jsonl", FIRST)
        archive.writestr("b.jsonl", SECOND)
    content = file.read_bytes()
    at = content.index(b"PK\x01\x02") + 8
    password = content[:at] + b"\x01" + content[at + 1 :]
    wrong_sum = content.replace(b"no such file", b"no such fILE")
    for damaged in (password, wrong_sum):
        file.write_bytes(damaged)
        status, found, errors = sums(file)
        assert (status, found["account"]["damaged"], found["total"]["calls"]) == (3, 1, 2)
        assert f"no dialect known for {file}: a.jsonl" in errors


@pytest.mark.parametrize("form", [".csv", ".jsonl", ".parquet"])
def test_a_name_that_is_no_text_can_be_written(tmp_path: Path, form: str) -> None:
    if form == ".parquet":
        pytest.importorskip("pyarrow", reason="pyarrow is not there for this Python")
    folder = tmp_path / "logs"
    folder.mkdir()
    (folder / NOT_UTF8).write_text(FIRST)
    out = tmp_path / f"calls{form}"
    assert run("transcript", "--out", out, folder)[0] == 0
    assert [row["file"] for row in rows_of(out)] == [f"{folder}/\ufffd.jsonl"] * 2


def test_failures_are_written_for_programs(logs: Path) -> None:
    status, out, _ = run("transcript", "--errors", "--json", logs)
    failure, account = map(json.loads, out.splitlines())
    assert (status, account["account"]["calls"]) == (1, 4)
    wanted = ("file", "agent", "tool", "id", "content", "error")
    assert [failure[name] for name in wanted] == [
        *(str(logs / "a.jsonl"), "claude_code", "Bash", "b", "run b", "no such file")
    ]


def test_a_formula_in_a_log_stays_one_cell(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text(FIRST.replace("run b", '=1+1\\",\\"x\\n'))
    assert run("transcript", "--out", tmp_path / "calls.csv", file)[0] == 0
    with (tmp_path / "calls.csv").open(newline="", encoding="utf-8") as table:
        assert {len(row) for row in csv.reader(table)} == {16}


def test_sessions_have_any_name(home: Home) -> None:
    (home.logs / NOT_UTF8).write_text(lines({"role": "user", "content": "odd"}, LOG[3]))
    _, found, _ = home.sessions("odd")
    assert found[0]["path"] == str(home.logs / NOT_UTF8)
    status, out, _ = run("sessions", "--show", found[0]["key"], XDG_CACHE_HOME=str(home.cache))
    assert (status, out.splitlines()[0]) == (0, "< odd")


def test_what_gives_no_session_is_named_once(home: Home) -> None:
    home.write("note.txt").write_text(FOREIGN)
    (home.logs / "broken.zip").write_bytes(b"PK\x03\x04broken")
    _, found, errors = home.sessions()
    assert len(found) == 1
    assert f"{home.logs / 'note.txt'} is no log that is known" in errors
    assert f"cannot read {home.logs / 'broken.zip'}" in errors
    # What cannot be read is tried again.
    errors = home.sessions()[2]
    assert ("note.txt" in errors, "broken.zip" in errors) == (False, True)


def test_folders_in_one_another_are_read_once(home: Home) -> None:
    home.write("deep/b.jsonl", {"role": "user", "content": "deep"}, LOG[3])
    inside = ("--in", home.logs / "deep")
    assert len(home.titles(*inside)) == 2
    before = home.index.stat().st_mtime_ns
    assert len(home.titles(*inside)) == 2
    assert home.index.stat().st_mtime_ns == before


def test_an_index_that_others_could_read_is_closed(home: Home) -> None:
    home.titles()
    home.index.chmod(0o644)
    home.index.parent.chmod(0o755)
    home.titles()
    assert stat.S_IMODE(home.index.stat().st_mode) == 0o600
    assert stat.S_IMODE(home.index.parent.stat().st_mode) == 0o700


def test_an_index_of_another_version_is_made_anew(home: Home) -> None:
    whole = home.titles()
    store = sqlite3.connect(home.index)
    store.executescript("DROP TABLE logs; PRAGMA user_version = 999;")
    store.close()
    assert home.titles() == whole


def test_two_programs_may_make_the_index_at_once(home: Home) -> None:
    for number in range(300):
        home.write(f"{number}.jsonl", {"role": "user", "content": f"q{number}"}, LOG[3])
    command = [sys.executable, "-m", "toolwire", "sessions", "--json", "--in", str(home.logs)]
    environ = {**os.environ, "XDG_CACHE_HOME": str(home.cache)}
    both = [
        subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(2)
    ]
    for process in both:
        out, errors = process.communicate(timeout=60)
        assert (process.returncode, errors) == (0, b"")
        assert len(out.splitlines()) == 301


def test_the_console_follows_a_file_through_rotation(tmp_path: Path) -> None:
    file = tmp_path / "log.jsonl"
    first, second = FIRST.splitlines(keepends=True)[:2]
    file.write_text(first)
    command = [sys.executable, "-m", "toolwire", "transcript", "--follow", "--idle", "20"]
    with subprocess.Popen(
        [*command, str(file)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "* bash: run a\n"
            with file.open("a") as grown:
                grown.write(second)
            file.rename(tmp_path / "log.jsonl.1")
            file.write_text(SECOND)
            assert process.stdout.readline().startswith("  success: bash: run a")
            marks = [process.stdout.readline()[:9] for _ in range(3)]
            assert marks == ["* Read: R", "  success", "* Read: R"]
            # Emptied, and written from the start.
            file.write_text("")
            time.sleep(1)
            file.write_text(call("z", "Bash", 90))
            assert process.stdout.readline() == "* bash: run z\n"
        finally:
            process.kill()
