"""What an agent tells while it works, over streams of the real clients of openai and anthropic."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import anthropic
import openai
import pytest
import toolwire
from toolwire.agent import Agent, AgentError, AgentEvent
from toolwire.tools import MemoryStore, tool

CALL = '<tool_call>{"name": "wipe", "arguments": {"disk": 7}}</tool_call>'


def chunks(text: str) -> list[Any]:
    """Give a stream of chat completions, a few bytes for each event."""
    said = [{"content": text[at : at + 3]} for at in range(0, len(text), 3)]
    choices: list[Any] = [{"index": 0, "delta": delta, "finish_reason": None} for delta in said]
    choices.append({"index": 0, "delta": {}, "finish_reason": "stop"})
    common: dict[str, Any] = {
        "id": "x",
        "object": "chat.completion.chunk",
        "created": 7,
        "model": "qwen3",
    }
    events = [{**common, "choices": [choice]} for choice in choices]
    usage = {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7}
    return [*events, {**common, "choices": [], "usage": usage}]


def blocks(first: bool) -> list[Any]:
    """Give a stream of Anthropic's messages: a thought and a call, or a text."""
    usage = {"input_tokens": 3, "output_tokens": 1}
    message: dict[str, Any] = {
        "id": "m",
        "type": "message",
        "role": "assistant",
        "model": "claude",
        "content": [],
    }
    message |= {"stop_reason": None, "stop_sequence": None, "usage": usage}
    call = {"type": "tool_use", "id": "toolu_1", "name": "wipe", "input": {}}
    pieces: list[tuple[Any, list[Any]]] = [({"type": "text", "text": ""}, [
        {"type": "text_delta", "text": "Wip"},
        {"type": "text_delta", "text": "ed."},
    ])]  # fmt: skip
    if first:
        pieces = [
            ({"type": "thinking", "thinking": "", "signature": ""}, [
                {"type": "thinking_delta", "thinking": "Lo"},
                {"type": "thinking_delta", "thinking": "ok."},
                {"type": "signature_delta", "signature": "c2ln"},
            ]),
            (call, [{"type": "input_json_delta", "partial_json": '{"disk": 7}'}]),
        ]  # fmt: skip
    events: list[Any] = [{"type": "message_start", "message": message}]
    for index, (block, deltas) in enumerate(pieces):
        events.append({"type": "content_block_start", "index": index, "content_block": block})
        events += [
            {"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas
        ]
        events.append({"type": "content_block_stop", "index": index})
    delta = {"stop_reason": "tool_use" if first else "end_turn", "stop_sequence": None}
    events.append({"type": "message_delta", "delta": delta, "usage": {"output_tokens": 4}})
    return [*events, {"type": "message_stop"}]


class StreamServer(ThreadingHTTPServer):
    """Streams what a model writes; ``breaks`` is how often a stream breaks off first."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Reply)
        self.asked: list[dict[str, Any]] = []
        self.breaks = 0


class Reply(BaseHTTPRequestHandler):
    server: StreamServer

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append(asked)
        assert asked["stream"] is True
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        first = len(asked["messages"]) == 1
        if "chat" in self.path:
            events = chunks(f"<think>Look.</think>I wipe it. {CALL}" if first else "Wiped.")
        else:
            events = blocks(first)
        if self.server.breaks:
            self.server.breaks -= 1
            events = [*events[: len(events) // 2], {"error": {"message": "overloaded"}}]
        for event in events:
            name = "" if "choices" in event else f"event: {event.get('type', 'error')}\n"
            self.wfile.write(f"{name}data: {json.dumps(event)}\n\n".encode())
        if "chat" in self.path:
            self.wfile.write(b"data: [DONE]\n\n")

    def log_message(self, format: str, *args: Any) -> None:
        """Write nothing."""


@pytest.fixture
def server() -> Iterator[StreamServer]:
    with StreamServer() as made:
        thread = threading.Thread(target=made.serve_forever, daemon=True)
        thread.start()
        yield made
        made.shutdown()
        thread.join()


def agent(server: StreamServer, which: int, approval: bool = False) -> Agent:
    @tool(requires_approval=approval)
    def wipe(disk: int) -> str:
        """Wipe a disk."""
        return f"wiped {disk}"

    url = f"http://127.0.0.1:{server.server_port}"
    options: dict[str, Any] = {"api_key": "none", "max_retries": 0}
    clients: list[Callable[[], Any]] = [
        lambda: openai.OpenAI(base_url=f"{url}/v1", **options),
        lambda: openai.AsyncOpenAI(base_url=f"{url}/v1", **options),
        lambda: anthropic.Anthropic(base_url=url, **options),
        lambda: anthropic.AsyncAnthropic(base_url=url, **options),
    ]
    client = clients[which]()
    detector = toolwire.Detector(model="qwen3") if which < 2 else None
    model = "qwen3" if which < 2 else "claude"
    return Agent(client, model=model, tools=[wipe], store=MemoryStore(), detector=detector)


def shown(events: list[AgentEvent]) -> list[tuple[str, str]]:
    """Give the types and the texts, neighbours of one type joined."""
    all: list[tuple[str, str]] = []
    for event in events:
        text = event.data.get("text", "")
        if text and all and all[-1][0] == event.type:
            all[-1] = (event.type, all[-1][1] + text)
        else:
            all.append((event.type, text))
    return all


@pytest.mark.parametrize("which", range(4))
def test_what_comes_in_pieces_is_told_as_it_comes(server: StreamServer, which: int) -> None:
    made = agent(server, which)
    told = list(made.stream_sync("Wipe disk 7.", "chat"))
    said = [("text", "I wipe it. ")] if which < 2 else []
    assert shown(told) == [
        ("user", "Wipe disk 7."),
        ("reasoning", "Look."),
        *said,
        ("call", ""),
        ("usage", ""),
        ("result", ""),
        ("text", "Wiped."),
        ("usage", ""),
        ("done", ""),
    ]
    assert sum(event.type == "text" for event in told) > len(said) + 1
    call = next(event for event in told if event.type == "call")
    assert (call.data["name"], call.data["arguments"]) == ("wipe", {"disk": 7})
    answer = told[-1].answer
    assert answer is not None
    assert (answer.text, answer.input_tokens, answer.output_tokens) == ("Wiped.", 6, 8)
    assert shown(asyncio.run(made.events("chat"))) == shown(told)[:-1]
    assert asyncio.run(made.events("other")) == []


@pytest.mark.parametrize("which", range(4))
def test_a_stream_that_breaks_off_is_taken_back(server: StreamServer, which: int) -> None:
    server.breaks = 1
    types = [event.type for event in agent(server, which).stream_sync("Wipe disk 7.", "chat")]
    assert types.count("retracted") == 1
    assert types[-1] == "done"
    server.breaks = 3
    with pytest.raises(AgentError) as failed:
        list(agent(server, which).stream_sync("Wipe disk 7.", "chat"))
    assert failed.value.code == "model_unreachable"


def test_what_waits_is_told_and_the_stream_goes_on(server: StreamServer) -> None:
    async def both() -> tuple[list[AgentEvent], list[AgentEvent]]:
        made = agent(server, 1, approval=True)
        first = [event async for event in made.stream("Wipe disk 7.", "chat")]
        answer = first[-1].answer
        assert answer is not None
        await made.executor.approve(answer.waiting[0].approval_id)
        return first, [event async for event in made.stream(conversation="chat")]

    first, second = asyncio.run(both())
    assert [event.type for event in first[-2:]] == ["waiting", "waiting"]
    assert first[-2].data["approval_id"]
    assert shown(second)[0][0] == "result"
    assert shown(second)[-1] == ("done", "")


def test_a_stream_that_nobody_reads_on_ends(server: StreamServer) -> None:
    made = agent(server, 0)
    stream = made.stream_sync("Wipe disk 7.", "chat")
    assert next(stream).type == "user"
    stream.close()
    answer = list(made.stream_sync(conversation="chat"))[-1].answer
    assert answer is not None
    assert answer.text == "Wiped."


def test_a_function_streams_if_it_is_said_to() -> None:
    streamed: list[bool] = []

    def client(body: dict[str, Any]) -> Any:
        streamed.append(body.get("stream", False))
        return iter(chunks("Hello."))

    made = Agent(client, model="m", store=MemoryStore(), streams=True)
    assert ("text", "Hello.") in shown(list(made.stream_sync("Hi", "chat")))

    # Nobody listens, and the events are the response all the same.
    assert made.run_sync("And now?", "chat").text == "Hello."

    assert streamed == [True, False]

    def whole(body: dict[str, Any]) -> Any:
        assert "stream" not in body
        return {"choices": [{"message": {"role": "assistant", "content": "Hello."}}]}

    made = Agent(whole, model="m", store=MemoryStore())
    assert ("text", "Hello.") in shown(list(made.stream_sync("Hi", "chat")))
