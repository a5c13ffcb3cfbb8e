"""Transcripts: what only Python has, and the page and the console on real logs."""

from __future__ import annotations

import asyncio
import fcntl
import inspect
import json
import os
import pickle
import pty
import random
import re
import struct
import subprocess
import sys
import termios
import threading
from pathlib import Path
from typing import Any

import pytest
import toolwire
from toolwire import transcript

from examples import documented, fails

RECORDED = Path(os.environ.get("TOOLWIRE_RECORDED", "")) / "droid"
reads_recordings = pytest.mark.skipif(
    "TOOLWIRE_RECORDED" not in os.environ, reason="reads recordings: make recorded FOLDER=FOLDER"
)


def line(**fields: Any) -> str:
    return json.dumps(fields) + "\n"


def call(id: str, name: str = "Execute", at: int = 1000, **parameters: Any) -> str:
    return line(
        type="tool_call", id=id, messageId="m", toolId=name, toolName=name,
        parameters=parameters, timestamp=at, session_id="s",
    )  # fmt: skip


def result(id: str, value: Any, is_error: bool = False, at: int = 1500) -> str:
    return line(
        type="tool_result", id=id, messageId="m", toolId="", isError=is_error,
        value=value, timestamp=at, session_id="s",
    )  # fmt: skip


LOG = (
    call("a", command="ls") + call("b", "Read", file_path="x") + result("b", "gone", is_error=True)
)


DOCUMENTED = documented(transcript)


@pytest.mark.parametrize("name", DOCUMENTED)
def test_every_example_is_true(name: str) -> None:
    doc = inspect.getdoc(DOCUMENTED[name]) or ""
    assert ">>>" in doc or name == "Reader.finish", name
    names = {"toolwire": toolwire, "json": json, "asyncio": asyncio}
    assert fails(doc, name, names) == ""


@reads_recordings
@pytest.mark.parametrize("name", ["glob", "hello-world", "insufficient-perms"])
def test_recorded_logs_give_what_the_live_program_gives(name: str) -> None:
    found = transcript.normalize(
        RECORDED / f"{name}.jsonl", worktree="/tmp/test-worktree", faithful=True
    )
    assert [entry.to_dict() for entry in found.entries] == json.loads(
        (RECORDED / f"{name}.expected.json").read_bytes()
    )
    patches = [
        {"op": one.op, "index": one.index, "entry": one.entry.to_dict()} for one in found.patches
    ]
    assert patches == json.loads((RECORDED / f"{name}.patches.expected.json").read_bytes())


@reads_recordings
def test_recorded_cases_give_what_the_live_program_gives() -> None:
    for case in json.loads((RECORDED / "cases.json").read_bytes()):
        if "symlinked" in case["id"]:  # a test of core makes the links to these tests
            continue
        options = {"worktree": case["worktree"], "stderr": case.get("stderr"), "faithful": True}
        found = transcript.normalize(case["text"], **options)
        assert [entry.to_dict() for entry in found.entries] == case["want"]["entries"], case["id"]
        assert [found.session_id] * bool(found.session_id) == case["want"]["session_ids"], case[
            "id"
        ]


def test_any_bytes_give_entries() -> None:
    choose = random.Random(5)
    for _ in range(300):
        log = bytearray(LOG.encode())
        for _ in range(choose.randrange(6)):
            log[choose.randrange(len(log))] = choose.randrange(256)
        cut = choose.randrange(len(log))
        whole = transcript.normalize(bytes(log))
        reader = transcript.Reader()
        patches = (
            reader.feed_piece(bytes(log[:cut]))
            + reader.feed_piece(bytes(log[cut:]))
            + reader.finish()
        )
        assert patches == list(whole.patches)
        json.dumps([entry.to_dict() for entry in whole.entries])
        assert whole.to_html().startswith("<!DOCTYPE html>")


def test_text_of_every_type_is_read() -> None:
    for text in (
        "\ud800é",
        "\ud800é".encode("utf-8", "surrogatepass"),
        bytearray(b"x"),
        memoryview(b"x"),
    ):
        assert len(transcript.normalize(text)) == 1  # type: ignore[arg-type]
    for wrong in (5, None, ["x"]):
        with pytest.raises(toolwire.WrongTypeError):
            transcript.normalize(wrong)  # type: ignore[arg-type]
        with pytest.raises(toolwire.WrongTypeError):
            transcript.Reader().feed(wrong)  # type: ignore[arg-type]
    with pytest.raises(toolwire.InvalidArgumentError):
        transcript.Reader(dialect="nobody")


def test_a_str_is_never_a_path(tmp_path: Path) -> None:
    file = tmp_path / "log.jsonl"
    file.write_text("secret")
    assert transcript.normalize(str(file)).entries[0].content == str(file)
    assert transcript.normalize(file).entries[0].content == "secret"


def test_results_go_into_a_report() -> None:
    found = transcript.normalize(LOG)
    report = toolwire.Report(found.to_results())
    assert (report.total, report.failed) == (1, 1)
    assert report.by_tool["Read"]["failed"] == 1
    assert "gone" in report.summary()
    assert [pending.id for pending in found.pending] == ["a"]
    (ended,) = [one for one in found.calls if one.status == "failed"]
    assert (ended.started, ended.duration, ended.error) == (
        1000,
        500,
        {"kind": "tool_error", "message": "gone"},
    )


def test_entries_are_values() -> None:
    one, two = transcript.normalize(LOG), transcript.normalize(LOG)
    assert one.entries == two.entries
    assert len({*one.entries, *two.entries}) == 2
    assert len({*one.patches, *two.patches}) == 3
    assert one.entries[0] != one.entries[1]
    assert (
        repr(one.entries[0])
        == "Entry(type='tool_use', tool_name='bash', content='ls', status='created')"
    )


def test_a_log_is_followed_while_it_grows(tmp_path: Path) -> None:
    file = tmp_path / "log.jsonl"
    file.write_text(call("a", command="ls"))

    async def read() -> list[str]:
        found = []
        async for patch in transcript.follow(file, interval=0.01, idle=2.0):
            found.append(f"{patch.op} {patch.entry.status or patch.entry.content}")
            if found == ["add created"]:
                with file.open("a") as log:
                    log.write(result("a", "x")[:30])
            if patch.op == "replace":
                file.write_text("anew\n")
            elif patch.entry.content == "anew":
                break
        return found

    def complete() -> None:
        with file.open("a") as log:
            log.write(result("a", "x")[30:])

    later = threading.Timer(0.5, complete)
    later.start()
    assert asyncio.run(read()) == ["add created", "replace success", "add anew"]
    later.join()


def test_a_log_of_any_size_takes_little_memory(tmp_path: Path) -> None:
    file = tmp_path / "log.jsonl"
    with file.open("w") as log:
        for number in range(20_000):
            log.write(call(f"c{number}", command="ls") + result(f"c{number}", "x" * 4000))
        # Half of the calls never get a result.
        for number in range(20_000):
            log.write(call(f"d{number}", command="x" * 1000))
    assert file.stat().st_size > 100 << 20
    program = (
        "import resource, sys; from toolwire import transcript\n"
        "peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "before = peak(); count = sum(1 for _ in transcript.stream(sys.argv[1]))\n"
        "print(count, peak() - before)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, file], capture_output=True, text=True, check=True
    )
    count, kilobytes = map(int, done.stdout.split())
    assert count == 60_000
    assert kilobytes < 64 << 10


def console(*arguments: str | Path, stdin: str = "") -> Any:
    command = [sys.executable, "-m", "toolwire", "transcript", *map(str, arguments)]
    done = subprocess.run(
        command, input=stdin.encode(), capture_output=True, timeout=60, check=False
    )
    assert b"Traceback" not in done.stderr, done.stderr
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def test_the_console_prints_a_log(tmp_path: Path) -> None:
    file = tmp_path / "log.jsonl"
    message = line(
        type="message", role="user", id="1", text="a\x1b[31m\nb", timestamp=1, session_id="s"
    )
    file.write_text(message + LOG)
    status, out, errors = console(file)
    assert (status, errors) == (1, "")
    assert out == (
        "< a⟨U+001B⟩[31m\n  b\n* bash: ls\n* read: x\n  failed: read: x (500 ms)\n    gone\n"
        "= 4 records; 4 understood\n= 2 calls; 1 with result; 1 pending\n"
    )
    assert console("-", stdin=message + LOG) == (1, out, "")
    assert console(file, "--follow", "--idle", "0") == (1, out, "")
    assert console("-", stdin=LOG + result("a", ""))[0] == 0
    assert console(tmp_path / "none")[0] == 2
    assert console(tmp_path) == (1, out, "")
    (tmp_path / "empty").mkdir()
    assert console(tmp_path / "empty")[0] == 2


def test_the_console_prints_patches_as_json(tmp_path: Path) -> None:
    status, out, _ = console("-", "--json", stdin=LOG)
    *patches, account = [json.loads(line) for line in out.splitlines()]
    assert account == {"account": transcript.normalize(LOG).account}
    assert (status, [patch["op"] for patch in patches]) == (1, ["add", "add", "replace"])
    assert patches[2] == transcript.normalize(LOG).patches[2].to_dict()


def test_the_console_sums_a_log_up() -> None:
    status, out, _ = console("-", "--summary", stdin=LOG + result("a", "x", at=3000))
    assert status == 0
    rows = [row.split() for row in out.splitlines()]
    assert rows == [
        ["tool", "calls", "failed", "denied", "pending", "median", "95", "%", "time"],
        ["Execute", "1", "0", "0", "0", *("2.00", "s") * 3],
        ["Read", "1", "1", "0", "0", *("0.50", "s") * 3],
        ["total", "2", "1", "0", "0", "0.50", "s", "2.00", "s", "2.50", "s"],
        ["=", "4", "records;", "4", "understood"],
        ["=", "2", "calls;", "2", "with", "result;", "0", "pending"],
    ]


def test_a_big_log_has_a_bar_on_a_terminal(tmp_path: Path) -> None:
    file = tmp_path / "log.jsonl"
    file.write_text((call("a", command="x" * 1000) + result("a", "y" * 1000)) * 5000)
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    process = subprocess.Popen(
        [sys.executable, "-m", "toolwire", "transcript", "--summary", file],
        stdout=subprocess.PIPE, stderr=theirs, env={**os.environ, "TERM": "xterm", "COLUMNS": "80"},
    )  # fmt: skip
    os.close(theirs)
    shown = b""
    try:
        while piece := os.read(ours, 4096):
            shown += piece
    except OSError:  # a terminal whose program has ended cannot be read
        pass
    out, _ = process.communicate(timeout=60)
    os.close(ours)
    assert process.returncode == 0
    assert b"B/s" in shown
    assert b"Execute" in out
    assert b"\x1b" not in out


def test_the_console_writes_the_page(tmp_path: Path) -> None:
    source, page = tmp_path / "log.jsonl", tmp_path / "page.html"
    source.write_text(call("1", "<b>", 5) + "<i>\n")
    assert console(source, "--html", page)[0] == 1
    written = page.read_text(encoding="utf-8")
    assert written == transcript.normalize(source).to_html()
    assert "<b>" not in written
    assert "<i>" not in written


def test_the_example_of_the_documentation_does_what_it_says(
    capsys: pytest.CaptureFixture[str],
) -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "transcripts.md").read_text(
        encoding="utf-8"
    )
    (example,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    exec(compile(example, "transcripts.md", "exec"), {})
    printed = "['make', 'a.txt']\n['created', 'failed']\n1 ['c1']\n"
    assert capsys.readouterr().out == printed
    for dialect in re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)[:5]:
        transcript.Reader(dialect=dialect)


def test_entries_are_made_once() -> None:
    call = {"id": "c", "function": {"name": "now", "arguments": "{}"}}
    log = "one\n" + json.dumps({"role": "assistant", "tool_calls": [call]})
    found = transcript.normalize(log)
    assert len(found) == 2
    assert found.calls[0] is found.entries[1]
    assert found.pending[0] is found.entries[1]
    assert found.entries is found.entries
    assert pickle.loads(pickle.dumps(found)).entries == found.entries
