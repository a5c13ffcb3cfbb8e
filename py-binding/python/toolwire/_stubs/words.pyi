from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

_Text: TypeAlias = str | bytes | bytearray | memoryview
_Span: TypeAlias = tuple[int, int]
_Formats: TypeAlias = str | Mapping[str, Any] | Sequence[str | Mapping[str, Any]]
_Provider: TypeAlias = Literal[
    "openai",
    "openai_responses",
    "anthropic",
    "gemini",
    "bedrock",
    "ollama",
    "mistral",
    "cohere",
    "mcp",
    "wordpress",
    "data_machine",
    "stageflow",
    "droid",
]
