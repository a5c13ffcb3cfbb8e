"""The short agents in Python, PHP and Rust, and the model server that they talk to.

They have one command line, one output and one form of what they store, so a test names a language
and nothing else. ``TOOLWIRE_SO`` is the path of PHP's extension, ``build/toolwire.so`` unless it is
set; ``TOOLWIRE_AGENT`` is the path of the program in Rust.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, TypeVar

import pytest

ROOT = Path(__file__).resolve().parents[2]
COMPARE = ROOT / "examples" / "compare"
EXTENSION = Path(os.environ.get("TOOLWIRE_SO") or ROOT / "build" / "toolwire.so")
LANGUAGES = ("python", "php", "rust")
CALL = '<tool_call>{"name": "wipe", "arguments": {"disk": 7}}</tool_call>'
WRITTEN = [f"<think>Or {CALL}</think>I wipe it. {CALL}", "<think>Done.</think>Disk 7 is wiped."]


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

    def message(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Give the model's message: a call in its text, and behind its result an answer."""
        results = sum(one["role"] == "tool" for one in asked["messages"])
        return {"role": "assistant", "content": WRITTEN[min(results, 1)]}


Server = TypeVar("Server", bound=ModelServer)


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
        choice = {"index": 0, "message": self.server.message(asked), "finish_reason": "stop"}
        answer: dict[str, Any] = {"id": "c", "object": "chat.completion", "created": 0}
        answer |= {"model": asked["model"], "choices": [choice]}
        if status != 200:
            answer = {"error": {"message": "no such key"}}
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(answer).encode())

    def log_message(self, format: str, *args: Any) -> None:
        """Write nothing."""


@contextlib.contextmanager
def serving(server: Server) -> Iterator[Server]:
    """Run a model's server in a thread."""
    with server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def program(language: str) -> list[str]:
    """Give the command of the agent in a language, or skip the test where it is not there."""
    if language == "python":
        return [sys.executable, str(COMPARE / "agent.py")]
    if language == "rust":
        agent = os.environ.get("TOOLWIRE_AGENT")
        if not agent:
            pytest.skip("TOOLWIRE_AGENT names no program")
        return [agent]
    php = shutil.which("php")
    if php is None or not EXTENSION.exists():
        pytest.skip("there is no PHP with the extension")
    # What PHP says of an error goes to where the other languages say it.
    told = ["-d", "display_errors=stderr", "-d", "log_errors=0"]
    return [php, "-d", f"extension={EXTENSION}", *told, str(COMPARE / "agent.php")]


def begun(language: str, server: ModelServer, file: Path, *text: str) -> subprocess.Popen[str]:
    """Start the agent of a language; its conversation is in the file."""
    command = [*program(language), server.url, str(file), *text]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def said(language: str, server: ModelServer, file: Path, *text: str) -> str:
    """Run the agent to its end, which is a good one; give what it printed."""
    running = begun(language, server, file, *text)
    out, errors = running.communicate(timeout=60)
    assert (running.returncode, errors) == (0, ""), errors
    return out


def failed(language: str, server: ModelServer, file: Path, *text: str) -> str:
    """Run the agent to its end, which is a failure; give what it says of that."""
    running = begun(language, server, file, *text)
    out, errors = running.communicate(timeout=60)
    assert running.returncode > 0, errors
    assert out == ""
    return errors


def console(*words: str) -> str:
    """Run a command of the console; give what it printed."""
    command = [sys.executable, "-m", "toolwire", *words]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def approve(file: Path, request: str) -> None:
    """Look at a request and approve what was seen, as a person does on the console."""
    seen = json.loads(console("approvals", "show", "--json", str(file), request))
    assert seen["arguments"] == {"disk": 7}
    console("approvals", "approve", str(file), request, "--fingerprint", seen["fingerprint"])
