"""Lone surrogates: what no text is names no call, no caller and no conversation."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from toolwire import InvalidArgumentError
from toolwire.runs import Executor, MemoryStore, RateLimiter, Tool, ToolCallError


def made() -> Executor:
    executor = Executor(MemoryStore())
    executor.register(Tool("look", lambda given: dict(given.arguments)))
    return executor


@pytest.mark.parametrize(
    ("asked", "code", "path"),
    [
        ({"id": "c\ud800", "name": "look", "arguments": {}}, "bad_id", "/id"),
        ({"id": "c\ud800", "type": "look", "payload": {}}, "bad_id", "/id"),
        ({"name": "look", "arguments": {"x": "\ud800"}}, "invalid_utf8", "/arguments/x"),
        ({"name": "look", "arguments": {"x": ["\ud800"]}}, "invalid_utf8", "/arguments/x/0"),
        ({"name": "look", "arguments": {"\ud800": 1}}, "invalid_utf8", None),
        ({"name": "look", "arguments": '{"x": "\ud800"}'}, "invalid_utf8", "/arguments"),
    ],
)
def test_a_lone_surrogate_is_refused(asked: dict[str, Any], code: str, path: str | None) -> None:
    run = asyncio.run(made().execute(asked))
    assert (run.state, run.code) == ("failed", code)
    if path is not None:
        assert isinstance(run.error, ToolCallError)
        assert run.error.problems[0]["path"] == path


def test_a_lone_surrogate_elsewhere_is_left_alone() -> None:
    call = {"id": "c", "type": "tool_use", "name": "look", "input": {"x": 1}}
    content = [{"type": "text", "text": "half \ud83d"}, call]
    run = asyncio.run(made().execute({"role": "assistant", "content": content}))
    assert run.state == "completed"


@pytest.mark.parametrize("name", ["scope", "message", "caller"])
def test_a_place_is_text(name: str) -> None:
    context = {"user_id": "a\ud800"} if name == "caller" else {}
    place: dict[str, Any] = {} if name == "caller" else {name: "a\ud800"}
    call = {"id": "c", "name": "look", "arguments": {}}
    with pytest.raises(InvalidArgumentError, match=f"{name} must be UTF-8"):
        asyncio.run(made().execute(call, context, **place))


def test_a_limit_counts_texts() -> None:
    limiter = RateLimiter(1, 60.0)
    with pytest.raises(InvalidArgumentError, match="caller must be UTF-8"):
        limiter.check("look", "a\ud800")
