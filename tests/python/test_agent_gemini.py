"""Agents over the real client of google-genai and a server that wants its signatures back."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from google import genai
from toolwire.agent import Agent, AgentError
from toolwire.tools import MemoryStore, tool

SIGNATURE = b"signed\xfb\xff"


class GeminiServer(ThreadingHTTPServer):
    """Answers with a thought and a signed call, then with a text."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Reply)
        self.asked: list[dict[str, Any]] = []
        self.statuses: list[int] = []


class Reply(BaseHTTPRequestHandler):
    server: GeminiServer

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append(asked)
        status = self.server.statuses.pop(0) if self.server.statuses else 200
        parts: list[Any] = [{"text": "Wip"}, {"text": "ed."}]
        if len(asked["contents"]) == 1:
            signed = base64.b64encode(SIGNATURE).decode()
            call = {"name": "wipe", "args": {"disk": 7}}
            parts = [
                {"text": "Look.", "thought": True},
                {"functionCall": call, "thoughtSignature": signed},
            ]
        elif not self.is_signed(asked["contents"]):
            status = 400
        usage = {"promptTokenCount": 3, "candidatesTokenCount": 4, "totalTokenCount": 7}
        answers: list[Any] = [
            {"candidates": [{"content": {"role": "model", "parts": [part]}, "index": 0}]}
            for part in parts
        ]
        answers[-1]["candidates"][0]["finishReason"] = "STOP"
        answers[-1]["usageMetadata"] = usage
        self.send_response(status)
        streams = "stream" in self.path
        kind = "text/event-stream" if streams else "application/json"
        self.send_header("Content-Type", kind)
        self.end_headers()
        if status != 200:
            error = {"code": status, "message": "a signature is missing", "status": "INVALID"}
            self.wfile.write(json.dumps({"error": error}).encode())
        elif streams:
            for answer in answers:
                self.wfile.write(f"data: {json.dumps(answer)}\r\n\r\n".encode())
        else:
            answers[-1]["candidates"][0]["content"]["parts"] = parts
            self.wfile.write(json.dumps(answers[-1]).encode())

    def is_signed(self, contents: list[Any]) -> bool:
        parts = [part for content in contents for part in content["parts"]]
        signed = [part["thoughtSignature"] for part in parts if "functionCall" in part]
        return [
            base64.urlsafe_b64decode(one.replace("+", "-").replace("/", "_")) for one in signed
        ] == [SIGNATURE]

    def log_message(self, format: str, *args: Any) -> None:
        """Write nothing."""


@pytest.fixture
def server() -> Iterator[GeminiServer]:
    with GeminiServer() as made:
        thread = threading.Thread(target=made.serve_forever, daemon=True)
        thread.start()
        yield made
        made.shutdown()
        thread.join()


def agent(server: GeminiServer, is_async: bool) -> tuple[Agent, list[int]]:
    wiped: list[int] = []

    @tool
    def wipe(disk: int) -> str:
        """Wipe a disk."""
        wiped.append(disk)
        return "wiped"

    options: Any = {"base_url": f"http://127.0.0.1:{server.server_port}"}
    client = genai.Client(api_key="none", http_options=options)
    given = client.aio if is_async else client
    system = "Keep the disks tidy."
    tools, store = [wipe], MemoryStore()
    made = Agent(given, model="gemini-3", tools=tools, store=store, system=system, temperature=0.5)
    # The package closes its connections when nobody has the client.
    made.kept = client  # type: ignore[attr-defined]
    return made, wiped


@pytest.mark.parametrize("is_async", [False, True])
def test_the_signature_comes_back_and_the_model_answers(
    server: GeminiServer, is_async: bool
) -> None:
    made, wiped = agent(server, is_async)
    answer = made.run_sync("Wipe disk 7.", "chat")
    assert (answer.state, answer.text, wiped) == ("done", "Wiped.", [7])
    assert (answer.input_tokens, answer.output_tokens) == (6, 8)
    asked = server.asked[0]
    assert asked["systemInstruction"]["parts"] == [{"text": "Keep the disks tidy."}]
    assert asked["tools"][0]["functionDeclarations"][0]["name"] == "wipe"
    assert asked["generationConfig"]["temperature"] == 0.5
    result = server.asked[1]["contents"][-1]["parts"][0]["functionResponse"]
    assert result["name"] == "wipe"


@pytest.mark.parametrize("is_async", [False, True])
def test_a_stream_is_told_as_it_comes(server: GeminiServer, is_async: bool) -> None:
    made, wiped = agent(server, is_async)
    told = list(made.stream_sync("Wipe disk 7.", "chat"))
    texts = [(event.type, event.data.get("text")) for event in told if "text" in event.data]
    assert texts == [
        ("user", "Wipe disk 7."),
        ("reasoning", "Look."),
        ("text", "Wip"),
        ("text", "ed."),
    ]
    assert wiped == [7]


def test_errors_of_the_server_have_codes(server: GeminiServer) -> None:
    server.statuses = [503]
    made, _wiped = agent(server, is_async=False)
    assert made.run_sync("Wipe disk 7.", "chat").state == "done"
    server.statuses = [400]
    with pytest.raises(AgentError) as refused:
        made.run_sync("Wipe disk 7.", "other")
    assert refused.value.code == "model_refused"
