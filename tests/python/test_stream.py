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
    assert [event.type for event in events if event.type != "text"] == ["call", "rejection", "call"]
    for event in events:
        if event.type == "text":
            assert event.text == TEXT[slice(*event.span)]
        elif event.call is not None:
            assert event.span == event.call.span
            assert event.call.original == TEXT[slice(*event.span)]


@pytest.mark.parametrize("size", range(1, 8))
def test_bytes_may_be_cut_inside_a_character(size: int) -> None:
    raw = '€ü😀 <tool:echo>{"a": "€"}</tool>'.encode() + b"\xff\xe2\x82 \xf0\x9f\x98"
    stream = toolwire.Detector().stream()
    events = [event for at in range(0, len(raw), size) for event in stream.feed(raw[at : at + size])]
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
        raw = rng.randbytes(rng.randrange(40)) + '<tool:echo>{"a": "€"}</tool>'.encode() + rng.randbytes(20)
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
            found.append(sum(event.type == "call" for event in stream.feed(piece)))

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
