"""Compares what chat templates say with the profiles that their models' names give."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

import toolwire
from toolwire.cli.terminal import FailedError

#: The endings of files that hold a template.
ENDINGS = (".jinja", ".jinja2", ".j2", ".json")
#: What surrounds a model's name in the names of templates.
AROUND = re.compile(
    r"^(tool_chat_template_|chat_template_|template_)|(_chat_template|_template)\d*$"
)
#: The names of files that say nothing of the model: their folder does.
PLAIN = ("tokenizer_config", "chat_template", "template")


@dataclass
class Template:
    """A chat template, and the name of its model as its file says it."""

    path: Path
    name: str
    text: str


@dataclass
class Comparison:
    """What a template says beside the profile of its model's name."""

    template: Template
    named: toolwire.Profile | None
    own: toolwire.Profile | None
    differences: list[str] = field(default_factory=list)


def model_name(path: Path) -> str:
    """Say which model a template's file is named after."""
    stem = re.sub(r"\.(jinja2?|j2|json)$", "", path.name)
    stem = path.parent.name if stem in PLAIN else stem
    return AROUND.sub("", stem.split("__")[-1])


def read_template(path: Path) -> Template | None:
    """Read a template's file, or the configuration of a tokenizer; None where there is none."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise FailedError(f"{path}: {error}") from None
    if path.suffix != ".json":
        return Template(path, model_name(path), text)
    try:
        template = json.loads(text)["chat_template"]
    except (ValueError, KeyError, TypeError):
        return None
    if isinstance(template, list):
        template = next((one["template"] for one in template if one["name"] == "default"), None)
    return Template(path, model_name(path), template) if isinstance(template, str) else None


def find(paths: Iterable[str]) -> Iterator[Template]:
    """Read the templates of files and folders."""
    for given in map(Path, paths):
        if not given.exists():
            raise FailedError(f"{given}: there is no such file or folder")
        files = sorted(given.rglob("*")) if given.is_dir() else [given]
        for path in files:
            if path.is_file() and path.name.endswith(ENDINGS):
                template = read_template(path)
                if template is not None:
                    yield template


def compare(template: Template) -> Comparison:
    """Compare the profile that the template describes with the profile of its model's name."""
    named = toolwire.profile_for(template.name)
    try:
        own = toolwire.Detector(template=template.text).profile
    except toolwire.ToolwireError:
        own = None
    found = Comparison(template, named, own)
    if named is None or own is None:
        return found
    read = {*named.formats, *named.siblings}
    strange = [slug for slug in own.formats if read and slug not in read]
    if strange:
        found.differences.append(f"formats: it writes {', '.join(strange)}")
    styles = [style for style in own.reasoning if style not in named.reasoning]
    if styles:
        found.differences.append(f"reasoning: it has {', '.join(styles)}")
    if own.reasoning_begun != named.reasoning_begun and not styles:
        begins = own.reasoning_begun or "text"
        found.differences.append(f"begins in {begins}, not in {named.reasoning_begun or 'text'}")
    return found


def explanation(path: Path, explained: dict[str, str]) -> str | None:
    """Look up why a template differs: the first pattern that its path ends with."""
    name = path.as_posix()
    found = (why for pattern, why in explained.items() if fnmatchcase(name, "*" + pattern))
    return next(found, None)


def print_comparisons(paths: list[str], explained: dict[str, str]) -> int:
    """Print a line a template that differs, and the totals; return how many are unexplained."""
    counts = dict.fromkeys(("alike", "explained", "unexplained", "no such name", "unread"), 0)
    for found in map(compare, find(paths)):
        template = found.template
        if found.own is None:
            counts["unread"] += 1
        elif found.named is None:
            counts["no such name"] += 1
            print(f"{template.path}: no profile for {template.name!r}; writes as {found.own.slug}")
        elif not found.differences:
            counts["alike"] += 1
        else:
            why = explanation(template.path, explained)
            counts["explained" if why else "unexplained"] += 1
            print(f"{template.path}: {found.named.slug}; {'; '.join(found.differences)}")
            print(f"  {why or 'not explained'}")
    total = sum(counts.values())
    if total == 0:
        raise FailedError(f"no chat template in {', '.join(paths)}: {', '.join(ENDINGS)} are read")
    print(f"{total} templates: " + ", ".join(f"{count} {what}" for what, count in counts.items()))
    return counts["unexplained"]


def read_explained(path: str | None) -> dict[str, str]:
    """Read the file of known differences: an object of patterns of paths and reasons."""
    if path is None:
        return {}
    try:
        explained = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise FailedError(f"{path}: {error}") from None
    if not isinstance(explained, dict):
        raise FailedError(f"{path}: not an object of patterns and reasons")
    return explained
