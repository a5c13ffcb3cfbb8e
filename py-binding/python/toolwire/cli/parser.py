"""How a command of the console gets its parser, and how numbers of the command line are read."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from itertools import takewhile
from typing import Any, NoReturn

RAW = argparse.RawDescriptionHelpFormatter

NAMED = 3
"""How many of the nearest names are told."""


class Parser(argparse.ArgumentParser):
    """Tells the nearest name where an option, a command or a choice is not known."""

    def __init__(self, **settings: Any) -> None:
        # An option has one name: what it is shortened to today may be another one's name tomorrow.
        super().__init__(**{"formatter_class": RAW, "allow_abbrev": False, **settings})
        self._words: list[str] = []
        # Newer versions of Python would add words of their own.
        self.suggest_on_error = False

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Parse, and refuse unknown arguments: the parser of the command knows its options."""
        self._words = list(sys.argv[1:] if args is None else args)
        parsed, rest = super().parse_known_args(args, namespace)
        if rest:
            self.error(self.unknown(rest))
        return parsed, rest

    def error(self, message: str) -> NoReturn:
        """End the program; an unknown option is told in place of what is missing."""
        words = takewhile(lambda word: word != "--", self._words)
        wrong = [word for word in words if word.startswith("--") and not self.has(word)]
        if wrong and message.startswith("the following arguments are required"):
            message = self.unknown(wrong)
        super().error(message)

    def has(self, word: str) -> bool:
        """Say whether a word is an option of this parser, with or without a value."""
        return word.partition("=")[0] in self._option_string_actions

    def unknown(self, words: Sequence[str]) -> str:
        """Say which words nothing takes, and which option the first of them is like."""
        options = [word.partition("=")[0] for word in words if word.startswith("-")]
        near = nearest(options[0], self._option_string_actions) if options else ""
        return f"unrecognized arguments: {' '.join(words)}{near}"

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            near = nearest(str(value), action.choices)
            known = ", ".join(map(str, action.choices))
            raise argparse.ArgumentError(action, f"invalid choice: {value!r}{near}; known: {known}")


def nearest(name: str, names: Iterable[Any]) -> str:
    """Give the names that are like one, as the end of a message.

    >>> nearest("--modle", ["--model", "--tools"])
    '; nearest: --model'
    """
    # The module takes time to load, and only an error needs it.
    import difflib

    near = difflib.get_close_matches(name, map(str, names), NAMED)
    return f"; nearest: {', '.join(near)}" if near else ""


def add_command(
    commands: Any, name: str, about: str, epilog: str, *, description: str | None = None
) -> argparse.ArgumentParser:
    """Add a command; its description is `about` as a sentence, unless another one is given."""
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=about,
        description=description or f"{about[0].upper()}{about[1:]}.",
        epilog=epilog,
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
