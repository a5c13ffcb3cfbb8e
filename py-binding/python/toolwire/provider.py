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
    message,
    parse,
    parse_batch,
    refusal,
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
    "message",
    "parse",
    "parse_batch",
    "refusal",
]
