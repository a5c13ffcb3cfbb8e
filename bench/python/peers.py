"""What Python code does without Toolwire, written as a user would: loops, `re` and `json`."""

import html
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

TAG = re.compile(r"<tool:([^>]+)>([\s\S]*?)</tool>")
FENCE = re.compile(r"```(?:json)?\s*(\{[\s\S]*?\})\s*```")
ELEMENT = re.compile(
    r'<div[^>]*class="[^"]*mpai-tool-call[^"]*"[^>]*data-tool-name="([^"]+)"[^>]*'
    r"data-tool-parameters='([^']*)'[^>]*>"
)


def find(packets: Sequence[Mapping[str, Any]], handler: str) -> Mapping[str, Any] | None:
    """The first packet of a handler."""
    for packet in packets:
        if packet.get("type") not in ("tool_result", "ai_handler_complete"):
            continue
        if packet.get("metadata", {}).get("handler_tool") == handler:
            return packet
    return None


def find_all(packets: Sequence[Mapping[str, Any]], handlers: Sequence[str]) -> list[Mapping[str, Any]]:
    """Every packet of the handlers, in one pass."""
    wanted = frozenset(handlers)
    return [
        packet
        for packet in packets
        if packet.get("type") in ("tool_result", "ai_handler_complete")
        and packet.get("metadata", {}).get("handler_tool") in wanted
    ]


def detect(response: str) -> list[tuple[int, str, Any]]:
    """The calls of a text by three passes, with the place, name and arguments of each."""
    calls = []
    for match in TAG.finditer(response):
        try:
            calls.append((match.start(), match[1], json.loads(match[2])))
        except json.JSONDecodeError:
            continue
    for match in FENCE.finditer(response):
        try:
            call = json.loads(match[1])
        except json.JSONDecodeError:
            continue
        if "name" in call and "parameters" in call:
            calls.append((match.start(), call["name"], call["parameters"]))
    for match in ELEMENT.finditer(response):
        try:
            calls.append((match.start(), match[1], json.loads(html.unescape(match[2]))))
        except json.JSONDecodeError:
            continue
    return calls


def summarize(data: Mapping[str, Any] | None) -> str:
    """One tool's data, a line for each entry."""
    if not data:
        return "No data returned"
    lines = []
    for key, value in data.items():
        if isinstance(value, list):
            lines.append(f"- {key}: {len(value)} items")
        elif isinstance(value, dict):
            lines.append(f"- {key}: {len(value)} properties")
        elif isinstance(value, str) and len(value) > 100:
            lines.append(f"- {key}: {value[:100]}...")
        else:
            lines.append(f"- {key}: {value}")
    return "\n".join(lines)


def results_summary(results: Iterable[Any]) -> str:
    """Results as text for a prompt."""
    parts = []
    for result in results:
        if result.success:
            head = f"\n**{result.tool.value}** (Success, Confidence: {result.confidence:.1%}):"
            parts.append(f"{head}\n{summarize(result.data)}\n")
        else:
            parts.append(f"\n**{result.tool.value}** (Failed): {result.error_message}\n")
    return "\n".join(parts)
