"""Agents whose server holds the model to a grammar: what the server gets."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import openai
import pytest
import toolwire
from toolwire.agent import Agent, AgentLimits
from toolwire.tools import MemoryStore, tool

CALL = '<tool_call>\n{"name": "wipe", "arguments": {"disk": 7}}\n</tool_call>'
MODEL = "qwen2.5-7b-instruct"
EXAMPLE = Path(__file__).parents[2] / "examples" / "python" / "constrained.py"


class GrammarServer(ThreadingHTTPServer):
    """Answers chat completions and plain ones: a call as text, then a text."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Reply)
        self.asked: list[dict[str, Any]] = []
        self.call = CALL

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


class Reply(BaseHTTPRequestHandler):
    server: GrammarServer

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append(asked)
        said = "Wiped." if "wiped" in json.dumps(asked) else self.server.call
        choice: dict[str, Any] = {"index": 0, "text": said, "finish_reason": "stop"}
        if self.path == "/v1/chat/completions":
            message = {"role": "assistant", "content": said}
            choice = {"index": 0, "message": message, "finish_reason": "stop"}
        common = {"id": "x", "object": "chat.completion", "created": 7, "model": MODEL}
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps({**common, "choices": [choice]}).encode())

    def log_message(self, format: str, *args: Any) -> None:
        """Write nothing."""


@pytest.fixture
def server() -> Iterator[GrammarServer]:
    with GrammarServer() as made:
        thread = threading.Thread(target=made.serve_forever, daemon=True)
        thread.start()
        yield made
        made.shutdown()
        thread.join()


@tool
def wipe(disk: int) -> str:
    """Wipe a disk."""
    return f"wiped {disk}"


def agent(client: Any, constrain: Any, **more: Any) -> Agent:
    return Agent(
        client, model=MODEL, tools=[wipe], store=MemoryStore(), constrain=constrain, **more
    )


def package(server: GrammarServer) -> openai.OpenAI:
    return openai.OpenAI(base_url=server.url, api_key="none")


def function(server: GrammarServer) -> Any:
    def send(body: dict[str, Any]) -> Any:
        headers = {"Content-Type": "application/json"}
        where = f"{server.url}/chat/completions"
        request = urllib.request.Request(where, json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request) as response:
            return json.load(response)

    return send


@pytest.mark.parametrize("client", [package, function])
@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({}, "response_format"),
        ({"server": "sglang"}, "response_format"),
        ({"backend": "gbnf"}, "grammar"),
        ({"backend": "gbnf", "server": "sglang"}, "ebnf"),
        ({"backend": "lark"}, "structured_outputs"),
    ],
)
def test_the_server_gets_the_grammar_and_no_tools(
    server: GrammarServer, client: Any, options: dict[str, Any], name: str
) -> None:
    answer = agent(client(server), options, temperature=0.5).run_sync("Wipe disk 7.", "chat")
    assert (answer.state, answer.text) == ("done", "Wiped.")
    first, second = server.asked
    for asked in (first, second):
        assert name in asked
        # llama.cpp does not know the member.
        kept = None if name == "grammar" else False
        assert asked.get("skip_special_tokens") is kept, "the server keeps the markers of calls"
        assert asked["temperature"] == 0.5
        assert not {"tools", "tool_choice"} & asked.keys()
        assert asked["messages"][0]["role"] == "system"
        assert '{"name": "wipe", "description": "Wipe a disk."' in asked["messages"][0]["content"]
        assert first[name] == asked[name], "the same grammar for each request"
    # The tools as the agent offers them, with the grammar that is made of them.
    tools = agent(client(server), None).executor.to_provider("openai")
    assert first[name] == toolwire.constrain(tools, model=MODEL, **options).request[name]
    result = second["messages"][-1]
    assert (result["role"], result["content"]) == ("tool", "wiped 7")


def test_at_a_limit_the_grammar_has_no_calls(server: GrammarServer) -> None:
    limited = agent(package(server), {"backend": "gbnf"}, limits=AgentLimits(turns=1))
    limited.run_sync("Wipe disk 7.", "chat")
    first, last = server.asked
    assert "wipe" in first["grammar"]
    assert "wipe" not in last["grammar"]


def test_a_prompt_has_the_tools_itself(server: GrammarServer) -> None:
    prompts: list[tuple[list[Any], list[Any]]] = []

    def render(messages: list[Any], tools: list[Any]) -> str:
        prompts.append((messages, tools))
        return "\n".join(f"{message['role']}: {message['content']}" for message in messages)

    made = agent(package(server), {"backend": "gbnf"}, render=render)
    assert made.run_sync("Wipe disk 7.", "chat").text == "Wiped."
    first, _ = server.asked
    assert [one["function"]["name"] for one in prompts[0][1]] == ["wipe"]
    assert first["prompt"] == "user: Wipe disk 7."
    assert not {"tools", "messages"} & first.keys()
    tools = made.executor.to_provider("openai")
    wanted = toolwire.constrain(tools, model=MODEL, prompt=first["prompt"], backend="gbnf")
    assert first["grammar"] == wanted.grammar


def test_a_prompt_that_has_begun_the_reasoning_is_gone_on_with(server: GrammarServer) -> None:
    begun = agent(
        package(server), {"model": "qwen3-8b"}, render=lambda messages, tools: "Wipe.<think>\n"
    )
    begun.run_sync("Wipe disk 7.", "chat")
    grammar = json.dumps(server.asked[0]["response_format"])
    closed = toolwire.constrain([wipe_tool()], model="qwen3-8b", prompt="Wipe.<think>\n")
    assert grammar == json.dumps(closed.request["response_format"])
    opened = toolwire.constrain([wipe_tool()], model="qwen3-8b")
    assert grammar != json.dumps(opened.request["response_format"])


def wipe_tool() -> Any:
    return agent(print, None).executor.to_provider("openai")[0]


def test_options_that_do_not_go_together_are_refused_at_once() -> None:
    for options in ({"tool_choice": "required"}, {"text": False}, {"server": "llama.cpp"}):
        for more in ({}, {"render": lambda messages, tools: ""}):
            with pytest.raises(toolwire.ToolwireError) as caught:
                agent(print, options, **more)
            assert caught.value.kind == "invalid_option"
    with pytest.raises(toolwire.ToolwireError, match="ollama take no grammar"):
        agent(print, {}, api="ollama")


@pytest.mark.parametrize(
    ("kind", "name"),
    [("vllm", "response_format"), ("sglang", "response_format"), ("llama.cpp", "grammar")],
)
def test_the_example_asks_each_server(server: GrammarServer, kind: str, name: str) -> None:
    printed = example(server, kind)
    assert printed == 'get_weather {"city": "Rome"}\n'
    (asked,) = server.asked
    assert "get_weather" in json.dumps(asked[name])
    assert ("skip_special_tokens" in asked) == (kind != "llama.cpp")
    assert '"name": "get_weather"' in asked["messages"][0]["content"]
    assert "tools" not in asked


def test_the_example_asks_ollama_for_a_reply_alone(server: GrammarServer) -> None:
    example(server, "ollama")
    (asked,) = server.asked
    assert asked["response_format"]["type"] == "json_schema"
    assert not {"grammar", "tools", "skip_special_tokens"} & asked.keys()


def example(server: GrammarServer, kind: str) -> str:
    server.call = CALL.replace("wipe", "get_weather").replace('"disk": 7', '"city": "Rome"')
    done = subprocess.run(
        [sys.executable, EXAMPLE, kind, server.url, MODEL, "How is the weather in Rome?"],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
