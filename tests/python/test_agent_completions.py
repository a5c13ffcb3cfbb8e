"""Agents over plain completions: the prompt is the program's, the text is the model's."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import openai
import pytest
from toolwire import Detector
from toolwire.agent import Agent
from toolwire.tools import MemoryStore, tool

CALL = '<tool_call>\n{"name": "wipe", "arguments": {"disk": 7}}\n</tool_call>'
# The prompt has opened the reasoning, so the text begins inside it.
FIRST = f"Or {CALL}?\n</think>\n\nI wipe it. {CALL}"
SECOND = "Done.\n</think>\n\nWiped."


def render(messages: list[Any], tools: list[Any]) -> str:
    """Write a prompt as a chat template of Qwen does, which wants arguments as objects."""
    lines = [f"tools {tool['function']['name']}" for tool in tools]
    for message in messages:
        said = message["content"] or ""
        for call in message.get("tool_calls", []):
            said += f" calls {call['function']['name']} {call['function']['arguments']['disk'] + 0}"
        lines.append(f"<|im_start|>{message['role']}\n{said}<|im_end|>")
    return "\n".join([*lines, "<|im_start|>assistant\n<think>\n"])


class CompletionServer(ThreadingHTTPServer):
    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Reply)
        self.asked: list[dict[str, Any]] = []


class Reply(BaseHTTPRequestHandler):
    server: CompletionServer

    def do_POST(self) -> None:
        assert self.path == "/v1/completions"
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append(asked)
        self.send_response(200)
        streams = asked.get("stream", False)
        self.send_header("Content-Type", "text/event-stream" if streams else "application/json")
        self.end_headers()
        text = SECOND if "|>tool\n" in asked["prompt"] else FIRST
        common = {"id": "x", "object": "text_completion", "created": 7, "model": "qwen3"}
        usage = {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7}
        pieces = [text[at : at + 3] for at in range(0, len(text), 3)] if streams else [text]
        for number, piece in enumerate(pieces):
            reason = "stop" if number == len(pieces) - 1 else None
            choice = {"index": 0, "text": piece, "logprobs": None, "finish_reason": reason}
            answer = json.dumps({**common, "choices": [choice], "usage": usage if reason else None})
            self.wfile.write((f"data: {answer}\n\n" if streams else answer).encode())
        if streams:
            self.wfile.write(b"data: [DONE]\n\n")

    def log_message(self, format: str, *args: Any) -> None:
        """Write nothing."""


@pytest.fixture
def server() -> Iterator[CompletionServer]:
    with CompletionServer() as made:
        thread = threading.Thread(target=made.serve_forever, daemon=True)
        thread.start()
        yield made
        made.shutdown()
        thread.join()


def agent(server: CompletionServer, wiped: list[int]) -> Agent:
    @tool
    def wipe(disk: int) -> str:
        """Wipe a disk."""
        wiped.append(disk)
        return "wiped"

    client = openai.OpenAI(base_url=f"http://127.0.0.1:{server.server_port}/v1", api_key="none")
    store = MemoryStore()
    return Agent(
        client, model="qwen3", tools=[wipe], store=store, render=render, stop=["<|im_end|>"]
    )


def test_the_prompt_says_whether_the_reasoning_has_begun(server: CompletionServer) -> None:
    wiped: list[int] = []
    answer = agent(server, wiped).run_sync("Wipe disk 7.", "chat")
    assert (answer.state, answer.text, answer.reasoning) == ("done", "Wiped.", "Done.")
    assert wiped == [7], "what was only thought did not run"
    assert answer.output_tokens == 8
    first, second = server.asked
    assert first["prompt"].startswith("tools wipe\n<|im_start|>user\nWipe disk 7.")
    assert "messages" not in first
    assert first["stop"] == ["<|im_end|>"]
    assert "I wipe it.  calls wipe 7<|im_end|>\n<|im_start|>tool\nwiped" in second["prompt"]


def test_a_prompt_is_for_clients_that_complete_prompts() -> None:
    for options in ({"api": "anthropic"}, {"detector": Detector(model="qwen3")}):
        with pytest.raises(TypeError, match="render="):
            Agent(print, model="qwen3", store=MemoryStore(), render=render, **options)


def test_a_stream_shows_no_reasoning_as_text(server: CompletionServer) -> None:
    wiped: list[int] = []
    told = list(agent(server, wiped).stream_sync("Wipe disk 7.", "chat"))
    texts = "".join(event.data["text"] for event in told if event.type == "text")
    assert texts == "I wipe it. Wiped."
    assert "retracted" not in [event.type for event in told]
    assert wiped == [7]
