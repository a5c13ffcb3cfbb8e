"""The console's commands over a store file: ``toolwire approvals`` and ``toolwire undo``."""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path
from typing import Any
from uuid import UUID

from toolwire._console import DONE, REFUSED, FailedError, safe_line, written
from toolwire.tools.approval import ApprovalService
from toolwire.tools.errors import ApprovalClosedError, ApprovalNotFoundError, StoreError
from toolwire.tools.store import SqliteStore
from toolwire.tools.undo import UndoStore

APPROVALS_EPILOG = """\
STORE is the SQLite file of a program's SqliteStore, which may be in use. ID is a request's id, or an
action's, and then its newest pending request is meant. A decision is final; the program that waits goes on at
once.

examples:
  toolwire approvals list tools.db
  toolwire approvals approve tools.db 4b4f2f0e-9d3c-4c53-a8a6-0f6f2a7cf6ab --by ann
  toolwire approvals deny tools.db 4b4f2f0e-9d3c-4c53-a8a6-0f6f2a7cf6ab --reason "not on a Friday"
  toolwire approvals list --json tools.db | jq -r '.[] | "\\(.id) \\(.tool_name)"'

exit status: 0 done; 1 the request is unknown or no longer pending; 2 wrong usage, or a file that cannot be
used
"""

UNDO_EPILOG = """\
STORE is the SQLite file of a program's SqliteStore, which may be in use. Undoing needs the program's
handlers.

examples:
  toolwire undo list tools.db
  toolwire undo list --json tools.db | jq -r '.[].action_id'
"""


def opened(path: str) -> SqliteStore:
    """Open a store file that is there."""
    if not Path(path).is_file():
        raise FailedError(f"cannot read {path}: there is no such file")
    try:
        return SqliteStore(path)
    except StoreError as error:
        raise FailedError(f"{path}: {error}") from None


def list_approvals(arguments: argparse.Namespace) -> int:
    """List the pending requests."""
    with opened(arguments.store) as store:
        pending = asyncio.run(ApprovalService(store=store).get_pending_requests())
    if arguments.json:
        print(written([request.to_dict() for request in pending]))
        return DONE
    for request in pending:
        what = f"{request.tool_name}: {request.approval_message}"
        summary = written(request.payload_summary)
        print(safe_line(f"{request.id}  {request.created_at}  {what}  {summary}"))
    return DONE


def decide(arguments: argparse.Namespace) -> int:
    """Take a decision."""
    granted = arguments.command == "approve"
    with opened(arguments.store) as store:
        service = ApprovalService(store=store)
        by: Any = arguments.by
        try:
            decision = asyncio.run(service.record_decision(_id(arguments.id), granted, by, arguments.reason))
        except ApprovalNotFoundError:
            print(safe_line(f"{arguments.id}: there is no such request"))
            return REFUSED
        except ApprovalClosedError as error:
            print(safe_line(str(error)))
            return REFUSED
    print(safe_line(f"{decision.request_id} {'approved' if granted else 'denied'}"))
    return DONE


def list_undo(arguments: argparse.Namespace) -> int:
    """List what can be undone."""
    with opened(arguments.store) as store:
        kept = asyncio.run(UndoStore(store=store).get_all())
    if arguments.json:
        print(written([metadata.to_dict() for metadata in kept]))
        return DONE
    for metadata in kept:
        data = written(metadata.undo_data)
        print(safe_line(f"{metadata.action_id}  {metadata.created_at}  {metadata.tool_name}  {data}"))
    return DONE


def _id(text: str) -> Any:
    try:
        return UUID(text)
    except ValueError:
        return text


def run(arguments: argparse.Namespace) -> int:
    """Run a command; a store that fails is told."""
    try:
        status: int = arguments.step(arguments)
        return status
    except StoreError as error:
        raise FailedError(f"{arguments.store}: {error}") from None


def add_to(commands: Any) -> None:
    """Add the commands to the command line."""
    raw = argparse.RawDescriptionHelpFormatter
    help_ = "list and decide requests for approval in a store file"
    approvals = commands.add_parser(
        "approvals",
        help=help_,
        description="List and decide requests for approval in a store file.",
        epilog=APPROVALS_EPILOG,
        formatter_class=raw,
    )
    steps = approvals.add_subparsers(title="commands", required=True, metavar="COMMAND", dest="command")
    listed = steps.add_parser(
        "list", help="list the pending requests", description="List the pending requests."
    )
    listed.set_defaults(step=list_approvals)
    for name, help_ in (("approve", "let an action run"), ("deny", "let an action not run")):
        step = steps.add_parser(name, help=help_, description=f"{help_.capitalize()}.")
        step.set_defaults(step=decide)
    undo = commands.add_parser(
        "undo",
        help="list what can be undone, in a store file",
        description="List what can be undone, in a store file.",
        epilog=UNDO_EPILOG,
        formatter_class=raw,
    )
    undo_steps = undo.add_subparsers(title="commands", required=True, metavar="COMMAND", dest="command")
    undo_listed = undo_steps.add_parser(
        "list", help="list what can be undone", description="List what can be undone."
    )
    undo_listed.set_defaults(step=list_undo)
    for step in (listed, undo_listed):
        step.add_argument("--json", action="store_true", help="print a JSON list")
    for step in (*steps.choices.values(), undo_listed):
        step.add_argument("store", metavar="STORE", help="the store's file")
        step.set_defaults(run=run)
    for name in ("approve", "deny"):
        step = steps.choices[name]
        step.add_argument("id", metavar="ID", help="the request's id, or the action's")
        step.add_argument("--by", metavar="NAME", help="who decides")
        step.add_argument("--reason", metavar="TEXT", help="why")
