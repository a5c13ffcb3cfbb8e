"""Runs the shared cases; cargo test and PHPUnit run them too."""

from __future__ import annotations

import json
import pickle
from collections import Counter
from collections.abc import Iterator
from typing import Any, cast

import cases
import pytest
import requests_case
import runs_case
import tools_case
import tools_own_case
import toolwire
import toolwire._native
from cases import fields, raw, same, text
from detection_case import detector, run_detection
from store_case import in_every_store
from toolwire.tools import DiffType, diff_json, diff_structured, diff_text

COUNTED: Counter[str] = Counter()
# What a case says of the end of a message.
ITEM = "kind word path format object"
FINISH = {"cut_off", "input_tokens", "output_tokens"}


@pytest.fixture(scope="module", autouse=True)
def _counts() -> Iterator[None]:
    yield
    cases.COUNTS.parent.mkdir(exist_ok=True)
    cases.COUNTS.write_text(json.dumps(COUNTED, sort_keys=True) + "\n")


def run_messages(given: dict[str, Any], expected: dict[str, Any]) -> None:
    run_detection(given, expected)


def run_formats(given: dict[str, Any], expected: dict[str, Any]) -> None:
    run_detection(given, expected)


def run_errors(given: dict[str, Any], expected: dict[str, Any]) -> None:
    fields(given, "options")
    toolwire.Detector(**given["options"])
    pytest.fail(f"no error, but {expected}")


def run_replace(given: dict[str, Any], expected: dict[str, Any]) -> None:
    fields(given, "text results", "options")
    fields(expected, "text")
    results = {name: text(result) for name, result in given["results"].items()}
    detection = detector(given).detect(raw(given["text"]))
    replaced = detection.replace(lambda call: results[call.name])
    assert replaced == text(expected["text"])
    assert replaced == toolwire.replace(detection.input, detection, lambda call: results[call.name])


def run_render(given: dict[str, Any], expected: dict[str, Any]) -> None:
    if given.get("function") == "calls":
        fields(given, "function calls format", "tools")
        tools = given.get("tools")
        written = toolwire.render_calls(given["calls"], given["format"], tools=tools)
        if len(given["calls"]) == 1:
            (call,) = given["calls"]
            one = toolwire.render_call(
                call["name"],
                call["arguments"],
                given["format"],
                call.get("id"),
                tools=tools,
            )
            assert one == written
        fields(expected, "text")
        assert written == expected["text"]
        return
    if given.get("function") == "message":
        fields(given, "function message profile", "tools")
        message, profile, tools = given["message"], given["profile"], given.get("tools")
        written = toolwire.render_message(message, profile, tools=tools)
        assert written == fields(expected, "text")["text"]
        known = toolwire.Profile(profile)
        found = toolwire.Detector(model=profile, tools=tools).detect(written)
        assert toolwire.render_message(found, known, tools=tools) == written
        return
    fields(expected, "html")
    if given.get("function") == "call":
        fields(given, "function name arguments status id")
        call = toolwire.ToolCall(
            given["id"], True, 0, given["name"], given["arguments"], "tag", "", (0, 0)
        )
        assert toolwire.render_call_html(call, given["status"], given["id"]) == expected["html"]
        assert call.to_html(given["status"]) == expected["html"]
    else:
        fields(given, "function name success result")
        assert given["function"] == "result"
        html = toolwire.render_result(given["name"], given["success"], given["result"])
        assert html == expected["html"]


def run_finder(given: dict[str, Any], expected: dict[str, Any]) -> None:
    options = {name: given[name] for name in ("partial", "type", "success_only") if name in given}
    optional = "partial type success_only"
    if given.get("function") == "find":
        fields(given, "function packets handler", optional)
        found = toolwire.find_handler_result(given["packets"], given["handler"], **options)
        assert same(found, fields(expected, "packet")["packet"])
        assert found is None or any(found is packet for packet in given["packets"])
    else:
        fields(given, "function packets handlers", optional)
        assert given["function"] == "find_all"
        all_found = toolwire.find_all_handler_results(
            given["packets"], given["handlers"], **options
        )
        assert same(all_found, fields(expected, "packets")["packets"])
        assert all(any(found is packet for packet in given["packets"]) for found in all_found)


def run_projection(given: dict[str, Any], expected: dict[str, Any]) -> None:
    fields(given, "function value")
    functions = {
        "data": toolwire.project_result_data,
        "envelope_data": toolwire.project_envelope_data,
        "envelope": toolwire.project_result_envelope,
        "success": toolwire.project_result_success,
    }
    assert same(functions[given["function"]](given["value"]), fields(expected, "value")["value"])


def result(given: dict[str, Any]) -> toolwire.ToolResult:
    return toolwire.ToolResult(**fields(given, "tool success data", "error_message confidence"))


def run_summary(given: dict[str, Any], expected: dict[str, Any]) -> None:
    if given.get("function") == "tool_data":
        summary = toolwire.summarize_tool_data(fields(given, "function data")["data"])
    else:
        fields(given, "function results", "max_tokens")
        assert given["function"] == "results"
        results = [result(one) for one in given["results"]]
        summary = toolwire.results_summary(results, max_tokens=given.get("max_tokens"))
        assert toolwire.Report(results).summary(max_tokens=given.get("max_tokens")) == summary
    assert summary == text(fields(expected, "text")["text"])


def check_exchange(exchange: toolwire.provider.Exchange, expected: dict[str, Any]) -> None:
    fields(expected, "calls results rejections", "items")
    found = [(one.code, one.path, one.format) for one in exchange.rejections]
    wanted = [(one["code"], one["path"], one.get("format")) for one in expected["rejections"]]
    assert found == wanted
    assert len(exchange.calls) == len(expected["calls"]), exchange
    for index, (call, one) in enumerate(zip(exchange.calls, expected["calls"], strict=True)):
        optional = "arguments arguments_raw id id_given index diagnostics provider_data written"
        fields(one, "name format", optional)
        assert call.index == index
        assert (call.original, call.span) == ("", (0, 0))
        assert [note.code for note in call.diagnostics] == one.get("diagnostics", [])
        assert "arguments" not in one or same(call.arguments, one["arguments"]), call.arguments
        for name in one.keys() - {"arguments", "diagnostics", "provider_data", "written"}:
            assert getattr(call, name) == one[name]
        if "provider_data" in one:
            assert json.loads(call.provider_data or "null") == one["provider_data"]
        if "written" in one:
            kept, written_by = pickle.loads(pickle.dumps(call)), cast("Any", call.format)
            assert toolwire.provider.dump(call, written_by) == one["written"]
            assert toolwire.provider.dump(kept, written_by) == one["written"]
    check_items(exchange, expected.get("items", []))
    assert len(exchange.results) == len(expected["results"]), exchange
    for result, one in zip(exchange.results, expected["results"], strict=True):
        fields(one, "tool success data format", "call_id error_message")
        assert same(result.data, one["data"]), result
        for name in ("tool", "success", "format", "call_id", "error_message"):
            assert getattr(result, name) == one.get(name)
    assert pickle.loads(pickle.dumps(exchange)) == exchange


def check_items(exchange: toolwire.provider.Exchange, expected: list[Any]) -> None:
    found = [
        {
            "kind": item.kind,
            "word": item.word,
            "id": item.id,
            "path": item.path,
            "format": item.format,
            "object": toolwire.provider.dump(item, cast("Any", item.format)),
        }
        for item in exchange.items
    ]
    assert found == [{"id": None, **fields(one, ITEM, "id")} for one in expected]
    assert [item.object for item in exchange.items] == [one["object"] for one in found]


def check_message(given: dict[str, Any], expected: dict[str, Any]) -> None:
    """Write a message, and read its calls back."""
    fields(given, "function text provider", "options cut_off")
    found = detector(given).detect(given["text"])
    written = toolwire.provider.message(
        found, given["provider"], cut_off=given.get("cut_off", False)
    )
    assert same(written, fields(expected, "object")["object"]), written
    back = toolwire.provider.parse(written)
    read = [(call.name, call.arguments) for call in back.calls]
    assert read == [(call.name, call.arguments) for call in found]
    assert {call.format for call in back.calls} <= {given["provider"]}
    assert not back.rejections


def check_refusal(given: dict[str, Any], expected: dict[str, Any]) -> None:
    fields(given, "function text provider", "options")
    refused = detector(given).detect(given["text"]).rejections[0]
    written = toolwire.provider.refusal(refused, given["provider"])
    assert same(written, fields(expected, "object")["object"]), written


def check_response(given: dict[str, Any], expected: dict[str, Any]) -> None:
    options = "alone logprobs input_tokens output_tokens"
    fields(given, "function texts provider", options)
    provider = given["provider"]
    found = [toolwire.detect(text) for text in given["texts"]]
    messages: Any = [toolwire.provider.message(one, provider) for one in found]
    messages = messages[0] if given.get("alone") else messages
    more = {name: given[name] for name in given.keys() & {"logprobs", *FINISH} - {"cut_off"}}
    head: Any = {"model": "m", "id": "i", "created": 7}
    written = toolwire.provider.response(messages, provider, **head, **more)
    assert same(written, fields(expected, "object")["object"]), written


def check_choices(given: dict[str, Any], expected: dict[str, Any]) -> None:
    fields(given, "function choices fed cut_off input_tokens output_tokens")
    head: Any = {"model": "m", "id": "i", "created": 7}
    chunks = toolwire.provider.Chunks("openai", choices=given["choices"], **head)
    made = toolwire.Detector()
    streams = [made.stream() for _ in range(given["choices"])]
    sent: list[Any] = []
    for choice, piece, logprobs in given["fed"]:
        events = streams[choice].feed(piece) if choice < len(streams) else []
        sent += chunks.feed(events, choice=choice, logprobs=logprobs)
    for choice, stream in enumerate(streams):
        sent += chunks.feed(stream.finish(), choice=choice)
    for choice in given["cut_off"]:
        chunks.cut_off(choice)
    sent += chunks.finish(**{name: given[name] for name in given.keys() & FINISH - {"cut_off"}})
    assert same({"chunks": sent}, expected), sent


def check_chunks(given: dict[str, Any], expected: dict[str, Any]) -> None:
    optional = "options cut_off sse arguments input_tokens output_tokens"
    fields(given, "function pieces provider", optional)
    sse = given.get("sse", False)
    ways = {name: given[name] for name in given.keys() & {"sse", "arguments"}}
    chunks = toolwire.provider.Chunks(given["provider"], model="m", id="i", created=7, **ways)
    stream = detector(given).stream()
    sent: list[Any] = []
    for piece in given["pieces"]:
        sent += chunks.feed(stream.feed(piece))
    for event in stream.finish():
        sent += chunks.feed(event)
    sent += chunks.finish(**{name: given[name] for name in given.keys() & FINISH})
    assert same({"lines" if sse else "chunks": sent}, expected), sent


def run_provider(given: dict[str, Any], expected: dict[str, Any]) -> None:
    function = given.get("function")
    if function == "parse":
        fields(given, "function object", "provider repair")
        options = {"repair": given.get("repair", "off")}
        provider = given.get("provider")
        check_exchange(toolwire.provider.parse(given["object"], provider, **options), expected)
    elif function == "accumulate":
        fields(given, "function events", "provider repair")
        options = {"repair": given.get("repair", "off")}
        stream = toolwire.provider.Accumulator(given.get("provider"), **options)
        for event in given["events"]:
            stream.feed(event)
        check_exchange(stream.finish(), expected)
    elif function == "dump_call":
        fields(given, "function call provider")
        call = fields(given["call"], "id name arguments")
        item = toolwire.ToolCall(
            call["id"], True, 0, call["name"], call["arguments"], "", "", (0, 0)
        )
        assert same(
            toolwire.provider.dump(item, given["provider"]),
            fields(expected, "object")["object"],
        )
    elif function == "message":
        check_message(given, expected)
    elif function == "refusal":
        check_refusal(given, expected)
    elif function == "chunks":
        check_chunks(given, expected)
    elif function == "options":
        fields(given, "function request")
        options = toolwire.provider.options(given["request"])
        toolwire.Detector(**options)
        assert same(options, fields(expected, "options")["options"]), options
    elif function == "response":
        check_response(given, expected)
    elif function == "choices":
        check_choices(given, expected)
    elif function == "history":
        fields(given, "function response")
        added = toolwire.provider.history(json.loads(json.dumps(given["response"])))
        assert same(added, fields(expected, "history")["history"]), added
    elif function == "with_calls":
        fields(given, "function response", "options")
        read = toolwire.provider.with_calls(given["response"], detector(given))
        assert same(read, fields(expected, "object")["object"]), read
    else:
        fields(given, "function result provider")
        assert function == "dump_result"
        result = fields(given["result"], "tool success data", "call_id error_message")
        written = toolwire.provider.dump(
            toolwire.provider.ProviderResult(**result), given["provider"]
        )
        assert same(written, fields(expected, "object")["object"])


def run_diff(given: dict[str, Any], expected: dict[str, Any]) -> None:
    function = given.get("function")
    if function == "text":
        fields(given, "function old new", "type context_lines fromfile tofile")
        options = {
            name: given[name] for name in ("context_lines", "fromfile", "tofile") if name in given
        }
        found = diff_text(
            given["old"], given["new"], given.get("type", DiffType.UNIFIED), **options
        )
    elif function == "json":
        fields(given, "function old new")
        found = diff_json(given["old"], given["new"])
    else:
        fields(given, "function old new", "ignore_keys")
        assert function == "structured"
        found = diff_structured(given["old"], given["new"], set(given.get("ignore_keys", [])))
    shown = found.to_dict()
    shown["changes"] = [list(line.values()) for line in shown["changes"]]
    assert same({**shown, "change_summary": found.change_summary}, expected), shown
    assert found.has_changes == (found.change_summary != "no changes")
    assert pickle.loads(pickle.dumps(found)) == found


def run_report(given: dict[str, Any], expected: dict[str, Any]) -> None:
    report = toolwire.Report(map(result, fields(given, "results")["results"]))
    assert same(report.to_dict(), fields(expected, "report")["report"]), report.to_dict()
    assert same(json.loads(report.to_json()), expected["report"])


def told(entry: toolwire.transcript.Entry) -> list[Any]:
    """Give an entry in short: type, content, and a call's tool and status."""
    short = [entry.type, entry.content]
    return short if entry.type != "tool_use" else [*short, entry.tool_name, entry.status]


def run_transcript(given: dict[str, Any], expected: dict[str, Any]) -> None:
    options = fields(given, "log", "stderr worktree dialect faithful").copy()
    log = raw(options.pop("log"))
    found = toolwire.transcript.normalize(log, **options)
    results = [result.to_dict() for result in found.to_results()]
    checks = {
        "told": [told(entry) for entry in found.entries],
        "entries": [entry.to_dict() for entry in found.entries],
        "patches": [f"{patch.op} {patch.path}" for patch in found.patches],
        "actions": [call.action for call in found.calls],
        "arguments_raw": [call.arguments_raw for call in found.calls],
        "durations": [call.duration for call in found.calls],
        "results": [
            {name: one[name] for name in ("tool", "success", "data")}
            | ({} if one["error_message"] is None else {"error_message": one["error_message"]})
            for one in results
        ],
        "pending": [call.id for call in found.pending],
        "session_id": found.session_id,
        "dialect": found.dialect,
        "account": {name: found.account[name] for name in expected.get("account", {})},
        "about": [entry.about for entry in found.entries],
    }
    fields(expected, "told", " ".join(checks))
    for field, value in expected.items():
        assert same(checks[field], value), (field, checks[field])
    # A log that comes in pieces gives the same.
    has_stderr = options.pop("stderr", None) is not None
    reader = toolwire.transcript.Reader(**options)
    pieces = [log[place : place + 7] for place in range(0, len(log), 7)]
    patches = [patch for piece in pieces for patch in reader.feed_piece(piece)]
    patches += reader.finish()
    whole = list(found.patches)
    assert patches == (whole[: len(patches)] if has_stderr else whole)
    assert reader.account == found.account


def run_logs(given: dict[str, Any], expected: dict[str, Any]) -> None:
    run_transcript(given, expected)


def run_reply(given: dict[str, Any], expected: dict[str, Any]) -> None:
    fields(given, "text", "keys repair max_depth")
    options = {name: given[name] for name in given.keys() - {"text"}}
    for reply in (text(given["text"]), raw(given["text"])):
        found = toolwire.extract_json(reply, **options)
        assert same(found, fields(expected, "value", "span repairs")["value"])


def run_comment(given: dict[str, Any], expected: dict[str, Any]) -> None:
    if given.get("function") == "publishable":
        fields(given, "function text", "secrets mentions commands max_length")
        options = {name: given[name] for name in given.keys() - {"function", "text"}}
        made, changes = toolwire._native.publishable(given["text"], **options)
        assert same({"text": made, "changes": changes}, expected)
        return
    fields(given, "function text")
    functions = {
        "clean": toolwire._native.clean_comment,
        "from_reply": toolwire._native.comment_from_reply,
        "redact": toolwire._native.Redactor().redact,
    }
    assert functions[given["function"]](given["text"]) == fields(expected, "text")["text"]


def run_constrain(given: dict[str, Any], expected: dict[str, Any]) -> None:
    fields(given, "tools options")
    made = toolwire.constrain(given["tools"], **given["options"])
    names = "profile format backend reasoning stop notes grammar request"
    fields(expected, names)
    notes = [
        {"tool": note.tool, "pointer": note.pointer, "keyword": note.keyword} for note in made.notes
    ]
    assert all(note.message for note in made.notes)
    told = {name: getattr(made, name) for name in names.split()}
    told |= {"stop": list(made.stop), "notes": notes}
    grammar = json.dumps(expected["grammar"])
    request = json.dumps(expected["request"]).replace('{"$grammar": true}', grammar)
    assert same(told, {**expected, "request": json.loads(request)}), told


def run_visible(given: dict[str, Any], expected: dict[str, Any]) -> None:
    assert toolwire.visible(text(fields(given, "text")["text"])) == fields(expected, "text")["text"]


def run_quote(given: dict[str, Any], expected: dict[str, Any]) -> None:
    assert toolwire.quote(text(fields(given, "text")["text"])) == text(
        fields(expected, "text")["text"]
    )


def run_profiles(given: dict[str, Any], expected: dict[str, Any]) -> None:
    if given.keys() == {"model"} and isinstance(given["model"], str):
        found = toolwire.profile_for(given["model"])
        exact = {"exact": False} if found and not found.exact else {}
        assert expected == {"profile": found and found.slug, **exact}
        return
    profile = toolwire.Detector(**fields(given, "", "model template prompt")).profile
    assert profile is not None
    assert expected == {
        "profile": profile.slug,
        "formats": list(profile.formats),
        "reasoning_begun": profile.reasoning_begun,
    }


def run_tokens(given: dict[str, Any], expected: dict[str, Any]) -> None:
    if given.get("function") == "chunks":
        fields(given, "function text", "max_tokens min_tokens overlap_tokens")
        options = {name: given[name] for name in given.keys() - {"function", "text"}}
        chunks = toolwire._native.chunk_text(given["text"], **options)
        names = ("text", "start_pos", "end_pos", "token_count")
        assert same(
            {"chunks": [[getattr(one, name) for name in names] for one in chunks]},
            expected,
        )
    elif given.get("function") == "count":
        fields(given, "function text")
        assert same({"tokens": toolwire._native.count_tokens(given["text"])}, expected)
    else:
        fields(given, "function text tokens")
        assert given["function"] == "truncate"
        text = toolwire._native.truncate_to_tokens(given["text"], given["tokens"])
        assert same({"text": text}, expected)


def run_requests(given: dict[str, Any], expected: dict[str, Any]) -> None:
    made = requests_case.run(given)
    assert same(made, expected), made


def run_tools(given: dict[str, Any], expected: dict[str, Any]) -> None:
    theirs = tools_case.chosen(expected)
    assert same(tools_case.run(given, theirs), theirs)
    if given["function"] == "run":
        own = tools_own_case.own(expected)
        made = tools_own_case.run(given, own)
        assert same(made, own), made


def run_runs(given: dict[str, Any], expected: dict[str, Any]) -> None:
    made = runs_case.run(given)
    assert same(made, expected), made


def run_store(given: dict[str, Any], expected: dict[str, Any]) -> None:
    in_every_store(given, expected)


RUNNERS = {name[4:]: run for name, run in sorted(globals().items()) if name.startswith("run_")}
ALL = list(cases.load(set(RUNNERS)))


@pytest.mark.parametrize(
    ("topic", "case"), ALL, ids=[f"{topic}: {case['name']}" for topic, case in ALL]
)
def test_case(topic: str, case: dict[str, Any]) -> None:
    if "error" in case:
        with pytest.raises(toolwire.ToolwireError) as caught:
            RUNNERS[topic](case["input"], {})
        assert caught.value.kind == case["error"]["kind"]
    else:
        RUNNERS[topic](case["input"], case["output"])
    COUNTED[topic] += 1


def test_every_topic_has_cases() -> None:
    assert {topic for topic, _ in ALL} == set(RUNNERS)
