"""A request to run a tool, as a program makes one.

>>> from types import SimpleNamespace
>>> from toolwire.runs.action import Action
>>> isinstance(SimpleNamespace(id="a1", type="mail", payload={}), Action)
True
"""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable
from uuid import UUID

__all__ = ["Action"]


@runtime_checkable
class Action(Protocol):
    """A request to run a tool."""

    @property
    def id(self) -> UUID:
        """The action's own id."""

    @property
    def type(self) -> str:
        """What a tool is found by."""

    @property
    def payload(self) -> dict[str, Any]:
        """What the tool is given."""
