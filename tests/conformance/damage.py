"""What comes of calls with one damaged tag, by kind of damage.

For each format, a text with three calls is written; then one tag of it is left out, written twice,
or put behind the next one. The outcomes are counted as core's properties judge them, which demand
that the last two columns are 0.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator

import toolwire

CALLS = [
    ("get_weather", {"city": "Rome", "days": 3}),
    ("send_note", {"body": "It is warm.", "tags": ["sea", {"k": "v"}]}),
    ("get_time", {"zone": "UTC"}),
]
TAG = re.compile(r"\]<\]minimax\[>\[</?[^<>]*>|</?[^<>\s][^<>\n]*>|\[/?[A-Z_]+\]")
KINDS = ["a tag is missing", "a tag is doubled", "two tags are swapped"]
OUTCOMES = [
    "all calls",
    "some calls, the rest refused",
    "refused",
    "lost",
    "other arguments",
]
HEAD = ["damage", "texts", *OUTCOMES]
#: What was counted before a damaged tag was looked for: deletions over 46 formats.
BEFORE = ["a tag is missing, before", "219", "", "", "", "63", "31"]


def damaged(text: str) -> Iterator[tuple[str, str]]:
    """Damage one tag after the other; a start tag of HTML is a whole call, and stays."""
    tags = [(found.start(), found.end()) for found in TAG.finditer(text)]
    for index, (start, end) in enumerate(tags):
        tag, following = text[start:end], tags[index + 1 : index + 2]
        if "data-tool-name" not in tag:
            yield KINDS[0], text[:start] + text[end:]
        yield KINDS[1], text[:end] + tag + text[end:]
        for other, last in following:
            if text[other:last] != tag:
                swapped = text[other:last] + text[end:other] + tag
                yield KINDS[2], text[:start] + swapped + text[last:]


def outcome(detector: toolwire.Detector, text: str) -> str:
    """Name what comes of a damaged text."""
    found = detector.detect(text)
    calls = [(call.name, json.dumps(call.arguments, sort_keys=True)) for call in found.calls]
    known = [(name, json.dumps(arguments, sort_keys=True)) for name, arguments in CALLS]
    if [call for call in known if call in calls] != calls:
        return OUTCOMES[4]
    if len(calls) == len(CALLS):
        return OUTCOMES[0]
    if not found.rejections:
        return OUTCOMES[3]
    return OUTCOMES[1] if calls else OUTCOMES[2]


def properties(arguments: dict[str, object]) -> dict[str, dict[str, str]]:
    """Write the schema of arguments."""
    types = {str: "string", int: "integer", list: "array"}
    return {key: {"type": types[type(value)]} for key, value in arguments.items()}


def rows() -> list[list[str]]:
    """Count the outcomes of all formats."""
    tools = [
        {
            "name": name,
            "parameters": {"type": "object", "properties": properties(arguments)},
        }
        for name, arguments in CALLS
    ]
    counts = {kind: Counter[str]() for kind in KINDS}
    for form in toolwire.formats():
        calls = [{"name": name, "arguments": arguments} for name, arguments in CALLS]
        written = toolwire.render_calls(calls, form.slug, tools=tools)
        detector = toolwire.Detector(formats=form.slug, tools=tools)
        for kind, text in damaged(written):
            counts[kind][outcome(detector, text)] += 1
    made = [
        [kind, str(count.total()), *(str(count[outcome]) for outcome in OUTCOMES)]
        for kind, count in counts.items()
    ]
    return [BEFORE, *made]
