"""Values in other processes: what is pickled is the same there."""

from __future__ import annotations

import copy
import json
import multiprocessing
import pickle
from typing import Any

import pytest
import toolwire
from toolwire import transcript
from toolwire._native import load_entry, load_transcript

TEXT = 'Now <tool:add>{"a": "1"}</tool> and <tool:rm>{}</tool>'
# Only a detector of all formats finds this one.
HERMES = '<tool_call>{"name": "add", "arguments": {}}</tool_call>'
TOOLS = [
    {"name": "add", "parameters": {"type": "object", "properties": {"a": {"type": "integer"}}}}
]
OPTIONS: list[dict[str, Any]] = [
    {},
    {"formats": "auto"},
    {"tools": TOOLS, "coerce": True, "validate": "reject", "formats": ["tag"]},
    {"model": "Qwen/Qwen3-8B", "tools": ["add"], "max_calls": 1},
    {"preset": "memberpress", "aliases": {"plus": "add"}, "tools": ["add"]},
]
LOG = "\n".join(
    json.dumps(line)
    for line in [
        {"role": "user", "content": "Add \U0001f642 please"},
        {
            "role": "assistant",
            "tool_calls": [{"id": "c", "function": {"name": "add", "arguments": "{}"}}],
        },
        {"role": "tool", "tool_call_id": "c", "content": "5"},
        {
            "role": "assistant",
            "tool_calls": [{"id": "d", "function": {"name": "rm", "arguments": "{}"}}],
        },
    ]
)


def again(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))


def found(detection: toolwire.Detection) -> Any:
    """Return what was found; a call without an id gets a new one each time."""
    calls = [(call.name, call.arguments, call.format, call.span) for call in detection]
    return calls, detection.text, detection.rejections, detection.segments[0].text


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_a_detector_finds_the_same(options: dict[str, Any], protocol: int) -> None:
    detector = toolwire.Detector(**options)
    other = pickle.loads(pickle.dumps(detector, protocol))
    for text in (TEXT, HERMES):
        assert found(other.detect(text)) == found(detector.detect(text))
        assert found(copy.copy(detector).detect(text)) == found(detector.detect(text))


def test_what_was_given_counts_and_not_what_became_of_it() -> None:
    tools = ["add"]
    detector = toolwire.Detector(tools=tools)
    tools.append("rm")
    assert [call.name for call in again(detector).detect(TEXT)] == ["add"]


def test_a_set_of_seen_calls_stays_in_its_process() -> None:
    detector = toolwire.Detector(seen=toolwire.Seen())
    with pytest.raises(toolwire.InvalidArgumentError, match="Seen"):
        pickle.dumps(detector)


def test_other_processes_find_the_same() -> None:
    detector = toolwire.Detector(formats="auto")
    texts = [TEXT, HERMES, "no call", "\ud800<tool:add>{}</tool>"]
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        there = pool.map(detector.detect, texts)
    assert [found(one) for one in there] == [found(detector.detect(text)) for text in texts]


def test_a_transcript_and_its_entries() -> None:
    read = transcript.normalize(LOG)
    other = again(read)
    assert other.entries == read.entries
    assert other.patches == read.patches
    assert (other.session_id, other.dialect) == (read.session_id, read.dialect)
    assert other.to_html() == read.to_html()
    assert [again(entry) for entry in read.entries] == list(read.entries)
    assert [entry.status for entry in again(read.entries)] == [
        entry.status for entry in read.entries
    ]


def test_a_report() -> None:
    report = toolwire.Report(transcript.normalize(LOG).to_results())
    assert again(report).to_dict() == report.to_dict()


@pytest.mark.parametrize("broken", ["", "{", "{}", "[]", "null", '{"entries": 5}'])
def test_a_broken_pickle_is_an_error(broken: str) -> None:
    for load in (load_entry, load_transcript):
        with pytest.raises(toolwire.InvalidArgumentError, match="record"):
            load(broken)


def test_places_beyond_the_entries_are_refused() -> None:
    _, (record,) = toolwire.transcript.normalize("").__reduce__()
    whole = json.loads(record) | {"places": [7]}
    with pytest.raises(toolwire.InvalidArgumentError, match="places"):
        load_transcript(json.dumps(whole))


def test_detect_takes_the_options_of_each_call() -> None:
    """Detectors are kept between calls, so none may answer for another."""
    for _ in range(3):
        for count in range(20):
            tools = [f"tool{count}"]
            text = f"<tool:tool{count}>{{}}</tool><tool:other>{{}}</tool>"
            assert [call.name for call in toolwire.detect(text, tools=tools)] == tools
    assert len(toolwire.detect(TEXT, max_calls=1)) == 1
    assert len(toolwire.detect(TEXT, max_calls=2)) == 2
    seen = toolwire.Seen()
    assert [len(toolwire.detect(TEXT, seen=seen)) for _ in range(2)] == [2, 0]
    assert [len(toolwire.detect(TEXT, seen=toolwire.Seen())) for _ in range(2)] == [2, 2]
    assert len(toolwire.detect(HERMES, formats="auto")) == 1
    assert len(toolwire.detect(HERMES, formats="tag")) == 0
    for _ in range(2):
        with pytest.raises(toolwire.InvalidArgumentError):
            toolwire.detect(TEXT, formats=["tga"])
