"""Servers of MCP that misbehave."""

from __future__ import annotations

import json
import sys
from typing import Any

PROTOCOL = "2025-11-25"


def answer(given: dict[str, Any]) -> dict[str, Any]:
    """Give the result of a request in good order."""
    if given["method"] == "initialize":
        return {
            "protocolVersion": PROTOCOL,
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "rogue", "version": "1"},
        }
    if given["method"] == "tools/list":
        good = {"name": "good", "inputSchema": {"type": "object"}}
        lie = {"type": "object", "properties": {"size": {"type": 7}}}
        bad = {"name": "bad", "inputSchema": lie}
        return {"tools": [good, bad]}
    return {"content": [{"type": "text", "text": "fine"}]}


def serve(misbehave: Any) -> None:
    """Answer each line, but calls of tools as the server likes."""
    for line in sys.stdin:
        given = json.loads(line)
        if "id" not in given:
            continue
        head = {"jsonrpc": "2.0", "id": given["id"]}
        if given["method"] == "server/discover":
            print(json.dumps({**head, "error": {"code": -32601, "message": "none"}}), flush=True)
        elif given["method"] != "tools/call" or not misbehave(head):
            print(json.dumps({**head, "result": answer(given)}), flush=True)


def broken(head: dict[str, Any]) -> bool:
    """Write what is no message."""
    print("{this is no message", flush=True)
    return True


def wrong(head: dict[str, Any]) -> bool:
    """Answer with a result that is none."""
    print(json.dumps({**head, "result": {"content": 7}}), flush=True)
    return True


def refusing(head: dict[str, Any]) -> bool:
    """Answer with an error that would steer a terminal."""
    error = {"code": -32602, "message": "no \x1b[31mway"}
    print(json.dumps({**head, "error": error}), flush=True)
    return True


def endless(head: dict[str, Any]) -> bool:
    """Write a line that never ends."""
    while True:
        sys.stdout.write("x" * 65536)


def silent(head: dict[str, Any]) -> bool:
    """Answer nothing."""
    return True


def ending(head: dict[str, Any]) -> bool:
    """Note the call, and end."""
    with open(sys.argv[2], "a") as file:
        file.write("called\n")
    sys.exit(3)


def lying(head: dict[str, Any]) -> bool:
    """Answer another request than the one that was made."""
    print(json.dumps({"jsonrpc": "2.0", "id": 999, "result": {"content": []}}), flush=True)
    return True


def talking(head: dict[str, Any]) -> bool:
    """Write a log to the wire, as many servers do by mistake, and answer all the same."""
    print("2026-11-24 INFO called", flush=True)
    return False


if __name__ == "__main__":
    serve(globals()[sys.argv[1]])
