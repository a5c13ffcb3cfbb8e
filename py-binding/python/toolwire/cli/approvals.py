"""The console's command ``toolwire approvals``: the requests for approval in a store file."""

from __future__ import annotations

import argparse
import asyncio
import json
from datetime import datetime, timedelta, timezone
from typing import Any, NamedTuple
from uuid import UUID

from toolwire._native import Secrets
from toolwire.cli.app import add_app, executor_of
from toolwire.cli.changes import add_no_color, titled_change_lines
from toolwire.cli.confirm import is_confirmed, is_to_be_shown
from toolwire.cli.fold import folded, read, unfolded
from toolwire.cli.parser import add_command, add_group, positive
from toolwire.cli.store import add_store, opened
from toolwire.cli.terminal import DONE, REFUSED, FailedError, safe_line, written, written_text
from toolwire.cli.watch import add_watch, watched
from toolwire.runs.approval import (
    ApprovalRequest,
    ApprovalService,
    ApprovalStatus,
)
from toolwire.runs.approval_change import ApprovalChange
from toolwire.runs.approval_request import ApprovalDecision
from toolwire.runs.errors import (
    ApprovalChangedError,
    ApprovalClosedError,
    ApprovalNotFoundError,
    ApprovalRefusedError,
    ToolNotFoundError,
)

APPROVALS_EPILOG = """\
STORE is the SQLite file of a program's store, which may be in use, or its server. ID is a request's
id, or a run's, and then its newest pending request is meant. A decision is final; the program
that waits goes on at once. ``approve`` shows what will run, asks, and approves nothing else; where
there is no terminal, it takes the fingerprint that ``show`` printed.

examples:
  toolwire approvals list tools.db
  toolwire approvals show tools.db 4b4f2f0e-9d3c-4c53-a8a6-0f6f2a7cf6ab --full
  toolwire approvals approve tools.db 4b4f2f0e-9d3c-4c53-a8a6-0f6f2a7cf6ab --by ann
  toolwire approvals deny tools.db 4b4f2f0e-9d3c-4c53-a8a6-0f6f2a7cf6ab --reason "not on a Friday"
  toolwire approvals list --json tools.db | jq -r '.[] | "\\(.id) \\(.tool_name)"'

exit status: 0 done; 1 the request is unknown or no longer pending, or the answer was not yes;
2 wrong usage, or a file that cannot be used
"""

LIST_EPILOG = """\
examples:
  toolwire approvals list tools.db
  toolwire approvals list --all tools.db
  toolwire approvals list --limit 50 --after 4b4f2f0e-9d3c-4c53-a8a6-0f6f2a7cf6ab tools.db
  toolwire approvals list --json tools.db | jq -r '.[] | "\\(.id) \\(.tool_name)"'
"""

SHOW_EPILOG = """\
The arguments, and what the program says that the run would change, are shown without their secrets;
diffs in colour on a terminal, unless NO_COLOR is set. Take the fingerprint that is printed to the
decision: then anything else than what is shown here is refused.

examples:
  toolwire approvals show tools.db 4b4f2f0e-9d3c-4c53-a8a6-0f6f2a7cf6ab
  toolwire approvals show tools.db 4b4f2f0e-9d3c-4c53-a8a6-0f6f2a7cf6ab --full
  toolwire approvals show --json tools.db 4b4f2f0e-9d3c-4c53-a8a6-0f6f2a7cf6ab | jq .arguments
  toolwire approvals show --json tools.db 4b4f2f0e-9d3c-4c53-a8a6-0f6f2a7cf6ab | jq .changes
"""

APPROVE_EPILOG = """\
On a terminal, what will run is shown, and ``y`` or ``yes`` approves it. The decision is bound to
the fingerprint of what was shown: if it is another one by then, nothing is approved. Without a
terminal, --fingerprint is needed for a request that has one, and nothing is asked.

--arguments has the run go on with other arguments than those of the call. The program checks them
as those of a call, so it is named by --app; if they do not pass, nothing is decided.

examples:
  toolwire approvals approve tools.db 4b4f2f0e-9d3c-4c53-a8a6-0f6f2a7cf6ab
  toolwire approvals approve tools.db 4b4f2f0e-9d3c-4c53-a8a6-0f6f2a7cf6ab --fingerprint HEX
  toolwire approvals approve tools.db ID --arguments '{"disk": "d"}' --app agent:executor
"""

DENY_EPILOG = """\
examples:
  toolwire approvals deny tools.db 4b4f2f0e-9d3c-4c53-a8a6-0f6f2a7cf6ab
  toolwire approvals deny tools.db 4b4f2f0e-9d3c-4c53-a8a6-0f6f2a7cf6ab --reason "not on a Friday"
"""

WAITERS = {
    "process": "a process waits for it",
    "kept": "its run is kept, and goes on when it is taken up",
    "nobody": "nobody waits for it",
}


async def _found(service: ApprovalService, request: ApprovalRequest) -> tuple[ApprovalRequest, str]:
    """Give a request, and the word for who waits for it."""
    waiter = (
        await service.get_waiter(request.id) if request.status is ApprovalStatus.PENDING else None
    )
    return request, waiter or "nobody"


async def _listed(
    service: ApprovalService, *, every: bool, limit: int | None, after: Any
) -> list[tuple[ApprovalRequest, str]]:
    """Give the requests that are pending or expired within a day, or all; so many at most."""
    yesterday = (datetime.now(timezone.utc) - timedelta(days=1)).isoformat()

    def is_shown(request: ApprovalRequest) -> bool:
        expired = (
            request.status is ApprovalStatus.EXPIRED and (request.expires_at or "") > yesterday
        )
        return every or expired or request.status is ApprovalStatus.PENDING

    found: list[tuple[ApprovalRequest, str]] = []
    while limit is None or len(found) < limit:
        page = await service.get_all_requests(limit=limit, after=after)
        wanted = [request for request in page if is_shown(request)]
        found += [await _found(service, request) for request in wanted]
        if limit is None or len(page) < limit:
            break
        after = page[-1].id
    return found[:limit]


def _facts(request: ApprovalRequest, waiter: str) -> dict[str, Any]:
    """Give a request as a dict, with further fields for the users of the console."""
    more = {
        name: getattr(request, name)
        for name in ("expires_at", "size", "fingerprint", "decided_fingerprint")
    }
    waits = {"waiter": waiter} if request.status is ApprovalStatus.PENDING else {}
    shown = {"approval_message": _message(request), "payload_summary": _summary(request)}
    return request.to_dict() | shown | more | waits


def _message(request: ApprovalRequest) -> str:
    """Give the question to the person without secrets: a program may have put some into it."""
    message: str = Secrets().mask(request.approval_message)
    return message


def _summary(request: ApprovalRequest) -> Any:
    """Give the summary without secrets, also for requests that did not come from a run."""
    return Secrets().summarize(request.payload_summary)


def list_approvals(arguments: argparse.Namespace) -> int:
    """List the requests that are pending, and those that have expired lately."""
    with opened(arguments.store) as store:
        service = ApprovalService(store=store)
        try:
            return watched(lambda: _lines(service, arguments), arguments)
        except ApprovalNotFoundError:
            print(safe_line(f"{arguments.after}: there is no such request"))
            return REFUSED


def _lines(service: ApprovalService, arguments: argparse.Namespace) -> list[str]:
    """Give the lines of the list."""
    after = None if arguments.after is None else _id(arguments.after)
    listed = _listed(service, every=arguments.all, limit=arguments.limit, after=after)
    found = asyncio.run(listed)
    if arguments.json:
        return [written([_facts(request, waiter) for request, waiter in found])]
    lines = []
    for request, waiter in found:
        what = f"{request.tool_name}: {_message(request)}"
        summary = written(_summary(request))
        mark = "" if request.status is ApprovalStatus.PENDING else f"  [{request.status}]"
        if request.status is ApprovalStatus.PENDING and waiter == "nobody":
            mark = f"  [{WAITERS[waiter]}]"
        lines.append(safe_line(f"{request.id}  {request.created_at}{mark}  {what}  {summary}"))
    return lines


class _Shown(NamedTuple):
    """A request, and what is shown of it."""

    request: ApprovalRequest
    waiter: str
    arguments: str | None
    changes: list[ApprovalChange] | None


async def _shown(service: ApprovalService, id: Any) -> _Shown | None:
    request = await service.find_request(id)
    if request is None:
        return None
    arguments = await service.get_arguments(request.id)
    changes = await service.get_changes(request.id)
    return _Shown(*await _found(service, request), arguments, changes)


def show_approval(arguments: argparse.Namespace) -> int:
    """Show a request with the whole arguments and the changes."""
    with opened(arguments.store) as store:
        shown = asyncio.run(_shown(ApprovalService(store=store), _id(arguments.id)))
    if shown is None:
        print(safe_line(f"{arguments.id}: there is no such request"))
        return REFUSED
    if not arguments.json:
        _print_request(shown, full=arguments.full, colour=not arguments.no_color)
        return DONE
    whole = "null" if shown.arguments is None else written_text(shown.arguments)
    changes = None if shown.changes is None else [change.to_dict() for change in shown.changes]
    facts = written(_facts(shown.request, shown.waiter) | {"changes": changes})
    print(f'{facts[:-1]}, "arguments": {whole}}}')
    return DONE


def _print_request(shown: _Shown, *, full: bool, colour: bool) -> None:
    """Print a request for the person who decides."""
    request, waiter, text, changes = shown
    status = str(request.status)
    if request.status is ApprovalStatus.PENDING:
        status = f"{status}, {WAITERS[waiter]}"
    facts = {
        "request": request.id,
        "run": request.run_id,
        "tool": request.tool_name,
        "message": _message(request),
        "parent": request.parent_id,
        "status": status,
        "asked": request.created_at,
        "until": request.expires_at,
        "decided": request.closed_at,
        "by": request.decided_by,
        "fingerprint": request.fingerprint,
        "seen": request.decided_fingerprint,
        "size": None if request.size is None else f"{request.size:,} bytes",
    }
    for name, value in facts.items():
        if value is not None:
            print(f"{name:<12} {safe_line(str(value))}")
    _print_arguments(request, text, full=full)
    for line in titled_change_lines(changes, full=full, colour=colour):
        print(line)


def _print_arguments(request: ApprovalRequest, text: str | None, *, full: bool) -> None:
    """Print the whole arguments of a request, or the summary when they are gone."""
    if text is None:
        print("arguments    not kept; a summary is:")
        whole = _summary(request)
    else:
        print("arguments")
        whole = read(text)
    short = folded(whole)
    print(unfolded(whole) if full else short)
    if not full and short != unfolded(whole):
        print("(--full shows what is folded)")


def decide(arguments: argparse.Namespace) -> int:
    """Take a decision."""
    if getattr(arguments, "arguments", None) is not None and arguments.app is None:
        raise FailedError("give --app MODULE:NAME: the program checks changed arguments")
    with opened(arguments.store) as store:
        service = ApprovalService(store=store)
        shown = asyncio.run(_shown(service, _id(arguments.id)))
        if shown is None:
            print(safe_line(f"{arguments.id}: there is no such request"))
            return REFUSED
        request, waiter = shown.request, shown.waiter
        fingerprint = arguments.fingerprint
        if is_to_be_shown(arguments, request):
            _print_request(shown, full=arguments.full, colour=not arguments.no_color)
            if arguments.arguments is not None:
                print("with these arguments")
                print(unfolded(Secrets().mask(arguments.arguments)))
            if not is_confirmed():
                print("nothing was decided")
                return REFUSED
            fingerprint = request.fingerprint
        try:
            # The request that was found is decided, even if the command line names its run.
            decision = asyncio.run(_decide(store, service, request.id, fingerprint, arguments))
        except ApprovalNotFoundError:
            print(safe_line(f"{arguments.id}: there is no such request"))
            return REFUSED
        except ToolNotFoundError as error:
            raise FailedError(f"{arguments.app}: {error}") from None
        except (ApprovalChangedError, ApprovalClosedError, ApprovalRefusedError) as error:
            print(safe_line(f"{error} ({error.code})"))
            return REFUSED
    print(safe_line(f"{decision.request_id} {'approved' if decision.granted else 'denied'}"))
    if decision.granted and waiter != "process":
        print(WAITERS[waiter])
    return DONE


async def _decide(
    store: Any,
    service: ApprovalService,
    request_id: Any,
    fingerprint: str | None,
    arguments: argparse.Namespace,
) -> ApprovalDecision:
    by, reason = arguments.by, arguments.reason
    changed = getattr(arguments, "arguments", None)
    if changed is None:
        granted = arguments.command == "approve"
        return await service.record_decision(
            request_id, granted, by, reason, fingerprint=fingerprint
        )
    return await executor_of(arguments.app, store).approve(
        request_id, arguments=changed, decided_by=by, reason=reason, fingerprint=fingerprint
    )


def _object(text: str) -> dict[str, Any]:
    """Read the arguments of a call from the command line."""
    try:
        given = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise argparse.ArgumentTypeError(f"must be JSON: {error}") from None
    if not isinstance(given, dict):
        raise argparse.ArgumentTypeError('must be a JSON object, such as {"disk": "d"}')
    return given


def _id(text: str) -> Any:
    try:
        return UUID(text)
    except ValueError:
        return text


def add_to(commands: Any) -> None:
    """Add the command to the console's."""
    about = "list and decide requests for approval in a store file"
    steps = add_group(commands, "approvals", about, APPROVALS_EPILOG)
    more = "List the requests that are pending, or expired within the last day."
    listed = add_command(steps, "list", "list the pending requests", LIST_EPILOG, description=more)
    listed.add_argument("--all", action="store_true", help="list every request")
    listed.add_argument(
        "--limit", metavar="COUNT", type=positive, help="list so many requests at most"
    )
    listed.add_argument(
        "--after", metavar="ID", help="begin after this request, the last of the page before"
    )
    listed.add_argument("--json", action="store_true", help="print a JSON list")
    add_watch(listed)
    add_store(listed, list_approvals)
    more = "Show a request with the whole arguments, and what would change as a diff."
    shown = add_command(steps, "show", "show a request", SHOW_EPILOG, description=more)
    shown.add_argument("--full", action="store_true", help="fold nothing")
    shown.add_argument("--json", action="store_true", help="print a JSON object")
    add_no_color(shown)
    add_store(shown, show_approval)
    decisions = (
        ("approve", "let a run go on", APPROVE_EPILOG),
        ("deny", "let a run not go on", DENY_EPILOG),
    )
    for name, about, epilog in decisions:
        step = add_command(steps, name, about, epilog)
        add_store(step, decide)
        step.add_argument("--fingerprint", metavar="HEX", help="what was seen, as show prints it")
        if name == "approve":
            step.add_argument("--full", action="store_true", help="fold nothing of what is shown")
            add_no_color(step)
            more = "the arguments that the run goes on with"
            step.add_argument("--arguments", metavar="JSON", type=_object, help=more)
            add_app(step, required=False)
        step.add_argument("--by", metavar="NAME", help="who decides")
        step.add_argument("--reason", metavar="TEXT", help="why")
    for name in ("show", "approve", "deny"):
        steps.choices[name].add_argument("id", metavar="ID", help="the request's id, or the run's")
