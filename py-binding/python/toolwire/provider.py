"""Reads and writes calls and results in the formats of providers.

A response of any provider goes in, its calls come out; a call or a result goes out as any
provider's:

>>> import toolwire
>>> part = {"functionCall": {"name": "now", "args": {}}}
>>> response = {"candidates": [{"content": {"parts": [part]}}]}
>>> call = toolwire.provider.parse(response).calls[0]
>>> call.name, call.format
('now', 'gemini')
>>> toolwire.provider.dump(call, "openai")["function"]
{'name': 'now', 'arguments': '{}'}

What a detector found in a model's text goes out as a provider's whole message, and what its stream
reports as the chunks of a provider's stream:

>>> found = toolwire.detect('Now. <tool:now>{}</tool>')
>>> toolwire.provider.message(found, "anthropic")["stop_reason"]
'tool_use'

A gateway takes the options of its detector from a client's request, and gives a whole response:

>>> request = {"model": "qwen3", "tools": [{"name": "now", "input_schema": {"type": "object"}}]}
>>> detector = toolwire.Detector(**toolwire.provider.options(request))
>>> found = detector.detect('<tool_call>{"name": "now", "arguments": {}}</tool_call>')
>>> message = toolwire.provider.message(found, "anthropic")
>>> toolwire.provider.response(message, "anthropic", model="qwen3")["content"][0]["name"]
'now'

The providers are ``openai``, ``openai_responses``, ``anthropic``, ``gemini``, ``bedrock``,
``ollama``, ``mistral``, ``cohere``, ``mcp``, ``wordpress``, ``data_machine``, ``stageflow`` and
``droid``. Nothing that a model writes raises: what cannot be read is a rejection, with the place
where it stands.
"""

from __future__ import annotations

from toolwire._answer import dump
from toolwire._native import (
    Accumulator,
    Chunks,
    Exchange,
    ProviderItem,
    ProviderRejection,
    ProviderResult,
    call_id,
    history,
    message,
    options,
    parse,
    parse_batch,
    refusal,
    response,
    with_calls,
)

__all__ = [
    "Accumulator",
    "Chunks",
    "Exchange",
    "ProviderItem",
    "ProviderRejection",
    "ProviderResult",
    "call_id",
    "dump",
    "history",
    "message",
    "options",
    "parse",
    "parse_batch",
    "refusal",
    "response",
    "with_calls",
]
