"""How an agent reaches its model: a client of a provider's package, or any function.

A client is known by the package of its class, which is never imported here.

>>> from toolwire.model_client import sender_of
>>> sender_of(lambda body: {"choices": []}, None)[0]
'openai'
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from typing import Any

from toolwire.tools.errors import AgentError

__all__ = ["ask_model", "sender_of"]

RETRIES = 2
LONGEST_PAUSE = 30.0

Sender = Callable[[dict[str, Any]], Any]


def sender_of(client: Any, api: str | None) -> tuple[str, Sender]:
    """Give the name of the API and the function that sends a body.

    Raises :class:`TypeError` for what is neither a known client nor a function.
    """
    package = type(client).__module__.partition(".")[0]
    if package == "openai":
        if api == "openai_responses":
            return api, lambda body: client.responses.create(**body)
        return api or "openai", lambda body: client.chat.completions.create(**body)
    if package == "anthropic":
        return api or "anthropic", lambda body: client.messages.create(**body)
    if callable(client):
        return api or "openai", client
    raise TypeError(
        f"the client is a {type(client).__name__}; give a client of openai or anthropic, or a "
        "function that sends the body of a request and gives the response"
    )


async def ask_model(send: Sender, body: dict[str, Any]) -> Any:
    """Send a body, and give the response as plain values.

    A function that is not async runs in a thread. What passes is tried again, twice at most.

    Raises :class:`AgentError`: ``model_unreachable``, ``model_refused``, ``model_limited``.
    """
    for attempt in range(RETRIES + 1):
        try:
            given = await asyncio.to_thread(send, body)
            if inspect.isawaitable(given):
                given = await given
            return plain(given)
        except Exception as raised:
            refused = error_of(raised)
            if refused is None:
                raise
            pause = pause_of(raised, attempt)
            if refused.code == "model_refused" or attempt == RETRIES or pause > LONGEST_PAUSE:
                raise refused from raised
            await asyncio.sleep(pause)
    raise AssertionError("the last attempt returns or raises")


def plain(response: Any) -> Any:
    """Give a response of a package's own class as it was sent."""
    to_dict = getattr(response, "to_dict", None)
    return response if to_dict is None else to_dict()


def error_of(raised: Exception) -> AgentError | None:
    """Say why there is no response; None for a fault of the program, which is raised as it is.

    Packages give their exceptions the status of the response, and those without one a class whose
    name says that the server was not reached.
    """
    status, words = getattr(raised, "status_code", None), str(raised)[:400]
    if isinstance(status, int):
        if status in (429, 529):
            return AgentError(f"the model's server limits requests: {words}", "model_limited")
        if status not in (408, 409, 425) and status < 500:
            return AgentError(f"the model's server refused the request: {words}", "model_refused")
    elif not isinstance(raised, OSError) and not is_unreached(raised):
        return None
    return AgentError(f"the model could not be reached: {words}", "model_unreachable")


def is_unreached(raised: Exception) -> bool:
    """Say whether an exception of a client of HTTP says that there was no whole response."""
    names = {each.__name__ for each in type(raised).__mro__}
    return bool(names & {"APIConnectionError", "TransportError", "ClientConnectionError"})


def pause_of(raised: Exception, attempt: int) -> float:
    """Give the seconds until the next attempt: those that the server asks for, or a few."""
    usual: float = 0.25 * 2**attempt
    headers = getattr(getattr(raised, "response", None), "headers", None) or {}
    try:
        return float(headers.get("retry-after", usual))
    except (TypeError, ValueError):
        return usual
