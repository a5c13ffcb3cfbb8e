"""The console's command ``toolwire undo``: the actions of a store file that can be undone."""

from __future__ import annotations

import argparse
import asyncio
from typing import Any

from toolwire._native import Secrets
from toolwire.cli.parser import add_command, add_group
from toolwire.cli.store import add_store, opened
from toolwire.cli.terminal import DONE, safe_line, written
from toolwire.tools.undo import UndoStore

UNDO_EPILOG = """\
STORE is the SQLite file of a program's SqliteStore, which may be in use. Undoing needs the
program's handlers.

examples:
  toolwire undo list tools.db
  toolwire undo list --json tools.db | jq -r '.[].action_id'
"""


def list_undo(arguments: argparse.Namespace) -> int:
    """List the actions that can be undone, with their undo data without secrets."""
    with opened(arguments.store) as store:
        kept = asyncio.run(UndoStore(store=store).get_all())
    secrets = Secrets()
    if arguments.json:
        shown = [one.to_dict() | {"undo_data": secrets.mask(one.undo_data)} for one in kept]
        print(written(shown))
        return DONE
    for metadata in kept:
        data = written(secrets.mask(metadata.undo_data))
        print(
            safe_line(f"{metadata.action_id}  {metadata.created_at}  {metadata.tool_name}  {data}")
        )
    return DONE


def add_to(commands: Any) -> None:
    """Add the command to the console's."""
    about = "list what can be undone, in a store file"
    steps = add_group(commands, "undo", about, UNDO_EPILOG)
    about, more = "list what can be undone", "List what can be undone, without secrets."
    listed = add_command(steps, "list", about, UNDO_EPILOG, description=more)
    listed.add_argument("--json", action="store_true", help="print a JSON list")
    add_store(listed, list_undo)
