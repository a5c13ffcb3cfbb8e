"""How a command of the console gets its parser, and how numbers of the command line are read."""

from __future__ import annotations

import argparse
from typing import Any

RAW = argparse.RawDescriptionHelpFormatter


def add_command(
    commands: Any, name: str, about: str, epilog: str, *, description: str | None = None
) -> argparse.ArgumentParser:
    """Add a command; its description is `about` as a sentence, unless another one is given."""
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=about,
        description=description or f"{about[0].upper()}{about[1:]}.",
        epilog=epilog,
        formatter_class=RAW,
        # An option has one name: what it is shortened to today may be another one's name tomorrow.
        allow_abbrev=False,
    )
    return parser


def add_group(
    commands: Any, name: str, about: str, epilog: str, *, description: str | None = None
) -> Any:
    """Add a command that has commands of its own, and give the place for these."""
    group = add_command(commands, name, about, epilog, description=description)
    return group.add_subparsers(title="commands", required=True, metavar="COMMAND", dest="command")


def positive(text: str) -> int:
    """Read a whole number, from 1."""
    number = int(text)
    if number < 1:
        raise ValueError
    return number
