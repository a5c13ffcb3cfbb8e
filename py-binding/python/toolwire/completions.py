"""A text model over plain completions: the prompt that it gets, and its text as a message.

>>> from toolwire.completions import chat_of
>>> chat_of({"choices": [{"text": "Hello", "finish_reason": "stop"}]})["choices"][0]["message"]
{'role': 'assistant', 'content': 'Hello'}
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from toolwire._native import Detector, constrain

__all__ = ["Render", "chat_of", "event_of", "prepared"]

Render = Callable[[list[Any], list[Any]], str]
"""Writes the prompt for messages and tools, such as by a tokenizer's chat template."""


def prepared(
    body: dict[str, Any], render: Render, grammar: Mapping[str, Any] | None = None
) -> tuple[dict[str, Any], Detector]:
    """Give the request of a completion for that of a chat, and what reads its text.

    The prompt says whether it has begun the model's reasoning. ``grammar`` has the options of
    :func:`toolwire.constrain` where the server takes one.
    """
    more = {name: value for name, value in body.items() if name not in LEFT_OUT}
    # At a limit the model is asked to end without calls, so it is shown no tools.
    tools = [] if body.get("tool_choice") == "none" else body.get("tools", [])
    prompt = render([rendered(one) for one in body["messages"]], tools)
    writer: dict[str, Any] = {"model": body["model"], "prompt": prompt}
    if grammar is None:
        return {**more, "prompt": prompt}, Detector(**writer)
    if grammar.get("format") is not None:
        request = constrain(tools, **grammar).request
        return {**more, "prompt": prompt, **request}, Detector(formats=[grammar["format"]])
    named = {name: grammar[name] for name in WRITER if grammar.get(name) is not None}
    writer = {**(named or {"model": body["model"]}), "prompt": prompt}
    request = constrain(tools, **{**grammar, **writer}).request
    return {**more, "prompt": prompt, **request}, Detector(**writer)


LEFT_OUT = ("messages", "tools", "tool_choice")
# The options that say which model writes.
WRITER = ("model", "template", "thinking")


def rendered(message: dict[str, Any]) -> dict[str, Any]:
    """Give a message as chat templates take it: arguments are no JSON text there."""
    if not message.get("tool_calls"):
        return message
    calls = [
        {**call, "function": {**call["function"], "arguments": read(call["function"])}}
        for call in message["tool_calls"]
    ]
    return {**message, "tool_calls": calls}


def read(function: dict[str, Any]) -> Any:
    """Give the arguments of a call; those that are no JSON stay a text."""
    try:
        return json.loads(function.get("arguments") or "{}")
    except ValueError:
        return function["arguments"]


def chat_of(response: Any) -> Any:
    """Give the response of a completion as one of a chat."""
    if not isinstance(response, dict):
        return response
    choices = [chat_choice(choice, streamed=False) for choice in response.get("choices") or []]
    return {**response, "choices": choices}


def event_of(event: Any) -> Any:
    """Give an event of the stream of a completion as one of a chat."""
    if not isinstance(event, dict):
        return event
    choices = [chat_choice(choice, streamed=True) for choice in event.get("choices") or []]
    return {**event, "choices": choices}


def chat_choice(choice: dict[str, Any], streamed: bool) -> dict[str, Any]:
    """Give a choice with its text in a message, or in a piece of one."""
    more = {name: value for name, value in choice.items() if name not in ("text", "logprobs")}
    said = choice.get("text") or ""
    if streamed:
        return {**more, "delta": {"content": said}}
    return {**more, "message": {"role": "assistant", "content": said}}
