"""Replies of ten families of models, and what no visitor may see of them."""

import base64
import json
import re
from typing import Any

from conftest import Site, Visitor
from model_server import ModelServer

# What no visitor may see outside of folded thoughts: the marks of any family.
BAR = "\N{FULLWIDTH VERTICAL LINE}"
MARKS = re.compile(
    rf"</?[a-z_|{BAR}]|\|>|{BAR}|\[/?(?:TOOL|THINK|ARGS|INST)|<\||to=functions|commentary"
)
FAMILIES = [
    "qwen3", "deepseek-ai/DeepSeek-R1", "moonshotai/Kimi-K2-Thinking", "zai-org/GLM-4.5",
    "openai/gpt-oss-20b", "mistralai/Magistral-Small-2509", "MiniMaxAI/MiniMax-M2",
    "ibm-granite/granite-3.3-8b-instruct", "Qwen/Qwen3-Coder-30B-A3B-Instruct",
    "NousResearch/Hermes-4-14B",
]  # fmt: skip


def ask(visitor: Visitor, text: str) -> dict[str, Any]:
    """Say a text and take steps until nothing is to be done."""
    told = visitor.api("POST", "/conversations", {"message": text}).json()
    for _ in range(5):
        if told["state"] != "thinking":
            break
        told = visitor.api("POST", f"/conversations/{told['id']}/step", {}).json()
    return dict(told)


def reply_with_call(site: Site, family: str, tool: str) -> str:
    """Return a reply that thinks, says something and calls a tool, as a family writes it."""
    parts = {"text": "I look it up.", "calls": [{"name": tool, "arguments": {"text": "a"}}]}
    encoded = base64.b64encode(json.dumps(parts).encode()).decode()
    # The extension writes what the site reads, with the extension and without.
    reply: str = site.php(
        f"$parts = json_decode(base64_decode('{encoded}'), true);"
        f"$write = fn ($said) => Toolwire\\Detector::renderMessage($said, '{family}');"
        "try { return $write(['reasoning' => 'I think.'] + $parts); }"
        "catch (Throwable $cannot) { return $write($parts); }"
    )
    return reply


def show_no_marks(visitor: Visitor, server: ModelServer, reply: str) -> None:
    """See that no mark is shown of a reply, whole and cut at every seventh byte."""
    whole = reply.encode()
    for cut in [*range(7, len(whole), 7), len(whole)]:
        server.script = [whole[:cut].decode(errors="ignore"), "Done."]
        told = ask(visitor, f"cut {cut}")
        assert told["state"] in ("idle", "stopped"), told
        for part in told["parts"]:
            assert part["type"] != "text" or not MARKS.search(part["text"]), (cut, part)
    assert [call["state"] for call in told["calls"]] == ["completed"], told
