"""What the issue agent prints: no line is a command to a terminal or to a workflow runner.

A runner reads ``::name::`` at the start of a line, and ``##[name]`` anywhere in a line, as a
command. It ignores white space before the first, and invisible characters in both. Only this module
prints issues, replies and errors of servers.
"""

from __future__ import annotations

import contextlib
import logging
import os
import re
import secrets
import sys
from collections.abc import Iterator

from toolwire._native import Redactor
from toolwire.cli.terminal import complain, safe, safe_line

# Characters that a comparison of texts may ignore: format characters, fillers, selectors, tags.
IGNORED = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff"
)
COLONS = re.compile(rf"^((?:[^\S\n]|[{IGNORED}])*)(:[{IGNORED}]*:)", re.MULTILINE)
BRACKET = re.compile(rf"(#[{IGNORED}]*#[{IGNORED}]*)(\[)")


def without_commands(text: str) -> str:
    r"""Put a backslash into everything that a runner would read as a command.

    >>> print(without_commands("a ::b::\n  ::add-mask::x\n1 ##[endgroup]"))
    a ::b::
      \::add-mask::x
    1 ##\[endgroup]
    """
    return BRACKET.sub(r"\1\\\2", COLONS.sub(r"\1\\\2", text))


def log_lines(text: str) -> str:
    """Give a text for a log: line ends stay, other control characters become visible."""
    return without_commands(safe(text))


def log_line(text: str) -> str:
    """Give a text for one line of a log."""
    return without_commands(safe_line(text))


def tell(text: str) -> None:
    """Print one line on standard output."""
    print(log_line(text))


def warn(text: str) -> None:
    """Print one line on standard error."""
    complain(log_line(text))


def in_workflow() -> bool:
    """Say whether a workflow runner reads the output."""
    return os.environ.get("GITHUB_ACTIONS") == "true"


def tell_comment(body: str) -> None:
    """Print a comment as it would be posted; for a runner, commands in it are broken."""
    print("the comment, as it would be posted:")
    print(log_lines(body) if in_workflow() else safe(body))
    print("(end of the comment)")
    if in_workflow() and log_lines(body) != safe(body):
        warn("backslashes in the comment as it is shown keep the log from being read as commands")


class LogHandler(logging.Handler):
    """Prints log records on standard error, one line each, without secrets."""

    def __init__(self, redactor: Redactor) -> None:
        super().__init__(logging.WARNING)
        self._redactor = redactor

    def emit(self, record: logging.LogRecord) -> None:
        """Print one record."""
        warn(self._redactor.redact(self.format(record)))


@contextlib.contextmanager
def log_to_console(redactor: Redactor) -> Iterator[None]:
    """Print log records inside the block, and stop the runner's commands there."""
    handler, root = LogHandler(redactor), logging.getLogger()
    root.addHandler(handler)
    token = secrets.token_hex(16) if in_workflow() else None
    if token:
        print(f"::stop-commands::{token}", flush=True)
    try:
        yield
    finally:
        root.removeHandler(handler)
        if token:
            sys.stderr.flush()
            # The last line of a tool may lack its end.
            print(f"\n::{token}::", flush=True)
