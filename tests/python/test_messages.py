"""Messages that a profile writes, and profiles that come back from a pickle."""

from __future__ import annotations

import copy
import pickle
from collections import UserDict
from typing import Any

import pytest
import toolwire

CALLS = [{"name": "add", "arguments": {"city": "Rome", "days": [1, 2]}}]
TOOLS = [
    {
        "name": "add",
        "parameters": {"properties": {"city": {"type": "string"}, "days": {"type": "array"}}},
    }
]


@pytest.mark.parametrize("profile", toolwire.profiles(), ids=lambda one: one.slug)
def test_each_profile_reads_what_it_writes(profile: toolwire.Profile) -> None:
    message: dict[str, Any] = {"text": "One moment."}
    if profile.reasoning:
        message["reasoning"] = "I add."
    if profile.formats:
        message["calls"] = CALLS
    written = toolwire.render_message(message, profile, tools=TOOLS)
    found = toolwire.detect(written, model=profile.slug, tools=TOOLS)
    assert found.text.strip() == "One moment."
    assert found.reasoning == message.get("reasoning")
    calls = [{"name": call.name, "arguments": call.arguments} for call in found]
    assert calls == message.get("calls", [])
    assert toolwire.render_message(found, profile.slug, tools=TOOLS) == written


def test_a_message_is_a_detection_or_a_mapping() -> None:
    text = '<think>I add.</think>Wait.<tool_call>{"name": "add", "arguments": {}}</tool_call>'
    found = toolwire.detect(text, model="qwen3")
    written = toolwire.render_message(found, "qwen3")
    members = {"reasoning": found.reasoning, "text": found.text, "calls": found.calls}
    assert toolwire.render_message(members, "qwen3") == written
    assert toolwire.render_message(UserDict(members), "qwen3") == written
    assert toolwire.render_message({"calls": iter(found.calls)}, "phi4") == (
        'functools[{"name": "add", "arguments": {}}]<|end|>'
    )
    surrogate = toolwire.render_message(toolwire.detect("a \ud800"), "qwen3")
    assert surrogate.replace("\ufffd", "") == "a <|im_end|>"
    for wrong in (None, "text", ["text"], 5):
        with pytest.raises(toolwire.WrongTypeError, match="Detection or a mapping"):
            toolwire.render_message(wrong, "qwen3")  # type: ignore[arg-type]


def test_the_start_of_a_profile_counts() -> None:
    prompt = "<|im_start|>assistant\n<think>\n"
    begun = toolwire.Detector(model="qwen3", prompt=prompt).profile
    assert begun is not None
    message = {"reasoning": "I add.", "text": "Done."}
    assert toolwire.render_message(message, begun) == "I add.\n</think>\n\nDone.<|im_end|>"


def test_the_error_names_the_part() -> None:
    for message, model, said in (
        ({"text": "a </think>"}, "qwen3", 'cannot hold the text, .*: it holds "</think>"'),
        ({"reasoning": "a </think> b"}, "qwen3", "cannot hold the reasoning, "),
        ({"reasoning": "a"}, "qwen25", "the profile qwen25 cannot hold reasoning"),
        ({"calls": CALLS}, "ui_tars", "the profile ui_tars cannot hold calls"),
        ({"text": "```\na", "calls": CALLS}, "qwen3", "cannot hold the text, "),
        ({"text": "a"}, "auto", "of no family of models"),
    ):
        with pytest.raises(toolwire.InvalidArgumentError, match=said) as caught:
            toolwire.render_message(message, model)
        assert caught.value.kind == "cannot_render"


def test_profiles_pickle() -> None:
    template = '<minimax:tool_call><invoke name="x"><parameter name="y">[THINK]'
    own = {"slug": "mine", "formats": ["hermes"], "frames": [["<eot>"]]}
    several = [
        *toolwire.profiles(),
        toolwire.Detector(prompt="<think>").profile,
        toolwire.Detector(model="auto").profile,
        toolwire.Detector(model="qwen3", prompt="<think>").profile,
        toolwire.Detector(model=own, prompt="[THINK]").profile,
        toolwire.Detector(template=template).profile,
    ]
    for one in several:
        assert pickle.loads(pickle.dumps(one)) == one
        assert copy.deepcopy(one) == one
    assert toolwire.Profile("Qwen/Qwen3-8B") == toolwire.profile_for("qwen3")
    assert toolwire.Profile(own).slug == "mine"
    assert toolwire.Profile(own) != toolwire.Profile({**own, "frames": []})
    with pytest.raises(toolwire.InvalidArgumentError, match="nearest: "):
        toolwire.Profile("qwn3")
