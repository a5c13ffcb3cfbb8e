"""How an agent reaches its model: a client of a provider's package, or any function.

A client is known by the package of its class, which is never imported here.

>>> from toolwire.model_client import client_of
>>> client_of(lambda body: {"choices": []}, None, None).api
'openai'
"""

from __future__ import annotations

import asyncio
import inspect
import itertools
import json
import math
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from toolwire._native import Detector, model_failure
from toolwire.completions import Render, chat_of, event_of, prepared
from toolwire.runs.errors import AgentError

__all__ = ["ModelClient", "ask_model", "client_of", "events_of", "is_stream"]

Sender = Callable[[dict[str, Any]], Any]
Reader = Callable[[Any], Awaitable[Any]]


@dataclass(frozen=True)
class ModelClient:
    """What sends the bodies of an API, and what sends those whose response comes as a stream."""

    api: str
    send: Sender
    stream: Sender | None
    render: Render | None = None
    grammar: Mapping[str, Any] | None = None

    def prepare(self, body: dict[str, Any]) -> tuple[dict[str, Any], Detector | None]:
        """Give the body as it is sent, and what reads the text if the request says that."""
        if self.render is None:
            return body, None
        return prepared(body, self.render, self.grammar)

    def read(self, response: Any) -> Any:
        """Give a response as one of the API, in plain values."""
        return plain(response) if self.render is None else chat_of(plain(response))

    def read_event(self, event: Any) -> Any:
        """Give an event of a streamed response as one of the API, in plain values."""
        return plain(event) if self.render is None else event_of(plain(event))


def client_of(
    client: Any, api: str | None, streams: bool | None, render: Render | None = None
) -> ModelClient:
    """Give what sends the bodies of an API; ``streams`` says whether a function can stream.

    With ``render`` the client completes prompts.

    Raises :class:`TypeError` for what is neither a known client nor a function, and for ``render``
    with an API that completes no prompts.
    """
    package = f"{type(client).__module__}."
    if render is not None and (
        package.startswith(("anthropic.", "google.genai.")) or api not in (None, "openai")
    ):
        raise TypeError(
            "render= is for clients of openai, and for functions, that complete prompts"
        )
    if package.startswith(("openai.", "anthropic.")):
        # The agent tries again itself; with the client's own tries there would be nine.
        client = client.with_options(max_retries=0)
    if package.startswith("openai."):
        return openai_client(client, api, streams, render)
    if package.startswith("anthropic."):
        return same_for_streams(
            api or "anthropic", lambda body: client.messages.create(**body), streams
        )
    if package.startswith("google.genai."):
        models = client.models
        return ModelClient(
            api or "gemini",
            lambda body: models.generate_content(**genai_request(body)),
            lambda body: models.generate_content_stream(**genai_request(body)),
        )
    if callable(client):
        return ModelClient(api or "openai", client, client if streams else None, render)
    raise TypeError(
        f"the client is a {type(client).__name__}; give a client of openai, anthropic or "
        "google-genai, or a function that sends the body of a request and gives the response"
    )


def openai_client(
    client: Any, api: str | None, streams: bool | None, render: Render | None
) -> ModelClient:
    """Give what sends the bodies of one of OpenAI's APIs."""
    create = client.completions.create if render else client.chat.completions.create
    if api == "openai_responses":
        create = client.responses.create
    beside = OF_GRAMMARS | {"response_format"} if render else OF_GRAMMARS

    def send(body: dict[str, Any]) -> Any:
        known = {name: value for name, value in body.items() if name not in beside}
        more = {name: value for name, value in body.items() if name in beside}
        if more:
            known["extra_body"] = {**body.get("extra_body", {}), **more}
        return create(**known)

    return same_for_streams(api or "openai", send, streams, render)


OF_GRAMMARS = frozenset({"structured_outputs", "ebnf", "grammar", "skip_special_tokens"})
"""The members of requests with a grammar that the package of OpenAI does not know."""


def same_for_streams(
    api: str, send: Sender, streams: bool | None, render: Render | None = None
) -> ModelClient:
    """Give a client whose bodies say themselves whether the response comes as a stream."""
    return ModelClient(api, send, None if streams is False else send, render)


def genai_request(body: dict[str, Any]) -> dict[str, Any]:
    """Give the arguments of google-genai for a body of Gemini's API.

    They are read from JSON, since only there the package takes signatures as what they are.
    """
    types = sys.modules["google.genai.types"]
    config = {name: value for name, value in body.items() if name not in ("model", "contents")}
    config = {**config.pop("generationConfig", {}), **config}
    config["automaticFunctionCalling"] = {"disable": True}
    return {
        "model": body["model"],
        "contents": [
            types.Content.model_validate_json(json.dumps(one)) for one in body["contents"]
        ],
        "config": types.GenerateContentConfig.model_validate_json(json.dumps(config)),
    }


async def ask_model(send: Sender, body: dict[str, Any], read: Reader) -> Any:
    """Send a body, and give what ``read`` makes of the response.

    A function that is not async runs in a thread. What passes is tried again, twice at most.

    Raises :class:`AgentError`: ``model_unreachable``, ``model_refused``, ``model_limited``.
    """
    for tries in itertools.count():
        try:
            given = await asyncio.to_thread(send, body)
            if inspect.isawaitable(given):
                given = await given
            return await read(given)
        except Exception as raised:
            failure = None if isinstance(raised, AgentError) else failure_of(raised, tries)
            if failure is None:
                raise
            error, pause = failure
            if pause is None:
                raise error from raised
            await asyncio.sleep(pause)
    raise AssertionError("it returns or raises")


async def events_of(response: Any) -> AsyncIterator[Any]:
    """Give the events of a streamed response as they come."""
    if hasattr(response, "__aiter__"):
        async for event in response:
            yield event
        return
    events, end = iter(response), object()
    while (event := await asyncio.to_thread(next, events, end)) is not end:
        yield event


def is_stream(response: Any) -> bool:
    """Say whether a response comes in events: an iterator, and no list or mapping."""
    return hasattr(response, "__anext__") or hasattr(response, "__next__")


def plain(response: Any) -> Any:
    """Give a response of a package's own class as it was sent."""
    if hasattr(response, "to_dict"):
        return response.to_dict()
    if hasattr(response, "model_dump_json"):
        return json.loads(response.model_dump_json(by_alias=True, exclude_none=True))
    return response


def failure_of(raised: Exception, tries: int) -> tuple[AgentError, float | None] | None:
    """Say why there is no response, and after how many seconds the request may be sent again.

    None for a fault of the program, which is raised as it is. Packages give their exceptions the
    status of the response, and those without one a class whose name says that the server was not
    reached. A stream that breaks off with an error has the status of success, or none.
    """
    status = getattr(raised, "status_code", getattr(raised, "code", None))
    if not isinstance(status, int) or not 100 <= status < 600:
        if not isinstance(raised, OSError) and not is_unreached(raised):
            return None
        status = None
    code, message, pause = model_failure(status, retry_after(raised), str(raised), tries)
    return AgentError(message, code), pause


# Beyond what anybody waits for, and within what a server can mean.
LONGEST_PAUSE = 2**31


def is_unreached(raised: Exception) -> bool:
    """Say whether an exception of a client of HTTP says that there was no whole response."""
    names = {each.__name__ for each in type(raised).__mro__}
    return bool(names & {"APIError", "TransportError", "ClientConnectionError"})


def retry_after(raised: Exception) -> int | None:
    """Give the seconds after which the server wants the next request, if it says so."""
    headers = getattr(getattr(raised, "response", None), "headers", None) or {}
    try:
        return min(max(0, math.ceil(float(headers["retry-after"]))), LONGEST_PAUSE)
    except (KeyError, OverflowError, TypeError, ValueError):
        return None
