"""Hostile sizes, leaks and threads."""

from __future__ import annotations

import gc
import random
import resource
import threading
import time
import weakref
from pathlib import Path
from typing import Any

import pytest
import toolwire

MIB = 1 << 20
CALL = '<tool:echo>{"a": {"b": ["ü", 1.5, 12345678901234567890]}}</tool>'


def misuse() -> None:
    with pytest.raises(toolwire.ToolwireError):
        toolwire.detect(1)  # type: ignore[arg-type]


def rss() -> int:
    """Give the memory in use now, in bytes."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


@pytest.mark.parametrize(
    "unit",
    [
        "{", "[", "<tool:", "<tool:echo>{", '<tool:echo>{"a":', "```json {", "```json\n{\n",
        "<div class=mpai-tool-call", "<div class=mpai-tool-call>", "</tool>",
        "`", "<think>", '{"name":"', '"', "\\", "\0", "\ud800", "é{",
        '{"name":"a","arguments":', "<!--", "\r\n", " ",
    ],
)  # fmt: skip
def test_16_mib_of_anything(unit: str) -> None:
    text = unit * (16 * MIB // len(unit.encode("utf-8", "surrogatepass")))
    start = time.process_time()
    detection = toolwire.detect(text)
    took = time.process_time() - start
    assert len(detection) == 0
    assert "".join(part.text for part in detection.segments) == text
    assert detection.text == ("" if unit == "<think>" else text)
    assert len(detection.rejections) <= 1001
    # Much longer than linear work takes, and much shorter than quadratic work takes.
    assert took < 10


def test_many_calls_with_text_that_is_not_ascii() -> None:
    text = ("ä" * 500 + CALL) * 5000
    detection = toolwire.detect(text, max_calls=100_000)
    assert len(detection) == 5000
    assert detection[4999].original == CALL
    assert detection.text == "ä" * 500 * 5000


@pytest.mark.parametrize(
    "use",
    [
        lambda: toolwire.detect("é" + CALL).calls[0].arguments,
        lambda: toolwire.detect(CALL + "<tool:a>x</tool>").segments,
        lambda: toolwire.detect(CALL).replace(lambda call: call.to_html()),
        lambda: toolwire.Detector().stream().feed("\ud800" + CALL),
        lambda: toolwire.find_handler_result(
            [{"type": "tool_result", "metadata": {"handler_tool": "x"}}], "y"
        ),
        lambda: toolwire.project_envelope_data({"success": 1, "a": 2}),
        lambda: toolwire.results_summary(
            [toolwire.ToolResult("a", True, {"k": (1,)}, confidence=0.5)]
        ),
        lambda: toolwire.Report([toolwire.ToolResult("a", True, {"k": 1})]).to_json(),
        misuse,
    ],
)
def test_nothing_leaks(use: Any) -> None:
    for _ in range(2000):
        use()
    gc.collect()
    before = rss()
    for _ in range(10_000):
        use()
    gc.collect()
    assert rss() - before < 4 * MIB


def test_a_million_searches_stay_flat() -> None:
    packets = [{"type": "tool_result", "metadata": {"handler_tool": "x"}}]
    toolwire.find_handler_result(packets, "y")
    before = rss()
    for _ in range(1_000_000):
        toolwire.find_handler_result(packets, "x")
    assert rss() - before < 2 * MIB


def test_a_cycle_through_arguments_is_collected() -> None:
    class Marker:
        pass

    marker = Marker()
    call = toolwire.detect(CALL).calls[0]
    call.arguments["me"] = [call, marker]
    gone = weakref.ref(marker)
    del call, marker
    gc.collect()
    assert gone() is None


def test_a_cycle_through_a_report_is_collected() -> None:
    result = toolwire.ToolResult("a", True, {})
    report = toolwire.Report([result])
    result.data = report
    gone = weakref.ref(result)
    del result, report
    gc.collect()
    assert gone() is None


def test_a_detector_is_used_by_many_threads() -> None:
    detector = toolwire.Detector(max_calls=100_000)
    seen = toolwire.Seen()
    text = ("é prose " * 50 + CALL) * 400
    expected = [call.span for call in detector.detect(text)]
    problems: list[Any] = []
    duplicates: list[int] = []

    def work(seed: int) -> None:
        rng = random.Random(seed)
        for _ in range(5):
            detection = detector.detect(text)
            if [call.span for call in detection] != expected:
                problems.append(detection)
            call = detection[rng.randrange(len(detection))]
            if call.arguments is not call.arguments:
                problems.append(call)
            duplicates.append(len(toolwire.detect(CALL, seen=seen)))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems
    assert sum(duplicates) == 1


def test_the_arguments_of_a_call_are_one_object_for_all_threads() -> None:
    for _ in range(50):
        call = toolwire.detect('<tool:echo>{"a": [' + "1," * 5000 + "1]}</tool>").calls[0]
        barrier = threading.Barrier(4)
        seen: list[int] = []

        def look(call: toolwire.ToolCall = call, barrier: threading.Barrier = barrier) -> None:
            barrier.wait()
            seen.append(id(call.arguments))  # noqa: B023

        threads = [threading.Thread(target=look) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(set(seen)) == 1


def test_other_threads_run_while_a_large_text_is_searched() -> None:
    text = "plain text with {braces} and <tags> " * (32 * MIB // 36)
    search, stop = 0, False

    def work() -> None:
        nonlocal search
        # An odd number stands while a text is searched. A busy machine may let nobody else run
        # during one of them.
        while not stop and search < 400:
            search += 1
            toolwire.detect(text, max_input=64 * MIB)
            search += 1

    toolwire.detect(text[:100])
    thread = threading.Thread(target=work)
    thread.start()
    ticks, seen = 0, 0
    # Between the two lines around a search this thread may run once or twice in any case.
    while thread.is_alive() and ticks < 20:
        now = search
        ticks = ticks + 1 if now % 2 and now == seen else 0
        seen = now
        time.sleep(0)
    stop = True
    thread.join()
    assert ticks == 20
