"""Columns of providers' messages, of logs and of results, beside the single calls."""

from __future__ import annotations

import gc
import json
import pickle
from collections.abc import Callable, Iterator
from typing import Any

import cases
import pytest
import toolwire
from cases import raw
from toolwire import ToolResult, provider, transcript

pa = pytest.importorskip("pyarrow", reason="pyarrow is not there for this Python")

CALL = {"type": "tool_use", "id": "t1", "name": "now", "input": {"a": "é"}}
ANSWER = {"role": "tool", "tool_call_id": "t1", "name": "now", "content": '{"hits": [1, 2]}'}
SENT: list[str | None] = [
    json.dumps(CALL),
    None,
    json.dumps([{"role": "assistant", "content": [CALL]}, ANSWER]),
    "{",
    "",
    '{"type": "tool_use", "name": "f", "input": "{"}',
    json.dumps({"output": [{"type": "web_search_call", "id": "ws_1"}]}),
]
LOGS: list[str | None] = [
    json.dumps({"role": "assistant", "content": [CALL]}),
    None,
    "one\ntwo é",
    "",
]
TYPES = ["string", "large_string", "string_view", "binary", "large_binary", "binary_view"]


def rows(column: toolwire.Column) -> list[Any]:
    """Give the rows of a column, taken as chunks and as one array."""
    chunks, array = pa.chunked_array(column), pa.array(column)
    for chunk in [*chunks.chunks, array]:
        chunk.validate(full=True)
    given: list[Any] = chunks.to_pylist()
    assert array.to_pylist() == given
    assert len(column) == len(given)
    return given


def exchange(found: provider.Exchange) -> dict[str, Any]:
    """Give what was found in an object, as a row whose JSON is decoded."""
    return {
        "calls": [
            {
                "name": call.name,
                "arguments": json.loads(call.arguments_raw),
                "id": call.id if call.id_given else None,
                "format": call.format,
                "status": call.status,
                "provider_data": json.loads(call.to_dict().get("provider_data", "null")),
            }
            for call in found.calls
        ],
        "results": [
            {
                name: getattr(result, name)
                for name in ("tool", "success", "data", "error_message", "call_id", "format")
            }
            for result in found.results
        ],
        "rejections": [
            {name: getattr(one, name) for name in ("code", "message", "path", "format")}
            for one in found.rejections
        ],
        "items": [
            {
                "kind": item.kind,
                "word": item.word,
                "id": item.id,
                "raw": item.object,
                "path": item.path,
                "format": item.format,
            }
            for item in found.items
        ],
    }


def decoded(row: dict[str, Any] | None) -> dict[str, Any] | None:
    """Give a row whose JSON texts are decoded."""
    if row is None:
        return None

    def decode(one: dict[str, Any], *names: str) -> dict[str, Any]:
        return {**one, **{name: one[name] and json.loads(one[name]) for name in names}}

    return {
        "calls": [decode(one, "arguments", "provider_data") for one in row["calls"]],
        "results": [decode(one, "data") for one in row["results"]],
        "rejections": row["rejections"],
        "items": [decode(one, "raw") for one in row["items"]],
    }


def entries(found: transcript.Transcript) -> dict[str, Any]:
    """Give a log as a row whose JSON is decoded."""

    def row(entry: transcript.Entry) -> dict[str, Any]:
        result = entry.result
        return {
            "type": entry.type,
            "content": entry.content,
            "tool": entry.tool_name,
            "name": entry.name,
            "id": entry.id or None,
            "status": entry.status,
            "arguments": entry.arguments,
            "output": None if result is None else result.data,
            "error": None if entry.error is None else entry.error["message"],
            "started": entry.started,
            "duration": entry.duration,
        }

    given = {"session_id": found.session_id, "dialect": found.dialect}
    return {**given, "entries": [row(entry) for entry in found.entries]}


def read_json(log: dict[str, Any] | None) -> dict[str, Any] | None:
    if log is None:
        return None

    def row(entry: dict[str, Any]) -> dict[str, Any]:
        texts = {name: entry[name] for name in ("arguments", "output")}
        return {**entry, **{name: text and json.loads(text) for name, text in texts.items()}}

    return {**log, "entries": [row(entry) for entry in log["entries"]]}


def topic(name: str) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Give the input and the output of each shared case of a topic that has no error."""
    topics = {file.stem for file in cases.CASES.glob("*.json")}
    for one, case in cases.load(topics):
        if one == name and "output" in case:
            yield case["input"], case["output"]


def test_shared_cases_of_messages_are_read_alike() -> None:
    count = 0
    for given, _ in topic("provider"):
        if given["function"] != "parse":
            continue
        count += 1
        sent, repair = json.dumps(given["object"]), given.get("repair", "off")
        single = provider.parse(given["object"], given.get("provider"), repair=repair)
        column = provider.parse_batch([sent, None, sent], given.get("provider"), repair=repair)
        found = [decoded(row) for row in rows(column)]
        assert found == [exchange(single), None, exchange(single)], sent
    assert count > 100


def test_shared_cases_of_logs_are_read_alike() -> None:
    count = 0
    for given, _ in topic("transcript"):
        count += 1
        options = {name: given[name] for name in given.keys() & {"worktree", "dialect", "faithful"}}
        log = raw(given["log"])
        single = entries(transcript.normalize(log, **options))
        column = transcript.normalize_batch(pa.array([log, None]), **options)
        assert [read_json(row) for row in rows(column)] == [single, None], log
        calls = [one for one in single["entries"] if one["type"] == "tool_use"]
        column = transcript.normalize_batch(pa.array([log]), calls_only=True, **options)
        assert [read_json(row) for row in rows(column)] == [{**single, "entries": calls}]
    assert count > 20


@pytest.mark.parametrize("name", TYPES)
@pytest.mark.parametrize(
    ("batch", "given"), [(provider.parse_batch, SENT), (transcript.normalize_batch, LOGS)]
)
def test_every_type_of_column_is_read(
    name: str, batch: Callable[..., toolwire.Column], given: list[str | None]
) -> None:
    expected = rows(batch(given))
    assert [one is None for one in expected] == [one is None for one in given]
    of_type = [one.encode() if one is not None and "binary" in name else one for one in given]
    array = pa.array(of_type, pa.type_for_alias(name))
    assert rows(batch(array)) == expected
    assert rows(batch(array[1:3])) == expected[1:3]
    assert rows(batch(pa.chunked_array([array[:2], array[2:2], array[2:]]))) == expected
    assert rows(batch(array[:0])) == []
    assert rows(batch(array.dictionary_encode())) == expected
    assert rows(batch(pa.nulls(2))) == [None, None]


def test_what_is_no_json_is_a_rejection() -> None:
    found = rows(provider.parse_batch(SENT, fields=["rejections"]))
    codes = [row and [(one["code"], one["path"]) for one in row["rejections"]] for row in found]
    bad = [("bad_json", "")]
    assert codes == [[], None, [], bad, bad, [("bad_json", "/input")], []]
    deep = "[" * 100_000 + "]" * 100_000
    (row,) = rows(provider.parse_batch([deep], fields=["rejections"]))
    assert [one["code"] for one in row["rejections"]] == ["too_deep"]
    (row,) = rows(provider.parse_batch(pa.array([b'{"a": "\xff"}'])))
    assert [one["code"] for one in row["rejections"]] == ["bad_json"]


def test_lone_surrogates_are_replaced() -> None:
    escaped = '{"type": "tool_use", "id": "a", "name": "f", "input": {"q": "\\ud800!"}}'
    single = exchange(provider.parse(json.loads(escaped)))
    for sent in (escaped, escaped.replace("\\ud800", "\ud800")):
        assert [decoded(row) for row in rows(provider.parse_batch([sent]))] == [single]
    (row,) = rows(transcript.normalize_batch(["a \ud800"]))
    assert row["entries"][0]["content"] == "a \ufffd"


def test_ids_and_digits_stay_as_they_were_sent() -> None:
    sent = '{"functionCall": {"name": "f", "args": {"a": 1.50, "b": 12345678901234567890}}}'
    first, second = (provider.parse_batch([sent]) for _ in range(2))
    assert pa.array(first).equals(pa.array(second))
    (call,) = rows(first)[0]["calls"]
    assert (call["id"], call["arguments"]) == (None, '{"a":1.50,"b":12345678901234567890}')


def test_fields_choose_what_is_made() -> None:
    whole = rows(provider.parse_batch(SENT))
    for names in (["items", "calls"], ["results"]):
        made = rows(provider.parse_batch(SENT, fields=names))  # type: ignore[arg-type]
        wanted = sorted(names, key=list(whole[0]).index)
        assert made == [row and {name: row[name] for name in wanted} for row in whole]


@pytest.mark.parametrize("threads", [0, 2, 7])
def test_threads_give_the_same(threads: int) -> None:
    sent, logs = SENT * 9000, LOGS * 9000
    one, more = (pa.chunked_array(provider.parse_batch(sent, threads=n)) for n in (1, threads))
    assert one.num_chunks > 2
    assert more.equals(one)
    assert pa.array(provider.parse_batch(sent)).equals(one.combine_chunks())
    one, more = (
        pa.chunked_array(transcript.normalize_batch(logs, threads=n)) for n in (1, threads)
    )
    assert more.equals(one)


def test_misuse_raises() -> None:
    for batch in (provider.parse_batch, transcript.normalize_batch):
        for given in ("text", 5, [1], pa.array([1]), {"a": "b"}):
            with pytest.raises(toolwire.WrongTypeError):
                batch(given)  # type: ignore[arg-type]
    with pytest.raises(toolwire.InvalidArgumentError):
        provider.parse_batch([], "openia")  # type: ignore[arg-type]
    with pytest.raises(toolwire.InvalidArgumentError, match="calls, results"):
        provider.parse_batch([], fields=["text"])  # type: ignore[list-item]
    with pytest.raises(toolwire.InvalidArgumentError):
        transcript.normalize_batch([], dialect="cluade")
    for wrong in ([ToolResult("a", True, {})], "text", pa.array(["a"]), pa.array([[1]])):
        with pytest.raises(toolwire.WrongTypeError):
            toolwire.results_summary_batch(wrong)  # type: ignore[arg-type]
    wrong_kind = pa.array([{"tool": "a", "success": "yes"}])
    with pytest.raises(toolwire.WrongTypeError, match="success"):
        toolwire.Report(wrong_kind)


RESULT = pa.struct(
    [
        ("tool", pa.string()),
        ("success", pa.bool_()),
        ("data", pa.string()),
        ("error_message", pa.string()),
        ("confidence", pa.float64()),
    ]
)


def result_row(result: ToolResult) -> dict[str, Any]:
    return {**result.to_dict(), "data": json.dumps(result.data)}


def results_of(given: list[dict[str, Any]]) -> list[ToolResult]:
    return [ToolResult(**one) for one in given]


def test_shared_cases_of_reports_are_counted_alike() -> None:
    for given, expected in topic("report"):
        results = results_of(given["results"])
        array = pa.array([result_row(one) for one in results], RESULT)
        for column in (
            array,
            pa.chunked_array([array[:1], array[1:]]),
            pa.array([array.to_pylist()]),
        ):
            if not results and column.type != RESULT:
                continue
            report = toolwire.Report(column)
            assert cases.same(report.to_dict(), expected["report"])
            assert report.to_json() == toolwire.Report(results).to_json()
            assert len(report) == len(results)


def summarised(results: list[ToolResult], most: int | None) -> tuple[str | None, str | None]:
    try:
        return toolwire.results_summary(results, max_tokens=most), None
    except toolwire.ToolwireError as error:
        return None, error.kind


def test_shared_cases_of_summaries_are_written_alike() -> None:
    rows_given, count = [], 0
    for given, expected in topic("summary"):
        if given["function"] != "results":
            continue
        count += 1
        results, most = results_of(given["results"]), given.get("max_tokens")
        row = [result_row(one) for one in results]
        rows_given.append((row, results))
        column = pa.array([row, None], pa.list_(RESULT))
        found = rows(toolwire.results_summary_batch(column, max_tokens=most))
        assert found == [{"summary": expected["text"], "error": None}, None]
        array = pa.array(row, RESULT)
        assert toolwire.results_summary(array, max_tokens=most) == expected["text"]
        assert toolwire.Report(array).summary(max_tokens=most) == expected["text"]
    assert count > 10
    column = pa.chunked_array([[row] for row, _ in rows_given], pa.large_list(RESULT))
    expected_rows = [summarised(results, None) for _, results in rows_given]
    for threads in (1, 0, 3):
        found = rows(toolwire.results_summary_batch(column, threads=threads))
        assert [(row["summary"], row["error"]) for row in found] == expected_rows


def test_a_row_that_cannot_be_summed_up_has_a_code() -> None:
    bad = {"tool": "a", "success": True, "data": "[1]"}
    good = {"tool": "a", "success": True, "data": '{"a": 1}'}
    found = rows(toolwire.results_summary_batch(pa.array([bad, good, None])))
    assert found[0] == {"summary": None, "error": summarised([ToolResult("a", True, [1])], None)[1]}
    assert found[0]["error"] == "wrong_type"
    summary = toolwire.results_summary([ToolResult("a", True, {"a": 1})])
    assert found[1] == {"summary": summary, "error": None}
    assert found[2] is None
    with pytest.raises(toolwire.WrongTypeError):
        toolwire.results_summary(pa.array([bad]))


def test_slices_and_nulls_of_results_are_read() -> None:
    given = [
        {"tool": f"t{n % 3}", "success": n % 2 == 0, "data": "plain", "confidence": n / 8}
        for n in range(12)
    ]
    holes: list[Any] = [None if n in (2, 7) else one for n, one in enumerate(given)]
    array = pa.array(holes)
    lists = pa.array([holes[:5], None, [], holes[5:]])
    kept = [ToolResult(**one) for one in holes if one is not None]
    expected = toolwire.Report(kept)
    inner = pa.StructArray.from_arrays([lists, pa.array(range(4))], ["results", "n"])
    table = pa.Table.from_batches([pa.RecordBatch.from_struct_array(pa.array(kept_rows(holes)))])
    for column in (array, lists, lists.cast(pa.large_list(array.type)), inner, table):
        report = toolwire.Report(column)
        assert report.to_dict() == expected.to_dict()
        assert report.results == tuple(kept)
    part = [ToolResult(**one) for one in holes[3:9] if one is not None]
    assert toolwire.Report(array[3:9]).to_dict() == toolwire.Report(part).to_dict()
    tail = [ToolResult(**one) for one in holes[5:] if one is not None]
    assert toolwire.Report(lists[1:]).to_dict() == toolwire.Report(tail).to_dict()
    assert toolwire.Report(inner[1:]).to_dict() == toolwire.Report(tail).to_dict()
    other = {"tool": pa.string_view(), "success": pa.bool_(), "data": pa.large_string()}
    views = array.cast(pa.struct({**other, "confidence": pa.float32()}))
    assert toolwire.Report(views).to_dict() == expected.to_dict()


def kept_rows(holes: list[Any]) -> list[Any]:
    return [one for one in holes if one is not None]


def test_a_report_of_a_column_takes_more_results_and_pickles() -> None:
    report = toolwire.Report(provider.parse_batch(SENT))
    assert (report.total, list(report.by_tool)) == (1, ["now"])
    report.add(ToolResult("b", False, {}, "no"))
    assert [one.tool for one in report.results] == ["now", "b"]
    assert (report.total, report.failed) == (2, 1)
    assert pickle.loads(pickle.dumps(report)).to_dict() == report.to_dict()
    assert repr(report) == "<Report of 2 results>"
    bare = toolwire.Report(pa.array([{"tool": "a", "success": True}]))
    assert bare.results == (ToolResult("a", True, None),)


def test_broken_buffers_of_others_are_not_believed() -> None:
    offsets = pa.py_buffer(b"\0\0\0\0\5\0\0\0\3\0\0\0")
    tools = pa.Array.from_buffers(pa.string(), 2, [None, offsets, pa.py_buffer(b"abc")])
    results = pa.StructArray.from_arrays([tools, pa.array([True, True])], ["tool", "success"])
    with pytest.raises(toolwire.InvalidArgumentError, match="does not lie in its buffer"):
        toolwire.Report(results)


def test_columns_outlive_what_they_were_made_of() -> None:
    column = provider.parse_batch(pa.array(SENT, pa.string_view()))
    taken = pa.array(column)
    expected = rows(provider.parse_batch(SENT))
    del column
    gc.collect()
    assert taken.to_pylist() == expected
