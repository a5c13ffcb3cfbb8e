"""Runs a case of the topic `detection`, as a whole text and cut into pieces."""

from __future__ import annotations

import pickle
from typing import Any

import toolwire
import toolwire._native
from cases import fields, raw, same, text


def byte_span(whole: str, span: tuple[int, int]) -> list[int]:
    """Translate a span of code points into one of bytes."""
    return [len(whole[:end].encode("utf-8", "surrogateescape")) for end in span]


def detector(given: dict[str, Any]) -> toolwire.Detector:
    """Make the detector of a case, with a seen set of its own."""
    options = dict(given.get("options", {}))
    if "seen" in given:
        options["seen"] = toolwire.Seen()
    made = toolwire.Detector(**options)
    for before in given.get("seen", []):
        made.detect(raw(before))
    return made


def check_call(call: toolwire.ToolCall, expected: dict[str, Any], whole: str) -> None:
    fields(
        expected,
        "name arguments format",
        "original id id_given index span status diagnostics arguments_raw",
    )
    assert call.name == expected["name"]
    assert same(call.arguments, expected["arguments"]), call.arguments
    assert call.format == expected["format"]
    assert call.original == whole[slice(*call.span)]
    assert call.status == expected.get("status", "complete")
    assert [note.code for note in call.diagnostics] == expected.get("diagnostics", [])
    assert "span" not in expected or byte_span(whole, call.span) == expected["span"]
    assert "original" not in expected or call.original == text(expected["original"])
    assert "arguments_raw" not in expected or call.arguments_raw == text(expected["arguments_raw"])
    for name in ("id", "id_given", "index"):
        assert name not in expected or getattr(call, name) == expected[name]


def check_rejection(rejection: toolwire.Rejection, expected: dict[str, Any], whole: str) -> None:
    fields(expected, "code", "span line column excerpt format")
    assert rejection.code == expected["code"]
    assert "span" not in expected or byte_span(whole, rejection.span) == expected["span"]
    assert "excerpt" not in expected or rejection.excerpt == text(expected["excerpt"])
    for name in ("line", "column", "format"):
        assert name not in expected or getattr(rejection, name) == expected[name]


def check_segment(segment: toolwire.Segment, expected: Any, whole: str) -> None:
    """Check a segment: a type with its text, ``{"call": index}``, or a list of type and span."""
    if isinstance(expected, list):
        assert [segment.type, *byte_span(whole, segment.span)] == expected
        return
    fields(expected, "", "type text reasoning frame call span")
    assert "type" not in expected or segment.type == expected["type"]
    assert "span" not in expected or byte_span(whole, segment.span) == expected["span"]
    if "call" in expected:
        assert segment.call is not None
        assert segment.call.index == expected["call"]
    for kind in ("text", "reasoning", "frame"):
        if kind in expected:
            assert (segment.type, segment.text) == (kind, text(expected[kind]))


def check_detection(detection: toolwire.Detection, expected: dict[str, Any]) -> None:
    fields(
        expected,
        "calls",
        "rejections text reasoning segments rejections_dropped reasoning_open told",
    )
    whole = detection.input
    assert len(detection) == len(expected["calls"]), detection
    for index, (call, wanted) in enumerate(zip(detection, expected["calls"], strict=True)):
        assert call.index == index
        check_call(call, wanted, whole)
    rejections = expected.get("rejections", [])
    assert [one.code for one in detection.rejections] == [one["code"] for one in rejections]
    for rejection, wanted in zip(detection.rejections, rejections, strict=True):
        check_rejection(rejection, wanted, whole)
    assert detection.rejections_dropped == expected.get("rejections_dropped", 0)
    assert detection.reasoning_open == expected.get("reasoning_open", False)
    assert "text" not in expected or detection.text == text(expected["text"])
    thought = text(expected["reasoning"]) if "reasoning" in expected else None
    assert detection.reasoning == thought
    if "segments" in expected:
        for segment, wanted in zip(detection.segments, expected["segments"], strict=True):
            check_segment(segment, wanted, whole)
    check_laws(detection)


def check_laws(detection: toolwire.Detection) -> None:
    """Check the properties that every detection has."""
    assert "".join(segment.text for segment in detection.segments) == detection.input
    assert "".join(s.text for s in detection.segments if s.type == "text") == detection.text
    ends = [0]
    for segment in detection.segments:
        assert segment.span[0] == ends[-1] < segment.span[1]
        assert segment.text == detection.input[slice(*segment.span)]
        ends.append(segment.span[1])
    assert ends[-1] == len(detection.input)


def outcome(detection: toolwire.Detection) -> list[Any]:
    """Give everything that is found, without the generated ids."""
    calls = [{**call.to_dict(), "id": call.id if call.id_given else None} for call in detection]
    return [
        detection.input,
        calls,
        detection.rejections,
        detection.rejections_dropped,
        detection.reasoning_open,
        detection.text,
        detection.reasoning,
    ]


def check_stream(
    made: toolwire.Detector,
    pieces: list[Any],
    whole: toolwire.Detection,
    told: str | None = None,
) -> None:
    stream = made.stream()
    events = [event for piece in pieces for event in stream.feed(piece)] + stream.finish()
    detection = stream.detection()
    assert outcome(detection) == outcome(whole)
    check_events(events, detection, told)


def check_events(
    events: list[toolwire.Event], found: toolwire.Detection, expected: str | None
) -> None:
    """Check that events hold the whole text, all arguments, each call and each rejection once.

    Where a marker shows that all before it was reasoning, what was told before does not count. The
    markup of a call that is cut off is not told as text after its arguments were told: the case
    says what is ``expected`` then.
    """
    joined, thought = "", ""
    calls: list[toolwire.ToolCall] = []
    rejections: list[toolwire.Rejection] = []
    withdrawn = any(event.type == "reasoning_end" for event in events)
    begun: dict[int, tuple[str, str]] = {}
    told: dict[int, list[str]] = {}
    for event in events:
        assert pickle.loads(pickle.dumps(event)) == event
        if event.type == "text":
            assert event.span is not None
            assert event.text == found.input[slice(*event.span)]
            joined += event.text
        elif event.type == "reasoning":
            assert event.text is not None
            thought += event.text
        elif event.type == "reasoning_end":
            assert event.text is not None
            joined, thought, calls = "", event.text, []
        elif event.type == "call_retracted":
            assert event.number is not None
            told.pop(event.number, None)
        elif event.type == "rejection":
            assert event.rejection is not None
            assert event.span == event.rejection.span
            rejections.append(event.rejection)
        elif event.type == "call_start":
            assert event.number == len(begun)
            assert event.name is not None
            assert event.id is not None
            begun[event.number] = (event.name, event.id)
            told[event.number] = []
        elif event.type == "arguments_delta":
            assert event.number is not None
            assert event.json is not None
            told[event.number].append(event.json)
        else:
            assert event.type == "call_end"
            assert event.number is not None
            bits = told.pop(event.number)
            assert event.call is not None
            assert event.span == event.call.span
            name, id = begun[event.number]
            assert (name, "".join(bits)) == (event.call.name, event.call.arguments_raw)
            # An id may be written behind the arguments.
            assert event.call.id_given or id == event.call.id
            joined += event.call.original
            calls.append(event.call)
    assert not told, "calls that did not end"
    shown = "".join(one.text for one in found.segments if one.type in ("text", "call"))
    assert joined == (shown if expected is None else expected)
    assert thought == "".join(one.text for one in found.segments if one.type == "reasoning")
    assert calls == list(found)
    if withdrawn:
        assert set(rejections) <= set(found.rejections)
    else:
        assert rejections == list(found.rejections)


def run_detection(given: dict[str, Any], expected: dict[str, Any]) -> None:
    fields(given, "text", "options seen")
    string, bytes_ = text(given["text"]), raw(given["text"])
    whole = detector(given).detect(bytes_)
    check_detection(whole, expected)
    assert outcome(detector(given).detect(string)) == outcome(whole)
    told = text(expected["told"]) if "told" in expected else None
    for size in (1, 2, 3, 5, 16):
        pieces = [string[at : at + size] for at in range(0, len(string), size)]
        check_stream(detector(given), pieces, whole, told)
        pieces_of_bytes = [bytes_[at : at + size] for at in range(0, len(bytes_), size)]
        check_stream(detector(given), pieces_of_bytes, whole, told)
