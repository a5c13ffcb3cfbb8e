"""The console's command ``toolwire runs``: the runs of a store, and going on with one."""

from __future__ import annotations

import argparse
import asyncio
import shlex
from typing import Any

from toolwire._native import RunTable, Secrets
from toolwire.cli.app import add_app, executor_of
from toolwire.cli.parser import add_command, add_group, positive
from toolwire.cli.store import add_store, opened
from toolwire.cli.terminal import DONE, REFUSED, safe_line, written
from toolwire.cli.watch import add_watch, watched
from toolwire.runs.errors import RunNotFoundError, RunNotRetriedError, ToolNotFoundError
from toolwire.runs.run import Run

RUNS_EPILOG = """\
STORE is the SQLite file of a program's store, or the address of its server. A run is what became of
one call: waiting for a person, running in some process, completed, failed, denied, cancelled, or
interrupted, when its process ended while the handler ran. docs/runs.md tells more.

examples:
  toolwire runs list tools.db
  toolwire runs list --all --json tools.db | jq -r '.[] | "\\(.state) \\(.tool)"'
  toolwire runs show tools.db 08b4360a-1f3c-5f0e-9b7c-2d2f4ed0a0f1
  toolwire runs resume tools.db 08b4360a-1f3c-5f0e-9b7c-2d2f4ed0a0f1 --app agent:executor

exit status: 0 done; 1 the run is unknown, cannot go on, or has no output; 2 wrong usage, or a store
that cannot be used
"""

LIST_EPILOG = """\
examples:
  toolwire runs list tools.db
  toolwire runs list --watch tools.db
  toolwire runs list --all --limit 20 tools.db
  toolwire runs list --limit 50 --after 08b4360a-1f3c-5f0e-9b7c-2d2f4ed0a0f1 tools.db
"""

SHOW_EPILOG = """\
Outputs and messages are shown without secrets.

examples:
  toolwire runs show tools.db 08b4360a-1f3c-5f0e-9b7c-2d2f4ed0a0f1
  toolwire runs show --json tools.db 08b4360a-1f3c-5f0e-9b7c-2d2f4ed0a0f1 | jq .output
"""

RESUME_EPILOG = """\
The handler is the program's, so its module is imported, from the present folder too. A run goes on
when a person has decided; a run whose handler may have run does not, unless it is retried.

examples:
  toolwire runs resume tools.db 08b4360a-1f3c-5f0e-9b7c-2d2f4ed0a0f1 --app agent:executor
"""


RETRY_EPILOG = """\
Nobody knows what the handler of an interrupted run did. Look before you retry: the handler gets the
same idempotency key, but not every service takes one. The run is approved then, until a program or
``runs resume`` goes on with it; with --app it goes on at once.

examples:
  toolwire runs retry tools.db 08b4360a-1f3c-5f0e-9b7c-2d2f4ed0a0f1
  toolwire runs retry tools.db 08b4360a-1f3c-5f0e-9b7c-2d2f4ed0a0f1 --app agent:executor
"""


def facts(run: Run) -> dict[str, Any]:
    """Give a run as a dict, without secrets."""
    secrets = Secrets()
    output = None if run.output is None else run.output.to_dict()
    return {
        "id": run.id,
        "state": run.state,
        "tool": run.tool,
        "approval_id": run.approval_id,
        "created_at": run.created_at,
        "changed_at": run.changed_at,
        "code": run.code,
        "error": None if run.error is None else secrets.mask(str(run.error)),
        "output": secrets.mask(output),
        "output_gap": run.output_gap,
        "interruption": secrets.mask(run.interruption),
    }


def next_step(run: Run, store: str) -> str | None:
    """Give what a person may do about a run: a command, or words."""
    # The address of a server may hold a password.
    place = "STORE" if "://" in store else shlex.quote(store)
    if run.state == "approved":
        return f"toolwire runs resume {place} {run.id} --app MODULE:EXECUTOR"
    if run.state == "interrupted":
        return f"look what the handler did, then: toolwire runs retry {place} {run.id}"
    if run.state == "expired":
        return "nothing ran; the program may start the call once more: start(call, again=True)"
    return None


def list_runs(arguments: argparse.Namespace) -> int:
    """List the runs that have not ended, or all."""
    with opened(arguments.store) as store:
        table = RunTable(store)

        def lines() -> list[str]:
            read = table.all if arguments.all else table.open
            runs = [Run.of(record) for record in read(arguments.limit, arguments.after)]
            if arguments.json:
                return [written([facts(run) for run in runs])]
            return [
                safe_line(f"{run.id}  {run.changed_at}  {run.state:<11}  {run.tool}")
                for run in runs
            ]

        try:
            return watched(lines, arguments)
        except RunNotFoundError as error:
            print(safe_line(str(error)))
            return REFUSED


def show_run(arguments: argparse.Namespace) -> int:
    """Show a run with its outcome."""
    with opened(arguments.store) as store:
        record = RunTable(store).get(arguments.id)
    if record is None:
        print(safe_line(f"{arguments.id}: there is no such run"))
        return REFUSED
    return print_run(Run.of(record), arguments)


def print_run(run: Run, arguments: argparse.Namespace) -> int:
    """Print a run with what may be done about it, and give the exit status."""
    shown = {**facts(run), "next": next_step(run, str(arguments.store))}
    as_json = arguments.json
    if as_json:
        print(written(shown))
    else:
        for name, value in shown.items():
            if value is not None:
                text = value if isinstance(value, str) else written(value)
                print(f"{name:<12} {safe_line(text)}")
    return DONE if run.error is None else REFUSED


def retry_run(arguments: argparse.Namespace) -> int:
    """Make an interrupted run ready to run once more, and go on with it if its program is named."""
    with opened(arguments.store) as store:
        try:
            run = Run.of(RunTable(store).retry(arguments.id))
        except (RunNotFoundError, RunNotRetriedError) as error:
            print(safe_line(f"{error} ({error.code})"))
            return REFUSED
    if arguments.app is not None:
        return resume_run(arguments)
    return print_run(run, arguments)


def resume_run(arguments: argparse.Namespace) -> int:
    """Go on with a run."""
    with opened(arguments.store) as store:
        executor = executor_of(arguments.app, store)
        try:
            run = asyncio.run(executor.resume(arguments.id))
        except ToolNotFoundError as error:
            print(safe_line(f"{error}; register it in {arguments.app}"))
            return REFUSED
    if run is None:
        print(safe_line(f"{arguments.id}: there is no such run"))
        return REFUSED
    status = print_run(run, arguments)
    if not run.is_ended:
        return REFUSED
    return status


def add_to(commands: Any) -> None:
    """Add the command to the console's."""
    about = "list, show, resume and retry the runs of a store"
    steps = add_group(commands, "runs", about, RUNS_EPILOG)
    more = "List the runs that have not ended, the oldest first."
    listed = add_command(steps, "list", "list the open runs", LIST_EPILOG, description=more)
    listed.add_argument("--all", action="store_true", help="list every run, the newest first")
    listed.add_argument("--limit", metavar="COUNT", type=positive, help="list so many runs at most")
    listed.add_argument(
        "--after", metavar="ID", help="begin after this run, the last of the page before"
    )
    add_watch(listed)
    add_store(listed, list_runs)
    shown = add_command(steps, "show", "show a run with its outcome", SHOW_EPILOG)
    add_store(shown, show_run)
    resumed = add_command(steps, "resume", "go on with a run", RESUME_EPILOG)
    add_store(resumed, resume_run)
    add_app(resumed)
    more = "Make an interrupted run ready to run once more."
    retried = add_command(steps, "retry", "retry a run", RETRY_EPILOG, description=more)
    add_store(retried, retry_run)
    add_app(retried, required=False)
    for step in (shown, resumed, retried):
        step.add_argument("id", metavar="ID", help="the run's id")
    for step in (listed, shown, resumed, retried):
        step.add_argument("--json", action="store_true", help="print JSON")
