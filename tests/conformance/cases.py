"""Cases of recorded model output: what is read, how, and what was recorded for it."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
PROFILES = json.loads(
    (HERE.parent.parent / "core/src/detect/profile/builtin.json").read_text(encoding="utf-8")
)
#: The recorded test told the server to leave calls out, so that none are recorded.
NO_CALLS_WANTED = "tool_choice none"
#: The recorded test told the server to leave calls in the text.
CALLS_ARE_TEXT = "tool parsing off"
#: The recorded test looks at the output before the text has ended.
UNFINISHED = "the test does not finish the stream"
#: The recorded test puts tokens into the text that the parser drops because its tokenizer calls
#: them special.
SPECIAL_TOKENS, TESTS_OF_TOKENS = ["<bos>", "<eos>"], "::TestDropToken"
#: The end of the prompt that the recorded parser was told.
PROMPT = re.compile(r'prompt ends with ("(?:[^"\\]|\\.)*")')
#: A template that is told so writes a prompt that begins no reasoning.
THINKING_OFF = re.compile(r'chat_template_kwargs \{"(enable_)?thinking": false')
#: A template that is told so writes a prompt that begins the reasoning.
THINKING_ON = re.compile(r'chat_template_kwargs \{"reasoning_effort": "high"')


@dataclass(frozen=True)
class Case:
    """A text, how to read it, and the parts that were recorded; ``None`` is not compared."""

    id: str
    #: The row of the table: a family of models.
    family: str
    #: The options of Toolwire's detector.
    options: dict[str, Any]
    chunks: list[str]
    #: The names of the peers' parsers for this family.
    peers: dict[str, dict[str, str]]
    calls: list[dict[str, Any]] | None
    text: str | None
    reasoning: str | None
    #: The marker with which the reasoning begins.
    opened: str = ""
    #: Whether the recorded parser splits reasoning off only, so that calls stay in the text.
    keeps_calls: bool = False
    #: Whether the prompt has begun the reasoning; ``None`` when the family's habit decides.
    begun: bool | None = None
    #: Whether what a parser holds back at the end of the text is not recorded.
    unfinished: bool = False
    #: Whether the text came in these pieces.
    streamed: bool = False
    #: Malformed or ambiguous: parsers differ, and nothing is compared.
    malformed: bool = False
    #: The recorded projects differ.
    disputed: bool = False
    #: What vLLM's parser was recorded to give: its parts, or whether they are those of the case.
    vllm: dict[str, Any] | bool | None = None


def load(files: list[Path]) -> list[Case]:
    """Read the cases of all files."""
    families = json.loads((HERE / "families.json").read_text(encoding="utf-8"))
    cases: list[Case] = []
    for file in files:
        content = json.loads(file.read_text(encoding="utf-8"))
        if not isinstance(content, dict):
            cases += [case for case in map(own, content) if case]
            continue
        for case in content["cases"]:
            if "parser" not in case:
                cases.append(calls(case, families["calls"]))
            elif has_text(case):
                cases.append(message(case, families))
    return cases


def has_text(case: dict[str, Any]) -> bool:
    """Whether a text was recorded, and not only what the parser made of token ids."""
    text = case.get("input") or "".join(case.get("chunks", []))
    parts = ("expected_content", "expected_reasoning", "expected_calls")
    return bool(text) or not any(case[part] for part in parts)


def calls(case: dict[str, Any], families: dict[str, Any]) -> Case:
    """Read a case of calls and the text round them."""
    family = families.get(case["format"], {"options": {"formats": "auto"}, "peers": {}})
    return Case(
        id=case["id"],
        family=case["format"],
        options={**family["options"], **given(tools=case.get("tools"))},
        chunks=case.get("chunks") or [case.get("input", "")],
        peers=family["peers"],
        calls=case["expected_calls"],
        text=case["expected_normal_text"],
        reasoning=None,
        malformed=case["kind"] == "policy",
        vllm=case.get("peers", {}).get("vllm"),
    )


def message(case: dict[str, Any], families: dict[str, Any]) -> Case:
    """Read a case of a whole message."""
    name, note = case["parser"], case["note"] or ""
    name = families["other names"].get(name, name)
    family = families["messages"][name]
    recorded, unwanted = case["expected_calls"], NO_CALLS_WANTED in note
    begun = False if THINKING_OFF.search(note) else case["starts_in_reasoning"]
    begun = True if begun is None and THINKING_ON.search(note) else begun
    options = {**family["options"], **marked(note)}
    opened = opening(options["model"])
    if TESTS_OF_TOKENS in case["id"]:
        options["model"] = with_frames(options["model"], SPECIAL_TOKENS)
    tools = case["tools"]
    named = {call["name"] for call in recorded or []}
    # Several tests hand over one tool that stands for all.
    if tools and not (named or {"any"} if unwanted else named) <= {tool["name"] for tool in tools}:
        tools = None
    prompt = PROMPT.search(note)
    if prompt:
        options["prompt"] = json.loads(prompt.group(1))
    elif begun is not None:
        options["prompt"] = opened if begun else ""
    return Case(
        id=case["id"],
        family=name,
        options={**options, **given(tools=tools)},
        chunks=case.get("chunks") or [case["input"]],
        peers=family["peers"],
        calls=None if recorded == [] and unwanted else recorded,
        text=case["expected_content"].removeprefix(family.get("adds", "")),
        reasoning=case["expected_reasoning"],
        opened=opened,
        keeps_calls=recorded is None or CALLS_ARE_TEXT in note,
        unfinished=UNFINISHED in note,
        begun=begun,
        streamed="chunks" in case,
        disputed=case["disputed"],
        vllm=(case.get("agrees") or {}).get("vllm"),
    )


def own(case: dict[str, Any]) -> Case | None:
    """Read one of the project's shared cases as a recorded one."""
    asked, output = case["input"], case.get("output")
    text, options = asked["text"], asked.get("options", {})
    known = {"formats", "tools", "model", "prompt"}.issuperset(options)
    if not isinstance(text, str) or output is None or not known:
        return None
    found = [{key: call[key] for key in ("name", "arguments")} for call in output["calls"]]
    formats = options.get("formats", options.get("model"))
    return Case(
        id=case["name"],
        family=formats if isinstance(formats, str) else "several",
        options=given(**options),
        chunks=[text],
        peers={},
        calls=found,
        text=output.get("text"),
        reasoning=output.get("reasoning"),
        malformed=bool(output.get("rejections")),
    )


def given(**options: Any) -> dict[str, Any]:
    """Leave out options that are not set."""
    return {name: value for name, value in options.items() if value is not None}


def marked(note: str) -> dict[str, Any]:
    """Read the markers of a test that brings its own."""
    markers = re.search(r"markers (\S+) (\S+)", note)
    if not markers:
        return {}
    opening, closing = markers.group(1), markers.group(2).rstrip(";")
    style = {"open": opening, "close": closing}
    return {"model": {"slug": "marked", "formats": ["json"], "reasoning": [style]}}


def profile(name: str) -> dict[str, Any]:
    """Look up the profile of a recorded parser."""
    rows = PROFILES["profiles"]
    return next(row for row in rows if name in (row["slug"], *row.get("aliases", [])))


def with_frames(name: str, tokens: list[str]) -> dict[str, Any]:
    """Define a profile like the named one that knows more tokens."""
    row = {**profile(name), "frames": [*profile(name).get("frames", []), tokens]}
    return {key: value for key, value in row.items() if key not in ("match", "aliases")}


def opening(model: str | dict[str, Any]) -> str:
    """Look up the marker with which a prompt begins the reasoning."""
    if isinstance(model, dict):
        return str(model["reasoning"][0]["open"])
    row = profile(model)
    style = row.get("begun") or row["reasoning"][0]
    marker = PROFILES["reasoning"][style]["open"]
    marker = marker if isinstance(marker, str) else marker[0]
    return str(marker).replace("{suffix}", "")
