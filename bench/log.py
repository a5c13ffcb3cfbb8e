"""A log of agents' sessions, as Droid writes it."""

import json

from calls import arguments
from source import Source


def output(source: Source, lines: int) -> str:
    """Make the output of a tool: numbered lines."""
    return "".join(f"{number}\t{source.sentence()}\n" for number in range(1, lines + 1))


def logged_call(source: Source) -> tuple[str, object, object]:
    """Make a call of a Droid tool: its name, its parameters and its result."""
    path = f"/home/agent/site/src/{source.word()}/{source.word()}.php"
    match source.below(8):
        case 0 | 1:
            return "Read", {"file_path": path}, output(source, 10 + source.below(12))
        case 2 | 3:
            command = (
                f"cd {source.word()} && grep -rn '{source.word()}' src | head -{source.below(50)}"
            )
            return (
                "Execute",
                {"command": command, "timeout": 60},
                output(source, 5) + "[Process exited with code 0]",
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
            return "Grep", {"pattern": source.word(), "path": path}, output(source, 4)
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
        text = "\n\n".join(paragraphs[source.below(400)] for _ in range(1 + source.below(5)))
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
