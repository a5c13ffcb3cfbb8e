"""The peers of the Python rows, written as a user would write them: loops, `re` and `json`."""

import html
import json
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "python"))

from plain import results_summary

__all__ = ["detect", "extract_json", "find", "find_all", "results_summary"]

TAG = re.compile(r"<tool:([^>]+)>([\s\S]*?)</tool>")
FENCE = re.compile(r"```(?:json)?\s*(\{[\s\S]*?\})\s*```")
ELEMENT = re.compile(
    r'<div[^>]*class="[^"]*mpai-tool-call[^"]*"[^>]*data-tool-name="([^"]+)"[^>]*'
    r"data-tool-parameters='([^']*)'[^>]*>"
)
REPLY_FENCES = (
    re.compile(r"```(?:json)?\s*\n?(.*?)\n?```", re.DOTALL),
    re.compile(r"```JSON\s*(.*?)```", re.DOTALL),
)


def find(packets: Sequence[Mapping[str, Any]], handler: str) -> Mapping[str, Any] | None:
    """Find the first packet of a handler."""
    for packet in packets:
        if packet.get("type") not in ("tool_result", "ai_handler_complete"):
            continue
        if packet.get("metadata", {}).get("handler_tool") == handler:
            return packet
    return None


def find_all(
    packets: Sequence[Mapping[str, Any]], handlers: Sequence[str]
) -> list[Mapping[str, Any]]:
    """Find every packet of the handlers, in one pass."""
    wanted = frozenset(handlers)
    return [
        packet
        for packet in packets
        if packet.get("type") in ("tool_result", "ai_handler_complete")
        and packet.get("metadata", {}).get("handler_tool") in wanted
    ]


def detect(response: str) -> list[tuple[int, str, Any]]:
    """Find the calls of a text by three passes, with the place, name and arguments of each."""
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


def loaded(text: str) -> Any:
    """Read a JSON text; give None for any other text."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return None


def extract_json(reply: str) -> Any:
    """Find the JSON of a reply: the whole, the first fence, or from the first brace to the last."""
    alone = loaded(reply.strip())
    if alone is not None:
        return alone
    for pattern in REPLY_FENCES:
        found = pattern.search(reply)
        fenced = loaded(found[1].strip()) if found else None
        if fenced is not None:
            return fenced
    start, end = reply.find("{"), reply.rfind("}") + 1
    if not 0 <= start < end:
        return None
    given = loaded(reply[start:end])
    if given is not None:
        return given
    mended = re.sub(r"'(\w+)':", r'"\1":', reply[start:end])
    return loaded(re.sub(r",\s*\]", "]", re.sub(r",\s*\}", "}", mended)))
