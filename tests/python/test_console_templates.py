"""``toolwire models --templates``: chat templates beside the table of models."""

from __future__ import annotations

import json
from pathlib import Path

from test_console import run

HERMES = (
    "<tool_call>{{ call }}</tool_call>"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def test_templates_are_compared_with_the_profiles_of_their_names(tmp_path: Path) -> None:
    (tmp_path / "Qwen2.5-7B-Instruct.jinja").write_text(HERMES, encoding="utf-8")
    model = tmp_path / "zai-org-GLM-4.5"
    model.mkdir()
    config = {"chat_template": HERMES}
    (model / "tokenizer_config.json").write_text(json.dumps(config), encoding="utf-8")
    (tmp_path / "my-model.jinja").write_text(HERMES, encoding="utf-8")
    status, out, errors = run("models", "--templates", str(tmp_path))
    assert (status, errors) == (1, "")
    lines = out.splitlines()
    assert f"{model / 'tokenizer_config.json'}: glm45; formats: it writes hermes" in lines
    assert "  not explained" in lines
    assert any("my-model.jinja: no profile for 'my-model'" in line for line in lines)
    totals = "1 alike, 0 explained, 1 unexplained, 1 no such name, 0 unread"
    assert lines[-1] == f"3 templates: {totals}"


def test_a_known_difference_is_explained(tmp_path: Path) -> None:
    (tmp_path / "glm-4.5.jinja").write_text(HERMES, encoding="utf-8")
    known = tmp_path / "known.txt"
    known.write_text(json.dumps({"glm-4.5.jinja": "a copy of its own"}), encoding="utf-8")
    template = str(tmp_path / "glm-4.5.jinja")
    status, out, _ = run("models", "--explained", str(known), "--templates", template)
    assert (status, "  a copy of its own" in out) == (0, True), out


def test_what_cannot_be_read_is_told(tmp_path: Path) -> None:
    status, _, errors = run("models", "--templates", str(tmp_path / "missing.jinja"))
    assert status == 2
    assert "missing.jinja: there is no such file" in errors


def test_wrong_use_is_told(tmp_path: Path) -> None:
    for wrong, words in (
        (["--templates", str(tmp_path)], "no chat template in"),
        (["--explained", "known.json"], "--explained is for --templates"),
        (["--json", "--templates", str(tmp_path)], "not with --json"),
        (["glm-4.5", "--templates", str(tmp_path)], "goes with no NAME"),
        (["--templates", str(tmp_path), "--explained", str(tmp_path)], "directory"),
    ):
        status, out, errors = run("models", *wrong)
        assert (status, out) == (2, ""), wrong
        assert words in errors, wrong
