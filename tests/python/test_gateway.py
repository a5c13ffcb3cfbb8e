"""Runs OpenAI's own client against the gateway, in front of a server that completes raw texts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx
import openai
import pytest
import toolwire
from gateway_case import (
    CALL,
    REASONING,
    TEXT,
    TOOLS,
    Completions,
    completions,
    process,
    raw_text,
    reasoning_style,
)

# The models of `command_r` write a word before their calls, which is text to them.
PROFILES = [
    profile for profile in toolwire.profiles() if profile.formats and profile.slug != "command_r"
]
ASKED: Any = {"messages": [{"role": "user", "content": "The weather?"}], "tools": TOOLS}


@pytest.fixture(scope="module")
def backend() -> Iterator[Completions]:
    with completions({profile.slug: raw_text(profile) for profile in PROFILES}) as server:
        yield server


@pytest.fixture(scope="module")
def gateway(backend: Completions, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    log = tmp_path_factory.mktemp("gateway") / "log"
    with process(log, "examples/python/gateway_server.py", backend.url) as url:
        yield url
    assert "Traceback" not in log.read_text()
    assert "secret" not in log.read_text()


@pytest.fixture(scope="module")
def client(gateway: str) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=gateway, api_key="none", max_retries=0) as made:
        yield made


def test_there_are_more_than_thirty_models(client: openai.OpenAI) -> None:
    models = {model.id for model in client.models.list()}
    assert {profile.slug for profile in PROFILES} <= models
    assert len(PROFILES) > 100


@pytest.mark.parametrize("profile", PROFILES, ids=[profile.slug for profile in PROFILES])
def test_the_client_reads_whole_and_streamed_messages(
    client: openai.OpenAI, profile: toolwire.Profile
) -> None:
    answer = client.chat.completions.create(model=profile.slug, **ASKED)
    (choice,) = answer.choices
    check(profile, choice.message)
    assert choice.finish_reason == "tool_calls"
    assert answer.usage is not None
    assert answer.usage.total_tokens == 33
    with client.chat.completions.stream(
        model=profile.slug, stream_options={"include_usage": True}, **ASKED
    ) as stream:
        deltas = [event.delta for event in stream if event.type == "content.delta"]
        final = stream.get_final_completion()
    check(profile, final.choices[0].message)
    assert final.choices[0].finish_reason == "tool_calls"
    assert final.usage is not None
    assert final.usage.total_tokens == 33
    assert len(deltas) > 1, "the text came in pieces"


def check(profile: toolwire.Profile, message: Any) -> None:
    assert message.role == "assistant"
    assert message.content.strip() == TEXT.strip()
    thought = REASONING if reasoning_style(profile) else None
    assert getattr(message, "reasoning_content", None) == thought
    (call,) = message.tool_calls
    assert call.type == "function"
    assert call.id
    assert call.function.name == CALL["name"]
    assert json.loads(call.function.arguments) == CALL["arguments"]


def test_tools_and_earlier_calls_stand_in_the_prompt(
    client: openai.OpenAI, backend: Completions
) -> None:
    function = {"name": "get_weather", "arguments": '{"city": "Oslo"}'}
    calls = [{"id": "c", "type": "function", "function": function}]
    messages: Any = [
        {"role": "user", "content": [{"type": "text", "text": "The weather?"}]},
        {"role": "assistant", "tool_calls": calls},
        {"role": "tool", "tool_call_id": "c", "content": "rain"},
    ]
    client.chat.completions.create(
        model="hermes", messages=messages, tools=TOOLS, max_tokens=5, temperature=0.5
    )
    asked = backend.asked[-1]
    written = toolwire.render_calls([function], "hermes")
    for part in (json.dumps(TOOLS[0]["function"]), "The weather?", written, "### tool\nrain\n"):
        assert part in asked["prompt"]
    assert asked["prompt"].endswith("### assistant\n")
    assert (asked["max_tokens"], asked["temperature"]) == (5, 0.5)


def test_a_call_of_a_request_without_tools_is_not_shown(client: openai.OpenAI) -> None:
    both: list[Any] = [{"tools": TOOLS, "tool_choice": "none"}, {}]
    for refused in both:
        answer = client.chat.completions.create(
            model="hermes", messages=ASKED["messages"], **refused
        )
        assert answer.choices[0].message.tool_calls is None
        assert "<tool_call>" not in (answer.choices[0].message.content or "")
        assert answer.choices[0].finish_reason == "stop"


def test_a_limit_of_tokens_is_told(client: openai.OpenAI) -> None:
    asked: Any = {"model": "hermes", "messages": [{"role": "user", "content": "limit"}]}
    answer = client.chat.completions.create(**asked)
    assert answer.choices[0].finish_reason == "length"
    chunks = list(client.chat.completions.create(stream=True, **asked))
    assert chunks[-1].choices[0].finish_reason == "length"
    assert all(chunk.usage is None for chunk in chunks)


def test_a_failing_backend_is_an_error_without_its_words(
    client: openai.OpenAI, backend: Completions
) -> None:
    kept = backend.texts.pop("qwen2")
    try:
        for stream in (False, True):
            with pytest.raises(openai.InternalServerError) as failed:
                client.chat.completions.create(model="qwen2", stream=stream, **ASKED)
            assert failed.value.status_code == 502
            assert failed.value.code == "backend_failed"
            assert "secret" not in str(failed.value.body)
    finally:
        backend.texts["qwen2"] = kept
    for word in ("midway", "odd"):
        messages: Any = [{"role": "user", "content": word}]
        with pytest.raises(openai.InternalServerError):
            client.chat.completions.create(model="qwen2", messages=messages)
        chunks = client.chat.completions.create(model="qwen2", messages=messages, stream=True)
        with pytest.raises(openai.APIError, match="the model's server failed"):
            list(chunks)


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (400, b"{"),
        (400, b"[" * 100_000),
        (400, b"[]"),
        (400, b'{"model": "hermes"}'),
        (400, b'{"model": "hermes", "messages": [1]}'),
        (400, b'{"model": "hermes", "messages": [], "n": 2}'),
        (400, b'{"model": "hermes", "messages": [], "tools": 7}'),
        (400, b'{"model": "hermes", "messages": [], "tools": [{"type": "function"}]}'),
        (400, b'{"model": "hermes", "messages": [], "stream_options": 1}'),
        (404, b'{"model": "no such model", "messages": []}'),
        (413, b'{"model": "' + b"a" * (1 << 20) + b'"}'),
    ],
)
def test_a_faulty_request_is_an_error_object(gateway: str, status: int, body: bytes) -> None:
    answer = httpx.post(f"{gateway}/chat/completions", content=body)
    assert answer.status_code == status, answer.text
    error = answer.json()["error"]
    assert error.keys() == {"message", "type", "param", "code"}
    assert error["type"] == "invalid_request_error"
    assert "Traceback" not in error["message"]


def test_a_wrong_path_is_an_error_object(gateway: str) -> None:
    assert httpx.get(f"{gateway}/files").json()["error"]["message"] == "not found"
    assert httpx.get(f"{gateway}/chat/completions").status_code == 405


def test_a_client_that_leaves_harms_nobody(client: openai.OpenAI) -> None:
    stream = client.chat.completions.create(model="hermes", stream=True, **ASKED)
    next(iter(stream))
    stream.close()
    assert client.chat.completions.create(model="hermes", **ASKED).choices
