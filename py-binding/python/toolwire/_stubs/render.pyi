from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from toolwire._stubs.detect import Detection, Profile, ToolCall

def render_call(
    name: str,
    arguments: Mapping[str, Any] | str,
    format: str | Mapping[str, Any] = "hermes",
    id: str | None = None,
    *,
    tools: Sequence[str | Mapping[str, Any]] | None = None,
) -> str: ...
def render_call_html(call: ToolCall, status: str = "processing", id: str | None = None) -> str: ...
def render_calls(
    calls: Iterable[ToolCall | Mapping[str, Any]],
    format: str | Mapping[str, Any] = "hermes",
    *,
    tools: Sequence[str | Mapping[str, Any]] | None = None,
) -> str: ...
def render_message(
    message: Detection | Mapping[str, Any],
    profile: Profile | str | Mapping[str, Any],
    *,
    tools: Sequence[str | Mapping[str, Any]] | None = None,
) -> str: ...
def render_result(name: str, success: bool, result: str) -> str: ...
