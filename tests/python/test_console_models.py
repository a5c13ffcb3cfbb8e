"""The console's command for models, and the options that name one."""

from __future__ import annotations

import json
from pathlib import Path

import toolwire
from test_console import CALL, run


def test_profiles_are_listed() -> None:
    status, out, errors = run("models")
    assert (status, errors) == (0, "")
    profiles = toolwire.profiles()
    assert [line.split()[0] for line in out.splitlines()] == [one.slug for one in profiles]
    listed = json.loads(run("models", "--json")[1])
    assert [one["aliases"] for one in listed] == [list(one.aliases) for one in profiles]


def test_the_profile_of_a_model_is_shown_with_the_reason() -> None:
    status, out, errors = run("models", "Qwen/Qwen3-30B-A3B-Thinking-2507")
    assert (status, errors) == (0, "")
    assert out.startswith("profile    qwen3_thinking\nmatched    qwen-3-*-thinking\n")
    shown = json.loads(run("models", "--json", "gpt-oss:20b")[1])
    assert (shown["slug"], shown["matched"]) == ("gpt_oss", "gpt-oss")
    status, out, errors = run("models", "qwn3-coder")
    assert (status, out) == (2, "")
    assert 'no profile for the model "qwn3-coder"; nearest: qwen3_coder, ' in errors


def test_a_model_a_template_or_a_prompt_names_the_formats(tmp_path: Path) -> None:
    text = f'{CALL} <tool_call>{{"name": "two", "arguments": {{}}}}</tool_call>'
    reply, template = tmp_path / "reply.md", tmp_path / "template.jinja"
    reply.write_text(text)
    template.write_text("{{ '<tool_call>' + call }}")
    sources = (["--model", "qwen3"], ["--template", str(template)])
    for source in sources:
        found = json.loads(run("detect", "--json", *source, str(reply))[1])
        assert [call["name"] for call in found["calls"]] == ["two"]
    found = json.loads(run("detect", "--json", "--prompt", str(template), str(reply))[1])
    assert len(found["calls"]) == 2


def test_a_version_that_is_not_known_is_told(tmp_path: Path) -> None:
    reply = tmp_path / "reply.md"
    reply.write_text("Hello.")
    _, out, errors = run("detect", "--model", "deepseek-v3.4", str(reply))
    assert out.strip() == "Hello."
    assert "version of the model is not known; its text is read as one of deepseek_v32" in errors
    assert run("detect", "--model", "deepseek-v3.2", str(reply))[2] == ""
    assert "nearest version" in run("models", "deepseek-v3.4")[1]
    assert json.loads(run("models", "--json", "deepseek-v3.4")[1])["exact"] is False
