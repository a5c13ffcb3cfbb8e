"""The folders in which the agents of this user keep their logs."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

#: Each agent's folder under the user's home, as docs/transcripts.md names its logs. A variable of
#: the environment may move it.
HOMES: tuple[tuple[str, str | None, str], ...] = (
    ("claude", "CLAUDE_CONFIG_DIR", ".claude/projects"),
    ("codex", "CODEX_HOME", ".codex/sessions"),
    ("codex", "CODEX_HOME", ".codex/archived_sessions"),
    ("gemini", None, ".gemini/tmp"),
    ("qwen", None, ".qwen/projects"),
    ("droid", None, ".factory/sessions"),
    ("copilot", None, ".copilot/session-state"),
    ("cursor", None, ".cursor/projects"),
    ("continue", None, ".continue/sessions"),
    ("kimi", None, ".kimi-code/sessions"),
    ("pi", None, ".pi/agent/sessions"),
    ("openclaw", None, ".openclaw/agents"),
    ("grok", None, ".grok/sessions"),
    ("iflow", None, ".iflow/projects"),
    ("dsh", None, ".dsh/sessions"),
)
#: Folders under the user's data, `~/.local/share`.
DATA: tuple[tuple[str, str], ...] = (
    ("opencode", "opencode"),
    ("amp", "amp/threads"),
    ("goose", "goose/sessions"),
    ("zed", "zed/threads"),
    ("amazon-q", "amazon-q"),
    ("kiro", "kiro-cli"),
)
#: Folders under the user's settings, `~/.config`.
SETTINGS: tuple[tuple[str, str], ...] = (
    ("cline", "Code/User/globalStorage/saoudrizwan.claude-dev/tasks"),
    ("roo", "Code/User/globalStorage/rooveterinaryinc.roo-cline/tasks"),
    ("kilo", "Code/User/globalStorage/kilocode.kilo-code/tasks"),
    ("llm", "io.datasette.llm"),
)


def agent_folders() -> list[tuple[str, Path]]:
    """Give the folders that there are, each with its agent's name.

    >>> all(folder.is_dir() for _, folder in agent_folders())
    True
    """
    return [(name, folder) for name, folder in _known() if folder.is_dir()]


def _known() -> Iterator[tuple[str, Path]]:
    try:
        home = Path.home()
    except RuntimeError:  # there is no home
        return
    for name, variable, inside in HOMES:
        moved = os.environ.get(variable) if variable is not None else None
        if moved:
            yield name, Path(moved, *Path(inside).parts[1:])
        else:
            yield name, home / inside
    data = Path(os.environ.get("XDG_DATA_HOME") or home / ".local/share")
    settings = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
    if sys.platform == "darwin":
        settings = home / "Library/Application Support"
    for name, inside in DATA:
        yield name, data / inside
        if sys.platform == "darwin":
            yield name, settings / inside
    for name, inside in SETTINGS:
        yield name, settings / inside
