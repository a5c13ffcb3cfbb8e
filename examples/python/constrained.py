"""Asks a server whose model can write only calls that can be read, and prints its calls.

    .venv/bin/python examples/python/constrained.py vllm http://127.0.0.1:8000/v1 \
        Qwen/Qwen3-Coder-30B-A3B-Instruct "How is the weather in Rome?"

The servers are vllm, sglang and llama.cpp. Ollama takes no grammar: it holds a model to the JSON
Schema of a whole reply, not to calls beside text, so `ollama` asks for such a reply.
"""

import json
import sys
import urllib.request
from typing import Any

import toolwire
from toolwire.tools import ToolRegistry, tool

REPLY = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "is_question": {"type": "boolean"}},
    "required": ["city", "is_question"],
    "additionalProperties": False,
}
# The notation that each server takes.
BACKENDS: dict[Any, Any] = {
    "vllm": "structural_tag",
    "sglang": "structural_tag",
    "llama.cpp": "gbnf",
}


@tool
def get_weather(city: str, days: int = 1) -> str:
    """Tell the weather of a city."""
    return f"{days} sunny days in {city}"


def body_for(server: Any, model: str, question: str) -> dict[str, Any]:
    """Give the body of a request of chat completions."""
    user = {"role": "user", "content": question}
    if server == "ollama":
        wanted = {"type": "json_schema", "json_schema": {"name": "reply", "schema": REPLY}}
        return {"model": model, "messages": [user], "response_format": wanted}
    registry = ToolRegistry()
    registry.register(get_weather)
    tools = registry.to_provider("openai")
    constraint = toolwire.constrain(tools, model=model, backend=BACKENDS[server], server=server)
    for note in constraint.notes:
        print(f"not held: {note.tool}{note.pointer}: {note.message}", file=sys.stderr)
    # Tools in the body would make a second grammar, or an error, so the text names them.
    system = {"role": "system", "content": registry.render_prompt(model)}
    return {"model": model, "messages": [system, user], **constraint.request}


def main() -> None:
    """Ask once."""
    server, url, model, question = sys.argv[1:]
    body = json.dumps(body_for(server, model, question)).encode()
    request = urllib.request.Request(f"{url}/chat/completions", body)
    request.add_header("Content-Type", "application/json")
    with urllib.request.urlopen(request) as response:
        said = json.load(response)["choices"][0]["message"]["content"]
    if server == "ollama":
        print(said)
        return
    for call in toolwire.detect(said, model=model, tools=["get_weather"]):
        print(call.name, json.dumps(call.arguments))


if __name__ == "__main__":
    main()
