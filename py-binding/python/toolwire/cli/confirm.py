"""Asks the person at the terminal whether the shown call may run."""

from __future__ import annotations

import argparse
import sys

from toolwire.cli.terminal import FailedError
from toolwire.tools.approval import ApprovalRequest, ApprovalStatus

__all__ = ["is_confirmed", "is_to_be_shown"]


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
