"""The console's ``toolwire approvals``: what it shows of a request, and of who waits for it."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from tools_console import TOKEN, Waiting, at_terminal, console
from toolwire.tools import ApprovalService, SqliteStore

APPROVE = ("-m", "toolwire", "approvals", "approve")


@pytest.fixture
def path(tmp_path: Path) -> str:
    with SqliteStore(tmp_path / "tools.db"):
        return str(tmp_path / "tools.db")


@pytest.fixture
def waiting(path: str) -> Iterator[Waiting]:
    payload = {
        "content": "x" * 250 + "\u202eend",
        "user_pass": "hunter2",
        "note": f"use {TOKEN}",
        "list": list(range(30)),
    }
    started = Waiting(path, json.dumps(payload))
    yield started
    started.process.kill()
    started.process.wait()
    assert started.process.stdout is not None
    started.process.stdout.close()


def test_show_gives_the_whole_arguments(path: str, waiting: Waiting) -> None:
    status, shown = console("show", path, waiting.id)
    assert status == 0
    facts = dict(re.findall(r"^(\w+) +(.*)$", shown.split("\narguments")[0], re.MULTILINE))
    assert facts["tool"] == "edit"
    assert facts["message"] == "Approve edit?"
    assert facts["status"] == "pending, a process waits for it"
    assert facts["fingerprint"] == waiting.request.fingerprint
    assert facts["until"] == waiting.request.expires_at
    assert facts["size"].endswith(" bytes")
    assert "x" * 200 + '"… 54 more characters folded,' in shown
    assert "… 10 more items folded" in shown
    assert "(--full shows what is folded)" in shown
    _, full = console("show", path, str(waiting.request.id), "--full")
    assert "x" * 250 + "⟨U+202E⟩end" in full
    assert "folded" not in full
    for text in (shown, full):
        assert '"user_pass": "[redacted]"' in text
        assert '"note": "use [redacted]"' in text
        assert "hunter2" not in text
        assert TOKEN not in text
    given = json.loads(console("show", path, waiting.id, "--json")[1])
    assert given["arguments"]["content"].endswith("\u202eend")
    assert (given["waiter"], given["fingerprint"]) == (
        "process",
        waiting.request.fingerprint,
    )


def test_a_decision_on_anything_else_than_was_shown_is_refused(path: str, waiting: Waiting) -> None:
    status, said = console("approve", path, waiting.id, "--fingerprint", "0" * 64)
    assert (status, "(changed_since)" in said) == (1, True)
    status, said = console(
        "approve", path, waiting.id, "--fingerprint", waiting.request.fingerprint
    )
    assert (status, said) == (0, f"{waiting.request.id} approved\n")
    assert waiting.process.communicate(timeout=60)[0] == b"True\n"
    _, shown = console("show", path, waiting.id)
    assert "arguments    not kept; a summary is:" in shown
    assert f"seen         {waiting.request.fingerprint}" in shown


def test_nothing_is_approved_that_was_not_seen(path: str, waiting: Waiting) -> None:
    command = [sys.executable, "-m", "toolwire", "approvals", "approve", path, waiting.id]
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert (done.returncode, done.stdout) == (2, "")
    show = f"`toolwire approvals show {path} {waiting.id}`"
    assert done.stderr == (
        f"toolwire: give --fingerprint HEX, which {show} prints: there is no terminal to ask on\n"
    )
    assert "pending" in console("show", path, waiting.id)[1]
    # A denial needs no look at the request.
    assert console("deny", path, waiting.id)[1] == f"{waiting.request.id} denied\n"
    assert "(already_decided)" in console("approve", path, waiting.id)[1]


@pytest.mark.parametrize("answer", [b"\n", b"n\n", b"\x04", b"yep\n"])
def test_an_answer_that_is_not_yes_decides_nothing(
    path: str, waiting: Waiting, answer: bytes
) -> None:
    status, said = at_terminal([*APPROVE, path, waiting.id], answer)
    assert (status, said.endswith("nothing was decided\n")) == (1, True), said
    assert "status       pending" in console("show", path, waiting.id)[1]


def test_who_approves_at_a_terminal_sees_what_will_run(path: str, waiting: Waiting) -> None:
    status, said = at_terminal([*APPROVE, path, waiting.id, "--full"], b"y\n")
    assert status == 0, said
    shown, answered = said.split("Let it run? [y/N] ")
    assert "x" * 250 + "⟨U+202E⟩end" in shown
    assert TOKEN not in shown
    assert f"fingerprint  {waiting.request.fingerprint}\n" in shown
    assert answered == f"y\n{waiting.request.id} approved\n"
    assert waiting.process.communicate(timeout=60)[0] == b"True\n"
    assert f"seen         {waiting.request.fingerprint}" in console("show", path, waiting.id)[1]


def test_what_is_decided_while_the_question_stands_is_not_decided_again(
    path: str, waiting: Waiting
) -> None:
    def deny() -> None:
        assert console("deny", path, waiting.id)[0] == 0

    status, said = at_terminal([*APPROVE, path, waiting.id], b"y\n", before=deny)
    assert (status, "(already_decided)" in said) == (1, True), said
    assert "denied" in console("show", path, waiting.id)[1]


def test_a_killed_program_waits_for_nothing(path: str, waiting: Waiting) -> None:
    assert "nobody waits" not in console("list", path)[1]
    os.kill(waiting.process.pid, signal.SIGKILL)
    time.sleep(1.6)
    assert "[nobody waits for it]" in console("list", path)[1]
    assert "status       pending, nobody waits for it" in console("show", path, waiting.id)[1]
    seen = ("--fingerprint", waiting.request.fingerprint)
    said = console("approve", path, waiting.id, *seen)[1]
    assert said == f"{waiting.request.id} approved\nnobody waits for it\n"


def test_one_who_leaves_in_order_is_forgotten_at_once(path: str) -> None:
    async def leave() -> Any:
        with SqliteStore(path) as store:
            service = ApprovalService(store=store)
            request = await service.request_approval(uuid4(), "edit")
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(service.await_decision(request.id), 0.4)
            return await service.get_waiter(request.id), await service.get_waiter(uuid4())

    assert asyncio.run(leave()) == ("nobody", None)


def test_an_expired_request_is_marked_and_cannot_be_decided(path: str) -> None:
    async def ask() -> str:
        with SqliteStore(path) as store:
            service = ApprovalService(store=store)
            request = await service.request_approval(uuid4(), "edit", timeout_seconds=0.01)
            denied = await service.request_approval(
                uuid4(), "drop", payload_summary={"token": TOKEN, "n": [TOKEN]}
            )
            await service.record_decision(denied.id, False)
            return str(request.id)

    id = asyncio.run(ask())
    listed = console("list", path)[1]
    assert "[expired]" in listed
    assert "drop" not in listed
    everything = console("list", path, "--all")[1]
    assert "[denied]" in everything
    assert TOKEN not in everything
    assert [one["status"] for one in json.loads(console("list", path, "--all", "--json")[1])] == [
        "expired",
        "denied",
    ]
    assert "status       expired" in console("show", path, id)[1]
    status, said = console("approve", path, id)
    assert (status, "(approval_expired)" in said) == (1, True)
    assert console("show", path, "nothing") == (
        1,
        "nothing: there is no such request\n",
    )


def test_no_command_shows_a_secret_of_a_question(path: str) -> None:
    async def ask() -> str:
        with SqliteStore(path) as store:
            service = ApprovalService(store=store)
            message = f"Post with {TOKEN}?\x1b[31m"
            return str(
                (await service.request_approval(uuid4(), "post", approval_message=message)).id
            )

    id = asyncio.run(ask())
    for arguments in (
        ("list",),
        ("list", "--json"),
        ("show", id),
        ("show", id, "--json"),
    ):
        given = console(arguments[0], path, *arguments[1:])[1]
        assert TOKEN not in given, arguments
        assert "Post with [redacted]?" in given, arguments


def test_a_list_comes_in_pages(path: str) -> None:
    async def ask() -> list[str]:
        with SqliteStore(path) as store:
            service = ApprovalService(store=store)
            requests = [await service.request_approval(uuid4(), "edit") for _ in range(5)]
            await service.record_decision(requests[1].id, True)
            return [str(request.id) for request in requests]

    ids = asyncio.run(ask())

    def listed(*arguments: str) -> list[str]:
        return [one["id"] for one in json.loads(console("list", path, "--json", *arguments)[1])]

    assert listed("--limit", "2") == [ids[0], ids[2]]
    assert listed("--limit", "2", "--after", ids[2]) == [ids[3], ids[4]]
    assert listed("--after", ids[1]) == ids[2:]
    assert listed("--all", "--limit", "3", "--after", ids[0]) == ids[1:4]
    assert listed("--limit", "2", "--after", ids[4]) == []
    code, printed = console("list", path, "--after", "none")
    assert (code, printed.strip()) == (1, "none: there is no such request")
    for wrong in ("0", "-1", "x"):
        usage = [
            sys.executable,
            "-m",
            "toolwire",
            "approvals",
            "list",
            path,
            "--limit",
            wrong,
        ]
        assert subprocess.run(usage, capture_output=True).returncode == 2
