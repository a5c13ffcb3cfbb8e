"""The console's command ``toolwire undo``: what can be undone in a store, and undoing it."""

from __future__ import annotations

import argparse
import asyncio
from typing import Any

from toolwire._native import Secrets
from toolwire.cli.app import add_app, executor_of
from toolwire.cli.parser import add_command, add_group
from toolwire.cli.store import add_store, opened
from toolwire.cli.terminal import DONE, REFUSED, safe_line, written
from toolwire.runs.errors import ToolUndoError
from toolwire.runs.undo import UndoStore

UNDO_EPILOG = """\
STORE is the SQLite file of a program's store, which may be in use, or its server:
redis://HOST/0#PREFIX, postgresql://HOST/DB#TABLE.

examples:
  toolwire undo list tools.db
  toolwire undo list --json tools.db | jq -r '.[].run_id'
  toolwire undo apply tools.db 08b4360a-1f3c-5f0e-9b7c-2d2f4ed0a0f1 --app agent:executor

exit status: 0 done; 1 nothing was undone; 2 wrong usage, or a store that cannot be used
"""

LIST_EPILOG = """\
examples:
  toolwire undo list tools.db
  toolwire undo list --json tools.db | jq -r '.[].run_id'
"""

APPLY_EPILOG = """\
The undo handler is the program's, so its module is imported, from the present folder too. The
newest run of this id that was not undone yet is undone. Another undo of it at the same time is
refused.

examples:
  toolwire undo apply tools.db 08b4360a-1f3c-5f0e-9b7c-2d2f4ed0a0f1 --app agent:executor
"""


def list_undo(arguments: argparse.Namespace) -> int:
    """List the runs that can be undone, with their undo data without secrets."""
    with opened(arguments.store) as store:
        kept = asyncio.run(UndoStore(store=store).get_all())
    secrets = Secrets()
    if arguments.json:
        shown = [one.to_dict() | {"undo_data": secrets.mask(one.undo_data)} for one in kept]
        print(written(shown))
        return DONE
    for metadata in kept:
        data = written(secrets.mask(metadata.undo_data))
        print(safe_line(f"{metadata.run_id}  {metadata.created_at}  {metadata.tool_name}  {data}"))
    return DONE


def apply_undo(arguments: argparse.Namespace) -> int:
    """Undo a run."""
    with opened(arguments.store) as store:
        executor = executor_of(arguments.app, store)
        try:
            undone = asyncio.run(executor.undo(arguments.id))
        except ToolUndoError as error:
            print(safe_line(str(error)))
            return REFUSED
    said = "undone" if undone else "there is nothing to undo it with"
    print(safe_line(f"{arguments.id}: {said}"))
    return DONE if undone else REFUSED


def add_to(commands: Any) -> None:
    """Add the command to the console's."""
    about = "list what can be undone, and undo it"
    steps = add_group(commands, "undo", about, UNDO_EPILOG)
    about, more = "list what can be undone", "List what can be undone, without secrets."
    listed = add_command(steps, "list", about, LIST_EPILOG, description=more)
    listed.add_argument("--json", action="store_true", help="print a JSON list")
    add_store(listed, list_undo)
    applied = add_command(steps, "apply", "undo a run", APPLY_EPILOG)
    add_store(applied, apply_undo)
    add_app(applied)
    applied.add_argument("id", metavar="ID", help="the run's id")
