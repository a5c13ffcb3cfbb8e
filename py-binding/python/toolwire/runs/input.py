"""What a handler is given.

>>> from toolwire.runs import ToolInput
>>> given = ToolInput("08b4", "mail", {"to": "ann"}, {"user_id": "bob"}, "key")
>>> given.arguments["to"], given.context["user_id"]
('ann', 'bob')
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["HandlerInput", "ToolInput"]


class HandlerInput:
    """An input of a handler: a function's parameter of such a class is given it.

    Each has ``run_id``, ``tool_name``, ``arguments``, ``parent_id``, ``request_id`` and
    ``idempotency_key``.
    """

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class ToolInput(HandlerInput):
    """The input of a handler.

    ``arguments`` have passed the checks. ``context`` is what the program gave with the call; in
    another process, it is what the store keeps of it: ``mode``, ``parent_id``, ``request_id`` and
    ``user_id``. ``idempotency_key`` is the same random text for every attempt of one run, for
    services that take such a key.
    """

    run_id: str
    tool_name: str
    arguments: Any
    context: Mapping[str, Any] = field(default_factory=dict)
    idempotency_key: str = ""

    @property
    def parent_id(self) -> Any:
        """The id of what the run is part of, if the context has one."""
        return self.context.get("parent_id")

    @property
    def request_id(self) -> Any:
        """The id of the request that it belongs to, if the context has one."""
        return self.context.get("request_id")
