"""What an executor is asked to run, whatever form it has, as an action.

A call of a detection, a provider's call as its object, a resolved call and an action of a program
all become an action. The id of a call gives the id of its action, so that the same call is the same
action in every process.

>>> import toolwire
>>> from toolwire.runs.request import as_action
>>> call = toolwire.detect('<tool:greet>{"name": "Ada"}</tool>').calls[0]
>>> action = as_action(call)
>>> action.type, action.payload
('greet', {'name': 'Ada'})
>>> action.id == as_action(call).id
True
"""

from __future__ import annotations

import copy
import json
import logging
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, NamedTuple

from toolwire import _native
from toolwire._native import ResolvedToolCall, ToolCall, UnresolvedToolCall, name_run
from toolwire.runs.action import Action
from toolwire.runs.errors import ToolCallError, ToolError, ToolNotFoundError
from toolwire.runs.tool import id_of_tool

__all__ = ["CallAction", "CallPlace", "as_action", "with_payload"]

logger = logging.getLogger("toolwire.runs")


class CallPlace(NamedTuple):
    """Where a call stands: what the program names besides the id that the model wrote.

    ``caller`` is the user or client, ``scope`` the conversation or session, ``message`` the number
    or id of the message that holds the call, and ``index`` the place of the call in it, from 0.
    """

    scope: str = ""
    message: str | int | None = None
    index: int | None = None  # type: ignore[assignment]
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


def as_action(
    asked: Any,
    place: CallPlace = NOWHERE,
    not_found: Callable[[str], ToolError] = ToolNotFoundError,
) -> Action:
    """Give the action that is asked for.

    ``place`` says where the call stands, since models count their calls anew in each conversation,
    and many servers in each message. It changes the ids of calls, and not that of a program's own
    action.

    Raises :class:`~toolwire.runs.ToolCallError` for what holds no single call that can be read,
    and :class:`toolwire.WrongTypeError` for what JSON has no word for.
    """
    if isinstance(asked, ToolCall):
        return of_call(asked.id, asked.name, arguments_of(asked), place)
    if isinstance(asked, ResolvedToolCall):
        return of_call(asked.call_id, id_of_tool(asked.tool), asked.arguments, place)
    if isinstance(asked, UnresolvedToolCall):
        try:
            return as_action(asked.raw, place, not_found)
        except ToolCallError as refusal:
            if refusal.code != "no_call":
                raise
        # It was read by names of fields that only the program knows.
        raise not_found(asked.name)
    if not isinstance(asked, dict) and hasattr(asked, "type") and hasattr(asked, "payload"):
        action: Action = asked
        return action
    return of_value(asked, place)


def arguments_of(call: ToolCall) -> Any:
    """Give a call's arguments; a number beyond a float is infinite, so that the run is denied."""
    if any(note.code == "big_number" for note in call.diagnostics):
        return json.loads(call.arguments_raw)
    return call.arguments


def of_value(asked: Any, place: CallPlace) -> Action:
    """Give the action of a value that holds one call: an action, or a provider's object."""
    id = asked.get("id") if isinstance(asked, Mapping) else None
    if isinstance(id, uuid.UUID):
        asked = {**asked, "id": str(id)}
    call, refusal = _native.asked(asked)
    if refusal is not None:
        raise ToolCallError(*refusal)
    call_id, own, name, arguments = call
    if isinstance(id, uuid.UUID):
        return CallAction(id, name, arguments, call_id)
    run_id, named = place.name(call_id, own=own)
    return CallAction(run_id, name, arguments, call_id, named)


def of_call(id: str, name: str, arguments: Any, place: CallPlace) -> CallAction:
    """Give the action of a call."""
    try:
        id.encode()
    except UnicodeEncodeError:
        # A mark in place of a lone surrogate would make one id of two.
        message = "an id is a text, not bytes that are no UTF-8"
        raise ToolCallError("bad_id", "/id", message, name) from None
    own, named = place.name(id)
    return CallAction(own, name, arguments, id, named)


def with_payload(action: Any, payload: Any) -> Any:
    """Copy an action with another payload; one that cannot be copied is replaced by its fields."""
    try:
        copied = copy.copy(action)
        object.__setattr__(copied, "payload", payload)
        if copied is not action and copied.payload is payload:
            return copied
    except Exception:
        logger.debug("an action of %s cannot be copied", type(action).__name__)
    return SimpleNamespace(id=action.id, type=action.type, payload=payload)
