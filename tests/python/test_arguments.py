"""The arguments of calls against `json`, and the text that calls share with their detection."""

from __future__ import annotations

import gc
import json
import pickle
import random
import sys
import weakref
from typing import Any

import toolwire

KEYS = ("a", "b", "key", "0", "7", "é", "", "😀", "a long key of more than thirty-two bytes", '"\\')


def value(source: random.Random, depth: int) -> Any:
    match source.randrange(9 if depth else 6):
        case 0:
            return source.choice([None, True, False])
        case 1:
            return source.randrange(-1000, 1000)
        case 2:
            return source.choice([2**63 - 1, -(2**63), 10**17, 2**70, 0, -1])
        case 3:
            return source.choice([0.5, -1e300, 1e-7, 12.25])
        case 4:
            return source.choice(["", '"\\/\n\x01', "é😀", "x" * source.randrange(200)])
        case 5:
            return source.choice([[], {}])
        case 6 | 7:
            return {
                source.choice(KEYS): value(source, depth - 1) for _ in range(source.randrange(12))
            }
        case _:
            return [value(source, depth - 1) for _ in range(source.randrange(20))]


def written(source: random.Random, arguments: dict[str, Any]) -> str:
    raw = json.dumps(
        arguments, ensure_ascii=source.random() < 0.5, indent=source.choice([None, None, 1])
    )
    return source.choice(
        [
            f"<tool:a>{raw}</tool>",
            f'\n```json\n{{"name": "a", "parameters": {raw}}}\n```\n',
            f'{{"name": "a", "arguments": {raw}}}',
        ]
    )


def test_random_arguments_are_those_of_json() -> None:
    source = random.Random(7)
    for _ in range(2000):
        given = [{"v": value(source, 3)} for _ in range(source.randrange(1, 5))]
        prefix = source.choice(["", "é ", "\ud800 "])
        text = prefix + " and ".join(written(source, arguments) for arguments in given)
        calls = toolwire.detect(text).calls
        assert [call.arguments for call in calls] == given
        assert [json.loads(call.arguments_raw) for call in calls] == given
        assert [text[slice(*call.span)] for call in calls] == [call.original for call in calls]


def test_a_call_outlives_its_detection() -> None:
    text = "prose \ud800é " + '<tool:a>{"k": ["v\\n"]}</tool> <tool:b>{"k": 1}</tool>'
    copy = toolwire.detect(text).calls[1]
    [first, second] = toolwire.detect(text).calls
    gc.collect()
    assert first.arguments == {"k": ["v\n"]}
    assert first.arguments is first.arguments
    assert (first.name, first.original) == ("a", '<tool:a>{"k": ["v\\n"]}</tool>')
    assert second.arguments_raw == copy.arguments_raw == '{"k": 1}'
    for call in (first, second):
        restored = pickle.loads(pickle.dumps(call))
        assert restored == call
        assert hash(restored) == hash(call)
        assert repr(restored) == repr(call)
        assert restored.to_dict() == call.to_dict()


def test_a_call_keeps_its_text_and_lets_go_of_it() -> None:
    text = "prose " * 1000 + '<tool:a>{"k": ["v"]}</tool>'
    before = sys.getrefcount(text)
    call = toolwire.detect(text).calls[0]
    assert sys.getrefcount(text) == before + 1
    assert call.original == '<tool:a>{"k": ["v"]}</tool>'
    del call
    assert sys.getrefcount(text) == before


def test_a_cycle_through_the_arguments_is_freed() -> None:
    class Target:
        pass

    call = toolwire.detect('<tool:a>{"k": {}}</tool>').calls[0]
    target = Target()
    call.arguments["k"]["call"] = call
    call.arguments["k"]["target"] = target
    seen = weakref.ref(target)
    del call, target
    gc.collect()
    assert seen() is None


def test_a_list_is_not_shared() -> None:
    detection = toolwire.detect('<tool:a>{"k": [1]}</tool> <tool:a>{"k": [1]}</tool>')
    detection.calls[0].arguments["k"].append(2)
    assert detection.calls[0].arguments == {"k": [1, 2]}
    assert detection.calls[1].arguments == {"k": [1]}
