"""What the gateway is tested with: a server that completes raw texts, and processes."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import toolwire

ROOT = Path(__file__).resolve().parents[2]
TEXT = "Let me look.\n\n"
REASONING = "I need the weather: 21 °C?"
CALL = {"name": "get_weather", "arguments": {"city": "São Paulo", "days": 3}}
SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
}
TOOLS: list[Any] = [{"type": "function", "function": {"name": "get_weather", "parameters": SCHEMA}}]
# Between what the models of a style of reasoning write it.
STYLES = {
    "think": ("<think>", "</think>"),
    "thinking": ("<thinking>", "</thinking>"),
    "mistral": ("[THINK]", "[/THINK]"),
    "seed": ("<seed:think>", "</seed:think>"),
    "kimi": ("◁think▷", "◁/think▷"),
    "cohere": ("<|START_THINKING|>", "<|END_THINKING|>"),
    "harmony": ("<|channel|>analysis<|message|>", "<|end|>"),
    "gemma4": ("<|channel>thought\n", "<channel|>"),
}


def reasoning_style(profile: toolwire.Profile) -> tuple[str, str] | None:
    return next((STYLES[style] for style in profile.reasoning if style in STYLES), None)


def raw_text(profile: toolwire.Profile) -> str:
    """Write what a model of the profile writes: reasoning, if it has any, a text, and a call."""
    begins, ends = reasoning_style(profile) or ("", "")
    thought = f"{begins}{REASONING}{ends}" if begins else ""
    return thought + TEXT + toolwire.render_calls([CALL], profile.formats[0], tools=TOOLS)


class Completions(ThreadingHTTPServer):
    """Continues every prompt with the text for its model, in pieces of one to seven characters.

    A model ``broken`` is a failure, and one ``cut`` stops at its limit of tokens.
    """

    def __init__(self, texts: dict[str, str]) -> None:
        super().__init__(("127.0.0.1", 0), Answer)
        self.texts = texts
        self.asked: list[dict[str, Any]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


class Answer(BaseHTTPRequestHandler):
    """Answers ``POST /v1/completions`` as llama.cpp and vLLM do."""

    server: Completions

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append(asked)
        text = self.server.texts.get(asked["model"])
        if self.path != "/v1/completions" or text is None:
            self.send_error(500, "a secret of the backend")
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        at = 0
        while at < len(text):
            size = 1 + (at * 5 + len(text)) % 7
            self.tell({"choices": [{"index": 0, "text": text[at : at + size]}]})
            at += size
        for word, odd in (("midway", b"a secret"), ("odd", b'["a secret"]')):
            if word in asked["prompt"]:
                self.wfile.write(b"data: " + odd + b"\n\n")
                return
        reason = "length" if "limit" in asked["prompt"] else "stop"
        self.tell({"choices": [{"index": 0, "text": "", "finish_reason": reason}]})
        usage = {"prompt_tokens": 11, "completion_tokens": 22, "total_tokens": 33}
        self.tell({"choices": [], "usage": usage})
        self.wfile.write(b"data: [DONE]\n\n")

    def tell(self, chunk: dict[str, Any]) -> None:
        self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())

    def log_message(self, format: str, *args: Any) -> None:
        """Write nothing."""


@contextlib.contextmanager
def completions(texts: dict[str, str]) -> Iterator[Completions]:
    """Serve the texts."""
    with Completions(texts) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@contextlib.contextmanager
def process(log: Path, *command: str) -> Iterator[str]:
    """Run a Python program that serves on a free port; give its address."""
    with ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as free:
        port = free.server_port
    with log.open("w") as output:
        running = subprocess.Popen(
            [sys.executable, *command, "--port", str(port)], cwd=ROOT, stdout=output, stderr=output
        )
    try:
        url = f"http://127.0.0.1:{port}/v1"
        for _ in range(300):
            with contextlib.suppress(OSError):
                urllib.request.urlopen(f"{url}/models", timeout=5).close()
                break
            assert running.poll() is None, log.read_text()
            time.sleep(0.05)
        yield url
    finally:
        running.terminate()
        running.wait(20)
