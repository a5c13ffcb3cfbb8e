"""The task of ``toolwire issue-agent run``: which issue, and which tools of the user."""

from __future__ import annotations

import argparse
import importlib
import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from toolwire.cli.terminal import FailedError


def read_event(name: str) -> dict[str, Any]:
    """Read the file of an event, as GitHub sends it to a webhook."""
    try:
        event = json.loads(Path(name).read_bytes())
    except OSError as error:
        raise FailedError(f"cannot read {name}: {error.strerror or error}") from None
    except (ValueError, RecursionError) as error:
        raise FailedError(f"{name} is not JSON: {error}") from None
    if not isinstance(event, dict):
        raise FailedError(f"{name}: an event is an object")
    return event


class Task:
    """What is to be analyzed: an issue of a repository, and the comment that asks, if one does."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        given = arguments.event is not None
        path = arguments.event or (
            os.environ.get("GITHUB_EVENT_PATH") if arguments.issue is None else None
        )
        event = read_event(path) if path else {}
        self.issue: Any = event.get("issue")
        comment = event.get("comment")
        self.comment: dict[str, Any] | None = comment if isinstance(comment, dict) else None
        if given and not isinstance(self.issue, dict):
            raise FailedError(f"{path}: there is no issue in this event")
        repository = event.get("repository")
        named = repository.get("full_name") if isinstance(repository, dict) else None
        repository = arguments.repo or named or os.environ.get("GITHUB_REPOSITORY")
        if not isinstance(repository, str):
            raise FailedError("which repository? Give --repo OWNER/NAME, or set GITHUB_REPOSITORY")
        self.repository: str = repository
        number = self.issue.get("number") if isinstance(self.issue, dict) else None
        if arguments.issue is not None and arguments.issue != number:
            self.issue, self.comment, number = None, None, arguments.issue
        if not isinstance(number, int):
            raise FailedError("which issue? Give --issue N, or --event FILE")
        self.number: int = number
        self.event_name = os.environ.get("GITHUB_EVENT_NAME", "") if event else ""
        self.event_action = str(event.get("action") or "")

    @property
    def marker_key(self) -> str:
        """What makes one answer different from another."""
        comment = self.comment.get("id") if self.comment is not None else None
        return f"comment-{comment}" if isinstance(comment, int) else f"issue-{self.number}"


def own_tools(name: str | None) -> dict[str, Any]:
    """Give the tools that the user has written, by name."""
    if name is None:
        return {}
    module, _, attribute = name.partition(":")
    if not module or not attribute:
        raise FailedError("--tools is MODULE:NAME")
    sys.path.insert(0, os.getcwd())
    try:
        tools = getattr(importlib.import_module(module), attribute)
    except Exception as error:
        # The user's program may fail in any way.
        raise FailedError(f"--tools {name}: {type(error).__name__}: {error}") from None
    if isinstance(tools, Mapping):
        return dict(tools)
    if hasattr(tools, "names") and hasattr(tools, "get"):
        return {one: tools.get(one) for one in tools.names()}
    raise FailedError(f"--tools {name}: neither a dict nor a ToolRegistry")
