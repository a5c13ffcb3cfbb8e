"""Runs the clients of OpenAI, LangChain and Pydantic AI against the small gateway.

It stands in front of a server of chat completions whose content is what the model wrote. With
``TOOLWIRE_GATEWAY``, the path of the gateway in Rust, the same is asked of that one, which gives
whole answers.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import openai
import pytest
from gateway_case import ROOT, SCHEMA

CITY = "São Paulo, " * 40
THOUGHT = "<think>I need the weather.</think>"
ARGUMENTS = {"city": CITY, "days": 3}
CALL = json.dumps({"name": "get_weather", "arguments": ARGUMENTS}, ensure_ascii=False)
WRITTEN = f"{THOUGHT}Let me look.\n<tool_call>\n{CALL}\n</tool_call>"
ANSWER = "<think>Rain.</think>It rains."
TOOLS: list[Any] = [{"type": "function", "function": {"name": "get_weather", "parameters": SCHEMA}}]
RUST = os.environ.get("TOOLWIRE_GATEWAY")
GATEWAY = [RUST] if RUST else [sys.executable, "examples/python/gateway.py"]
streams = pytest.mark.skipif(RUST is not None, reason="the gateway in Rust gives whole answers")
TOKEN: Any = {"token": "Let", "logprob": -0.5, "bytes": None, "top_logprobs": []}
LOGPROBS: Any = {"content": [TOKEN], "refusal": None}
ASKED: Any = {"model": "qwen3", "messages": [{"role": "user", "content": "The weather?"}]}


class Model(BaseHTTPRequestHandler):
    """Answers chat completions with what a model wrote: a call, and behind its result an answer."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        text = ANSWER if asked["messages"][-1]["role"] == "tool" else WRITTEN
        self.send_response(200)
        if not asked.get("stream"):
            message = {"role": "assistant", "content": text}
            ending = {"finish_reason": "stop", "logprobs": LOGPROBS}
            usage = {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7}
            body = {"id": "x", "object": "chat.completion", "created": 7, "model": "qwen3"}
            numbers = range(asked.get("n", 1))
            choices = [{"index": number, "message": message, **ending} for number in numbers]
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(json.dumps({**body, "choices": choices, "usage": usage}).encode())
            return
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        places = [*range(0, len(text), 5), len(text)]
        for at, number in itertools.product(places, range(asked.get("n", 1))):
            choice: dict[str, Any] = {"index": number, "delta": {"content": text[at : at + 5]}}
            choice["logprobs"] = {"content": [{**TOKEN, "token": text[at : at + 5]}]}
            choice["finish_reason"] = ["stop", "length"][number] if at == len(text) else None
            self.wfile.write(f"data: {json.dumps({'choices': [choice]})}\n\n".encode())
        self.wfile.write(b"data: [DONE]\n\n")

    def log_message(self, format: str, *args: Any) -> None:
        """Write nothing."""


@pytest.fixture(scope="module")
def gateway() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Model) as model:
        threading.Thread(target=model.serve_forever, daemon=True).start()
        with ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as free:
            port = free.server_port
        upstream = f"http://127.0.0.1:{model.server_port}/v1"
        command = [*GATEWAY, upstream, str(port)]
        running = subprocess.Popen(command, cwd=ROOT)
        try:
            for _ in range(300):
                assert running.poll() is None
                try:
                    urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=5).close()
                except urllib.error.HTTPError:
                    break
                except OSError:
                    time.sleep(0.05)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            running.terminate()
            running.wait(20)
            model.shutdown()


@pytest.fixture(scope="module")
def client(gateway: str) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=gateway, api_key="none", max_retries=0) as made:
        yield made


def test_the_example_is_as_short_as_is_said() -> None:
    source = (ROOT / "examples/python/gateway.py").read_text().splitlines()
    other = ("import", "from", '"""')
    code = [line for line in source if line and not line.strip().startswith(other)]
    assert len(code) <= 25


def test_whole_answers_have_several_choices(client: openai.OpenAI) -> None:
    answer = client.chat.completions.create(**ASKED, tools=TOOLS, n=2)
    assert [choice.index for choice in answer.choices] == [0, 1]
    for choice in answer.choices:
        assert choice.finish_reason == "tool_calls"
        call: Any = (choice.message.tool_calls or [])[0]
        assert json.loads(call.function.arguments) == ARGUMENTS
        assert choice.message.model_extra == {"reasoning_content": "I need the weather."}
        assert choice.logprobs
        assert choice.logprobs.model_dump(include={"content"}) == {"content": [TOKEN]}
    assert answer.usage
    assert answer.usage.total_tokens == 7


@streams
def test_arguments_come_while_the_model_writes(client: openai.OpenAI) -> None:
    chunks = client.chat.completions.create(**ASKED, tools=TOOLS, stream=True)
    calls: list[Any] = [
        call
        for chunk in chunks
        for choice in chunk.choices
        for call in choice.delta.tool_calls or []
    ]
    pieces = [call.function.arguments or "" for call in calls]
    assert calls[0].function.name == "get_weather"
    assert json.loads("".join(pieces)) == ARGUMENTS
    assert len(pieces) > 20
    assert max(map(len, pieces)) < 60


@streams
def test_streamed_choices_have_their_calls_their_endings_and_logprobs(
    client: openai.OpenAI,
) -> None:
    chunks = client.chat.completions.create(**ASKED, tools=TOOLS, stream=True, n=2)
    pieces = {0: "", 1: ""}
    tokens = {0: "", 1: ""}
    endings = {}
    for choice in [choice for chunk in chunks for choice in chunk.choices]:
        for call in choice.delta.tool_calls or []:
            assert call.function
            pieces[choice.index] += call.function.arguments or ""
        known: Any = choice.logprobs
        tokens[choice.index] += "".join(token.token for token in known.content) if known else ""
        endings[choice.index] = choice.finish_reason
    assert [json.loads(piece) for piece in pieces.values()] == [ARGUMENTS, ARGUMENTS]
    assert endings == {0: "tool_calls", 1: "length"}
    assert list(tokens.values()) == [WRITTEN, WRITTEN]


def test_what_a_request_forbids_is_no_call(client: openai.OpenAI) -> None:
    other = {"type": "function", "function": {"name": "other"}}
    choice = {"type": "function", "function": {"name": "other"}}
    requests: list[Any] = [
        {},
        {"tools": TOOLS, "tool_choice": "none"},
        {"tools": [*TOOLS, other], "tool_choice": choice},
    ]
    for more in requests:
        answer = client.chat.completions.create(**ASKED, **more)
        assert answer.choices[0].message.tool_calls is None
        assert answer.choices[0].finish_reason == "stop"


def test_langchain_reads_whole_and_streamed_answers(gateway: str) -> None:
    from langchain_openai import ChatOpenAI

    made: Any = {"base_url": gateway, "api_key": "none", "model": "qwen3", "max_retries": 0}
    model = ChatOpenAI(**made).bind_tools(TOOLS)
    messages: list[Any] = [model.invoke("The weather?")]
    if not RUST:
        streamed: Any = None
        for chunk in model.stream("The weather?"):
            streamed = chunk if streamed is None else streamed + chunk
        messages.append(streamed)
    for message in messages:
        (call,) = message.tool_calls
        assert (call["name"], call["args"]) == ("get_weather", ARGUMENTS)


@pytest.mark.parametrize("streamed_run", [False, pytest.param(True, marks=streams)])
def test_pydantic_ai_runs_the_tool(gateway: str, streamed_run: bool) -> None:
    import pydantic_ai
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    model = OpenAIChatModel("qwen3", provider=OpenAIProvider(base_url=gateway, api_key="none"))
    agent = pydantic_ai.Agent(model)
    asked: list[tuple[str, int]] = []

    @agent.tool_plain
    def get_weather(city: str, days: int) -> str:
        asked.append((city, days))
        return "rain"

    async def streamed() -> str:
        # A handler of events lets the agent ask for a stream.
        async def pass_events(_: Any, events: Any) -> None:
            async for _event in events:
                pass

        result = await agent.run("The weather?", event_stream_handler=pass_events)
        return str(result.output)

    said = asyncio.run(streamed()) if streamed_run else agent.run_sync("The weather?").output
    assert asked == [(CITY, 3)]
    assert said == "It rains."
