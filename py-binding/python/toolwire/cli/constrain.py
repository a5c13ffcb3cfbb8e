"""The command ``toolwire constrain``."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import toolwire
from toolwire.cli.parser import add_command
from toolwire.cli.terminal import DONE, FailedError, complain, safe_line, written

EPILOG = """\
examples:
  toolwire constrain --model qwen3-coder --tools tools.json
  toolwire constrain --model llama-3.1 --tools tools.json --backend gbnf --grammar
  toolwire constrain --format hermes --tools tools.json --tool-choice required
"""


def read_tools(path: str) -> Any:
    """Read the list of tools of a file."""
    try:
        tools = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise FailedError(f"{path}: {error.strerror}") from None
    except ValueError as error:
        raise FailedError(f"{path}: this is no JSON: {error}") from None
    return tools.get("tools", tools) if isinstance(tools, dict) else tools


def reasoning_of(word: str | None) -> bool | str | None:
    """Say what the option asks for."""
    choices: dict[str, bool | str] = {"yes": True, "no": False, "engine": "engine"}
    return choices.get(word or "")


def run_constrain(arguments: argparse.Namespace) -> int:
    """Print what is merged into the body of a request, or the grammar alone."""
    options: dict[str, Any] = {
        "backend": arguments.backend,
        "tool_choice": arguments.tool_choice,
        "parallel": False if arguments.one_call else None,
        "reasoning": reasoning_of(arguments.reasoning),
        "text": not arguments.no_text,
        "special_tokens": arguments.special_tokens,
        "strict": arguments.strict,
        "server": arguments.server,
    }
    named = {"model": arguments.model} if arguments.model else {"format": arguments.format}
    try:
        constraint = toolwire.constrain(read_tools(arguments.tools), **named, **options)
    except toolwire.ToolwireError as error:
        raise FailedError(str(error)) from None
    for note in constraint.notes:
        place = f"{note.tool}{note.pointer}"
        complain(safe_line(f"note: {place}: {note.keyword}: {note.message}"))
    if not arguments.grammar:
        print(written(constraint.request))
    elif isinstance(constraint.grammar, str):
        print(constraint.grammar, end="")
    else:
        print(written(constraint.grammar))
    return DONE


def add_to(commands: Any) -> None:
    """Add the command to a parser's commands."""
    about = "print the grammar that makes a model write calls that can be read"
    more = (
        "Print what is merged into the body of a request to an inference server, so that the model "
        "can only write calls of these tools, in its own format, with arguments that fit their "
        "schemas. What the grammar does not hold is told on standard error."
    )
    constrain = add_command(commands, "constrain", about, EPILOG, description=more)
    model = constrain.add_mutually_exclusive_group(required=True)
    model.add_argument("--model", metavar="NAME", help="the name of the model that writes")
    model.add_argument("--format", metavar="NAME", help="a format, for the calls alone")
    constrain.add_argument(
        "--tools", required=True, metavar="FILE", help="a JSON list of tools with their schemas"
    )
    constrain.add_argument(
        "--backend", choices=("structural_tag", "lark", "gbnf"), default="structural_tag"
    )
    constrain.add_argument(
        "--server", choices=("vllm", "sglang", "trtllm", "llama.cpp", "mistral.rs")
    )
    constrain.add_argument(
        "--tool-choice",
        default="auto",
        metavar="CHOICE",
        help="auto, required, none or the name of a tool",
    )
    constrain.add_argument("--one-call", action="store_true", help="no second call may follow")
    constrain.add_argument(
        "--reasoning",
        choices=("yes", "no", "engine"),
        help="whether the grammar has a place for it; engine: the server reads over it",
    )
    constrain.add_argument("--no-text", action="store_true", help="only calls may be written")
    constrain.add_argument(
        "--special-tokens",
        nargs="+",
        metavar="TOKEN",
        help="tokens that the model's tokenizer keeps whole; only lark needs them",
    )
    constrain.add_argument(
        "--strict", action="store_true", help="fail where the grammar cannot hold a keyword"
    )
    constrain.add_argument("--grammar", action="store_true", help="print the grammar alone")
    constrain.set_defaults(run=run_constrain)
