"""Agents in Python, over the real clients of ``openai`` and ``anthropic`` and a strict server."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import anthropic
import openai
import pytest
import toolwire
from toolwire.agent import Agent, AgentError, AgentLimits
from toolwire.tools import MemoryStore, SqliteStore, ToolDefinition, tool

SECRET = "sk-proj-aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1v"
CALL = '<tool_call>{"name": "wipe", "arguments": {"disk": 7}}</tool_call>'


class ModelServer(ThreadingHTTPServer):
    """Answers OpenAI's chat completions and Anthropic's messages: a call, then a text."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Reply)
        self.asked: list[dict[str, Any]] = []
        self.statuses: list[int] = []
        self.writes_text = False

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Reply(BaseHTTPRequestHandler):
    server: ModelServer

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append(asked)
        status = self.server.statuses.pop(0) if self.server.statuses else 200
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        body: Any = {"error": {"message": f"no such key {SECRET}", "type": "error"}}
        if status == 200:
            body = self.chat(asked) if "chat" in self.path else self.messages(asked)
        self.wfile.write(json.dumps(body).encode())

    def chat(self, asked: dict[str, Any]) -> dict[str, Any]:
        message: dict[str, Any] = {"role": "assistant", "content": "Wiped."}
        if asked["messages"][-1]["role"] == "user":
            call = {"name": "wipe", "arguments": '{"disk": 7}'}
            message["tool_calls"] = [{"id": "call_0", "type": "function", "function": call}]
            message["content"] = None
            if self.server.writes_text:
                message = {"role": "assistant", "content": f"<think>Hm.</think>I do. {CALL}"}
        return {
            "id": "x",
            "object": "chat.completion",
            "created": 7,
            "model": "qwen3",
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7},
        }

    def messages(self, asked: dict[str, Any]) -> dict[str, Any]:
        last = asked["messages"][-1]["content"]
        content: list[Any] = [
            {"type": "thinking", "thinking": "Look.", "signature": "c2lnbmVk"},
            {"type": "tool_use", "id": "toolu_1", "name": "wipe", "input": {"disk": 7}},
        ]
        if last[0]["type"] == "tool_result":
            assert asked["messages"][1]["content"] == content, "what it wrote comes back whole"
            content = [{"type": "text", "text": "Wiped."}]
        return {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "claude",
            "content": content,
            "stop_reason": "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 3, "output_tokens": 4},
        }

    def log_message(self, format: str, *args: Any) -> None:
        """Write nothing."""


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as made:
        thread = threading.Thread(target=made.serve_forever, daemon=True)
        thread.start()
        yield made
        made.shutdown()
        thread.join()


class Disks:
    def __init__(self, requires_approval: bool = False) -> None:
        self.wiped: list[int] = []

        @tool(requires_approval=requires_approval)
        def wipe(disk: int) -> str:
            """Wipe a disk."""
            self.wiped.append(disk)
            return "wiped"

        self.tools = [wipe]


def clients(url: str) -> list[tuple[Any, str]]:
    return [
        (openai.OpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0), "qwen3"),
        (openai.AsyncOpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0), "qwen3"),
        (anthropic.Anthropic(base_url=url, api_key="none", max_retries=0), "claude"),
        (anthropic.AsyncAnthropic(base_url=url, api_key="none", max_retries=0), "claude"),
    ]


@pytest.mark.parametrize("which", range(4))
def test_real_clients_answer(server: ModelServer, which: int) -> None:
    client, model = clients(server.url)[which]
    disks = Disks()
    agent = Agent(client, model=model, tools=disks.tools, store=MemoryStore(), max_tokens=99)
    answer = agent.run_sync("Wipe disk 7.", "chat")
    assert (answer.state, answer.text) == ("done", "Wiped.")
    assert disks.wiped == [7]
    assert (answer.input_tokens, answer.output_tokens) == (6, 8)
    assert server.asked[0]["max_tokens"] == 99
    assert [one["role"] for one in server.asked[1]["messages"]][:2] == ["user", "assistant"]


def test_a_call_waits_and_another_process_answers(server: ModelServer, tmp_path: Path) -> None:
    disks, path = Disks(requires_approval=True), tmp_path / "chat.db"
    server.writes_text = True

    def made() -> Agent:
        client = clients(server.url)[0][0]
        detector = toolwire.Detector(model="qwen3")
        tools, store = disks.tools, SqliteStore(path)
        return Agent(client, model="qwen3", tools=tools, store=store, detector=detector)

    answer = made().run_sync("Wipe disk 7.", "chat")
    assert (answer.state, answer.text, answer.reasoning) == ("waiting", "I do. ", "Hm.")
    with pytest.raises(AgentError) as refused:
        made().run_sync("And now?", "chat")
    assert refused.value.code == "conversation_waiting"
    second = made()
    asyncio.run(second.executor.approve(answer.waiting[0].approval_id))
    assert second.run_sync(conversation="chat").text == "Wiped."
    assert second.run_sync(conversation="chat").text == "Wiped."
    assert (disks.wiped, len(server.asked)) == ([7], 2)
    assert asyncio.run(second.list()) == ["chat"]
    assert asyncio.run(second.forget("chat"))
    with pytest.raises(AgentError) as refused:
        second.run_sync(conversation="chat")
    assert refused.value.code == "unknown_conversation"


def test_errors_of_the_server_have_codes(server: ModelServer) -> None:
    client = clients(server.url)[0][0]
    agent = Agent(client, model="qwen3", tools=Disks().tools, store=MemoryStore())
    server.statuses = [503, 429]
    assert agent.run_sync("Wipe.", "chat").state == "done"
    server.statuses = [401]
    with pytest.raises(AgentError) as refused:
        agent.run_sync("Wipe.", "other")
    assert refused.value.code == "model_refused"
    assert agent.run_sync(conversation="other").state == "done"
    assert "sk-proj" not in str(refused.value)
    assert "no such key" in str(refused.value)
    with pytest.raises(TypeError, match="give a client of openai, anthropic"):
        Agent(object(), model="qwen3", store=MemoryStore())
    with pytest.raises(TypeError, match="store"):
        Agent(client, model="qwen3")


@pytest.mark.parametrize("seconds", ["1e30", "nan", "-5", "soon", "1" * 400])
def test_any_time_of_a_server_is_a_time(seconds: str) -> None:
    class Limited(Exception):
        status_code = 429
        response = type("Response", (), {"headers": {"retry-after": seconds}})

    def model(body: dict[str, Any]) -> dict[str, Any]:
        raise Limited("too many")

    with pytest.raises(AgentError) as refused:
        Agent(model, model="m", store=MemoryStore()).run_sync("Hello", "chat")
    assert refused.value.code == "model_limited"


def test_tools_that_only_read_run_at_once() -> None:
    both = asyncio.Event()
    begun: list[int] = []

    async def look(input: Any) -> str:
        begun.append(input.payload["place"])
        if len(begun) == 2:
            both.set()
        await asyncio.wait_for(both.wait(), 5)
        return "seen"

    def model(body: dict[str, Any]) -> dict[str, Any]:
        calls = [
            {"id": "c", "type": "function", "function": {"name": "look", "arguments": arguments}}
            for arguments in ('{"place": 1}', '{"place": 2}')
        ]
        message: dict[str, Any] = {"role": "assistant", "content": None, "tool_calls": calls}
        if len(body["messages"]) > 1:
            message = {"role": "assistant", "content": "Seen."}
        return {"choices": [{"message": message}]}

    looks = ToolDefinition("look", "LOOK", look, read_only=True)
    agent = Agent(model, model="qwen3", tools=[looks], store=MemoryStore())
    assert agent.run_sync("Look.", "chat").text == "Seen."


def test_a_text_that_is_said_is_answered_by_who_goes_on() -> None:
    store = MemoryStore()
    asked: list[Any] = []

    def model(body: dict[str, Any]) -> dict[str, Any]:
        asked.append(body)
        return {"choices": [{"message": {"role": "assistant", "content": "Here."}}]}

    asyncio.run(Agent(model, model="m", store=store).say("Hello", "chat"))
    assert asked == []
    agent = Agent(model, model="m", store=store)
    assert [event.type for event in asyncio.run(agent.events("chat"))] == ["user"]
    assert agent.run_sync(conversation="chat").text == "Here."


def test_a_conversation_has_an_id() -> None:
    agent = Agent(lambda body: {}, model="m", store=MemoryStore())
    for text in ("Hello", None):
        with pytest.raises(AgentError) as refused:
            agent.run_sync(text)
        assert refused.value.code == "invalid_agent"


def test_a_fault_of_the_program_is_raised_as_it_is() -> None:
    class OddError(Exception):
        code = 5

    asked: list[Any] = []

    def model(body: dict[str, Any]) -> Any:
        asked.append(body)
        raise OddError

    agent = Agent(model, model="m", store=MemoryStore())
    with pytest.raises(OddError):
        agent.run_sync("Hello", "chat")
    assert len(asked) == 1


def test_limits_stop() -> None:
    def model(body: dict[str, Any]) -> dict[str, Any]:
        call = {"name": "wipe", "arguments": '{"disk": 7}'}
        calls = [{"id": "c", "type": "function", "function": call}]
        message: dict[str, Any] = {"role": "assistant", "content": None, "tool_calls": calls}
        if body.get("tool_choice") == "none":
            message = {"role": "assistant", "content": "Enough."}
        return {"choices": [{"message": message}]}

    disks = Disks()
    limits = AgentLimits(turns=2)
    agent = Agent(model, model="m", tools=disks.tools, store=MemoryStore(), limits=limits)
    answer = agent.run_sync("Wipe.", "chat")
    assert (answer.state, answer.reason, answer.text) == ("stopped", "turns", "Enough.")
    assert disks.wiped == [7]
