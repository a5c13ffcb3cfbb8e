"""What ``toolwire transcript`` prints: messages, calls, failures, and the account of a log."""

from __future__ import annotations

from typing import Any

from toolwire.cli.terminal import painter, safe, safe_line, written
from toolwire.transcript import Patch

#: How many kinds of skipped records are named.
MOST_KINDS = 12

MARKS = {
    "system_message": "-",
    "user_message": "<",
    "assistant_message": ">",
    "thinking": "~",
    "error_message": "!",
}


def print_patch(patch: Patch) -> None:
    """Print a patch for a person."""
    paint = painter()
    entry = patch.entry
    if entry.type != "tool_use":
        mark = MARKS.get(entry.type, "-")
        head = paint("refused", mark) if mark == "!" else mark
        print(head, safe(entry.content).rstrip("\n").replace("\n", "\n  "))
        return
    head = f"{safe_line(entry.tool_name or '')}: {safe_line(entry.content)}"
    if patch.op == "add":
        print(f"* {head}")
        return
    took = "" if entry.duration is None else f" ({entry.duration} ms)"
    shown = paint("refused" if entry.status == "failed" else "call", entry.status or "")
    print(f"  {shown}: {head}{took}")
    if entry.error is not None:
        print("   ", safe(entry.error["message"]).rstrip("\n").replace("\n", "\n    "))


def print_json(patch: Patch) -> None:
    """Print a patch as JSON in one line."""
    print(written(patch.to_dict()))


def is_failure(patch: Patch) -> bool:
    """Say whether a patch is the failure of a call."""
    entry = patch.entry
    return patch.op == "replace" and entry.type == "tool_use" and entry.status == "failed"


def print_failure(patch: Patch) -> None:
    """Print a call that failed, with what it was and what went wrong."""
    entry = patch.entry
    kind = (entry.error or {}).get("kind") or "failed"
    shown = painter()("refused", safe_line(kind))
    print(f"  {shown}: {safe_line(entry.name or '')}: {safe_line(entry.content)}")
    message = (entry.error or {}).get("message") or ""
    if message.strip():
        print("   ", safe(message).strip().replace("\n", "\n    "))


def account_lines(account: dict[str, Any]) -> list[str]:
    """Say what was in a log."""
    kinds = sorted(account["skipped"].items(), key=lambda item: -item[1])
    named = [f"{safe_line(kind)} {count}" for kind, count in kinds[:MOST_KINDS]]
    if len(kinds) > MOST_KINDS:
        named.append(f"{len(kinds) - MOST_KINDS} more kinds")
    skipped = ", ".join(named)
    parts = [f"{account['records']} records", f"{account['understood']} understood"]
    parts += [f"skipped: {skipped}"] if skipped else []
    for name in ("unknown", "repaired", "repeated"):
        parts += [f"{account[name]} {name}"] if account[name] else []
    if account["damaged"]:
        places = ", ".join(map(str, account["damaged_lines"][:10]))
        parts.append(f"{account['damaged']} damaged (line {places})")
    lines = ["; ".join(parts)]
    parts = [f"{account['calls']} calls", f"{account['joined']} with result"]
    parts += [f"{account['pending']} pending"]
    if account["orphaned"]:
        ids = ", ".join(safe_line(one) or "no id" for one in account["orphans"][:10])
        parts.append(f"{account['orphaned']} results without call ({ids})")
    for name in ("denied", "cancelled"):
        parts += [f"{account[name]} {name}"] if account[name] else []
    if account["as_text"]:
        parts.append(f"{account['as_text']} calls written as text")
    lines.append("; ".join(parts))
    return [f"= {line}" for line in lines]
