"""Runs the agent in Rust against a model server that is as strict as a provider.

``TOOLWIRE_AGENT`` is the path of the program. Its processes share a file: one waits, the console
approves, another one answers; and one is killed while it asks the model.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

AGENT = os.environ.get("TOOLWIRE_AGENT", "")
CALL = '<tool_call>{"name": "wipe", "arguments": {"disk": 7}}</tool_call>'
WRITTEN = [f"<think>Or {CALL}</think>I wipe it. {CALL}", "<think>Done.</think>Disk 7 is wiped."]

pytestmark = pytest.mark.skipif(not AGENT, reason="TOOLWIRE_AGENT names no program")


class ModelServer(ThreadingHTTPServer):
    """Answers chat completions with what a model wrote, after what the test does first."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answer)
        self.asked: list[dict[str, Any]] = []
        self.statuses: list[int] = []
        self.killed: subprocess.Popen[str] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


class Answer(BaseHTTPRequestHandler):
    """Refuses a history in which calls and results do not match, as a provider does."""

    server: ModelServer

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append(asked)
        if self.server.killed is not None:
            self.server.killed.send_signal(signal.SIGKILL)
            self.server.killed.wait()
            self.server.killed = None
            return
        status = self.server.statuses.pop(0) if self.server.statuses else 200
        results = [one for one in asked["messages"] if one["role"] == "tool"]
        calls = [call["id"] for one in asked["messages"] for call in one.get("tool_calls") or []]
        if [result["tool_call_id"] for result in results] != calls:
            status = 400
        self.send_response(status)
        self.end_headers()
        message = {"role": "assistant", "content": WRITTEN[min(len(results), 1)]}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        answer: dict[str, Any] = {"choices": [choice]}
        if status != 200:
            answer = {"error": {"message": "no such key"}}
        self.wfile.write(json.dumps(answer).encode())

    def log_message(self, format: str, *args: Any) -> None:
        """Write nothing."""


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as made:
        thread = threading.Thread(target=made.serve_forever, daemon=True)
        thread.start()
        yield made
        made.shutdown()
        thread.join()


def begun(server: ModelServer, file: Path, *text: str) -> subprocess.Popen[str]:
    command = [AGENT, server.url, str(file), *text]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def said(server: ModelServer, file: Path, *text: str) -> str:
    out, errors = begun(server, file, *text).communicate(timeout=60)
    return out or errors


def console(*words: str) -> str:
    command = [sys.executable, "-m", "toolwire", *words]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def approve(file: Path, request: str) -> None:
    """Look at a request and approve what was seen, as a person does on the console."""
    seen = json.loads(console("approvals", "show", "--json", str(file), request))
    assert seen["arguments"] == {"disk": 7}
    console("approvals", "approve", str(file), request, "--fingerprint", seen["fingerprint"])


def test_one_process_waits_and_another_one_answers(server: ModelServer, tmp_path: Path) -> None:
    file = tmp_path / "chat.db"
    waits = said(server, file, "Wipe disk 7.")
    assert waits.startswith("I wipe it. \nwipe waiting: ")
    request = waits.split()[-1]
    assert said(server, file) == waits
    assert len(server.asked) == 1
    assert "have no result yet" in said(server, file, "And now?")
    assert request in console("approvals", "list", str(file))
    approve(file, request)
    assert said(server, file) == "wiping 7\nDisk 7 is wiped.\n"
    assert said(server, file) == "Disk 7 is wiped.\n"
    assert len(server.asked) == 2
    sent = server.asked[1]["messages"]
    assert [one["role"] for one in sent] == ["user", "assistant", "tool"]
    assert sent[1]["content"] == "I wipe it. "


def test_a_process_that_is_killed_while_it_asks_loses_nothing(
    server: ModelServer, tmp_path: Path
) -> None:
    file = tmp_path / "chat.db"
    server.killed = begun(server, file, "Wipe disk 7.")
    server.killed.communicate(timeout=60)
    request = said(server, file).split()[-1]
    approve(file, request)
    first = begun(server, file)
    server.killed = first
    out, _ = first.communicate(timeout=60)
    assert (out, first.returncode) == ("wiping 7\n", -signal.SIGKILL)
    assert said(server, file) == "Disk 7 is wiped.\n"


def test_what_passes_is_asked_again_and_what_is_refused_is_told(
    server: ModelServer, tmp_path: Path
) -> None:
    file = tmp_path / "chat.db"
    server.statuses = [503, 503]
    assert "wipe waiting: " in said(server, file, "Wipe disk 7.")
    assert len(server.asked) == 3
    server.statuses = [401]
    refused = said(server, tmp_path / "other.db", "Wipe disk 7.")
    assert "the model's server refused the request: no such key (HTTP 401)" in refused
    assert len(server.asked) == 4
    assert "has no conversation" in said(server, tmp_path / "none.db")
