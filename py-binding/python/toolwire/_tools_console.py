"""The console's commands over a store file: ``toolwire approvals`` and ``toolwire undo``."""

from __future__ import annotations

import argparse
import asyncio
import json
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any
from uuid import UUID

from toolwire._console import DONE, REFUSED, FailedError, safe_line, written
from toolwire._fold import folded, unfolded
from toolwire._native import Secrets
from toolwire.tools.approval import ApprovalDecision, ApprovalRequest, ApprovalService, ApprovalStatus
from toolwire.tools.errors import (
    ApprovalChangedError,
    ApprovalClosedError,
    ApprovalNotFoundError,
    StoreError,
)
from toolwire.tools.store import SqliteStore
from toolwire.tools.undo import UndoStore

APPROVALS_EPILOG = """\
STORE is the SQLite file of a program's SqliteStore, which may be in use. ID is a request's id, or an
action's, and then its newest pending request is meant. A decision is final; the program that waits goes on at
once. With the fingerprint that ``show`` printed, a decision on anything else than was shown is refused.

examples:
  toolwire approvals list tools.db
  toolwire approvals show tools.db 4b4f2f0e-9d3c-4c53-a8a6-0f6f2a7cf6ab --full
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


WAITERS = {
    "process": "a process waits for it",
    "kept": "its run is kept, and goes on when it is taken up",
    "nobody": "nobody waits for it",
}


async def _found(service: ApprovalService, request: ApprovalRequest) -> tuple[ApprovalRequest, str]:
    """Give a request with who waits for it."""
    waiter = await service.get_waiter(request.id) if request.status is ApprovalStatus.PENDING else None
    return request, waiter or "nobody"


async def _listed(service: ApprovalService, *, every: bool) -> list[tuple[ApprovalRequest, str]]:
    """Give what is pending and what has expired within a day, or every request."""
    yesterday = (datetime.now(timezone.utc) - timedelta(days=1)).isoformat()

    def is_shown(request: ApprovalRequest) -> bool:
        expired = request.status is ApprovalStatus.EXPIRED and (request.expires_at or "") > yesterday
        return every or expired or request.status is ApprovalStatus.PENDING

    requests = await service.get_all_requests()
    return [await _found(service, request) for request in requests if is_shown(request)]


def _facts(request: ApprovalRequest, waiter: str) -> dict[str, Any]:
    """Give a request as a dict, with what only the console's users need."""
    more = {
        name: getattr(request, name) for name in ("expires_at", "size", "fingerprint", "decided_fingerprint")
    }
    waits = {"waiter": waiter} if request.status is ApprovalStatus.PENDING else {}
    return request.to_dict() | {"payload_summary": _summary(request)} | more | waits


def _summary(request: ApprovalRequest) -> Any:
    """Give the summary without secrets, also that of a request that a program made by itself."""
    return Secrets().summarize(request.payload_summary)


def list_approvals(arguments: argparse.Namespace) -> int:
    """List the requests that are pending, and those that have expired lately."""
    with opened(arguments.store) as store:
        found = asyncio.run(_listed(ApprovalService(store=store), every=arguments.all))
    if arguments.json:
        print(written([_facts(request, waiter) for request, waiter in found]))
        return DONE
    for request, waiter in found:
        what = f"{request.tool_name}: {request.approval_message}"
        summary = written(_summary(request))
        mark = "" if request.status is ApprovalStatus.PENDING else f"  [{request.status}]"
        if request.status is ApprovalStatus.PENDING and waiter == "nobody":
            mark = f"  [{WAITERS[waiter]}]"
        print(safe_line(f"{request.id}  {request.created_at}{mark}  {what}  {summary}"))
    return DONE


async def _shown(service: ApprovalService, id: Any) -> tuple[ApprovalRequest, str, str | None] | None:
    request = await service.find_request(id)
    if request is None:
        return None
    return *await _found(service, request), await service.get_arguments(request.id)


def show_approval(arguments: argparse.Namespace) -> int:
    """Show a request with the whole arguments."""
    with opened(arguments.store) as store:
        shown = asyncio.run(_shown(ApprovalService(store=store), _id(arguments.id)))
    if shown is None:
        print(safe_line(f"{arguments.id}: there is no such request"))
        return REFUSED
    request, waiter, text = shown
    whole = None if text is None else json.loads(text)
    if arguments.json:
        print(written(_facts(request, waiter) | {"arguments": whole}))
        return DONE
    status = str(request.status)
    if request.status is ApprovalStatus.PENDING:
        status = f"{status}, {WAITERS[waiter]}"
    facts = {
        "request": request.id,
        "action": request.action_id,
        "tool": request.tool_name,
        "message": request.approval_message,
        "run": request.pipeline_run_id,
        "status": status,
        "asked": request.created_at,
        "until": request.expires_at,
        "decided": request.decided_at,
        "by": request.decided_by,
        "fingerprint": request.fingerprint,
        "seen": request.decided_fingerprint,
        "size": None if request.size is None else f"{request.size:,} bytes",
    }
    for name, value in facts.items():
        if value is not None:
            print(f"{name:<12} {safe_line(str(value))}")
    _print_arguments(request, whole, full=arguments.full)
    return DONE


def _print_arguments(request: ApprovalRequest, whole: Any, *, full: bool) -> None:
    """Print the whole arguments of a request, or what is left of them."""
    if whole is None:
        print("arguments    not kept; a summary is:")
        whole = _summary(request)
    else:
        print("arguments")
    short = folded(whole)
    print(unfolded(whole) if full else short)
    if not full and short != unfolded(whole):
        print("(--full shows what is folded)")


async def _decide(service: ApprovalService, arguments: argparse.Namespace) -> tuple[ApprovalDecision, str]:
    """Take a decision; it comes with who waits for it."""
    id = _id(arguments.id)
    found = await service.find_request(id)
    waiter = "nobody" if found is None else await service.get_waiter(found.id)
    decision = await service.record_decision(
        id, arguments.command == "approve", arguments.by, arguments.reason, fingerprint=arguments.fingerprint
    )
    return decision, waiter or "nobody"


def decide(arguments: argparse.Namespace) -> int:
    """Take a decision."""
    with opened(arguments.store) as store:
        try:
            decision, waiter = asyncio.run(_decide(ApprovalService(store=store), arguments))
        except ApprovalNotFoundError:
            print(safe_line(f"{arguments.id}: there is no such request"))
            return REFUSED
        except (ApprovalChangedError, ApprovalClosedError) as error:
            print(safe_line(f"{error} ({error.code})"))
            return REFUSED
    print(safe_line(f"{decision.request_id} {'approved' if decision.granted else 'denied'}"))
    if decision.granted and waiter != "process":
        print(WAITERS[waiter])
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
        "list",
        help="list the pending requests",
        description="List the requests that are pending, and those that expired within the last day.",
    )
    listed.set_defaults(step=list_approvals)
    listed.add_argument("--all", action="store_true", help="list every request")
    shown = steps.add_parser(
        "show", help="show a request", description="Show a request with the whole arguments."
    )
    shown.set_defaults(step=show_approval)
    shown.add_argument("--full", action="store_true", help="fold nothing")
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
    shown.add_argument("--json", action="store_true", help="print a JSON object")
    for step in (*steps.choices.values(), undo_listed):
        step.add_argument("store", metavar="STORE", help="the store's file")
        step.set_defaults(run=run)
    for name in ("show", "approve", "deny"):
        steps.choices[name].add_argument("id", metavar="ID", help="the request's id, or the action's")
    for name in ("approve", "deny"):
        step = steps.choices[name]
        step.add_argument("--fingerprint", metavar="HEX", help="what was seen, as show prints it")
        step.add_argument("--by", metavar="NAME", help="who decides")
        step.add_argument("--reason", metavar="TEXT", help="why")
