"""Asks the person at the terminal whether the shown call may run."""

from __future__ import annotations

import argparse
import sys
import threading

from toolwire.cli.changes import titled_change_lines
from toolwire.cli.fold import folded, read
from toolwire.cli.terminal import FailedError, safe_line
from toolwire.runs.approval import ApprovalRequest, ApprovalStatus
from toolwire.runs.errors import ToolError

__all__ = ["ask_person", "is_confirmed", "is_to_be_shown"]

ASKING = threading.Lock()
"""One question at a time."""


def is_to_be_shown(arguments: argparse.Namespace, request: ApprovalRequest) -> bool:
    """Say whether the request must be shown before it is approved.

    Raises ``FailedError`` when nobody can be asked and no fingerprint is given.
    """
    is_pending = request.status is ApprovalStatus.PENDING
    if arguments.command != "approve" or arguments.fingerprint is not None or not is_pending:
        return False
    if is_terminal():
        return True
    if request.fingerprint is not None:
        show = f"`toolwire approvals show {arguments.store} {arguments.id}`"
        raise FailedError(
            f"give --fingerprint HEX, which {show} prints: there is no terminal to ask on"
        )
    return False


def is_terminal() -> bool:
    """Say whether a person reads what is printed, and can answer."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))


def is_confirmed() -> bool:
    """Ask; anything but yes is no."""
    try:
        answer = input("Let it run? [y/N] ")
    except EOFError:
        print()
        return False
    except UnicodeDecodeError:
        return False
    return answer.strip().lower() in ("y", "yes")


def ask_person(request: ApprovalRequest, arguments: str) -> bool:
    """Show a call with its whole arguments and what it would change, ask, and give the answer.

    Raises :class:`~toolwire.tools.ToolError` when there is no terminal.
    """
    if not is_terminal():
        raise ToolError(
            "there is no terminal to ask on; decide with `toolwire approvals approve`",
            request.tool_name,
        )
    with ASKING:
        print(safe_line(f"{request.tool_name}: {request.approval_message}"))
        print(folded(read(arguments)))
        for line in titled_change_lines(request.changes):
            print(line)
        return is_confirmed()
