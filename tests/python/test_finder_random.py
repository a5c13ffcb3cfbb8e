"""The finder against a plain loop, on random dicts of every layout that a dict can have."""

from __future__ import annotations

import json
import random
import types
from collections.abc import Mapping, Sequence
from typing import Any

import toolwire

KINDS = ("tool_result", "ai_handler_complete")
HANDLERS: list[Any] = ["alpha", "alpha", "beta", "beta", "Alpha", "", "alphabet", "é", None, 5, []]
KEYS: list[Any] = ["content", "x", "Type", "typf", "metadata ", "é", 3, None, ("a",), "handler"]


class Held:
    """Its objects' dicts share their keys: the values lie in another table."""

    def __init__(self, fields: Mapping[Any, Any]) -> None:
        for key, value in fields.items():
            setattr(self, str(key), value)


class Derived(dict[Any, Any]):
    """A dict that is not exactly a dict."""


def arranged(fields: dict[Any, Any], dice: random.Random) -> Any:
    """Hold the fields in a dict of another layout, or in another mapping."""
    if dice.random() < 0.2:
        fields = dict(dice.sample(list(fields.items()), len(fields)))
    if dice.random() < 0.2:
        fields = {dice.choice(KEYS): dice.choice(KINDS), **fields}
    if dice.random() < 0.1:
        fields = {**{f"k{number}": number for number in range(dice.randrange(400))}, **fields}
    if dice.random() < 0.1:
        fields = {"gone": 1, "also": "tool_result", **fields}
        del fields["gone"], fields["also"]
    if dice.random() < 0.1 and fields:
        key = dice.choice(list(fields))
        fields[key] = fields.pop(key)
    match dice.randrange(20):
        case 0:
            return Held(fields).__dict__
        case 1:
            return Derived(fields)
        case 2:
            return types.MappingProxyType(fields)
        case 3:
            return json.loads(json.dumps(fields, default=lambda _: {}, skipkeys=True))
        case _:
            return fields


def made(dice: random.Random) -> Any:
    """Make a packet, or what is none."""
    if dice.random() < 0.05:
        return dice.choice([None, 1, "tool_result", [], {}, (), object()])
    metadata: Any = {"source": "rss", "handler_tool": dice.choice(HANDLERS), "tool_success": True}
    if dice.random() < 0.1:
        del metadata["handler_tool"]
    metadata = arranged(metadata, dice)
    if dice.random() < 0.03:
        metadata = dice.choice([None, 1, "alpha", [], ["handler_tool"], {}])
    packet = {"type": dice.choice([*KINDS, "fetch", None, ""]), "content": {}, "metadata": metadata}
    if dice.random() < 0.05:
        del packet[dice.choice(["type", "metadata"])]
    return arranged(packet, dice)


def plain(packets: Sequence[Any], handlers: Sequence[str], *, partial: bool) -> list[Any]:
    """Find packets as a plain loop does."""
    found = []
    for packet in packets:
        if not isinstance(packet, Mapping) or packet.get("type") not in KINDS:
            continue
        metadata = packet.get("metadata")
        name = metadata.get("handler_tool") if isinstance(metadata, Mapping) else None
        if isinstance(name, str) and any(
            (handler and handler in name) if partial else handler == name for handler in handlers
        ):
            found.append(packet)
    return found


def test_a_hundred_thousand_random_packets() -> None:
    dice = random.Random(7)
    searched = found = 0
    while searched < 100_000:
        length = dice.choice([1, 3, 10, 50, 50, 2000 if dice.random() < 0.1 else 20])
        packets = [made(dice) for _ in range(length)]
        sequence = tuple(packets) if dice.random() < 0.1 else packets
        for handlers in (["alpha"], ["beta", "é"], [""], ["alp"], ["none"], ["x"] * 20 + ["beta"]):
            for partial in (False, True):
                expected = [id(packet) for packet in plain(packets, handlers, partial=partial)]
                all_found = toolwire.find_all_handler_results(sequence, handlers, partial=partial)
                assert [id(packet) for packet in all_found] == expected, (handlers, partial)
                if len(handlers) == 1:
                    one = toolwire.find_handler_result(sequence, handlers[0], partial=partial)
                    assert (one is None) if not expected else id(one) == expected[0]
                found += len(expected)
        searched += length
    assert found > 10_000


def test_dicts_that_change_between_two_searches() -> None:
    """Positions of keys are kept from one search to the next; they are only a guess."""
    packets: list[dict[Any, Any]] = [
        {"type": "tool_result", "metadata": {"handler_tool": f"h{number}"}} for number in range(300)
    ]
    for number, packet in enumerate(packets):
        assert toolwire.find_handler_result(packets, f"h{number}") is packet
        metadata = packet.pop("metadata")
        if number % 3 == 0:
            packet.update({f"k{more}": more for more in range(number)})
        if number % 3 == 1:
            packet[1] = metadata
            metadata["handler_tool"] = metadata.pop("handler_tool") + "x"
        assert toolwire.find_handler_result(packets, f"h{number}") is None
        packet["metadata"] = metadata
        name = metadata["handler_tool"]
        assert toolwire.find_handler_result(packets, name) is packet
        packet.clear()
    assert toolwire.find_handler_result(packets, "h299") is None
