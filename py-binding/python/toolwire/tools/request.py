"""What an executor is asked to run, whatever form it has, as an action.

A call of a detection, a provider's call as its object, a resolved call and an action of a program
all become an action. The id of a call gives the id of its action, so that the same call is the same
action in every process.

>>> import toolwire
>>> from toolwire.tools.request import as_action
>>> call = toolwire.detect('<tool:greet>{"name": "Ada"}</tool>').calls[0]
>>> action = as_action(call)
>>> action.type, action.payload
('greet', {'name': 'Ada'})
>>> action.id == as_action(call).id
True
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from toolwire._native import ResolvedToolCall, ToolCall, UnresolvedToolCall, name_run
from toolwire.provider import parse
from toolwire.tools.definitions import Action
from toolwire.tools.errors import ToolError, ToolInputError, ToolNotFoundError

__all__ = ["CallAction", "CallPlace", "as_action"]


@dataclass(frozen=True)
class CallPlace:
    """Where a call stands: what the program names besides the id that the model wrote.

    ``caller`` is the user or client, ``scope`` the conversation or session, ``message`` the number
    or id of the message that holds the call, and ``index`` the place of the call in it, from 0.
    """

    scope: str = ""
    message: str | int | None = None
    index: int | None = None
    caller: str = ""

    def name(self, call_id: str, *, own: bool = False) -> tuple[uuid.UUID, str]:
        """Give the id of the run of a call, and how the run got it."""
        if self.index is not None and self.index < 0:
            raise ValueError(f"index must not be negative, got {self.index}")
        message = "" if self.message is None else str(self.message)
        id, named = name_run(
            call_id,
            caller=self.caller,
            scope=self.scope,
            message=message,
            index=self.index,
            own=own,
        )
        return uuid.UUID(id), named


NOWHERE = CallPlace()


@dataclass(frozen=True)
class CallAction:
    """A call as an action: ``type`` is the name that the call asks for.

    ``named`` says how its run got its id: ``call``, ``own`` or ``new``.
    """

    id: uuid.UUID
    type: str
    payload: Any
    call_id: str
    named: str = "own"


def as_action(asked: Any, place: CallPlace = NOWHERE) -> Action:
    """Give the action that is asked for.

    ``place`` says where the call stands, since models count their calls anew in each conversation,
    and many servers in each message. It changes the ids of calls, and not that of a program's own
    action.

    Raises :class:`~toolwire.tools.ToolNotFoundError` for a call that was resolved to no tool,
    :class:`~toolwire.tools.ToolInputError` for a provider's call that cannot be read, and
    :class:`~toolwire.tools.ToolError` for anything that does not ask for one call.
    """
    if isinstance(asked, ToolCall):
        return of_call(asked.id, asked.name, arguments_of(asked), place)
    if isinstance(asked, ResolvedToolCall):
        return of_call(asked.call_id, asked.tool.action_type, asked.arguments, place)
    if isinstance(asked, UnresolvedToolCall):
        raise ToolNotFoundError(asked.name)
    if not isinstance(asked, dict) and hasattr(asked, "type") and hasattr(asked, "payload"):
        action: Action = asked
        return action
    if isinstance(asked, Mapping):
        return of_mapping(asked, place)
    raise ToolError(
        f"a {type(asked).__name__} asks for no run: give a ToolCall, a provider's call, a resolved "
        "call or an action with id, type and payload"
    )


def arguments_of(call: ToolCall) -> Any:
    """Give a call's arguments; a number beyond a float is infinite, so that the run is denied."""
    if any(note.code == "big_number" for note in call.diagnostics):
        return json.loads(call.arguments_raw)
    return call.arguments


def of_mapping(asked: Mapping[str, Any], place: CallPlace) -> Action:
    """Give the action of a mapping with a type: an action as a mapping, or a provider's call."""
    if not isinstance(asked.get("type"), str) or ("payload" not in asked and holds_call(asked)):
        return of_object(asked, place)
    id = asked.get("id")
    call_id = "" if id is None else str(id)
    if isinstance(id, uuid.UUID):
        return CallAction(id, asked["type"], payload_of(asked), call_id)
    own, named = place.name(call_id, own=True)
    return CallAction(own, asked["type"], payload_of(asked), call_id, named)


def holds_call(asked: Mapping[str, Any]) -> bool:
    """Say whether a mapping is a provider's object; any other one is an action without payload."""
    found = parse(asked)
    return bool(found.calls or found.rejections or found.items or not asked["type"])


def payload_of(asked: Mapping[str, Any]) -> Any:
    """Give an action's payload; without one, it is empty."""
    payload = asked.get("payload")
    return {} if payload is None else payload


def of_object(asked: Mapping[str, Any], place: CallPlace) -> Action:
    """Give the action of a provider's object that holds one call."""
    exchange = parse(asked)
    for rejection in exchange.rejections:
        problem = {"path": rejection.path, "message": rejection.message}
        raise ToolInputError(name_in(asked), [problem])
    for item in () if exchange.calls else exchange.items:
        raise ToolError(f"a {item.word} is the provider's own, and not a call of a tool")
    if len(exchange.calls) != 1:
        count = len(exchange.calls) or "no"
        raise ToolError(f"the object holds {count} calls; give one call at a time")
    return as_action(exchange.calls[0], place)


def name_in(asked: Mapping[str, Any]) -> str:
    """Give the name of the tool that a provider's call asks for, as far as it can be read."""
    function = asked.get("function")
    named = function if isinstance(function, Mapping) else asked
    return str(named.get("name", ""))


def of_call(id: str, name: str, arguments: Any, place: CallPlace) -> CallAction:
    """Give the action of a call."""
    own, named = place.name(id)
    return CallAction(own, name, arguments, id, named)
