"""A model's server for the agents of `examples`: it asks for a note, then says what came of it."""

from __future__ import annotations

import json
from typing import Any

import toolwire
from agent_programs_case import ModelServer

ARGUMENTS = {"title": "Ann", "text": "Ann called."}
CALL = {"name": "write_note", "arguments": ARGUMENTS}
NATIVE = {
    "role": "assistant",
    "content": None,
    "tool_calls": [
        {
            "id": "call_1",
            "type": "function",
            "function": {"name": "write_note", "arguments": json.dumps(ARGUMENTS)},
        }
    ],
}


class Model(ModelServer):
    """Answers chat completions, with calls of the API or in the model's own raw text.

    In the style ``broken``, the text of the first call is broken, until the model is told so.
    """

    def __init__(self, style: str) -> None:
        super().__init__()
        self.style = style

    def message(self, asked: dict[str, Any]) -> dict[str, Any]:
        last = asked["messages"][-1]
        if last["role"] == "tool":
            return {"role": "assistant", "content": f"The tool said {last['content']}"}
        if self.style == "native":
            return NATIVE
        text = toolwire.render_calls([CALL], "hermes")
        if self.style == "broken" and last["content"].startswith("Note"):
            text = text.replace(",", "")
        return {"role": "assistant", "content": f"I will note that.\n{text}"}
