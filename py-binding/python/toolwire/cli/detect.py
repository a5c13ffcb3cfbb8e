"""The commands ``toolwire detect`` and ``toolwire formats``."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import toolwire
from toolwire.cli.parser import add_command, positive
from toolwire.cli.terminal import (
    DONE,
    REFUSED,
    FailedError,
    complain,
    in_one_line,
    painter,
    safe,
    safe_line,
    written,
    written_text,
)

DETECT_EPILOG = """\
The text is read as bytes; it need not be UTF-8. On a terminal, unless NO_COLOR is set, calls are
green, refusals red, reasoning and framing faint. Behind the text comes a line a call, and a line a
refusal with line and column.

examples:
  toolwire detect reply.md
  toolwire detect --json reply.md | jq -r '.calls[] | "\\(.name) \\(.arguments)"'
  toolwire detect --model Qwen/Qwen3-8B reply.md
  toolwire detect --formats auto --fences all --reasoning calls --repair reply.md
  echo '["search", {"name": "add", "parameters": {"type": "object"}}]' > tools.json
  toolwire detect --tools tools.json reply.md
  toolwire detect --column generated_text outputs.parquet
  toolwire detect --column choices.0.message.content --out found.parquet 'logs/*.jsonl.gz'
  toolwire detect --column messages.-1.content --out found.jsonl --fields calls data

With --column, the files hold a text a row: Parquet, or JSON lines (also .gz, .zst; - is JSON
lines). Folders and patterns are searched. The calls by tool and the refusals by code are counted;
with --out, a file gets the rows with a column `detected`. Ctrl-C leaves a whole file of the rows so
far. The exit status is 0 unless --fail-on-rejection is given.
"""

FORMATS_EPILOG = """\
examples:
  toolwire formats
  toolwire formats --json | jq -r '.[] | select(.slug == "hermes").example'
"""


# Options that mean nothing without --column.
OF_COLUMNS = ("out", "jobs", "fields", "drop", "fail_on_rejection")


def parts(detection: toolwire.Detection) -> Iterator[tuple[str, str]]:
    """Cut the text into its segments, and ``text`` into ``text`` and ``refused``."""
    refused = sorted(rejection.span for rejection in detection.rejections)
    reach = at = 0
    for segment in detection.segments:
        start, end = segment.span
        if segment.type != "text":
            yield segment.type, segment.text
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
    if detection.reasoning_open:
        complain("the text ends in reasoning that nothing closes")


def written_arguments(raw: str) -> str:
    """Write arguments in printable ASCII, their numbers digit for digit."""
    # An empty list means no arguments.
    return written_text(raw) if raw.lstrip().startswith("{") else "{}"


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
            {"code": note.code, "message": note.message, "offset": note.offset}
            for note in call.diagnostics
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
        f'{{"calls": [{calls}], "rejections": {written(rejections)}, '
        f'"reasoning": {written(detection.reasoning)}, '
        f'"reasoning_open": {written(detection.reasoning_open)}, '
        f'"text": {written(detection.text)}}}'
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
        raise FailedError(
            f"cannot read {what}: {getattr(error, 'strerror', None) or error}"
        ) from None


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


def read_source(name: str | None) -> str | None:
    """Read the text of a template or a prompt; what is not UTF-8 holds no marker."""
    return None if name is None else read_text(name).decode("utf-8", "replace")


def split_names(text: str) -> list[str]:
    """Read names with commas between them."""
    return [name.strip() for name in text.split(",")]


def read_thinking(text: str) -> bool | dict[str, Any]:
    """Read whether the model was asked to think: on, off, or a JSON object."""
    if text in ("on", "off"):
        return text == "on"
    try:
        variables = json.loads(text)
    except (ValueError, RecursionError):
        variables = None
    if not isinstance(variables, dict):
        raise argparse.ArgumentTypeError("it must be on, off or a JSON object")
    return variables


def make_detector(arguments: argparse.Namespace) -> toolwire.Detector:
    """Make the detector that the command line asks for."""
    template, prompt = read_source(arguments.template), read_source(arguments.prompt)
    try:
        detector = toolwire.Detector(
            formats=arguments.formats,
            model=arguments.model,
            template=template,
            prompt=prompt,
            thinking=arguments.thinking,
            calls=arguments.calls,
            tools=None if arguments.tools is None else read_tools(arguments.tools),
            fences=arguments.fences,
            repair="safe" if arguments.repair else "off",
            reasoning=arguments.reasoning,
        )
    except toolwire.ToolwireError as error:
        raise FailedError(str(error)) from None
    if detector.profile is not None and not detector.profile.exact:
        slug = detector.profile.slug
        complain(f"the version of the model is not known; its text is read as one of {slug}")
    return detector


def run_detect(arguments: argparse.Namespace) -> int:
    """Find the calls in a file."""
    detector = make_detector(arguments)
    if arguments.column is not None:
        # It imports what one text does not need.
        from toolwire.cli.columns import run_columns

        return run_columns(arguments, detector)
    if len(arguments.files) > 1:
        raise FailedError("several files are read with --column alone")
    given = [name for name in OF_COLUMNS if getattr(arguments, name)]
    if given:
        raise FailedError(f"--{given[0].replace('_', '-')} is for --column")
    detection = detector.detect(read_text(arguments.files[0] if arguments.files else "-"))
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


def add_to(commands: Any) -> None:
    """Add the commands to the program's."""
    detect = add_command(commands, "detect", "find the calls in a text", DETECT_EPILOG)
    detect.add_argument(
        "files",
        nargs="*",
        metavar="FILE",
        help="the text; - is standard input, the default; with --column, files and folders",
    )
    detect.add_argument(
        "--column",
        metavar="NAME",
        help="read files of rows: the column with the texts, or the member of each line, such as "
        "choices.0.message.content",
    )
    detect.add_argument("--out", metavar="FILE", help="write the rows: to .parquet, .jsonl or .csv")
    detect.add_argument(
        "--jobs", type=positive, metavar="N", help="how many threads work on a column, 1 by default"
    )
    detect.add_argument(
        "--fields",
        action="extend",
        type=split_names,
        metavar="NAMES",
        help="what --out gets: calls, text, reasoning, rejections, with commas between them",
    )
    detect.add_argument(
        "--drop", action="append", metavar="NAME", help="a column that --out does not get"
    )
    detect.add_argument(
        "--fail-on-rejection",
        action="store_true",
        help="with --column, exit with status 1 if something was refused",
    )
    detect.add_argument(
        "--formats",
        action="extend",
        type=split_names,
        metavar="NAMES",
        help="the formats, as `toolwire formats` names them, with commas between them, or auto, "
        "the default unless the model is named; may be repeated",
    )
    detect.add_argument(
        "--model", metavar="NAME", help="the model that wrote the text: its formats are looked for"
    )
    detect.add_argument(
        "--template", metavar="FILE", help="the model's chat template, which says the same"
    )
    detect.add_argument(
        "--prompt", metavar="FILE", help="the prompt: whether the message begins in reasoning"
    )
    detect.add_argument(
        "--calls",
        choices=("read", "refuse"),
        help="refuse: the request offered no tools, so no call counts and no markup is shown",
    )
    detect.add_argument(
        "--thinking",
        type=read_thinking,
        metavar="WHAT",
        help="whether the model was asked to think: on, off, or the request's variables for its "
        "chat template as a JSON object",
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
    detect.add_argument(
        "--repair", action="store_true", help="repair arguments that are almost JSON"
    )
    detect.add_argument(
        "--reasoning",
        choices=("separate", "keep", "calls"),
        help="what becomes of reasoning: set it apart (the default), keep it in the text, or set "
        "it apart and count the calls in it",
    )
    detect.add_argument(
        "--json", action="store_true", help="print one JSON object: calls, rejections, text"
    )
    detect.set_defaults(run=run_detect)

    about = "list the built-in formats"
    more = "List the built-in formats: name, how arguments are written, who writes it."
    formats = add_command(commands, "formats", about, FORMATS_EPILOG, description=more)
    formats.add_argument(
        "--json", action="store_true", help="print a JSON list, with an example of each"
    )
    formats.set_defaults(run=run_formats)
