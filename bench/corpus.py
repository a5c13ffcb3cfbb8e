"""Writes the texts and data packets that every benchmark reads.

The bytes are the same each time and on each machine, so figures and instruction counts can be
compared::

    python3 bench/corpus.py build/bench

What is there already is not written again, unless this folder's writers changed.
"""

import hashlib
import json
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from calls import hermes_call, html_call, json_call, short_call, tag_call
from log import log
from replies import sections, thought
from source import Source
from writing import blocks, code, html, post, prose, route

KIB = 1024
SIZES = {"4k": 4 * KIB, "64k": 64 * KIB, "1m": 1024 * KIB}

# The texts that are timed in each language, by their names in the table.
TIMED = {
    "prose, 64 KB": "prose-64k",
    "HTML prose, 64 KB": "html-64k",
    "code prose, 64 KB": "code-64k",
    "many fences, 64 KB": "blocks-64k",
    "JSON, 64 KB": "json-64k",
    "JSON with the keys of calls, 64 KB": "routes-64k",
    "8 calls in prose, 64 KB": "prose-64k-8",
    "8 calls in HTML prose, 64 KB": "html-64k-8",
    "8 calls in code prose, 64 KB": "code-64k-8",
    "8 calls in 3 formats, 64 KB": "mixed-64k-8",
    "64 calls in prose, 64 KB": "prose-64k-64",
    "reply, 64 KB, no call": "reply-64k-0",
    "reply, 64 KB, 1 call": "reply-64k-1",
    "reply, 64 KB, 8 calls": "reply-64k-8",
    "reply, 64 KB, 64 calls": "reply-64k-64",
    "message with reasoning, 64 KB, 8 calls": "message-64k-8",
    "2 KB, 1 call": "prose-2k-1",
    "reply, 2 KB, no call": "reply-2k-0",
    "reply, 2 KB, 1 call": "reply-2k-1",
    "reply, 2 KB, 8 calls": "reply-2k-8",
    "message with reasoning, 2 KB, 1 call": "message-2k-1",
}
# Those whose GB/s are shown, in three sizes.
RATES = {
    f"{name}, {size}": f"{file}-{short}{end}"
    for name, file, end in (
        ("prose", "prose", ""),
        ("HTML prose", "html", ""),
        ("code prose", "code", ""),
        ("reply, no call", "reply", "-0"),
    )
    for short, size in (("4k", "4 KB"), ("64k", "64 KB"), ("1m", "1 MB"))
}
WRITERS = ("corpus", "source", "writing", "replies", "calls", "log")

Piece = Callable[[Source], str]


def filled(size: int, source: Source, piece: Piece, parts: Iterable[str] = ()) -> str:
    """Make a text of about this many bytes: pieces, and the parts evenly between them."""
    parts = list(parts)
    room = size - sum(len(part.encode()) for part in parts)
    text: list[str] = []
    length = 0
    for number in range(len(parts) + 1):
        while length < room * (number + 1) // (len(parts) + 1):
            text.append(piece(source) + "\n\n")
            length += len(text[-1].encode())
        text += [part + "\n\n" for part in parts[number : number + 1]]
    return "".join(text)


def calls(count: int, source: Source, *makers: Piece) -> list[str]:
    return [makers[number % len(makers)](source) for number in range(count)]


def plain_texts() -> dict[str, str]:
    """Write texts without calls, and with calls in one sort of text."""
    texts: dict[str, str] = {}
    for seed, (name, piece) in enumerate({"prose": prose, "html": html, "code": code}.items()):
        source = Source(100 + seed)
        for size, length in SIZES.items():
            texts[f"{name}-{size}"] = filled(length, source, piece)
        texts[f"{name}-64k-8"] = filled(64 * KIB, source, piece, calls(8, source, tag_call))
    source = Source(110)
    texts["prose-2k-1"] = filled(2 * KIB, source, prose, calls(1, source, tag_call))
    texts["prose-64k-64"] = filled(64 * KIB, source, prose, calls(64, source, tag_call))
    texts["prose-1m-100"] = filled(1024 * KIB, source, prose, calls(100, source, tag_call))
    mixed = calls(8, source, tag_call, json_call, tag_call, html_call)
    texts["mixed-64k-8"] = filled(64 * KIB, source, prose, mixed)
    texts["blocks-64k"] = filled(64 * KIB, Source(111), blocks)
    texts["json-64k"] = listed(64 * KIB, Source(112), post)
    texts["routes-64k"] = listed(64 * KIB, Source(113), route)
    hermes = Source(114)
    for size, count in (("64k", 8), ("1m", 100)):
        parts = calls(count, hermes, hermes_call)
        texts[f"hermes-{size}-{count}"] = filled(SIZES[size], hermes, prose, parts)
    return texts


def listed(size: int, source: Source, item: Callable[[Source], object]) -> str:
    """Make a JSON list of about this many bytes, as a REST API answers."""
    items: list[str] = []
    length = 0
    while length < size:
        items.append(json.dumps(item(source), separators=(",", ":")))
        length += len(items[-1])
    return f"[{','.join(items)}]"


def reply_texts() -> dict[str, str]:
    """Write replies, and whole messages: reasoning, then a reply."""
    texts: dict[str, str] = {}
    source = Source(120)
    for number, count in enumerate((0, 1, 8)):
        parts = calls(count, source, short_call)
        texts[f"reply-2k-{count}"] = filled(2 * KIB, source, sections(number), parts)
    for number, count in enumerate((0, 1, 8, 64)):
        parts = calls(count, source, tag_call, tag_call, json_call, tag_call)
        texts[f"reply-64k-{count}"] = filled(64 * KIB, source, sections(number), parts)
    texts["reply-4k-0"] = filled(4 * KIB, source, sections(1))
    texts["reply-1m-0"] = filled(1024 * KIB, source, sections(0))
    for size, length, count in (("2k", 2 * KIB, 1), ("64k", 64 * KIB, 8)):
        thoughts = filled(length * 2 // 5, source, thought)
        reply = filled(length * 3 // 5, source, sections(1), calls(count, source, tag_call))
        texts[f"message-{size}-{count}"] = f"<think>\n{thoughts}</think>\n\n{reply}"
    return texts


def answer(size: int, source: Source) -> str:
    """Make a reply for the issue agent, with an analysis of about this many bytes."""
    steps: list[dict[str, object]] = []
    while len(json.dumps(steps)) < size - 1000:
        steps.append(
            {
                "step": len(steps),
                "file": f"src/{source.word()}.py",
                "why": source.paragraph(),
                "sure": 0.75,
            }
        )
    given = {
        "issue_type": "bug",
        "severity": "medium",
        "confidence": 0.85,
        "summary": source.sentence(),
        "detailed_analysis": steps,
        "recommended_labels": [source.word() for _ in range(3)],
        "user_comment": f'Thank you.\n"{source.sentence()}"',
    }
    return json.dumps(given, indent=2)


def object_texts() -> dict[str, str]:
    """Write replies that are one JSON object, as the issue agent asks for."""
    source = Source(130)
    return {
        "object-64k": answer(64 * KIB, source),
        "object-prose-64k": f"This is my analysis.\n\n{answer(64 * KIB, source)}\n\nIt helps.",
        "object-fenced-64k": f"Here it is:\n\n```json\n{answer(64 * KIB, source)}\n```\n",
    }


def repeated(unit: str, size: int) -> str:
    return unit * (size // len(unit))


def hostile_texts() -> dict[str, str]:
    return {
        "hostile-fences": repeated("```json {", 180 * KIB),
        "hostile-elements": repeated('<div class="mpai-tool-call" ', 64 * KIB) + ">",
        "hostile-tags": repeated('<tool:x>{"a":', 256 * KIB),
        "hostile-spaces": "```json" + " " * (16 * KIB),
        "hostile-objects": repeated('{"a":1} ', 256 * KIB),
        "hostile-classes": repeated('<p class="mpai-tool-cal" data-tool-name="x">', 256 * KIB),
        "hostile-keys": repeated('{"arguments":{}} ', 256 * KIB),
    }


def texts() -> dict[str, str]:
    return plain_texts() | reply_texts() | object_texts() | hostile_texts()


def packet(number: int) -> dict[str, object]:
    """Make a data packet as a pipeline keeps it; three of four are results of handlers."""
    kind = ("tool_result", "tool_result", "ai_handler_complete", "fetch")[number % 4]
    handler = f"handler_{number % 50}"
    return {
        "type": kind,
        "timestamp": 1_704_153_600 + number,
        "content": {"title": f"Post {number}", "body": "Published."},
        "metadata": {
            "source_type": "rss",
            "flow_step_id": f"step_{number % 9}",
            "handler_tool": handler,
            "tool_name": handler,
            "tool_success": True,
            "tool_result": {"success": True, "data": {"id": number}},
        },
    }


def writers() -> str:
    """Give a name to what this folder's writers write: it changes when one of them does."""
    folder = Path(__file__).resolve().parent
    written = b"".join((folder / f"{name}.py").read_bytes() for name in WRITERS)
    return hashlib.sha256(written).hexdigest()


def main(directory: Path) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    stamp, version = directory / ".written", writers()
    if stamp.exists() and stamp.read_text() == version:
        return
    for name, text in texts().items():
        (directory / f"{name}.txt").write_bytes(text.encode())
    (directory / "rows.json").write_text(json.dumps({"timed": TIMED, "rates": RATES}, indent=1))
    packets = [packet(number) for number in range(1000)]
    (directory / "packets-1000.json").write_text(json.dumps(packets))
    (directory / "transcript-100k.txt").write_bytes(log().encode())
    stamp.write_text(version)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
