"""A model's server for the agents of `examples`: it asks for a note, then says what came of it."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import toolwire

ARGUMENTS = {"title": "Ann", "text": "Ann called."}
CALL = {"name": "write_note", "arguments": ARGUMENTS}
NATIVE = {
    "role": "assistant",
    "content": None,
    "tool_calls": [
        {
            "id": "call_1",
            "type": "function",
            "function": {"name": "write_note", "arguments": json.dumps(ARGUMENTS)},
        }
    ],
}


class Model(ThreadingHTTPServer):
    """Answers chat completions, with calls of the API or in the model's own raw text.

    In the style ``broken``, the text of the first call is broken, until the model is told so.
    """

    def __init__(self, style: str) -> None:
        super().__init__(("127.0.0.1", 0), Reply)
        self.style = style
        self.asked: list[dict[str, Any]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    def message(self, asked: dict[str, Any]) -> dict[str, Any]:
        last = asked["messages"][-1]
        if last["role"] == "tool":
            return {"role": "assistant", "content": f"The tool said {last['content']}"}
        if self.style == "native":
            return NATIVE
        text = toolwire.render_calls([CALL], "hermes")
        if self.style == "broken" and last["content"].startswith("Note"):
            text = text.replace(",", "")
        return {"role": "assistant", "content": f"I will note that.\n{text}"}


class Reply(BaseHTTPRequestHandler):
    server: Model

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append(asked)
        message = self.server.message(asked)
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        body = json.dumps(
            {
                "id": "c",
                "object": "chat.completion",
                "created": 0,
                "model": asked["model"],
                "choices": [choice],
            }
        ).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: Any) -> None:
        """Keep the output of the tests clean."""


@contextlib.contextmanager
def serving(style: str) -> Iterator[Model]:
    """Run a model's server."""
    with Model(style) as model:
        threading.Thread(target=model.serve_forever, daemon=True).start()
        yield model
        model.shutdown()
