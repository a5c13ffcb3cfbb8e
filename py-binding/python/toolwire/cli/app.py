"""Loads a program's executor, for commands that run its handlers."""

from __future__ import annotations

import argparse
import importlib
import sys
from typing import Any

from toolwire.cli.terminal import FailedError
from toolwire.runs.executor_base import ExecutorBase
from toolwire.runs.store import Store

__all__ = ["add_app", "executor_of", "named_by"]


def add_app(parser: argparse.ArgumentParser, *, required: bool = True) -> None:
    """Add the option that names the program's executor."""
    parser.add_argument(
        "--app",
        metavar="MODULE:NAME",
        required=required,
        help="the program's executor, or a function that makes one for a store",
    )


def executor_of(app: str, store: Store) -> ExecutorBase:
    """Give the executor that a program names."""
    found = named_by(app)
    made = found if isinstance(found, ExecutorBase) else made_by(found, app, store)
    if not made.keeps_runs:
        raise FailedError(f"{app} keeps no runs: give it a store, Executor(store)")
    return made


def named_by(app: str) -> Any:
    """Give what ``MODULE:NAME`` names; the module is found from the present folder."""
    module_name, _, name = app.partition(":")
    if not module_name or not name:
        raise FailedError(f"a program is MODULE:NAME, such as agent:executor, and not {app}")
    if "" not in sys.path:
        sys.path.insert(0, "")
    try:
        return getattr(importlib.import_module(module_name), name)
    except ImportError as error:
        raise FailedError(f"cannot import {module_name}: {error}") from None
    except AttributeError:
        raise FailedError(f"{module_name} has no {name}") from None


def made_by(function: Any, app: str, store: Store) -> ExecutorBase:
    """Call a function that makes an executor for a store."""
    made = function(store) if callable(function) else None
    if not isinstance(made, ExecutorBase):
        raise FailedError(f"{app} is no Executor, and no function that makes one")
    return made
