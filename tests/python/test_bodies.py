"""Answers over HTTP whose bodies are compressed: what they become is bounded."""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from toolwire._body import BodyError, BodyTooLongError, Decoding

BOMB = gzip.compress(b"[" + b" " * 300_000_000 + b"]", 9)
ASKING = """
import asyncio, resource, sys
from toolwire.issue_agent import GitHubClient, OpenAIModel
from toolwire.mcp import McpServerError
from toolwire.tools import ToolRegistry

async def github():
    client = GitHubClient("octo/repo", 7, api_url=sys.argv[2], token="t", max_retries=0)
    print("issue", (await client.get_issue())["title"])

async def model():
    print("reply", await OpenAIModel("m", base_url=sys.argv[2], api_key="k", max_retries=0)("hi"))

async def mcp():
    def connect():
        with ToolRegistry().add_mcp(sys.argv[2] + "/mcp") as connection:
            print("connected", connection.skipped)
    await asyncio.to_thread(connect)

before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    asyncio.run(globals()[sys.argv[1]]())
except Exception as error:
    print(type(error).__name__, getattr(error, "kind", getattr(error, "code", "")), error)
print("grown", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


class Answering(BaseHTTPRequestHandler):
    """Gives each request the answer of the server, or the one for the method of MCP."""

    server: Encoded

    def do_GET(self) -> None:
        self.answer({})

    def do_POST(self) -> None:
        self.answer(json.loads(self.rfile.read(int(self.headers["Content-Length"])) or b"{}"))

    def do_DELETE(self) -> None:
        self.answer({})

    def answer(self, asked: dict[str, Any]) -> None:
        asked = asked if "id" in asked else {**asked, "id": None}
        body = self.server.body
        if body is None:
            body = gzip.compress(json.dumps(answer_to(asked)).encode())
        self.server.accepted.append(self.headers.get("Accept-Encoding", ""))
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Encoding", self.server.encoding)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Write nothing."""


def answer_to(asked: dict[str, Any]) -> dict[str, Any]:
    """Give what GitHub, a model or a server of MCP answers, in one object."""
    server = {"name": "packed", "version": "1"}
    begun = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": server}
    head = {"jsonrpc": "2.0", "id": asked["id"]}
    if asked.get("method") == "initialize":
        return {**head, "result": begun}
    if asked.get("method") == "tools/list":
        return {**head, "result": {"tools": []}}
    if "method" in asked:
        return {**head, "error": {"code": -32601, "message": "none"}}
    message = {"role": "assistant", "content": "hello"}
    choice = {"index": 0, "finish_reason": "stop", "message": message}
    return {"number": 7, "title": "a title", "id": "1", "choices": [choice], "object": "x"}


class Encoded(ThreadingHTTPServer):
    """A server whose answers are compressed."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answering)
        self.body: bytes | None = None
        self.encoding = "gzip"
        self.accepted: list[str] = []


@pytest.fixture
def server() -> Iterator[Encoded]:
    with Encoded() as made:
        thread = threading.Thread(target=made.serve_forever, daemon=True)
        thread.start()
        yield made
        made.shutdown()
        thread.join()


def asked(client: str, server: Encoded) -> str:
    """Let a client ask the server in a process of its own; give what it prints."""
    command = [sys.executable, "-c", ASKING, client, f"http://127.0.0.1:{server.server_port}"]
    environment = {**os.environ, "NO_PROXY": "127.0.0.1"}
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, timeout=120, env=environment
    )
    return done.stdout


CLIENTS = pytest.mark.parametrize(
    ("client", "told", "refused"),
    [
        ("github", "issue a title", "GitHubError bad_answer GET: "),
        ("model", "reply hello", "ModelError model_failed the model's server: "),
        ("mcp", "connected {}", "McpServerError "),
    ],
)


@CLIENTS
def test_what_is_compressed_is_read(client: str, told: str, refused: str, server: Encoded) -> None:
    out = asked(client, server)
    assert out.startswith(told), out
    assert set(server.accepted) == {"gzip"}


@CLIENTS
def test_a_few_kilobytes_do_not_become_hundreds_of_megabytes(
    client: str, told: str, refused: str, server: Encoded
) -> None:
    server.body = BOMB
    out = asked(client, server)
    assert out.startswith(refused), out
    if client == "mcp":
        assert out.startswith("McpServerError too_large "), out
    else:
        assert "the answer has more than 16,777,216 bytes" in out
    grown = re.search(r"grown (\d+)", out)
    assert grown is not None
    assert int(grown[1]) < 100_000, "kilobytes"
    assert len(BOMB) < 400_000


UNREADABLE = [
    ("zstd", b"anything", "the answer is encoded as 'zstd', and not as asked"),
    ("gzip, gzip", b"anything", "the answer is encoded as 'gzip, gzip', and not as asked"),
    ("gzip", b"anything", "the answer is no gzip, although it says so"),
    ("gzip", gzip.compress(b"{}" * 99)[:-9], "the answer is cut off"),
    ("gzip", gzip.compress(b"{}") * 2, "the answer goes on behind its end"),
]


@CLIENTS
def test_an_encoding_that_nobody_asked_for_is_an_error(
    client: str, told: str, refused: str, server: Encoded
) -> None:
    server.encoding, server.body, why = UNREADABLE[0]
    out = asked(client, server)
    assert out.startswith(refused), out
    assert why in out


@pytest.mark.parametrize(
    ("encoding", "body", "why"), UNREADABLE, ids=["other", "twice", "none", "cut", "longer"]
)
def test_what_cannot_be_decoded_is_an_error(encoding: str, body: bytes, why: str) -> None:
    def read() -> None:
        decoding = Decoding(encoding, None)
        list(decoding.pieces(body))
        decoding.finish()

    with pytest.raises(BodyError, match=re.escape(why)):
        read()


def test_pieces_are_small_whatever_comes_in() -> None:
    packed = gzip.compress(b"a" * 10_000_000)
    for step in (1, 7, 1000, len(packed)):
        decoding = Decoding("gzip", 10_000_000)
        sizes = [
            len(piece)
            for at in range(0, len(packed), step)
            for piece in decoding.pieces(packed[at : at + step])
        ]
        decoding.finish()
        assert (sum(sizes), max(sizes) <= 64 * 1024) == (10_000_000, True)
    with pytest.raises(BodyTooLongError, match="more than 9,999,999 bytes"):
        list(Decoding("", 9_999_999).pieces(b"a" * 10_000_000))
    with pytest.raises(BodyError, match="encoded as 'br'"):
        Decoding("br", None)
