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
from toolwire._fold import folded, unfolded
from toolwire.tools import ApprovalService, ApprovalStatus, SqliteStore

TOKEN = "ghp_" + "Aa0" * 12

PROGRAM = """
import asyncio, json, sys, types
from toolwire.tools import *
from toolwire.tools import approval

approval.LEASE_SECONDS, approval.RENEW_SECONDS = 1.5, 0.3

async def handle(given):
    return ToolOutput.ok()

async def main():
    service = ApprovalService(store=SqliteStore(sys.argv[1]))
    executor = AdvancedToolExecutor(ToolExecutorConfig(approval_timeout_seconds=60), approval_service=service)
    executor.register(ToolDefinition("edit", "EDIT", handle, requires_approval=True))
    action = types.SimpleNamespace(id=sys.argv[2], type="EDIT", payload=json.loads(sys.argv[3]))
    print((await executor.execute_detailed(action, {})).success)

asyncio.run(main())
"""


def console(*arguments: str) -> tuple[int, str]:
    done = subprocess.run([sys.executable, "-m", "toolwire", "approvals", *arguments], capture_output=True)
    assert done.stderr == b"", done.stderr.decode()
    return done.returncode, done.stdout.decode()


@pytest.fixture
def path(tmp_path: Path) -> str:
    with SqliteStore(tmp_path / "tools.db"):
        return str(tmp_path / "tools.db")


class Waiting:
    """A program that waits for an approval, in a process of its own."""

    def __init__(self, path: str, payload: Any) -> None:
        self.id = str(uuid4())
        arguments = [sys.executable, "-c", PROGRAM, path, self.id, json.dumps(payload)]
        self.process = subprocess.Popen(arguments, stdout=subprocess.PIPE)
        service = ApprovalService(store=SqliteStore(path))
        for _ in range(600):
            request: Any = asyncio.run(service.find_request(self.id))  # type: ignore[arg-type]
            if request and asyncio.run(service.get_waiter(request.id)) == "process":
                self.request = request
                return
            time.sleep(0.05)
        raise AssertionError("nobody asked")


@pytest.fixture
def waiting(path: str) -> Iterator[Waiting]:
    payload = {
        "content": "x" * 250 + "\u202eend",
        "user_pass": "hunter2",
        "note": f"use {TOKEN}",
        "list": list(range(30)),
    }
    started = Waiting(path, payload)
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
    assert (given["waiter"], given["fingerprint"]) == ("process", waiting.request.fingerprint)


def test_a_decision_on_anything_else_than_was_shown_is_refused(path: str, waiting: Waiting) -> None:
    status, said = console("approve", path, waiting.id, "--fingerprint", "0" * 64)
    assert (status, "(changed_since)" in said) == (1, True)
    status, said = console("approve", path, waiting.id, "--fingerprint", waiting.request.fingerprint)
    assert (status, said) == (0, f"{waiting.request.id} approved\n")
    assert waiting.process.communicate(timeout=60)[0] == b"True\n"
    _, shown = console("show", path, waiting.id)
    assert "arguments    not kept; a summary is:" in shown
    assert f"seen         {waiting.request.fingerprint}" in shown


def test_a_killed_program_waits_for_nothing(path: str, waiting: Waiting) -> None:
    assert "nobody waits" not in console("list", path)[1]
    os.kill(waiting.process.pid, signal.SIGKILL)
    time.sleep(1.6)
    assert "[nobody waits for it]" in console("list", path)[1]
    assert "status       pending, nobody waits for it" in console("show", path, waiting.id)[1]
    assert console("approve", path, waiting.id)[1] == f"{waiting.request.id} approved\nnobody waits for it\n"


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
    assert console("show", path, "nothing") == (1, "nothing: there is no such request\n")


def test_what_is_folded_cannot_be_forged() -> None:
    value: Any = {"a": 'x"… 5 more characters folded', "b\u200b": [[], {}, None, 1.5, "ä\n\x1b[31m"]}
    assert folded(value) == unfolded(value)
    lines = unfolded(value).splitlines()
    assert lines[1] == r'  "a": "x\"… 5 more characters folded",'
    assert lines[2] == '  "b⟨U+200B⟩": ['
    assert json.loads(unfolded([1, {"a": ["b", {}]}])) == [1, {"a": ["b", {}]}]
    deep: Any = 1
    for _ in range(20):
        deep = [deep]
    assert "[…]  (1 item folded)" in folded(deep)
    assert len(folded(["x" * 10_000] * 10_000)) < 10_000
    assert str(ApprovalStatus.EXPIRED) == "expired"
