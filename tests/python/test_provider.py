"""What only Python sees of providers' objects: types, host values, docstrings."""

from __future__ import annotations

import inspect
import json
import pickle
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import pytest
import toolwire
from toolwire import provider

from examples import documented, fails

DOCUMENTED = documented(provider)


@pytest.mark.parametrize("name", DOCUMENTED)
def test_every_example_is_true(name: str) -> None:
    doc = inspect.getdoc(DOCUMENTED[name]) or ""
    assert ">>>" in doc, name
    assert fails(doc, name, {"toolwire": toolwire}) == ""


def openai(arguments: Any) -> dict[str, Any]:
    return {"id": "a", "type": "function", "function": {"name": "f", "arguments": arguments}}


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = {"a": value}
    return value


def codes(exchange: provider.Exchange) -> list[str]:
    return [rejection.code for rejection in exchange.rejections]


def test_what_a_model_nests_too_deep_is_rejected_not_raised() -> None:
    for depth in (129, 300, 900):
        value = nested(depth)
        assert codes(provider.parse({"type": "tool_use", "name": "f", "input": value})) == [
            "too_deep"
        ]
        assert codes(
            provider.parse({"type": "tool_result", "tool_use_id": "a", "content": value})
        ) == ["too_deep"]
    assert (
        provider.parse({"type": "tool_use", "name": "f", "input": nested(128)}).calls[0].arguments
    )


def test_lone_surrogates_are_replaced() -> None:
    sent = json.loads('{"type": "tool_use", "id": "a", "name": "f", "input": {"q": "\\ud800!"}}')
    assert provider.parse(sent).calls[0].arguments == {"q": "\ufffd!"}


def test_values_keep_their_types_and_order() -> None:
    sent = OrderedDict(z=10**40, a=(1, 2.0), n=None, t=True)
    call = provider.parse({"type": "tool_use", "id": "a", "name": "f", "input": sent}).calls[0]
    assert list(call.arguments.items()) == [
        ("z", 10**40),
        ("a", [1, 2.0]),
        ("n", None),
        ("t", True),
    ]
    assert [note.code for note in call.diagnostics] == ["big_integer"]
    assert provider.dump(call, "anthropic")["input"] == call.arguments


@pytest.mark.parametrize("digits", ["1e400", "-1e400", "17.5E+309"])
def test_a_number_beyond_a_float_is_its_digits_and_noted(digits: str) -> None:
    raw = f'{{"only": "draft 5", "min": [{digits}]}}'
    detected = toolwire.detect(f"<tool:f>{raw}</tool>").calls[0]
    for call in (detected, provider.parse(openai(raw)).calls[0]):
        assert call.arguments == {"only": "draft 5", "min": [digits]}
        assert [note.code for note in call.diagnostics] == ["big_number"]
        assert pickle.loads(pickle.dumps(call)).arguments == call.arguments


def test_infinity_in_a_decoded_object_is_rejected() -> None:
    for value in (json.loads("1e400"), json.loads("-Infinity")):
        sent = {"functionCall": {"name": "f", "args": {"a": [value]}}}
        exchange = provider.parse({"usage": value, "parts": [sent]})
        assert (codes(exchange), exchange.calls) == (["bad_number"], ())
        assert exchange.rejections[0].path == "/parts/0/functionCall/args"


def test_a_call_keeps_what_the_provider_wrote_beside_it() -> None:
    part = {"functionCall": {"name": "f", "args": {}}, "thoughtSignature": "U0lH"}
    call = provider.parse(part).calls[0]
    assert call.to_dict()["provider_data"] == '{"thoughtSignature":"U0lH"}'
    assert "provider_data" not in provider.parse(openai("{}")).calls[0].to_dict()
    assert "thoughtSignature" not in provider.dump(call, "anthropic")
    with pytest.raises(ValueError, match="JSON object"):
        toolwire.ToolCall("a", True, 0, "f", "{}", "", "", (0, 0), "complete", (), "[]")


def test_an_item_goes_back_to_its_own_provider_alone() -> None:
    item = provider.parse({"type": "web_search_call", "id": "ws"}).items[0]
    with pytest.raises(toolwire.InvalidArgumentError, match="means nothing to gemini"):
        provider.dump(item, "gemini")
    with pytest.raises(toolwire.InvalidArgumentError, match="asks for no approval"):
        item.decided(True)


def test_a_list_that_holds_itself_is_refused() -> None:
    ring: list[Any] = []
    ring += [ring, ring]
    with pytest.raises(toolwire.InvalidArgumentError):
        provider.parse({"data": ring})


def test_misuse_is_raised() -> None:
    call = provider.parse(openai("{}")).calls[0]
    with pytest.raises(
        toolwire.InvalidArgumentError, match="known: openai, openai_responses, anthropic"
    ):
        provider.dump(call, "teapot")  # type: ignore[arg-type]
    with pytest.raises(toolwire.WrongTypeError, match="provider must be str"):
        provider.dump(call, 7)  # type: ignore[arg-type]
    with pytest.raises(
        toolwire.WrongTypeError,
        match="item must be a ToolCall, a ProviderResult or a ProviderItem, not dict",
    ):
        provider.dump({}, "openai")
    with pytest.raises(toolwire.WrongTypeError, match="object must be made of"):
        provider.parse({"content": object()})
    with pytest.raises(toolwire.InvalidArgumentError):
        provider.parse({"data": float("nan")})
    deep = toolwire.ToolCall("a", True, 0, "f", json.dumps(nested(200)), "tag", "", (0, 0))
    with pytest.raises(toolwire.InvalidArgumentError) as caught:
        provider.dump(deep, "anthropic")
    assert caught.value.kind == "invalid_arguments"


def test_a_stream_ends_once() -> None:
    stream = provider.Accumulator("mistral")
    stream.feed([{"delta": {"tool_calls": [openai("{}")]}}])
    assert stream.finish().calls[0].format == "mistral"
    for again in (stream.finish, lambda: stream.feed({})):
        with pytest.raises(toolwire.InvalidStateError) as caught:
            again()
        assert caught.value.kind == "stream_finished"


def test_a_detected_call_goes_to_a_provider_and_back() -> None:
    call = toolwire.detect('<tool:weather>{"city": "Oslo"}</tool>').calls[0]
    written = provider.dump(call, "openai")
    assert written["function"]["arguments"] == '{"city": "Oslo"}'
    back = provider.parse(written).calls[0]
    assert (back.id, back.name, back.arguments_raw) == (call.id, call.name, call.arguments_raw)


def test_results_are_values_that_a_report_counts() -> None:
    message = {"role": "tool", "tool_call_id": "a", "content": '{"hits": 3}'}
    one, other = provider.parse(message).results + provider.parse(message).results
    assert one == other
    assert hash(one) == hash(other)
    assert pickle.loads(pickle.dumps(one)) == one
    assert repr(one).startswith("ProviderResult(tool='', success=True, data={'hits': 3}")
    report = toolwire.Report([one, provider.ProviderResult("f", False, {}, "offline")])
    assert (report.total, report.failed) == (2, 1)
    rejection = provider.parse(openai("{")).rejections[0]
    assert rejection == pickle.loads(pickle.dumps(rejection))
    assert len({rejection, provider.parse(openai("{")).rejections[0]}) == 1


def test_messages_and_chunks_say_what_is_wrong() -> None:
    detection = toolwire.detect("Hi")
    wrong: list[Any] = ["Hi", None, detection.calls]
    for value in wrong:
        with pytest.raises(toolwire.WrongTypeError, match="detection must be a Detection"):
            provider.message(value, "openai")
    with pytest.raises(toolwire.WrongTypeError, match="cut_off must be bool"):
        provider.message(detection, "openai", cut_off=wrong[0])
    chunks = provider.Chunks("openai")
    no_events: list[Any] = [[1], ["text"], {"type": "text"}]
    for value in no_events:
        with pytest.raises(toolwire.WrongTypeError, match="events must be an Event"):
            chunks.feed(value)
    with pytest.raises(toolwire.InvalidArgumentError, match="lacks"):
        chunks.feed(toolwire.Event("text"))
    with pytest.raises(toolwire.InvalidArgumentError, match="created must be at least 0"):
        provider.Chunks("openai", created=-1)
    unknown: Any = "streaming"
    with pytest.raises(toolwire.InvalidArgumentError, match="known: whole, streamed") as wrong_way:
        provider.Chunks("openai", arguments=unknown)
    assert wrong_way.value.kind == "invalid_option"
    chunks.finish()
    late = toolwire.Event("text", text="a")
    ways: list[Callable[[], Any]] = [chunks.finish, lambda: chunks.feed(late)]
    for again in ways:
        with pytest.raises(toolwire.InvalidStateError) as caught:
            again()
        assert caught.value.kind == "stream_finished"


def test_lone_surrogates_are_replaced_in_messages_and_chunks() -> None:
    text = "a\udcffb"
    assert provider.message(toolwire.detect(text), "openai")["content"] == "a\ufffdb"
    chunks = provider.Chunks("openai", sse=True).feed(toolwire.Event("text", text=text))
    assert json.loads(chunks[1][6:])["choices"][0]["delta"] == {"content": "a\ufffdb"}


def test_a_new_message_has_an_id_and_a_time() -> None:
    head = provider.Chunks("openai", model="m").feed(toolwire.Event("text", text="a"))[0]
    assert head["id"].startswith("chatcmpl-")
    assert abs(head["created"] - time.time()) < 60
    assert head["model"] == "m"
    other = provider.Chunks("openai").feed(toolwire.Event("text", text="a"))[0]
    assert other["id"] != head["id"]
