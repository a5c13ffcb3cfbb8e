"""The help of the console: each command has examples, and the parser takes them."""

from __future__ import annotations

import argparse
import re
import shlex
from collections.abc import Iterator

import pytest
from toolwire.cli.main import main, make_parser


def every_parser(
    parser: argparse.ArgumentParser, name: str = "toolwire"
) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """Give the parser of every command, with the command's name."""
    yield name, parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for word, command in action.choices.items():
                yield from every_parser(command, f"{name} {word}")


PARSERS = dict(every_parser(make_parser()))


@pytest.mark.parametrize("name", PARSERS)
def test_the_help_of_every_command_has_examples_that_the_parser_takes(name: str) -> None:
    _, _, examples = PARSERS[name].format_help().partition("\nexamples:\n")
    lines = re.findall(r"^  .*?\b(toolwire .*?)(?:  .*| \|.*)?$", examples, re.MULTILINE)
    assert lines
    for line in lines:
        assert line.startswith(name)
        make_parser().parse_args(shlex.split(line)[1:])


@pytest.mark.parametrize("name", ["toolwire", "toolwire undo list"])
def test_the_help_is_printed(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([*name.split()[1:], "--help"])
    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith(f"usage: {name} ")
