"""Where a server's tools come from: its command line or its address, and names made of it.

>>> from toolwire.mcp.origin import Origin
>>> one, other = (Origin.of(["npx", "-y", name], None) for name in ("server-a", "server-b"))
>>> one.place, one.label("files") == other.label("files")
('npx', False)
>>> Origin.of("https://user:pw@tools.example.org/mcp", None).place
'tools.example.org'
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from mcp_types import Tool

__all__ = ["Origin", "checked_name"]

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")
DIGITS = 12
"""How many digits of the hash stand in a label."""


@dataclass(frozen=True)
class Origin:
    """A server's command line with its arguments and its folder, or its address, as a hash.

    Neither the hash nor the place tells a secret that the command line or the address has.
    """

    place: str
    hash: str

    @classmethod
    def of(cls, server: str | Sequence[str], cwd: str | None) -> Origin:
        """Give the origin of what the server is started with, or reached by."""
        if isinstance(server, str):
            return cls(urlsplit(server).hostname or "server", digest(["address", server]))
        folder = None if cwd is None else os.path.abspath(cwd)
        place = server[0].rpartition("/")[2]
        return cls(place, digest(["command", list(server), folder]))

    def label(self, name: str | None) -> str:
        """Give the name with a part of the hash: another server with this name has another one."""
        readable = re.sub(r"[^A-Za-z0-9._-]+", "_", self.place)[:40].lstrip("._-")
        return f"{name or readable or 'server'}-{self.hash[:DIGITS]}"

    def bound(self, tool: Tool, requires_approval: bool) -> str:
        """Give the text by which an approval is one of this tool, as it is declared now."""
        hints = tool.annotations
        flags = [
            requires_approval,
            None if hints is None else hints.read_only_hint,
            None if hints is None else hints.destructive_hint,
        ]
        return "mcp " + digest([self.hash, tool.name, tool.input_schema, flags])


def digest(value: Any) -> str:
    """Hash a value, whatever the order of its keys."""
    written = json.dumps(value, sort_keys=True)
    return hashlib.sha256(b"toolwire mcp origin 1\0" + written.encode()).hexdigest()


def checked_name(name: str | None) -> str | None:
    """Give the name that a program chose for a connection."""
    if name is not None and NAME.fullmatch(name) is None:
        raise ValueError(
            "the name of a connection has 1 to 40 letters, digits, dots, dashes and underscores, "
            f"and begins with a letter or a digit: {name!r}"
        )
    return name
