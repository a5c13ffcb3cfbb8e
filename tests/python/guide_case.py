"""Does what ``docs/guide.md`` says, in an empty folder, and compares what is printed.

A comment before a block of the page says what its reader does with it: ``<!-- file: NAME -->``
saves it, ``<!-- change: NAME -->`` changes a file by its lines with ``-`` and ``+``. In a block
``console``, a line with ``$`` is a command, and the lines below are what it prints. Each id of the
page stands for one that a program has made, the same one in all places.
"""

from __future__ import annotations

import json
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agent_programs_case import EXTENSION, ROOT, ModelServer

PAGE = ROOT / "docs" / "guide.md"
BLOCK = re.compile(r"(?:<!-- (file|change|run): (\S+) -->\n)?```(\w+)\n(.*?)```", re.DOTALL)
ID = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b")
HASH = re.compile(r"\b[0-9a-f]{64}\b")
TIME = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+\+00:00")
# What a person types at the end of a line that asks for it.
ASKS = re.compile(r"(?m)^(.*\[y/N\] )(\w+)$")

PATIENCE = 30.0


class DiskModel(ModelServer):
    """Calls the tools that the user's text asks for, and tells what they gave.

    With ``raw``, the calls are in the text, as the model wrote them.
    """

    raw = False

    def message(self, asked: dict[str, Any]) -> dict[str, Any]:
        places = [n for n, one in enumerate(asked["messages"]) if one["role"] == "user"]
        wanted = asked["messages"][places[-1]]["content"]
        behind = asked["messages"][places[-1] + 1 :]
        results = [one["content"] for one in behind if one["role"] == "tool"]
        if asked.get("tool_choice") == "none":
            return self.said("There are still two disks.")
        if results and "until" not in wanted:
            return self.said(told(wanted, results[-1]))
        disk = re.search(r"Wipe disk (\d)", wanted)
        if disk:
            return self.call("I wipe it.", "wipe", {"disk": int(disk[1])})
        return self.call("I look.", "list_disks", {})

    def said(self, text: str) -> dict[str, Any]:
        """Give a message of text."""
        thought = "<think>What did the user want?</think>" if self.raw else ""
        return {"role": "assistant", "content": thought + text}

    def call(self, text: str, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Give a message with a call; the calls of each message are counted anew."""
        if self.raw:
            written = json.dumps({"name": name, "arguments": arguments})
            return self.said(f"{text}<tool_call>{written}</tool_call>")
        function = {"name": name, "arguments": json.dumps(arguments)}
        calls = [{"id": "call_0", "type": "function", "function": function}]
        return {"role": "assistant", "content": text, "tool_calls": calls}


def told(wanted: str, result: str) -> str:
    """Give the answer of a model that was told a result."""
    if "Wipe" not in wanted:
        assert json.loads(result) == [7, 8]
        return "There are two disks: 7 and 8."
    disk = wanted.split()[-1].rstrip(".")
    if "wiped" in result:
        return f"Disk {disk} is wiped."
    assert "Disk 8 is in use." in result, result
    return f"I left disk {disk} alone, since it is in use."


@dataclass(frozen=True)
class Block:
    """A block of the page: what is done with it, to which file, and what it holds."""

    does: str
    name: str
    language: str
    text: str


def sections() -> dict[str, list[Block]]:
    """Give the blocks of each section, by its title."""
    parts = re.split(r"(?m)^## (.+)\n", PAGE.read_text(encoding="utf-8"))
    return {
        title: [Block(*found) for found in BLOCK.findall(text)]
        for title, text in zip(parts[1::2], parts[2::2], strict=True)
    }


@dataclass
class Walk:
    """A reader's folder, and what the ids of the page are there."""

    folder: Path
    model: DiskModel
    ids: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Put the programs of the installation into a folder of their own."""
        programs = self.folder / "bin"
        programs.mkdir()
        php = f"{shutil.which('php')} -d extension={EXTENSION}"
        python = sys.executable
        for name, command in (
            ("python", python),
            ("toolwire", f"{python} -m toolwire"),
            ("php", php),
        ):
            (programs / name).write_text(f'#!/bin/sh\nexec {command} "$@"\n')
            (programs / name).chmod(0o755)

    def do(self, block: Block) -> None:
        """Do what the page says with a block."""
        file = self.folder / block.name
        if block.does == "file":
            file.write_text(block.text, encoding="utf-8")
        elif block.does == "change":
            source = file.read_text(encoding="utf-8")
            for part in re.split(r"(?m)^@@\n", block.text):
                source = changed(source, part)
            file.write_text(source, encoding="utf-8")
        elif block.language == "console":
            self.model.raw = block.does == "run"
            for command, printed in re.findall(r"(?m)^\$ (.*)\n((?:(?!\$ ).*\n)*)", block.text):
                self.run(command, printed)
        else:
            assert block.language == "sh", f"nobody is told what to do with {block.text}"

    def run(self, command: str, printed: str) -> None:
        """Run a command, and compare what it prints with what the page says."""
        command = ID.sub(lambda found: self.ids[found[0]], command)
        typed = ASKS.search(printed)
        given = self.shell(command, *(typed.groups() if typed else ("", "")))
        for said, real in zip(ID.findall(printed), ID.findall(given), strict=False):
            self.ids.setdefault(said, real)
        expected = ID.sub(lambda found: self.ids.get(found[0], found[0]), printed)
        assert plain(given) == plain(expected), command

    def shell(self, command: str, asks: str, answer: str) -> str:
        """Run a command at a terminal; give what the terminal receives."""
        ours, theirs = pty.openpty()
        path = f"{self.folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
        environ = {**os.environ, "PATH": path, "NO_COLOR": "1", "MODEL_URL": self.model.url}
        streams: Any = {"stdin": theirs, "stdout": theirs, "stderr": theirs}
        running = subprocess.Popen(
            ["sh", "-c", command], cwd=self.folder, env=environ, start_new_session=True, **streams
        )
        os.close(theirs)
        # One that asks what the page does not answer would wait for ever.
        late = threading.Timer(PATIENCE, os.killpg, (running.pid, signal.SIGKILL))
        late.start()
        sent, is_answered = b"", not answer
        try:
            while piece := os.read(ours, 4096):
                sent += piece
                if not is_answered and asks.encode() in sent:
                    os.write(ours, answer.encode() + b"\n")
                    is_answered = True
        except OSError:  # A terminal whose program has ended cannot be read.
            pass
        running.wait(PATIENCE)
        late.cancel()
        os.close(ours)
        return sent.decode().replace("\r\n", "\n")


def changed(source: str, part: str) -> str:
    """Change a text by lines that begin with a space, ``-`` or ``+``."""
    lines = part.splitlines(keepends=True)
    before = "".join(line[1:] for line in lines if line[0] in " -")
    after = "".join(line[1:] for line in lines if line[0] in " +")
    assert source.count(before) == 1, before
    return source.replace(before, after)


def plain(text: str) -> str:
    """Give a text with a word for what is new in each run."""
    return TIME.sub("TIME", HASH.sub("HASH", text))
