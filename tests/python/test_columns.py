"""Batches: columns of texts in, columns of what was found out."""

from __future__ import annotations

import gc
import itertools
import os
import random
import resource
import threading
import time
import weakref
from collections.abc import Iterator
from typing import Any

import cases
import pytest
import toolwire
from cases import raw, text

pa = pytest.importorskip("pyarrow", reason="pyarrow is not there for this Python")

HERMES = '<tool_call>{"name": "add", "arguments": {"a": "é"}}</tool_call>'
TEXTS: list[str | None] = [
    "nothing here",
    'é: <tool:echo>{"a": 1}</tool> done',
    None,
    "",
    f"<think>why é</think>{HERMES} x",
    "<tool:echo>{a}</tool>",
    '<tool_call>{"name": "add", "arguments": {}, "id": "c1"}</tool_call>',
    "long " * 40,
]
TYPES = ["string", "large_string", "string_view", "binary", "large_binary", "binary_view"]
SPLICES = int(os.environ.get("TOOLWIRE_SPLICES", "10000"))
TYPE = pa.struct(
    [
        pa.field(
            "calls",
            pa.list_(
                pa.field(
                    "item",
                    pa.struct(
                        [
                            pa.field("name", pa.string(), nullable=False),
                            pa.field("arguments", pa.string(), nullable=False),
                            pa.field("id", pa.string()),
                            pa.field("format", pa.string(), nullable=False),
                            pa.field("start", pa.int64(), nullable=False),
                            pa.field("end", pa.int64(), nullable=False),
                            pa.field("status", pa.string(), nullable=False),
                        ]
                    ),
                    nullable=False,
                )
            ),
            nullable=False,
        ),
        pa.field("text", pa.string(), nullable=False),
        pa.field("reasoning", pa.string()),
        pa.field(
            "rejections",
            pa.list_(
                pa.field(
                    "item",
                    pa.struct(
                        [
                            pa.field("code", pa.string(), nullable=False),
                            pa.field("format", pa.string()),
                            pa.field("start", pa.int64(), nullable=False),
                            pa.field("end", pa.int64(), nullable=False),
                        ]
                    ),
                    nullable=False,
                )
            ),
            nullable=False,
        ),
    ]
)


def shown(value: str | None) -> str | None:
    """Give a text as a column can hold it: a lone surrogate is no character."""
    return (
        None
        if value is None
        else value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    )


def row(detector: toolwire.Detector, given: str | None) -> dict[str, Any] | None:
    """Give what `detect` finds in a text, as a row."""
    if given is None:
        return None
    found = detector.detect(given)
    return {
        "calls": [
            {
                "name": call.name,
                "arguments": call.arguments_raw,
                "id": call.id if call.id_given else None,
                "format": call.format,
                "start": call.span[0],
                "end": call.span[1],
                "status": call.status,
            }
            for call in found
        ],
        "text": shown(found.text),
        "reasoning": shown(found.reasoning),
        "rejections": [
            {"code": one.code, "format": one.format, "start": one.span[0], "end": one.span[1]}
            for one in found.rejections
        ],
    }


def in_bytes(expected: dict[str, Any] | None, given: str | None) -> dict[str, Any] | None:
    """Give a row as that of a binary column."""
    if expected is None or given is None:
        return None

    def place(one: dict[str, Any]) -> dict[str, Any]:
        ends = {name: len(given[: one[name]].encode()) for name in ("start", "end")}
        return {**one, **ends}

    return {
        **expected,
        "calls": [place(one) for one in expected["calls"]],
        "text": expected["text"].encode(),
        "rejections": [place(one) for one in expected["rejections"]],
    }


def rows(column: toolwire.Column) -> list[Any]:
    """Give the rows of a column, taken as chunks and as one array."""
    chunks, array = pa.chunked_array(column), pa.array(column)
    for chunk in chunks.chunks:
        chunk.validate(full=True)
    array.validate(full=True)
    assert chunks.type == array.type
    assert len(chunks) == len(array) == len(column)
    given: list[Any] = chunks.to_pylist()
    assert array.to_pylist() == given
    return given


DETECTOR = toolwire.Detector()
EXPECTED = [row(DETECTOR, given) for given in TEXTS]


def test_the_column_has_the_documented_type() -> None:
    column = DETECTOR.detect_batch(TEXTS)
    assert pa.array(column).type == TYPE
    assert pa.DataType._import_from_c_capsule(column.__arrow_c_schema__()) == TYPE
    assert repr(column) == "<Column of 8 rows>"


def test_an_iterable_gives_what_detect_gives() -> None:
    assert EXPECTED[1] is not None
    assert EXPECTED[1]["calls"][0]["start"] == 3
    assert EXPECTED[1]["calls"][0]["id"] is None
    assert EXPECTED[6] is not None
    assert EXPECTED[6]["calls"][0]["id"] == "c1"
    assert rows(DETECTOR.detect_batch(TEXTS)) == EXPECTED
    assert rows(DETECTOR.detect_batch(iter(TEXTS))) == EXPECTED
    assert rows(DETECTOR.detect_batch(tuple(TEXTS))) == EXPECTED


@pytest.mark.parametrize("name", TYPES)
def test_every_type_of_column_is_read(name: str) -> None:
    column_type = pa.type_for_alias(name)
    given = [one.encode() if one is not None and "binary" in name else one for one in TEXTS]
    expected = EXPECTED
    if "binary" in name:
        expected = [in_bytes(*pair) for pair in zip(EXPECTED, TEXTS, strict=True)]
    array = pa.array(given, column_type)
    column = DETECTOR.detect_batch(array)
    assert pa.array(column).type.field("text").type == column_type
    assert rows(column) == expected
    assert rows(DETECTOR.detect_batch(array[2:7])) == expected[2:7]
    chunked = pa.chunked_array([array[:3], array[3:3], array[3:]])
    assert rows(DETECTOR.detect_batch(chunked)) == expected
    assert rows(DETECTOR.detect_batch(chunked[1:5])) == expected[1:5]
    assert rows(DETECTOR.detect_batch(array[:0])) == []
    assert rows(DETECTOR.detect_batch(pa.chunked_array([], column_type))) == []


@pytest.mark.parametrize("key", ["int8", "int16", "int32", "int64", "uint8", "uint32", "uint64"])
@pytest.mark.parametrize("name", ["string", "large_string", "string_view"])
def test_a_dictionary_is_read(key: str, name: str) -> None:
    values = pa.array([*TEXTS, "not used"], pa.type_for_alias(name))
    keys = [1, 7, None, 2, 1, 0, 4, 4, 5]
    array = pa.DictionaryArray.from_arrays(pa.array(keys, pa.type_for_alias(key)), values)
    expected = [None if key is None else EXPECTED[key] for key in keys]
    column = DETECTOR.detect_batch(array)
    assert rows(column) == expected
    assert pa.array(column).type.field("text").type == values.type
    assert rows(DETECTOR.detect_batch(array[3:8])) == expected[3:8]


def test_a_column_of_nulls_has_null_rows() -> None:
    assert rows(DETECTOR.detect_batch(pa.nulls(3))) == [None] * 3
    array = pa.array(DETECTOR.detect_batch([None, "a"]))
    # What is in a null row is empty, and nothing of it is null that may not be.
    assert [len(array.field(at)[0].as_py() or ()) for at in range(4)] == [0] * 4
    assert array.null_count == 1


def test_values_that_are_not_utf8_stay() -> None:
    broken = b'\xff <think>\xfe</think><tool:echo>{"a": 1}</tool>\xff'
    (found,) = rows(DETECTOR.detect_batch(pa.array([broken])))
    (call,) = found["calls"]
    assert (call["name"], broken[call["start"] : call["end"]]) == (
        "echo",
        b'<tool:echo>{"a": 1}</tool>',
    )
    assert found["text"] == b"\xff \xff"
    assert found["reasoning"] == "\ufffd"
    # pyarrow lets a column of text hold what is none.
    array = pa.array([broken]).view(pa.string())
    column = pa.array(DETECTOR.detect_batch(array))
    assert column.field("text").view(pa.binary()).to_pylist() == [b"\xff \xff"]
    assert column.field("calls").to_pylist()[0][0]["start"] == len("\xff <think>\xff</think>")


def test_a_lone_surrogate_is_read_as_detect_reads_it() -> None:
    given = ['\ud800 <tool:echo>{"a": 1}</tool>', '<tool:echo>{"a": "\ud800"}</tool>']
    assert rows(DETECTOR.detect_batch(given)) == [row(DETECTOR, one) for one in given]


def test_fields_choose_what_is_made() -> None:
    parts = ["calls", "text", "reasoning", "rejections"]
    for count in range(1, 5):
        for fields in itertools.permutations(parts, count):
            column = DETECTOR.detect_batch(TEXTS, fields=fields)  # type: ignore[arg-type]
            wanted = [part for part in parts if part in fields]
            assert [field.name for field in pa.array(column).type] == wanted
            assert rows(column) == [
                one and {name: one[name] for name in wanted} for one in EXPECTED
            ]
    assert rows(DETECTOR.detect_batch(TEXTS, fields=None)) == EXPECTED


def test_misuse_raises() -> None:
    wrong: list[Any] = ["text", b"text", {"a": 1}, 5, None, [1], ["a", b"b"], pa.array([1])]
    wrong += [pa.table({"a": ["b"]}), pa.array([["a"]]), [["a"]]]
    for given in wrong:
        with pytest.raises(toolwire.WrongTypeError):
            DETECTOR.detect_batch(given)
    wrong = ["calls", b"calls", 5, [5]]
    for fields in wrong:
        with pytest.raises(toolwire.WrongTypeError):
            DETECTOR.detect_batch([], fields=fields)
    wrong = [[], ["call"]]
    for fields in wrong:
        with pytest.raises(toolwire.InvalidArgumentError, match="calls, text, reasoning"):
            DETECTOR.detect_batch([], fields=fields)
    with pytest.raises(toolwire.InvalidArgumentError, match="threads"):
        DETECTOR.detect_batch([], threads=-1)
    with pytest.raises(toolwire.WrongTypeError, match="threads"):
        DETECTOR.detect_batch([], threads=True)
    with pytest.raises(toolwire.InvalidArgumentError, match="Seen"):
        toolwire.Detector(seen=toolwire.Seen()).detect_batch([])
    with pytest.raises(toolwire.WrongTypeError, match="name a column"):
        DETECTOR.detect_batch(pa.table({"a": ["b"]}))


class Given:
    """A value whose method of the interface gives anything."""

    __arrow_c_array__: Any
    __arrow_c_stream__: Any

    def __init__(self, name: str, value: Any) -> None:
        self.__dict__[name] = lambda *_: value


def test_capsules_of_others_are_not_believed() -> None:
    array, stream = "__arrow_c_array__", "__arrow_c_stream__"
    schema, taken = pa.array(["a"]).__arrow_c_array__()
    assert rows(DETECTOR.detect_batch(Given(array, (schema, taken)))) == [row(DETECTOR, "a")]
    wrong = [Given(array, 5), Given(array, (5, 6)), Given(stream, 5), Given(stream, schema)]
    for given in [*wrong, Given(array, (taken, schema)), Given(array, ())]:
        with pytest.raises((TypeError, ValueError, IndexError)):
            DETECTOR.detect_batch(given)
    schema, _ = pa.array(["a"]).__arrow_c_array__()
    with pytest.raises(toolwire.InvalidArgumentError, match="taken before"):
        DETECTOR.detect_batch(Given(array, (schema, taken)))
    read = pa.chunked_array([["a"]]).__arrow_c_stream__()
    assert len(DETECTOR.detect_batch(Given(stream, read))) == 1
    with pytest.raises(toolwire.InvalidArgumentError, match="read before"):
        DETECTOR.detect_batch(Given(stream, read))


def test_offsets_of_others_are_not_believed() -> None:
    for offsets in ([0, 5, 3], [0, -1, 2]):
        buffers = [
            None,
            pa.py_buffer(b"".join(n.to_bytes(4, "little", signed=True) for n in offsets)),
        ]
        array = pa.Array.from_buffers(pa.string(), 2, [*buffers, pa.py_buffer(b"abc")])
        with pytest.raises((toolwire.InvalidArgumentError, ValueError)):
            DETECTOR.detect_batch(array)
    keys = pa.array([0, 9], pa.int32())
    array = pa.DictionaryArray.from_arrays(keys, pa.array(["a"]), safe=False)
    with pytest.raises(toolwire.InvalidArgumentError, match="does not lie in its buffer"):
        DETECTOR.detect_batch(array)


def test_an_error_of_the_producer_is_told() -> None:
    def batches() -> Iterator[Any]:
        raise OSError("the disk is gone")
        yield

    reader = pa.RecordBatchReader.from_batches(pa.schema([("a", pa.string())]), batches())
    with pytest.raises(toolwire.WrongTypeError):
        DETECTOR.detect_batch(reader)

    class Failing:
        def __arrow_c_stream__(self, _: Any = None) -> Any:
            raise OSError("the disk is gone")

    with pytest.raises(OSError, match="the disk is gone"):
        DETECTOR.detect_batch(Failing())

    def failing() -> Iterator[str]:
        yield "a"
        raise OSError("the disk is gone")

    with pytest.raises(OSError, match="the disk is gone"):
        DETECTOR.detect_batch(failing())


def test_threads_give_the_same() -> None:
    given = [one for one in TEXTS for _ in range(2)] * 3000
    array = pa.array(given)
    expected = pa.chunked_array(DETECTOR.detect_batch(array))
    assert expected.num_chunks > 2
    for threads in (0, 1, 2, 7):
        for source in (array, given):
            column = DETECTOR.detect_batch(source, threads=threads)
            assert pa.chunked_array(column).equals(expected)
    assert expected[: len(TEXTS) * 2].to_pylist() == [one for one in EXPECTED for _ in range(2)]
    views = pa.array(DETECTOR.detect_batch(array.cast(pa.string_view())))
    assert views.cast(expected.type).equals(pa.array(DETECTOR.detect_batch(array)))


def test_chunks_are_bounded() -> None:
    given = ["a" * 3_000_000] * 3 + ["b" * 9_000_000] + ["c"] * 40_000
    chunks = pa.chunked_array(DETECTOR.detect_batch(pa.array(given))).chunks
    assert [len(chunk) for chunk in chunks] == [1, 1, 1, 1, 16384, 16384, 7232]
    assert sum(len(chunk) for chunk in chunks) == len(given)


def shared_cases() -> Iterator[tuple[dict[str, Any], Any]]:
    """Give the options and the text of each shared case of detection."""
    topics = {file.stem for file in cases.CASES.glob("*.json")}
    for topic, case in cases.load(topics):
        given = case["input"]
        if topic in ("detection", "formats", "messages", "profiles") and "text" in given:
            yield given.get("options", {}), given["text"]


def made(options: dict[str, Any]) -> toolwire.Detector | None:
    try:
        return toolwire.Detector(**options)
    except toolwire.ToolwireError:
        return None


def test_shared_cases_are_found_alike() -> None:
    count = 0
    for options, given in shared_cases():
        detector = made(options)
        if detector is None:
            continue
        count += 1
        string = text(given)
        expected = row(detector, string)
        assert rows(detector.detect_batch([string])) == [expected]
        if isinstance(given, str):
            assert rows(detector.detect_batch(pa.array([given]))) == [expected]
            binary = rows(detector.detect_batch(pa.array([raw(given)])))
            assert binary == [in_bytes(expected, given)]
    assert count > 500


def splices(count: int) -> list[str]:
    """Give texts that are put together of parts of the shared cases."""
    chance = random.Random(38)
    texts = [given for _, given in shared_cases() if isinstance(given, str) and len(given) < 2000]
    made = []
    for _ in range(count):
        parts = []
        for _ in range(chance.randint(1, 3)):
            one = chance.choice(texts)
            start = chance.choice([0, chance.randint(0, len(one))])
            parts.append(one[start : chance.choice([len(one), chance.randint(start, len(one))])])
        made.append("".join(parts))
    return made


@pytest.mark.parametrize("options", [{}, {"formats": ["tag", "json", "hermes"], "repair": "safe"}])
def test_splices_are_found_alike(options: dict[str, Any]) -> None:
    detector = toolwire.Detector(**options)
    given = splices(SPLICES // 2)
    found = pa.array(detector.detect_batch(pa.array(given), threads=2)).to_pylist()
    for one, actual in zip(given, found, strict=True):
        assert actual == row(detector, one), one


def test_a_second_run_gives_the_same_bytes() -> None:
    first, second = (pa.array(DETECTOR.detect_batch(TEXTS)) for _ in range(2))
    assert first.equals(second)


def test_the_column_outlives_its_detector_and_its_texts() -> None:
    array = pa.array(TEXTS, pa.string_view())
    column = toolwire.Detector().detect_batch(array)
    taken = pa.array(column)
    stream = column.__arrow_c_stream__()
    del column, array
    gc.collect()
    assert taken.cast(TYPE).to_pylist() == EXPECTED
    del taken
    gc.collect()
    assert rows_of_stream(stream) == EXPECTED


def rows_of_stream(capsule: Any) -> list[Any]:
    given: list[Any] = pa.chunked_array(Given("__arrow_c_stream__", capsule)).to_pylist()
    return given


def test_the_input_is_released() -> None:
    class Buffer(bytearray):
        """Bytes that a weak reference can watch."""

    data = Buffer(b"abc")
    watch = weakref.ref(data)
    offsets = pa.py_buffer(b"\0\0\0\0\3\0\0\0")
    array = pa.Array.from_buffers(pa.string(), 1, [None, offsets, pa.py_buffer(data)])
    del data
    column = DETECTOR.detect_batch(array)
    assert watch() is not None
    del array
    gc.collect()
    assert watch() is None
    assert rows(column) == [row(DETECTOR, "abc")]


def resident() -> int:
    """Give the memory of this process in bytes."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def test_capsules_that_nobody_takes_leave_memory_flat() -> None:
    array = pa.array(["word " * 200 + HERMES] * 4000)
    views = array.cast(pa.string_view())

    def use() -> None:
        column = DETECTOR.detect_batch(array)
        column.__arrow_c_schema__()
        column.__arrow_c_array__()
        column.__arrow_c_stream__()
        pa.array(column)
        DETECTOR.detect_batch(views).__arrow_c_stream__()

    for _ in range(5):
        use()
    before = resident()
    for _ in range(60):
        use()
    gc.collect()
    # Each round makes 16 MB, and 60 rounds about 1 GB.
    assert resident() - before < 40_000_000


def test_other_threads_run_meanwhile() -> None:
    array = pa.array(["word " * 40 + HERMES] * 100_000)
    counted = [0]
    done = threading.Event()

    def count() -> None:
        while not done.is_set():
            counted[0] += 1
            time.sleep(0)

    thread = threading.Thread(target=count)
    thread.start()
    try:
        before = counted[0]
        DETECTOR.detect_batch(array)
        meanwhile = counted[0] - before
    finally:
        done.set()
        thread.join()
    # With the interpreter's lock held, it would be one or two.
    assert meanwhile > 20
