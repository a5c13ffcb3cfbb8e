"""How many bytes of an argument a client waits for: the model has written them, and none is sent.

The model writes one byte after the other. A count is the most bytes of a string of 4 KB that were
not sent; it is exact, and the same on every machine.
"""

import json

import toolwire
from toolwire import provider

TEXT = "It rains in Oslo, and the wind is strong. " * 100
GROUP = "Bytes of a string held back"
# A form of each kind of body.
FORMS = {
    "JSON": "hermes",
    "JSON behind a name": "harmony",
    "tagged values": "qwen3_coder",
    "tagged values with types": "anthropic",
    "keyword arguments": "olmo3",
}


def held_back(form: str) -> int:
    """Give the most bytes that wait while the string is written."""
    call = {"name": "note", "arguments": {"text": TEXT}}
    text = toolwire.render_calls([call], form)
    stream = toolwire.Detector(formats=[form]).stream()
    chunks = provider.Chunks("openai", arguments="streamed")
    begin, sent, most = text.index(TEXT), "", 0
    for at, byte in enumerate(text):
        for chunk in chunks.feed(stream.feed(byte)):
            for part in chunk["choices"][0]["delta"].get("tool_calls", []):
                sent += part["function"]["arguments"]
        written = at + 1 - begin
        if 0 < written <= len(TEXT):
            shown = len(sent) - sent.find(TEXT[:8]) if TEXT[:8] in sent else 0
            most = max(most, written - shown)
    return most


if __name__ == "__main__":
    for name, form in FORMS.items():
        samples = {"ours": [held_back(form)]}
        print(json.dumps({"group": GROUP, "name": name, "unit": "bytes", "samples": samples}))
