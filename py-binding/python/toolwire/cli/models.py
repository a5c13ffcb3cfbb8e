"""The command ``toolwire models``."""

from __future__ import annotations

import argparse
from typing import Any

import toolwire
from toolwire._native import explain_profile
from toolwire.cli.parser import add_command
from toolwire.cli.templates import print_comparisons, read_explained
from toolwire.cli.terminal import DONE, FailedError, written

EPILOG = """\
examples:
  toolwire models
  toolwire models zai-org/GLM-4.5-Air
  toolwire models --templates ~/models
  toolwire models --json | jq -r '.[] | select(.slug == "kimi_k2").aliases'
"""

#: The exit status where a template says something else than the profile of its model.
DIFFERS = 1

FIELDS = (
    "slug",
    "exact",
    "models",
    "aliases",
    "formats",
    "reasoning",
    "reasoning_begun",
    "calls_in_reasoning",
    "thinking",
    "stop",
)


def thinking_of(profile: toolwire.Profile) -> str:
    """Say in words how thinking is switched."""
    if profile.thinking is None:
        return "not known"
    return ", ".join(profile.thinking) or "always"


def print_profile(model: str, as_json: bool) -> None:
    """Print the profile of one model, and why it is that one."""
    try:
        profile, why = explain_profile(model)
    except toolwire.ToolwireError as error:
        raise FailedError(str(error)) from None
    if as_json:
        print(written({**{name: getattr(profile, name) for name in FIELDS}, "matched": why}))
        return
    nearest = "" if profile.exact else " (the nearest version: this one is not known)"
    lines = {
        "profile": profile.slug + nearest,
        "matched": why,
        "models": profile.models,
        "formats": ", ".join(profile.formats) or "none known",
        "reasoning": ", ".join(profile.reasoning) or "none",
        "begins in": profile.reasoning_begun or "text",
        "thinking": thinking_of(profile),
        "stops at": ", ".join(profile.stop) or "not known",
        "parsers": ", ".join(profile.aliases) or "none",
    }
    for name, value in lines.items():
        print(f"{name:9}  {value}")


def run_models(arguments: argparse.Namespace) -> int:
    """List the profiles, or show that of a model, or compare those of chat templates."""
    if arguments.explained is not None and not arguments.templates:
        raise FailedError("--explained is for --templates")
    if arguments.templates:
        if arguments.name is not None or arguments.json:
            raise FailedError("--templates goes with no NAME, and not with --json")
        explained = read_explained(arguments.explained)
        return DIFFERS if print_comparisons(arguments.templates, explained) else DONE
    if arguments.name is not None:
        print_profile(arguments.name, arguments.json)
        return DONE
    profiles = toolwire.profiles()
    if arguments.json:
        print(written([{name: getattr(one, name) for name in FIELDS} for one in profiles]))
        return DONE
    slug = max(len(one.slug) for one in profiles)
    formats = max(len(", ".join(one.formats)) for one in profiles)
    for one in profiles:
        print(f"{one.slug:{slug}}  {', '.join(one.formats) or '-':{formats}}  {one.models}")
    return DONE


def add_to(commands: Any) -> None:
    """Add the command to the program's."""
    more = (
        "List the profiles: name, formats, models. With NAME, show which profile a model has, and "
        "what of its name says so."
    )
    about = "list the built-in profiles of models"
    models = add_command(commands, "models", about, EPILOG, description=more)
    models.add_argument("name", nargs="?", metavar="NAME", help="a model's name")
    models.add_argument("--json", action="store_true", help="print JSON")
    models.add_argument(
        "--templates",
        nargs="+",
        metavar="PATH",
        help="chat templates (.jinja, tokenizer_config.json) or folders of them: say for each what "
        "profile its model's name has, what the template itself says, and where they differ; "
        "the exit status is 1 where one differs",
    )
    models.add_argument(
        "--explained",
        metavar="FILE",
        help="known differences: a JSON object of patterns of paths, each with the reason",
    )
    models.set_defaults(run=run_models)
