"""The folders in which the agents of this user keep their logs."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

#: Folders under the user's home, and the variable of the environment that moves them.
HOMES: dict[str, str | None] = {
    ".claude/projects": "CLAUDE_CONFIG_DIR",
    ".codex/sessions": "CODEX_HOME",
    ".codex/archived_sessions": "CODEX_HOME",
    ".gemini/tmp": None,
    ".qwen/projects": None,
    ".factory/sessions": None,
    ".copilot/session-state": None,
    ".cursor/projects": None,
    ".continue/sessions": None,
    ".kimi-code/sessions": None,
    ".pi/agent/sessions": None,
    ".openclaw/agents": None,
    ".grok/sessions": None,
    ".iflow/projects": None,
    ".dsh/sessions": None,
}
#: Folders under the user's data, `~/.local/share`.
DATA = ("opencode", "amp/threads", "goose/sessions", "zed/threads", "amazon-q", "kiro-cli")
#: Folders under the user's settings, `~/.config`: Cline, Roo, Kilo, llm, VS Code and Cursor.
SETTINGS = (
    "Code/User/globalStorage/saoudrizwan.claude-dev/tasks",
    "Code/User/globalStorage/rooveterinaryinc.roo-cline/tasks",
    "Code/User/globalStorage/kilocode.kilo-code/tasks",
    "io.datasette.llm",
    "Code/User/workspaceStorage/*/chatSessions",
    "Code/User/globalStorage/emptyWindowChatSessions",
    "Cursor/User/globalStorage/state.vscdb",
)


def agent_folders() -> list[Path]:
    """Give the folders that there are, and the files that agents share with other programs.

    >>> all(folder.exists() for folder in agent_folders())
    True
    """
    return [folder for known in _known() for folder in _matching(known) if folder.exists()]


def _matching(known: Path) -> list[Path]:
    """Give the folders of a pattern: VS Code has one for each folder that was opened in it."""
    before, star, behind = str(known).partition("/*/")
    return sorted(Path(before).glob(f"*/{behind}")) if star else [known]


def _known() -> Iterator[Path]:
    try:
        home = Path.home()
    except RuntimeError:  # there is no home
        return
    for inside, variable in HOMES.items():
        moved = os.environ.get(variable) if variable is not None else None
        yield Path(moved, *Path(inside).parts[1:]) if moved else home / inside
    data = Path(os.environ.get("XDG_DATA_HOME") or home / ".local/share")
    settings = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
    if sys.platform == "darwin":
        settings = home / "Library/Application Support"
        yield from (settings / inside for inside in DATA)
    yield from (data / inside for inside in DATA)
    yield from (settings / inside for inside in SETTINGS)
