"""A server of a model: it answers what a test has written down, whole or in pieces."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

Answer = dict[str, Any] | str | int | Callable[["Reply"], None]


class ModelServer(ThreadingHTTPServer):
    """Answers chat completions: a text, a message, a status, or what a function writes."""

    daemon_threads = True

    def __init__(self) -> None:
        """Listen on a free port of loopback."""
        super().__init__(("127.0.0.1", 0), Reply)
        self.script: list[Answer] = []
        self.asked: list[dict[str, Any]] = []
        self.keys: list[str] = []
        # How many characters a piece of a stream has, and the seconds between two.
        self.piece = 7
        self.pause = 0.0
        self.takes_tools = True
        self.streams = True
        # What it tells of its models: a name, whether it writes texts, whether it takes tools.
        self.models: list[dict[str, Any]] = [{"id": "model-1", "writes": True, "tools": True}]

    @property
    def url(self) -> str:
        """Give the address for the settings."""
        return f"http://127.0.0.1:{self.server_port}/v1"


class Reply(BaseHTTPRequestHandler):
    """One request."""

    server: ModelServer

    def do_POST(self) -> None:
        """Answer the next of the script."""
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if "tools" in asked and not self.server.takes_tools:
            self.whole(400, {"error": {"message": "this model does not support tools"}})
            return
        self.server.asked.append(asked)
        self.server.keys.append(self.headers.get("Authorization", ""))
        answer = self.server.script.pop(0) if self.server.script else "No more."
        if callable(answer):
            answer(self)
        elif isinstance(answer, int):
            self.whole(answer, {"error": {"message": "the secret reason"}})
        else:
            message = answer if isinstance(answer, dict) else {"content": answer}
            self.say({"role": "assistant", "content": None, **message}, asked)

    def do_GET(self) -> None:
        """Tell of the models."""
        self.whole(200, {"data": self.server.models})

    def whole(self, status: int, body: Any) -> None:
        """Write a whole answer."""
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(body if isinstance(body, bytes) else json.dumps(body).encode())

    def say(self, message: dict[str, Any], asked: dict[str, Any]) -> None:
        """Write a message, in pieces where the request wants them."""
        if not asked.get("stream") or not self.server.streams:
            usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
            reason = "tool_calls" if message.get("tool_calls") else "stop"
            choice = {"index": 0, "message": message, "finish_reason": reason}
            self.whole(200, {"choices": [choice], "usage": usage})
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        text, size = message.pop("content") or "", self.server.piece
        for at in range(0, len(text), size):
            self.event({"content": text[at : at + size]})
            time.sleep(self.server.pause)
        calls = [
            {"index": index, **call} for index, call in enumerate(message.pop("tool_calls", []))
        ]
        self.event({**message, **({"tool_calls": calls} if calls else {})}, "stop")
        self.wfile.write(b"data: [DONE]\n\n")

    def event(self, delta: dict[str, Any], finish: str | None = None) -> None:
        """Write one event of a stream."""
        event = {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}
        self.wfile.write(f"data: {json.dumps(event)}\n\n".encode())
        self.wfile.flush()

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


def calling(name: str, arguments: dict[str, Any], text: str = "") -> dict[str, Any]:
    """Make a message with one call."""
    function = {"name": name, "arguments": json.dumps(arguments)}
    call = {"id": "call_0", "type": "function", "function": function}
    return {"content": text, "tool_calls": [call]}


@pytest.fixture
def server() -> Iterator[ModelServer]:
    """Run a server of a model."""
    running = ModelServer()
    thread = threading.Thread(target=running.serve_forever, daemon=True)
    thread.start()
    yield running
    running.shutdown()
    running.server_close()
