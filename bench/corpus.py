"""Writes the texts and data packets that every benchmark reads.

The bytes are the same each time and on each machine, so figures and instruction counts can be
compared::

    python3 bench/corpus.py build/bench
"""

import html
import json
import random
import sys
from collections.abc import Callable
from pathlib import Path

WORDS = (
    "the a of to and in is it you that we for on are with as they be at one have this from by hot "
    "but some what there can out other were all your when up use word how said an each she which "
    "do their time if will way about many then them would write like so these her long make thing "
    "see him two has look more day could go come did my sound no most number who over know water "
    "than call first people may down side been now find member level page post plugin order "
    "setting report user site theme role coupon status payment"
).split()

TOOLS = ("wp_api", "wpcli", "plugin_logs")


class Source:
    """Random choices that are the same in every version of Python.

    Only `random.random` promises that.
    """

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed).random

    def below(self, limit: int) -> int:
        return int(self.random() * limit)

    def word(self) -> str:
        return WORDS[self.below(len(WORDS))]

    def sentence(self) -> str:
        words = [self.word() for _ in range(7 + self.below(10))]
        if self.below(3) == 0:
            words[3] += ","
        if self.below(6) == 0:
            words[-2] = str(self.below(5000))
        return " ".join(words).capitalize() + "."

    def paragraph(self) -> str:
        return " ".join(self.sentence() for _ in range(4))


Piece = Callable[[Source], str]


def filled(size: int, *parts: str, source: Source, piece: "Piece") -> str:
    """Make a text of this many bytes: pieces, and the parts evenly between them."""
    room = size - sum(map(len, parts))
    text: list[str] = []
    length = 0
    for number in range(len(parts) + 1):
        while length < room * (number + 1) // (len(parts) + 1):
            text.append(piece(source) + "\n\n")
            length += len(text[-1])
        if number < len(parts):
            text.append(parts[number] + "\n\n")
    return "".join(text)[:size] if not parts else "".join(text)


def prose(source: Source) -> str:
    return source.paragraph()


def code_and_html(source: Source) -> str:
    """Make prose with inline code or an HTML tag about every 140 bytes, as models write it."""
    parts = []
    for number in range(4):
        parts.append(source.sentence() + " " + source.word().capitalize())
        parts.append(
            (f"`{source.word()}()`", f"<strong>{source.word()}</strong>", "<br>")[number % 3]
        )
        parts.append(source.word() + " " + source.word() + ".")
    return " ".join(parts)


def fence(source: Source) -> str:
    """Make a sentence and a block of JSON that is no call: a setting, an answer, a package."""
    settings = {
        "name": "member-" + source.word(),
        "version": f"{source.below(9)}.{source.below(20)}.0",
        "private": source.below(2) == 0,
        "settings": {source.word() + str(n): source.below(1000) for n in range(6)},
        "pages": [{"id": source.below(9999), "title": source.sentence()} for _ in range(2)],
    }
    return f"{source.sentence()}\n\n```json\n{json.dumps(settings, indent=2)}\n```"


def arguments(source: Source) -> dict[str, object]:
    """Make the arguments of a call: about 350 bytes of JSON."""
    return {
        "action": "list_" + source.word(),
        "status": "publish",
        "limit": source.below(100),
        "ratio": source.below(1000) / 8,
        "include": [source.below(100_000) for _ in range(8)],
        "where": {"level": source.word(), "since": "2026-01-01", "active": True, "parent": None},
        "note": f'say "{source.word()}"\n{source.sentence()}',
    }


def tag_call(source: Source) -> str:
    return f"<tool:{TOOLS[source.below(3)]}>{json.dumps(arguments(source))}</tool>"


def json_call(source: Source) -> str:
    call = {"name": TOOLS[source.below(3)], "parameters": arguments(source)}
    return f"```json\n{json.dumps(call, indent=2)}\n```"


def html_call(source: Source) -> str:
    """Make an HTML call as the plugin writes it, so that the plugin's pattern finds it."""
    given = html.escape(json.dumps(arguments(source)), quote=False).replace("'", "&#39;")
    name = TOOLS[source.below(3)]
    return (
        f'<div id="mpai-tool-{source.below(1000)}" class="mpai-tool-call" data-tool-name="{name}" '
        f"data-tool-parameters='{given}'></div>"
    )


def code(source: Source) -> str:
    """Make a PHP function as it stands in a file: indented, with quotes and backslashes."""
    lines = [f"function {source.word()}_{source.word()}( $args ) {{"]
    for _ in range(3 + source.below(5)):
        lines.append(f"\tif ( ! isset( $args['{source.word()}'] ) ) {{ // {source.sentence()}")
        lines.append(f'\t\treturn "{source.word()}: {{$args[\\"{source.word()}\\"]}}\\n";')
        lines.append("\t}")
    return "\n".join([*lines, "}", ""])


def edit(source: Source) -> dict[str, object]:
    """Make the arguments of a call that changes a file: 1 to 2 KB of JSON."""
    return {
        "path": f"includes/{source.word()}/{source.word()}.php",
        "reason": f'"{source.word()}" \u2013 {source.sentence()}',
        "edits": [
            {"lines": {"from": source.below(900), "to": source.below(900)}, "text": code(source)}
            for _ in range(1 + source.below(2))
        ],
        "options": {
            "encoding": "utf-8",
            "backup": None,
            "check": {"lint": True, "limit": source.below(90) / 8},
        },
        "labels": [source.word() for _ in range(5)],
    }


def hermes_call(source: Source) -> str:
    """Make a call as Hermes and Qwen write it, with a line end on either side of the JSON."""
    call = {"name": TOOLS[source.below(3)], "arguments": edit(source)}
    return f"<tool_call>\n{json.dumps(call)}\n</tool_call>"


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


def texts() -> dict[str, str]:
    kib = 1024
    mixed = (tag_call, json_call, tag_call, html_call, tag_call, json_call, tag_call, html_call)
    # Each format has a random source of its own, so that a new text does not change the others.
    source, hermes, replies = Source(1), Source(2), Source(3)

    def calls(size: int, *makers: Piece, source: Source = source) -> str:
        return filled(size, *(make(source) for make in makers), source=source, piece=prose)

    return {
        "prose-64k": filled(64 * kib, source=source, piece=prose),
        "prose-1m": filled(1024 * kib, source=source, piece=prose),
        "code-html-64k": filled(64 * kib, source=source, piece=code_and_html),
        "code-html-1m": filled(1024 * kib, source=source, piece=code_and_html),
        "fences-64k": filled(64 * kib, source=source, piece=fence),
        "tag-2k-1": calls(2 * kib, tag_call),
        "tag-64k-8": calls(64 * kib, *[tag_call] * 8),
        "tag-1m-100": calls(1024 * kib, *[tag_call] * 100),
        "mixed-64k-8": calls(64 * kib, *mixed),
        "hermes-64k-8": calls(64 * kib, *[hermes_call] * 8, source=hermes),
        "hermes-1m-100": calls(1024 * kib, *[hermes_call] * 100, source=hermes),
        "reply-object-64k": answer(64 * kib, replies),
        "reply-64k": f"Here is my analysis.\n\n{answer(64 * kib, replies)}\n\nI hope it helps.",
        "reply-fenced-64k": f"Here it is:\n\n```json\n{answer(64 * kib, replies)}\n```\n",
        "hostile-fences": "```json {" * (180 * kib // 9),
        "hostile-elements": '<div class="mpai-tool-call" ' * (64 * kib // 28) + ">",
        "hostile-tags": '<tool:x>{"a":' * (256 * kib // 13),
        "hostile-spaces": "```json" + " " * (16 * kib),
    }


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


def output(source: Source, lines: int) -> str:
    """Make the output of a tool: numbered lines."""
    return "".join(f"{number}\t{source.sentence()}\n" for number in range(1, lines + 1))


def logged_call(source: Source) -> tuple[str, object, object]:
    """Make a call of a Droid tool: its name, its parameters and its result."""
    path = f"/home/agent/site/src/{source.word()}/{source.word()}.php"
    match source.below(8):
        case 0 | 1:
            return "Read", {"file_path": path}, output(source, 16 + source.below(16))
        case 2 | 3:
            command = (
                f"cd {source.word()} && grep -rn '{source.word()}' src | head -{source.below(50)}"
            )
            return (
                "Execute",
                {"command": command, "timeout": 60},
                output(source, 8) + "[Process exited with code 0]",
            )
        case 4:
            old = output(source, 5)
            edit = {
                "file_path": path,
                "old_string": old,
                "new_string": old.replace("3\t", "3\tnew "),
            }
            return "Edit", edit, "File edited."
        case 5:
            return "Grep", {"pattern": source.word(), "path": path}, output(source, 6)
        case 6:
            items = [
                {"id": str(n), "content": source.sentence(), "status": "pending"} for n in range(4)
            ]
            return "TodoWrite", {"todos": items}, "TODO List Updated"
        case _:
            return (
                "mcp__site__query",
                arguments(source),
                {"rows": [arguments(source)], "total": source.below(100)},
            )


def log() -> str:
    """Make 100,000 lines of a Droid session, some 73 MB: results, and calls, up to 3 at a time."""
    source = Source(11)
    paragraphs = [source.paragraph() for _ in range(400)]
    calls = [logged_call(source) for _ in range(1000)]
    lines: list[str] = []
    number, now, session = 0, 1_760_806_427_595, "4ec398ce-0c7a-4d1d-9e53-588a0a52da81"

    def add(event: dict[str, object]) -> None:
        nonlocal now
        now += source.below(4000)
        lines.append(
            json.dumps(event | {"timestamp": now, "session_id": session}, separators=(",", ":"))
        )

    while len(lines) < 99_990:
        text = "\n\n".join(paragraphs[source.below(400)] for _ in range(1 + source.below(8)))
        role = "user" if source.below(6) == 0 else "assistant"
        add({"type": "message", "role": role, "id": f"message-{len(lines)}", "text": text})
        results = []
        for _ in range(1 + source.below(3)):
            number += 1
            name, parameters, value = calls[source.below(1000)]
            shared = {"id": f"call_{number:020}", "messageId": f"message-{len(lines)}"}
            add(
                {
                    "type": "tool_call",
                    **shared,
                    "toolId": name,
                    "toolName": name,
                    "parameters": parameters,
                }
            )
            failed = source.below(10) == 0
            given = (
                {"error": {"type": "tool_error", "message": source.sentence()}}
                if failed
                else {"value": value}
            )
            results.append(
                {"type": "tool_result", **shared, "toolId": "", "isError": failed, **given}
            )
        for result in reversed(results):
            add(result)
    return "".join(line + "\n" for line in lines)


def main(directory: Path) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "transcript-100k.txt").write_bytes(log().encode())
    for name, text in texts().items():
        (directory / f"{name}.txt").write_bytes(text.encode())
    packets = [packet(number) for number in range(1000)]
    (directory / "packets-1000.json").write_text(json.dumps(packets))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
