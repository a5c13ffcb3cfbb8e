"""Streams: any cut gives the same outcome, in code points, and misuse is an error."""

from __future__ import annotations

import gc
import random
import threading
from typing import Any

import pytest
import toolwire

TEXT = 'é\ud800 <tool:echo>{"a": "ü😀"}</tool> € <tool:echo>no</tool> <tool:b>{}</tool> \udcff end'


def outcome(detection: toolwire.Detection) -> list[Any]:
    calls = [(call.span, call.arguments_raw, call.original) for call in detection]
    return [detection.input, calls, detection.rejections, detection.text]


@pytest.mark.parametrize("size", range(1, 20))
def test_any_cut_of_a_str(size: int) -> None:
    stream = toolwire.Detector().stream()
    events = []
    for at in range(0, len(TEXT), size):
        events += stream.feed(TEXT[at : at + size])
    events += stream.finish()
    assert outcome(stream.detection()) == outcome(toolwire.detect(TEXT))
    ends = [event for event in events if event.type in ("call_end", "rejection")]
    assert [event.type for event in ends if event.rejection or event.call] == [
        "call_end",
        "rejection",
        "call_end",
    ]
    for event in events:
        if event.text is not None:
            assert event.span is not None
            assert event.text == TEXT[slice(*event.span)]
        elif event.call is not None:
            assert event.span == event.call.span
            assert event.call.original == TEXT[slice(*event.call.span)]
    bits = [event.json for event in events if event.number == 0]
    assert "".join(filter(None, bits)) == '{"a": "ü😀"}'


def test_arguments_come_as_they_are_written() -> None:
    stream = toolwire.Detector().stream()
    events = [
        event for piece in '<tool:echo>{"a": "ü😀\\n"}</tool>' for event in stream.feed(piece)
    ]
    assert [event.type for event in events[:2]] == ["call_start", "arguments_delta"]
    bits = [event.json for event in events if event.json is not None]
    assert len(bits) > 8
    assert "".join(bits) == '{"a": "ü😀\\n"}'
    assert {event.number for event in events} == {0}
    assert (events[0].span, events[1].span, events[-1].span) == (None, None, (0, 31))


def test_a_call_that_is_refused_is_retracted() -> None:
    stream = toolwire.Detector().stream()
    text = 'é <tool:echo>{"a": "\ud800'
    events = [event for piece in text for event in stream.feed(piece)] + stream.finish()
    (end,) = [event for event in events if event.type == "call_retracted"]
    assert (end.number, end.call, end.span) == (0, None, None)
    assert repr(end) == "Event(type='call_retracted', number=0)"
    # What was told as the begin of a call is not told as text too.
    assert "".join(event.text or "" for event in events) == "é "
    (refused,) = [event.rejection for event in events if event.rejection is not None]
    assert (refused.code, refused.span) == ("incomplete", (2, len(text)))


def test_what_is_told_of_a_call_may_hold_surrogates() -> None:
    for piece in ("\ud800", "\udcff", b"\xff", b"\xe2\x82"):
        stream = toolwire.Detector().stream()
        events = [
            *stream.feed('<tool:echo>{"a": "é'),
            *stream.feed(piece),
            *stream.feed('é"}</tool>'),
        ]
        events += stream.finish()
        told = "".join(event.json or "" for event in events)
        text = piece if isinstance(piece, str) else piece.decode("utf-8", "surrogateescape")
        assert f'{{"a": "é{text}é"}}'.startswith(told)
        assert stream.detection().input == f'<tool:echo>{{"a": "é{text}é"}}</tool>'


def test_an_event_is_of_a_known_type() -> None:
    fields: dict[str, Any] = {"type": "call_start", "number": 1, "name": "a"}
    event = toolwire.Event(**fields)
    assert event == toolwire.Event(**fields)
    for other in (
        {"number": 2},
        {"name": "b"},
        {"type": "call_end"},
        {"json": "{}"},
        {"span": (0, 1)},
        {"id": "c"},
    ):
        assert event != toolwire.Event(**{**fields, **other})
    with pytest.raises(toolwire.InvalidArgumentError, match="call_start"):
        toolwire.Event("call")  # type: ignore[arg-type]


@pytest.mark.parametrize("size", range(1, 8))
def test_bytes_may_be_cut_inside_a_character(size: int) -> None:
    raw = '€ü😀 <tool:echo>{"a": "€"}</tool>'.encode() + b"\xff\xe2\x82 \xf0\x9f\x98"
    stream = toolwire.Detector().stream()
    events = [
        event for at in range(0, len(raw), size) for event in stream.feed(raw[at : at + size])
    ]
    events += stream.finish()
    text = raw.decode("utf-8", "surrogateescape")
    assert outcome(stream.detection()) == outcome(toolwire.detect(text))
    assert "".join(event.text or "" for event in events) == toolwire.detect(text).text


def test_bytes_and_str_may_be_mixed() -> None:
    stream = toolwire.Detector().stream()
    pieces: list[Any] = [
        b"\xe2\x82",
        b"\xac ",
        "é",
        b"\xe2",
        "€",
        bytearray(b"\xc3"),
        memoryview(b"\xbc"),
        b"\xf0",
    ]
    for piece in pieces:
        stream.feed(piece)
    stream.finish()
    assert stream.detection().input == "€ é\udce2€ü\udcf0"


def test_random_cuts_of_random_bytes() -> None:
    rng = random.Random(3)
    for _ in range(500):
        raw = (
            rng.randbytes(rng.randrange(40))
            + '<tool:echo>{"a": "€"}</tool>'.encode()
            + rng.randbytes(20)
        )
        cuts = sorted(rng.choices(range(len(raw) + 1), k=5))
        stream = toolwire.Detector().stream()
        for start, end in zip([0, *cuts], [*cuts, len(raw)], strict=True):
            stream.feed(raw[start:end])
        stream.finish()
        assert outcome(stream.detection()) == outcome(toolwire.detect(raw))


def test_the_outcome_is_there_at_the_end_only() -> None:
    stream = toolwire.Detector().stream()
    stream.feed("a \ud800")
    with pytest.raises(toolwire.InvalidStateError) as caught:
        stream.detection()
    assert caught.value.kind == "stream_open"
    stream.finish()
    with pytest.raises(toolwire.InvalidStateError, match="ended") as caught:
        stream.feed("\ud800")
    assert caught.value.kind == "stream_finished"
    with pytest.raises(toolwire.InvalidStateError, match="ended"):
        stream.finish()
    assert stream.detection().input == "a \ud800"


def test_a_stream_is_shared_by_threads() -> None:
    stream = toolwire.Detector(max_calls=100_000).stream()
    piece = '<tool:echo>{"a": "€"}</tool>' * 300
    found: list[int] = []

    def feed() -> None:
        for _ in range(5):
            found.append(sum(event.type == "call_end" for event in stream.feed(piece)))

    threads = [threading.Thread(target=feed) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    stream.finish()
    assert sum(found) == len(stream.detection()) == 4 * 5 * 300


def test_a_finalizer_may_come_back_to_the_stream() -> None:
    stream = toolwire.Detector(max_calls=10_000).stream()
    back = []

    class Nosy:
        def __del__(self) -> None:
            back.append(stream.feed("x"))

    limits = gc.get_threshold()
    gc.set_threshold(5)
    try:
        for _ in range(200):
            nosy: list[Any] = [Nosy()]
            nosy.append(nosy)
            del nosy
            stream.feed("<tool:echo>{}</tool>" * 10)
    finally:
        gc.set_threshold(*limits)
    gc.collect()
    stream.finish()
    assert len(back) == 200
    assert stream.detection().text == "x" * 200
    assert len(stream.detection()) == 2000
