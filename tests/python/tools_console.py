"""The console's commands on a store, and a program that waits for an approval."""

from __future__ import annotations

import asyncio
import contextlib
import os
import pty
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any
from uuid import uuid4

from toolwire.tools import ApprovalService, SqliteStore

TOKEN = "ghp_" + "Aa0" * 12
PROGRAM = """
import asyncio, json, sys, types
from toolwire.tools import *
from toolwire.runs import waiting

waiting.LEASE_SECONDS, waiting.RENEW_SECONDS = 1.5, 0.3

async def handle(given):
    return ToolOutput.ok()

async def main():
    service = ApprovalService(store=SqliteStore(sys.argv[1]))
    config = ToolExecutorConfig(approval_timeout_seconds=60)
    executor = AdvancedToolExecutor(config, approval_service=service)
    executor.register(ToolDefinition("edit", "EDIT", handle, requires_approval=True))
    action = types.SimpleNamespace(id=sys.argv[2], type="EDIT", payload=json.loads(sys.argv[3]))
    print((await executor.execute_detailed(action, {})).success)

asyncio.run(main())
"""


def console(*arguments: str, command: str = "approvals") -> tuple[int, str]:
    """Run a command of the console; gives its exit status and what it printed."""
    done = subprocess.run(
        [sys.executable, "-m", "toolwire", command, *arguments], capture_output=True
    )
    assert done.stderr == b"", done.stderr.decode()
    return done.returncode, done.stdout.decode()


class Waiting:
    """A program that waits for an approval, in a process of its own."""

    def __init__(self, path: str, payload: str, program: str = PROGRAM) -> None:
        """Start the program, and wait until it waits."""
        self.id = str(uuid4())
        arguments = [sys.executable, "-c", program, path, self.id, payload]
        self.process = subprocess.Popen(arguments, stdout=subprocess.PIPE)
        service = ApprovalService(store=SqliteStore(path))
        for _ in range(600):
            request: Any = asyncio.run(service.find_request(self.id))
            if request and asyncio.run(service.get_waiter(request.id)) == "process":
                self.request = request
                return
            time.sleep(0.05)
        raise AssertionError("nobody asked")


def kept(path: str, payload: str, program: str = "") -> str:
    """Let a program ask, and go; gives the id of its request."""
    source = PROGRAM.replace("import asyncio", f"{program}\nimport asyncio", 1)
    started = Waiting(path, payload, source)
    started.process.kill()
    started.process.communicate()
    return str(started.request.id)


def at_terminal(
    command: list[str],
    answer: bytes = b"n\n",
    before: Callable[[], None] | None = None,
    **environment: str,
) -> tuple[int, str]:
    """Run a Python program at a terminal, and answer its question; `before` comes before that."""
    ours, theirs = pty.openpty()
    environ = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    environ |= {"TERM": "xterm", **environment}
    started = subprocess.Popen(
        [sys.executable, *command], stdin=theirs, stdout=theirs, stderr=theirs, env=environ
    )
    os.close(theirs)
    said = b""
    with contextlib.suppress(OSError):
        while part := os.read(ours, 65536):
            said += part
            if said.endswith(b"[y/N] "):
                if before is not None:
                    before()
                os.write(ours, answer)
    os.close(ours)
    return started.wait(timeout=60), said.decode().replace("\r\n", "\n")
