"""A server of MCP whose tools a test writes into a file: `mcp_shifting.py TOOLS LOG [NAME]`.

It writes each listing and each call into the log. The tool `poke` says that the list has changed,
`flood` says so without an end, `wait` does not answer, `end` ends the server,
`say` answers what it is given, and `tell` writes to standard error.
"""

from __future__ import annotations

import json
import sys
import threading
from pathlib import Path
from typing import Any

TOOLS, LOG = Path(sys.argv[1]), Path(sys.argv[2])
NAME = sys.argv[3] if len(sys.argv) > 3 else "shifting"
CHANGED = json.dumps({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
lock = threading.Lock()


def say(message: str) -> None:
    """Write a message."""
    with lock:
        print(message, flush=True)


def note(line: str) -> None:
    """Write a line into the log."""
    with LOG.open("a") as log:
        log.write(f"{NAME} {line}\n")


def flood() -> None:
    """Say without an end that the list has changed."""
    while True:
        say("\n".join([CHANGED] * 100))


def result(given: dict[str, Any]) -> dict[str, Any] | None:
    """Give the result of a request; None for no answer."""
    if given["method"] == "initialize":
        return {
            "protocolVersion": "2025-11-25",
            "capabilities": {"tools": {"listChanged": True}},
            "serverInfo": {"name": NAME, "version": "1"},
        }
    if given["method"] == "tools/list":
        note("listed")
        return {"tools": json.loads(TOOLS.read_text())}
    called = given["params"]["name"]
    note(called)
    if called == "poke":
        say(CHANGED)
    if called == "flood":
        threading.Thread(target=flood, daemon=True).start()
    if called == "tell":
        sys.stderr.write("a\x1b[31mb\u202ec\n" + "x" * 9000 + "\n" + "again\n" * 2000)
        sys.stderr.flush()
    if called == "end":
        sys.exit(0)
    if called == "wait":
        return None
    if called == "say":
        answer: dict[str, Any] = given["params"]["arguments"]["answer"]
        return answer
    return {"content": [{"type": "text", "text": f"{NAME} did {called}"}]}


for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    head = {"jsonrpc": "2.0", "id": asked["id"]}
    if asked["method"] == "server/discover":
        say(json.dumps({**head, "error": {"code": -32601, "message": "none"}}))
        continue
    given = result(asked)
    if given is not None:
        say(json.dumps({**head, "result": given}))
