"""Runs the clients of Anthropic and OpenAI against a small server over ``message`` and ``Chunks``.

OpenAI's chat completions are in test_gateway.py.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import anthropic
import openai
import pytest
import toolwire
from gateway_case import CALL, REASONING, SCHEMA, TEXT, process, raw_text, reasoning_style

PROFILES = [
    profile for profile in toolwire.profiles() if profile.formats and reasoning_style(profile)
]
each_profile = pytest.mark.parametrize(
    "profile", PROFILES, ids=[profile.slug for profile in PROFILES]
)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    log = tmp_path_factory.mktemp("server") / "log"
    with process(log, "tests/python/small_server_case.py") as url:
        yield url
    assert "Traceback" not in log.read_text()


@pytest.fixture(scope="module")
def client(server: str) -> Iterator[anthropic.Anthropic]:
    url = server.removesuffix("/v1")
    with anthropic.Anthropic(base_url=url, api_key="none", max_retries=0) as made:
        yield made


def asked(model: str, text: str) -> dict[str, Any]:
    messages = [{"role": "user", "content": text}]
    tools = [{"name": CALL["name"], "input_schema": SCHEMA}]
    return {"model": model, "max_tokens": 100, "messages": messages, "tools": tools}


@each_profile
def test_the_client_reads_whole_and_streamed_messages(
    client: anthropic.Anthropic, profile: toolwire.Profile
) -> None:
    text = raw_text(profile)
    whole = client.messages.create(**asked(profile.slug, text))
    with client.messages.stream(**asked(profile.slug, text)) as stream:
        pieces = list(stream.text_stream)
        streamed = stream.get_final_message()
    messages: list[Any] = [whole, streamed]
    for message in messages:
        thinking, said, call = message.content
        assert thinking.type == "thinking"
        assert thinking.thinking == REASONING
        assert said.type == "text"
        assert said.text.strip() == TEXT.strip()
        assert call.type == "tool_use"
        assert (call.name, call.input) == (CALL["name"], CALL["arguments"])
        assert call.id
        assert message.stop_reason == "tool_use"
        assert (message.usage.input_tokens, message.usage.output_tokens) == (3, len(text))
    assert len(pieces) > 1, "the text came in pieces"


def test_a_text_alone_ends_the_turn(client: anthropic.Anthropic) -> None:
    with client.messages.stream(**asked("hermes", "Hello.")) as stream:
        message = stream.get_final_message()
    assert [block.type for block in message.content] == ["text"]
    assert message.stop_reason == "end_turn"


def test_a_call_that_turns_out_to_be_a_thought_never_arrives(client: anthropic.Anthropic) -> None:
    profile = next(profile for profile in PROFILES if profile.slug == "qwen3")
    text = raw_text(profile).split("</think>")[1]
    with client.messages.stream(**asked("qwen3", f"{text} no.</think>Hi")) as stream:
        kinds = [
            event.content_block.type for event in stream if event.type == "content_block_start"
        ]
        message = stream.get_final_message()
    assert kinds == ["text", "thinking", "text"]
    assert message.stop_reason == "end_turn"


@each_profile
def test_the_client_reads_whole_and_streamed_responses(
    server: str, profile: toolwire.Profile
) -> None:
    tools: Any = [{"type": "function", "name": CALL["name"], "parameters": SCHEMA}]
    request: dict[str, Any] = {"model": profile.slug, "input": raw_text(profile), "tools": tools}
    with openai.OpenAI(base_url=server, api_key="none", max_retries=0) as client:
        whole = client.responses.create(**request)
        with client.responses.stream(**request) as stream:
            kinds = [event.type for event in stream]
            streamed = stream.get_final_response()
    answers: list[Any] = [whole, streamed]
    for answer in answers:
        assert answer.status == "completed"
        reasoning, said, call = answer.output
        assert [part.text for part in reasoning.content] == [REASONING]
        assert answer.output_text.strip() == TEXT.strip()
        assert [part.type for part in said.content] == ["output_text"]
        assert call.name == CALL["name"]
        assert json.loads(call.arguments) == CALL["arguments"]
        assert call.call_id
    assert streamed.usage is not None
    assert streamed.usage.input_tokens == 3
    assert kinds.count("response.reasoning_text.delta") > 1
    assert kinds.count("response.output_text.delta") > 1
    assert kinds[-1] == "response.completed"
