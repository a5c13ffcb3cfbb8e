"""The program ``toolwire``: its parser, its exit status, and broken pipes."""

from __future__ import annotations

import argparse
import importlib
import io
import sys
from collections.abc import Sequence

import toolwire
from toolwire.cli.parser import Parser
from toolwire.cli.terminal import DONE, FAILED, INTERRUPTED, FailedError, complain, drop_output

EPILOG = """\
examples:
  toolwire detect reply.md                        what a model wrote, its calls marked
  curl -s "$URL" | toolwire detect --json         one JSON object: calls, rejections, text
  toolwire detect --formats hermes,tag -          these two formats only, from standard input
  toolwire detect --tools tools.json reply.md     refuse what is no tool of yours
  toolwire detect --model gpt-oss:20b reply.md    the formats of this model only
  toolwire detect --column text replies.parquet   the calls of many texts, counted by tool
  toolwire formats                                the built-in formats and who writes them
  toolwire models NAME                            how a model writes; all models without NAME
  toolwire transcript session.jsonl               an agent's log, each call with its result
  toolwire sessions flaky test                    the sessions of your agents that have these words
  toolwire approvals list tools.db                what waits for a person in a program's store
  toolwire runs list tools.db                     what became of its calls
  toolwire mcp serve agent:registry               its tools for a client of MCP
  toolwire issue-agent run --issue 7 --dry-run    an issue on GitHub, analyzed

exit status: 0 done; 1 something was refused, or has no result; 2 wrong usage, or a file that cannot
be read or written
"""


#: The module of each command.
COMMANDS = {
    "detect": "detect",
    "formats": "detect",
    "models": "models",
    "constrain": "constrain",
    "transcript": "transcript",
    "sessions": "sessions",
    "approvals": "approvals",
    "runs": "runs",
    "undo": "undo",
    "mcp": "mcp",
    "issue-agent": "issue_agent",
}


def make_parser(argv: Sequence[str] = ()) -> argparse.ArgumentParser:
    """Make the parser of a command line: of its command alone, or of all commands."""
    about = "Find the tool calls in what a language model wrote."
    parser = Parser(prog="toolwire", description=about, epilog=EPILOG)
    parser.add_argument("--version", action="version", version=f"toolwire {toolwire.__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    # A program starts three times as fast with the modules of its own command alone.
    named = COMMANDS.get(argv[0]) if argv else None
    for name in [named] if named else dict.fromkeys(COMMANDS.values()):
        importlib.import_module(f"toolwire.cli.{name}").add_to(commands)
    return parser


def run(argv: Sequence[str] | None) -> int:
    """Run a command, and flush its output."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    if sys.stdout is None:
        raise FailedError("cannot write to standard output: it is closed")
    try:
        given = sys.argv[1:] if argv is None else list(argv)
        if not given:
            make_parser().print_help()
            return DONE
        arguments = make_parser(given).parse_args(given)
        status: int = arguments.run(arguments)
        return status
    finally:
        sys.stdout.flush()


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command, and give the exit status."""
    try:
        return run(argv)
    except FailedError as error:
        complain(str(error))
    except BrokenPipeError:
        # The reader closed the pipe because it has read enough.
        drop_output()
    except OSError as error:
        complain(f"cannot write to standard output: {error.strerror or error}")
        drop_output()
    except KeyboardInterrupt:
        drop_output()
        return INTERRUPTED
    return FAILED
