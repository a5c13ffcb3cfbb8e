"""What a run would change, as the console and the approver at a terminal show it."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from tools_console import TOKEN, at_terminal, console
from toolwire.tools import (
    AdvancedToolExecutor,
    ApprovalChange,
    ApprovalRequest,
    ApprovalService,
    SqliteStore,
    ToolDefinition,
    diff_text,
)

EVIL = "\x1b[2J\x1b]0;title\x07\x9b31m\u202e\r"
CHANGES: list[Any] = [
    {"label": f"title{EVIL}\n", "old": "red\n", "new": f"blue {EVIL} tab\there\n"},
    {"label": "user_pass", "old": "hunter2", "new": "hunter3"},
    {"label": "note", "old": f"a {TOKEN}\nb\n", "new": f"a {TOKEN}\nc\n"},
    {"label": "body", "diff": diff_text("", "line\n" * 300).to_dict()},
    f"+ free text {EVIL}\nfingerprint  0000",
]
PROGRAM = """
import asyncio, json, sys
from toolwire.tools import AdvancedToolExecutor, ToolDefinition
executor = AdvancedToolExecutor(changes=lambda *_: json.loads(sys.argv[1]), approver="terminal")
executor.register(ToolDefinition("edit", "EDIT", print, requires_approval=True))
asyncio.run(executor.execute_detailed({"id": "c1", "type": "EDIT", "payload": {}}))
"""


def asked(path: str, changes: Any) -> str:
    """Ask for the approval of a run that reports these changes."""
    executor = AdvancedToolExecutor(store=SqliteStore(path), changes=lambda *_: changes)
    executor.register(ToolDefinition("edit", "EDIT", print, requires_approval=True))
    run = asyncio.run(executor.start({"id": "c1", "type": "EDIT", "payload": {"a": 1}}))
    assert run.approval_id is not None
    return run.approval_id


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "tools.db")


def test_show_gives_the_changes_as_a_diff(path: str) -> None:
    id = asked(path, CHANGES)
    shown = console("show", path, id)[1]
    changes = shown.split("\nchanges\n")[1]
    marks = "⟨U+001B⟩[2J⟨U+001B⟩]0;title⟨U+0007⟩⟨U+009B⟩31m⟨U+202E⟩⟨U+000D⟩"
    assert changes.startswith(
        f"  title{marks}⟨U+000A⟩ (+2, -1)\n    @@ -1 +1,2 @@\n    -red\n    +blue {marks}"
    )
    assert "tab\there\n" in changes
    assert "  user_pass (only secrets change)\n  note (+1, -1, secrets are not shown)\n" in changes
    assert "     a [redacted]\n    -b\n    +c\n" in changes
    assert "  body (+300)\n" in changes
    assert "    … 203 more lines folded\n" in changes
    # No text of a change stands where the console's own words stand.
    assert "\n    fingerprint  0000\n" in changes
    for secret in ("hunter2", "hunter3", TOKEN):
        assert secret not in shown
    full = console("show", path, id, "--full")[1]
    assert (full.count("    +line\n"), "folded" in full) == (300, False)
    given = json.loads(console("show", path, id, "--json")[1])
    assert [change["kind"] for change in given["changes"]] == ["diff"] * 4 + ["value"]
    assert given["changes"][3]["additions"] == 300
    assert given["changes"][4]["text"] == CHANGES[4]


def test_a_request_without_changes_says_so(path: str) -> None:
    assert "changes      none, as the program says\n" in console("show", path, asked(path, []))[1]
    executor = AdvancedToolExecutor(store=SqliteStore(path))
    executor.register(ToolDefinition("edit", "EDIT", print, requires_approval=True))
    run = asyncio.run(executor.start({"id": "c2", "type": "EDIT", "payload": {}}))
    assert run.approval_id is not None
    assert "\nchanges" not in console("show", path, run.approval_id)[1]
    assert json.loads(console("show", path, run.approval_id, "--json")[1])["changes"] is None


def test_a_diff_has_colours_at_a_terminal(path: str) -> None:
    id = asked(path, CHANGES)
    show = ["-m", "toolwire", "approvals", "show", path, id]
    _, coloured = at_terminal(show)
    assert "\x1b[36m@@ -1 +1,2 @@\x1b[0m" in coloured
    assert "\x1b[31m-red\x1b[0m" in coloured
    assert "\x1b[32m+blue ⟨U+001B⟩[2J" in coloured
    # Only the console's own colours reach the terminal, and what is no diff has none.
    for code in ("\x1b[36m", "\x1b[31m", "\x1b[32m", "\x1b[0m"):
        coloured = coloured.replace(code, "")
    plain = console("show", path, id)[1]
    assert coloured == plain
    assert "\x1b" not in plain
    assert at_terminal([*show, "--no-color"])[1] == plain
    assert at_terminal(show, NO_COLOR="1")[1] == plain


@pytest.mark.parametrize("way", ["approve", "approver"])
def test_who_approves_sees_the_changes(path: str, way: str) -> None:
    if way == "approve":
        _, said = at_terminal(
            ["-m", "toolwire", "approvals", "approve", path, asked(path, CHANGES)]
        )
    else:
        _, said = at_terminal(["-c", PROGRAM, json.dumps(CHANGES)])
    shown = said.split("[y/N]")[0]
    assert "\x1b[31m-red\x1b[0m\n" in shown
    assert "\x1b[2J" not in said
    assert "only secrets change" in shown


def test_an_approver_gets_the_changes(path: str) -> None:
    seen: list[list[ApprovalChange] | None] = []

    def approver(request: ApprovalRequest, _: str) -> bool:
        seen.append(request.changes)
        return True

    executor = AdvancedToolExecutor(
        store=SqliteStore(path),
        approver=approver,
        changes=lambda *_: {"title": {"old": "a\n", "new": "b\n"}},
    )
    executor.register(ToolDefinition("edit", "EDIT", lambda _: 7, requires_approval=True))
    run = asyncio.run(executor.start({"id": "c1", "type": "EDIT", "payload": {}}))
    assert run.state == "completed"
    assert seen == [[ApprovalChange("title", "diff", "@@ -1 +1 @@\n-a\n+b\n", 1, 1)]]
    approvals = executor.approvals
    assert asyncio.run(approvals.get_changes(run.approval_id)) is None  # type: ignore[arg-type]


def test_a_store_keeps_no_endless_changes(path: str) -> None:
    id: Any = asked(path, [{"old": "", "new": "line\n" * 20_000}] * 200)
    with SqliteStore(path) as store:
        changes = asyncio.run(ApprovalService(store=store).get_changes(id))
    assert changes is not None
    assert (len(changes), changes[-1].text) == (101, "100 more changes")
    assert (changes[0].additions, changes[0].left_out > 50_000) == (20_000, True)
    assert sum(len(change.text) for change in changes) < 300_000
    assert "more bytes are not kept, and are not shown" in console("show", path, id)[1]
