"""What only Python has: texts of any code points, bytes, spans in code points, pickles."""

from __future__ import annotations

import copy
import pickle
import random
from typing import Any

import pytest
import toolwire

CALL = '<tool:echo>{"a": "ü"}</tool>'
ODD = [
    "",
    "a",
    "é",
    "€",
    "😀",
    "\0",
    "\ud800",
    "\udfff",
    "\udc80",
    "\ud83d\ude00",
    "\ufeff",
    "\r\n",
    "\u2028",
]


@pytest.mark.parametrize("before", ODD)
@pytest.mark.parametrize("after", ODD)
def test_spans_are_code_points_of_the_caller_s_own_str(before: str, after: str) -> None:
    text = before + CALL + after + CALL
    detection = toolwire.detect(text)
    assert [call.span[0] for call in detection] == [len(before), len(before + CALL + after)]
    assert all(call.original == CALL for call in detection)
    assert all(call.arguments == {"a": "ü"} for call in detection)
    assert detection.text == before + after
    assert detection.replace(lambda call: "\ud801") == before + "\ud801" + after + "\ud801"


def test_spans_far_into_a_long_text() -> None:
    piece = "ä€😀\udcffa" * 1000
    detection = toolwire.detect((piece + CALL) * 20)
    assert [call.span[0] for call in detection] == [
        (len(piece) + len(CALL)) * n + len(piece) for n in range(20)
    ]
    assert all(call.original == CALL for call in detection)


def test_rejections_and_notes_are_in_code_points() -> None:
    detection = toolwire.detect("äö\n€<tool:echo>no</tool>")
    (rejection,) = detection.rejections
    assert (rejection.span[0], rejection.line, rejection.column) == (4, 2, 2)
    (note,) = toolwire.detect('€€<tool:echo>{"a": 1}').calls[0].diagnostics
    assert note.code == "missing_end"
    assert 2 <= note.offset <= len('€€<tool:echo>{"a": 1}')


def test_lone_surrogates_inside_a_call_are_no_utf_8() -> None:
    detection = toolwire.detect('<tool:echo>{"a": "\ud800"}</tool> <tool:echo>{}</tool>')
    assert [one.code for one in detection.rejections] == ["invalid_utf8"]
    assert [call.arguments for call in detection] == [{}]


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_bytes_are_decoded_with_surrogateescape(kind: Any) -> None:
    raw = b"\xff\xe2\x82 " + CALL.encode() + b" \xed\xa0\x80"
    text = raw.decode("utf-8", "surrogateescape")
    detection = toolwire.detect(kind(raw))
    assert detection.input == text
    assert detection.calls[0].original == CALL
    assert detection.calls[0].span[0] == len(b"\xff\xe2\x82 ")


def test_a_memoryview_with_steps() -> None:
    raw = bytes(byte for pair in zip(CALL.encode(), CALL.encode(), strict=True) for byte in pair)
    assert toolwire.detect(memoryview(raw)[::2]).calls[0].name == "echo"


def test_a_subclass_of_str_is_read_as_the_str_it_is() -> None:
    class Loud(str):
        def __getitem__(self, key: Any) -> str:
            raise AssertionError("sliced")

        def __len__(self) -> int:
            raise AssertionError("measured")

    detection = toolwire.detect(Loud("é" + CALL))
    assert type(detection.input) is str
    assert detection.calls[0].span == (1, 1 + len(CALL))


def test_text_without_a_call_is_the_caller_s_own_object() -> None:
    text = "nothing here " * 10
    assert toolwire.detect(text).text is text


def test_a_str_is_never_taken_apart_wrongly() -> None:
    rng = random.Random(7)
    alphabet = [
        *ODD,
        CALL,
        "<tool:",
        "```json\n",
        "{",
        '"',
        "}",
        "</tool>",
        "<div class='mpai-tool-call'>",
    ]
    for _ in range(2000):
        text = "".join(rng.choices(alphabet, k=rng.randrange(12)))
        detection = toolwire.detect(text)
        assert "".join(segment.text for segment in detection.segments) == text
        cut = rng.randrange(len(text) + 1)
        stream = toolwire.Detector().stream()
        events = stream.feed(text[:cut]) + stream.feed(text[cut:]) + stream.finish()
        assert "".join(e.text or (e.call and e.call.original) or "" for e in events) == text
        assert [call.span for call in stream.detection()] == [call.span for call in detection]


def test_arguments_are_built_once() -> None:
    call = toolwire.detect('<tool:echo>{"b": {"n": [1, 2.5, null, true]}, "a": ""}</tool>').calls[0]
    assert call.arguments is call.arguments
    assert call.to_dict()["arguments"] is call.arguments
    assert list(call.arguments) == ["b", "a"]
    assert call.arguments["b"] == {"n": [1, 2.5, None, True]}


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("[]", {}),
        ("{ }", {}),
        ('{"n": 12345678901234567890}', {"n": 12345678901234567890}),
        ('{"n": -9223372036854775809}', {"n": -9223372036854775809}),
        # A number that no float holds is the text of its digits.
        ('{"n": 1e999}', {"n": "1e999"}),
        ('{"n": -1e999}', {"n": "-1e999"}),
        ('{"n": 1E2}', {"n": 100.0}),
        ('{"n": -0.0}', {"n": -0.0}),
        ('{"k": 1, "k": 2}', {"k": 2}),
        ('{"\\u00e9\\ud83d\\ude00": "\\u0000"}', {"é😀": "\0"}),
    ],
)
def test_arguments_as_python_values(raw: str, expected: dict[str, Any]) -> None:
    call = toolwire.detect(f"<tool:echo>{raw}</tool>").calls[0]
    assert repr(call.arguments) == repr(expected)
    assert call.arguments_raw == raw


@pytest.mark.parametrize("digits", [4000, 4301, 5000, 100_000])
def test_integers_are_exact_whatever_their_size(digits: int) -> None:
    raw = "7" * digits
    call = toolwire.detect(
        f'<tool:echo>{{"a": [{raw}, -{raw}], "b": {{"c": "\\n"}}}}</tool>'
    ).calls[0]
    value = (10**digits - 1) // 9 * 7
    assert call.arguments == {"a": [value, -value], "b": {"c": "\n"}}


def test_long_floats_and_deep_arguments() -> None:
    long = "1" * 5000 + ".5"
    call = toolwire.detect(f'<tool:echo>{{"f": {long}, "z": -0.{"0" * 5000}1e5000}}</tool>').calls[
        0
    ]
    assert call.arguments == {"f": long, "z": -(10.0**-1)}
    depth = 2000
    raw = '{"a":[' * depth + '{"k": "]}"}' + "]}" * depth
    call = toolwire.detect(f"<tool:echo>{raw}</tool>", max_depth=4096).calls[0]
    value: Any = call.arguments
    for _ in range(depth):
        (value,) = value["a"]
    assert value == {"k": "]}"}


def values() -> list[Any]:
    detection = toolwire.detect(
        'é <tool:echo>{"a": 1}</tool> <tool:echo>x</tool> <tool:echo>{"b": 2}'
    )
    stream = toolwire.Detector().stream()
    events = stream.feed(detection.input) + stream.finish()
    return [
        detection,
        *detection,
        *detection.rejections,
        *detection.segments,
        *events,
        *detection[1].diagnostics,
    ]


@pytest.mark.parametrize("value", values(), ids=lambda value: type(value).__name__)
def test_values_are_immutable_comparable_and_picklable(value: Any) -> None:
    for twin in (pickle.loads(pickle.dumps(value)), copy.copy(value), copy.deepcopy(value)):
        assert twin == value
        assert hash(twin) == hash(value)
        assert repr(twin) == repr(value)
    assert value != 1
    assert value != "x"
    assert value in {value}
    with pytest.raises(AttributeError):
        value.span = (0, 0)


def test_equality_sees_every_field() -> None:
    fields: dict[str, Any] = {
        "id": "a", "id_given": True, "index": 0, "name": "echo", "arguments_raw": "{}",
        "format": "tag", "original": "x", "span": (0, 1), "status": "complete", "diagnostics": [],
    }  # fmt: skip
    other: dict[str, Any] = {
        "id": "b", "id_given": False, "index": 1, "name": "no", "arguments_raw": "[]",
        "format": "json",
        "original": "y", "span": (0, 2), "status": "repaired",
        "diagnostics": [toolwire.Diagnostic("c", "m", 0)],
    }  # fmt: skip
    call = toolwire.ToolCall(**fields)
    assert call == toolwire.ToolCall(**fields)
    for name in fields:
        assert call != toolwire.ToolCall(**{**fields, name: other[name]}), name


def test_a_detection_is_a_sequence_of_its_calls() -> None:
    detection = toolwire.detect(CALL * 3)
    assert len(detection) == 3
    assert list(detection) == list(detection.calls) == list(detection[:])
    assert detection[-1] is detection.calls[2]
    assert detection[1] in detection
    assert detection
    assert not toolwire.detect("")
    with pytest.raises(IndexError):
        detection[3]


def test_to_dict_has_the_documented_order() -> None:
    assert list(toolwire.detect(CALL).calls[0].to_dict()) == [
        "id", "id_given", "index", "name", "arguments", "arguments_raw", "format", "original",
        "span",
        "status", "diagnostics",
    ]  # fmt: skip


def test_replace_goes_by_span() -> None:
    text = f"é {CALL} {CALL}"
    first, second = toolwire.detect(text)
    assert toolwire.replace(text, [second, first], lambda call: f"[{call.index}]") == "é [0] [1]"
    assert toolwire.replace(text, [second], lambda call: CALL) == text
    assert toolwire.replace(text, [], str) == text
    assert toolwire.replace(text.encode(), [first], lambda call: "") == f"é  {CALL}"


def test_replace_refuses_spans_that_do_not_fit() -> None:
    first, second = toolwire.detect(f"é {CALL} {CALL}")
    for text, calls in [("short", [first]), (f"é {CALL} {CALL}", [first, first])]:
        with pytest.raises(toolwire.InvalidArgumentError):
            toolwire.replace(text, calls, lambda call: "")
    backwards = toolwire.ToolCall("a", True, 0, "n", "{}", "tag", "", (3, 1))
    with pytest.raises(toolwire.InvalidArgumentError):
        toolwire.replace("abcdef", [backwards], lambda call: "")
    wrong: list[Any] = [1, "x"]
    with pytest.raises(toolwire.WrongTypeError):
        toolwire.replace("abc", wrong, lambda call: "")
    assert second.index == 1


def test_errors_of_callbacks_are_passed_on() -> None:
    class Mine(Exception):
        pass

    def fail(call: toolwire.ToolCall) -> str:
        raise Mine

    detection = toolwire.detect(CALL)
    with pytest.raises(Mine):
        detection.replace(fail)
    with pytest.raises(Mine):
        toolwire.replace(CALL, detection, fail)
    with pytest.raises(toolwire.WrongTypeError, match="int"):
        detection.replace(lambda call: 1)  # type: ignore[arg-type,return-value]


def test_a_callback_may_use_toolwire() -> None:
    detection = toolwire.detect(CALL * 2)
    nested = detection.replace(lambda call: detection.replace(lambda inner: inner.name))
    assert nested == "echoecho" * 2


def test_lone_surrogates_are_shown_as_marks() -> None:
    assert toolwire.visible("a\ud83d \udcff") == "a⟨U+D83D⟩ ⟨0xFF⟩"
    assert toolwire.visible(b"a\xff\xe2\x80\xae") == "a⟨0xFF⟩⟨U+202E⟩"
    long = "a\u202e" * 5000
    assert toolwire.visible(long) == "a⟨U+202E⟩" * 5000
    with pytest.raises(toolwire.WrongTypeError):
        toolwire.visible(None)  # type: ignore[arg-type]
