"""The console: ``toolwire detect`` and ``toolwire formats``; the other commands have modules of their own.

Whatever the text is, what is printed of it cannot steer the terminal: controls are shown, not sent.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import toolwire

DONE, REFUSED, FAILED, INTERRUPTED = 0, 1, 2, 130

EPILOG = """\
examples:
  toolwire detect reply.md                        what a model wrote, its calls marked
  curl -s "$URL" | toolwire detect --json         one JSON object: calls, rejections, text
  toolwire detect --format hermes --format tag -  these two formats only, from standard input
  toolwire detect --tools tools.json reply.md     refuse what is no tool of yours
  toolwire formats                                the built-in formats and who writes them
  toolwire transcript session.jsonl               an agent's log, each call with its result
  toolwire approvals list tools.db                what waits for a person in a program's store
  toolwire issue-agent run --issue 7 --dry-run    an issue on GitHub, analyzed

exit status: 0 done; 1 something was refused, or has no result; 2 wrong usage, or a file that cannot be
read or written
"""

DETECT_EPILOG = """\
The text is read as bytes; it need not be UTF-8. Calls are green and refusals red on a terminal, unless
NO_COLOR is set. Behind the text comes a line a call, and a line a refusal with line and column.

examples:
  toolwire detect reply.md
  toolwire detect --json reply.md | jq -r '.calls[] | "\\(.name) \\(.arguments)"'
  toolwire detect --format auto --fences all --reasoning --repair reply.md
  echo '["search", {"name": "add", "parameters": {"type": "object"}}]' > tools.json
  toolwire detect --tools tools.json reply.md
"""

FORMATS_EPILOG = """\
examples:
  toolwire formats
  toolwire formats --json | jq -r '.[] | select(.slug == "hermes").example'
"""

# What ends or parts a line; the rest is shown by `toolwire.visible`.
IN_A_LINE = {ord(one): f"⟨U+{ord(one):04X}⟩" for one in "\t\n\r"}
NOT_PRINTABLE_ASCII = re.compile(r"[^\x20-\x7e]")
COLOURS = {"call": "\x1b[32m", "refused": "\x1b[31m"}


class FailedError(Exception):
    """What the user is told instead of an outcome."""


def safe(text: str) -> str:
    """Give text for a terminal: lines and tabs stay, what nobody would see is shown as marks."""
    return toolwire.visible(text.replace("\r\n", "\n"))


def safe_line(text: str) -> str:
    """Give text for one line of a terminal."""
    return toolwire.visible(text).translate(IN_A_LINE)


def parts(detection: toolwire.Detection) -> Iterator[tuple[str, str]]:
    """Cut the text into ``text``, ``call`` and ``refused``; what is inside a call counts as call."""
    refused = sorted(rejection.span for rejection in detection.rejections)
    reach = at = 0
    for segment in detection.segments:
        start, end = segment.span
        if segment.call is not None:
            yield "call", segment.text
            continue
        while start < end:
            while at < len(refused) and refused[at][0] <= start:
                reach = max(reach, refused[at][1])
                at += 1
            if start < reach:
                kind, stop = "refused", min(reach, end)
            else:
                kind, stop = "text", min(refused[at][0], end) if at < len(refused) else end
            yield kind, detection.input[start:stop]
            start = stop


def painter() -> Callable[[str, str], str]:
    """Give what colours a part: nothing but a terminal whose user lets it is coloured."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb" or not sys.stdout.isatty()

    def paint(kind: str, text: str) -> str:
        colour = "" if plain else COLOURS.get(kind, "")
        return f"{colour}{text}\x1b[0m" if colour else text

    return paint


def in_one_line(raw: str) -> str:
    """Give JSON in one line; what parts its tokens is no part of a value."""
    return re.sub(r"[\t\n\r][\t\n\r ]*", " ", raw)


def print_detection(detection: toolwire.Detection) -> None:
    """Print the text with its calls and refusals marked, then a line for each."""
    paint = painter()
    text = "".join(paint(kind, safe(part)) for kind, part in parts(detection))
    if text:
        print(text, end="" if detection.input.endswith("\n") else "\n")
    if text and (detection.calls or detection.rejections):
        print()
    for call in detection:
        head = paint("call", f"call {call.index}")
        arguments = safe_line(in_one_line(call.arguments_raw))
        print(f"{head}: {safe_line(call.name)} ({safe_line(call.format)}) {arguments}")
    for rejection in detection.rejections:
        head = paint("refused", f"refused at {rejection.line}:{rejection.column}")
        print(f"{head}: {rejection.code}: {safe_line(rejection.message)}")


def written(value: Any) -> str:
    """Write a value as JSON of printable ASCII."""
    return json.dumps(value).replace("\x7f", "\\u007f")


def written_arguments(raw: str) -> str:
    """Write arguments in printable ASCII, their numbers digit for digit."""

    def escaped(match: re.Match[str]) -> str:
        return written(match[0])[1:-1]

    # An empty list stands for no arguments.
    return NOT_PRINTABLE_ASCII.sub(escaped, in_one_line(raw)) if raw.lstrip().startswith("{") else "{}"


def written_call(call: toolwire.ToolCall) -> str:
    """Write the fields of a call, in the order of ``to_dict``."""
    head = {"id": call.id, "id_given": call.id_given, "index": call.index, "name": call.name}
    tail = {
        "arguments_raw": call.arguments_raw,
        "format": call.format,
        "original": call.original,
        "span": call.span,
        "status": call.status,
        "diagnostics": [
            {"code": note.code, "message": note.message, "offset": note.offset} for note in call.diagnostics
        ],
    }
    arguments = written_arguments(call.arguments_raw)
    return f'{written(head)[:-1]}, "arguments": {arguments}, {written(tail)[1:]}'


def print_json(detection: toolwire.Detection) -> None:
    """Print one JSON object in one line."""
    names = ("code", "message", "span", "line", "column", "excerpt", "format")
    rejections = [{name: getattr(one, name) for name in names} for one in detection.rejections]
    calls = ", ".join(map(written_call, detection))
    print(
        f'{{"calls": [{calls}], "rejections": {written(rejections)}, "text": {written(detection.text)}}}',
    )


def read_text(name: str) -> bytes:
    """Read a file, or standard input."""
    try:
        if name != "-":
            return Path(name).read_bytes()
        if sys.stdin is None:
            raise FailedError("cannot read standard input: it is closed")
        return sys.stdin.buffer.read()
    except (OSError, ValueError) as error:
        what = "standard input" if name == "-" else name
        raise FailedError(f"cannot read {what}: {getattr(error, 'strerror', None) or error}") from None


def read_tools(name: str) -> list[Any]:
    """Read a file of tools, and check them."""
    try:
        tools = json.loads(Path(name).read_bytes())
        if not isinstance(tools, list):
            raise FailedError(f"{name}: tools must be a list")
        toolwire.Detector(tools=tools)
    except OSError as error:
        raise FailedError(f"cannot read {name}: {error.strerror or error}") from None
    except toolwire.ToolwireError as error:
        raise FailedError(f"{name}: {error}") from None
    except (ValueError, RecursionError) as error:
        raise FailedError(f"{name} is not JSON: {error}") from None
    return tools


def make_detector(arguments: argparse.Namespace) -> toolwire.Detector:
    """Make the detector that the command line asks for."""
    try:
        return toolwire.Detector(
            formats=arguments.format or "auto",
            tools=None if arguments.tools is None else read_tools(arguments.tools),
            fences=arguments.fences,
            repair="safe" if arguments.repair else "off",
            reasoning=arguments.reasoning,
        )
    except toolwire.ToolwireError as error:
        raise FailedError(str(error)) from None


def run_detect(arguments: argparse.Namespace) -> int:
    """Find the calls in a file."""
    detector = make_detector(arguments)
    detection = detector.detect(read_text(arguments.file))
    (print_json if arguments.json else print_detection)(detection)
    if detection.rejections_dropped:
        complain(f"{detection.rejections_dropped} more refusals are not listed")
    return REFUSED if detection.rejections else DONE


def run_formats(arguments: argparse.Namespace) -> int:
    """List the formats."""
    formats = toolwire.formats()
    if arguments.json:
        names = ("slug", "models", "body", "example")
        print(written([{name: getattr(one, name) for name in names} for one in formats]))
        return DONE
    slug = max(len(one.slug) for one in formats)
    body = max(len(one.body) for one in formats)
    for one in formats:
        print(f"{one.slug:{slug}}  {one.body:{body}}  {one.models}")
    return DONE


def make_parser() -> argparse.ArgumentParser:
    """Say what the command line may be."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        prog="toolwire",
        description="Find the tool calls in what a language model wrote.",
        epilog=EPILOG,
        formatter_class=raw,
    )
    parser.add_argument("--version", action="version", version=f"toolwire {toolwire.__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")

    help_ = "find the calls in a text"
    detect = commands.add_parser(
        "detect",
        help=help_,
        description="Find the calls in a text.",
        epilog=DETECT_EPILOG,
        formatter_class=raw,
    )
    detect.add_argument("file", nargs="?", default="-", metavar="FILE", help="the text; - is standard input")
    detect.add_argument(
        "--format",
        action="append",
        metavar="NAME",
        help="a format to look for, as `toolwire formats` names it, or auto, the default; may be repeated",
    )
    detect.add_argument(
        "--tools", metavar="FILE", help="JSON: a list of what may be called, names or schemas"
    )
    detect.add_argument(
        "--fences",
        choices=("json", "all", "none"),
        default="json",
        help="which fenced blocks count: those that are a call (json, the default), all, none",
    )
    detect.add_argument("--repair", action="store_true", help="repair arguments that are almost JSON")
    detect.add_argument("--reasoning", action="store_true", help="count calls inside <think>...</think>")
    detect.add_argument("--json", action="store_true", help="print one JSON object: calls, rejections, text")
    detect.set_defaults(run=run_detect)

    help_ = "list the built-in formats"
    formats = commands.add_parser(
        "formats",
        help=help_,
        description="List the built-in formats: name, how arguments are written, who writes it.",
        epilog=FORMATS_EPILOG,
        formatter_class=raw,
    )
    formats.add_argument("--json", action="store_true", help="print a JSON list, with an example of each")
    formats.set_defaults(run=run_formats)

    # Those modules use this one.
    from toolwire import _issue_agent_console, _tools_console, _transcript_console

    _transcript_console.add_to(commands)
    _tools_console.add_to(commands)
    _issue_agent_console.add_to(commands)
    return parser


def complain(message: str) -> None:
    """Tell the user on standard error."""
    with contextlib.suppress(OSError, AttributeError):
        sys.stderr.write(f"toolwire: {safe_line(message)}\n")
        sys.stderr.flush()


def drop_output() -> None:
    """Let what is still to be written go nowhere, so that the interpreter's end does not fail on it."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def run(argv: Sequence[str] | None) -> int:
    """Run a command, and write all of what it prints."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    if sys.stdout is None:
        raise FailedError("cannot write to standard output: it is closed")
    try:
        arguments = make_parser().parse_args(argv)
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
        # Whoever read has read enough.
        drop_output()
    except OSError as error:
        complain(f"cannot write to standard output: {error.strerror or error}")
        drop_output()
    except KeyboardInterrupt:
        drop_output()
        return INTERRUPTED
    return FAILED
