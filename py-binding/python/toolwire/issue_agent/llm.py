"""Models: any ``async (prompt) -> str``, and adapters with this signature.

>>> import asyncio
>>> from toolwire.issue_agent import as_model
>>> async def model(prompt):
...     return prompt.upper()
>>> asyncio.run(as_model(model)("hello"))
'HELLO'
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeAlias

import toolwire
from toolwire._body import ACCEPTED, BodyError, bounding_hook
from toolwire._extra import MissingExtraError

__all__ = ["LangChainModel", "MissingExtraError", "Model", "ModelError", "OpenAIModel", "as_model"]

MOST_BYTES = 16 * 1024 * 1024
"""The longest answer of a model's server, decoded."""

Model: TypeAlias = Callable[[str], Awaitable[str]]
"""Takes a prompt, gives a reply."""


class ModelError(Exception):
    """A model gave no reply; ``code`` is `model_refused`, `model_timeout` or `model_failed`."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def model_error(error: Exception) -> tuple[str, str]:
    """Give the code and the message of what a model raised; each package has its own errors.

    >>> model_error(TimeoutError()), model_error(KeyError("x"))
    (('model_timeout', 'the model gave no reply in time'), ('model_failed', "KeyError: 'x'"))
    """
    message = str(error)
    if isinstance(error, ModelError):
        return error.code, message
    name = type(error).__name__
    if "Timeout" in name:
        return "model_timeout", message or "the model gave no reply in time"
    # Azure answers so to a prompt that its filter stops.
    code = "model_refused" if getattr(error, "code", None) == "content_filter" else "model_failed"
    return code, f"{name}: {message}" if message else name


def as_model(llm: Any) -> Model:
    """Make a model of a function or of a chat model of LangChain; a model stays as it is."""
    if hasattr(llm, "ainvoke"):
        return LangChainModel(llm)
    if callable(llm):
        return llm  # type: ignore[no-any-return]
    raise TypeError(
        f"llm must be an async function or a chat model of LangChain, not {type(llm).__name__}"
    )


class LangChainModel:
    """A chat model of LangChain, such as ``ChatOpenAI``.

    With ``schema``, a JSON Schema, it is asked for structured output where it can give it.
    """

    def __init__(self, chat_model: Any, *, schema: dict[str, Any] | None = None) -> None:
        try:
            from langchain_core.messages import HumanMessage
        except ImportError:
            raise MissingExtraError("langchain-core") from None
        self._message = HumanMessage
        self._chat_model = chat_model
        if schema is not None and hasattr(chat_model, "bind"):
            self._chat_model = chat_model.bind(response_format=_response_format(schema))

    async def __call__(self, prompt: str) -> str:
        """Give the text of the reply."""
        reply = await self._chat_model.ainvoke([self._message(content=prompt)])
        more = getattr(reply, "additional_kwargs", None)
        _no_refusal(more.get("refusal") if isinstance(more, dict) else None)
        return _text_of(getattr(reply, "content", reply))


def _text_of(content: Any) -> str:
    """Give the text of a message's content, which may be a list of parts."""
    if isinstance(content, list):
        parts = (part if isinstance(part, str) else part.get("text", "") for part in content)
        return "".join(part for part in parts if isinstance(part, str))
    return str(content)


def _no_refusal(refusal: Any) -> None:
    if refusal:
        raise ModelError("model_refused", f"the model refused: {str(refusal)[:500]}")


def _response_format(schema: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "json_schema",
        "json_schema": {"name": "analysis", "strict": True, "schema": schema},
    }


def _grammar(model: str, schema: dict[str, Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """Give the members of a request whose answer is JSON by a schema."""
    writers = {"model", "template", "prompt", "format"}
    named = {} if writers & options.keys() else {"model": model}
    return toolwire.constrain([], **{**named, **options, "text": schema}).request


class OpenAIModel:
    """A model behind OpenAI's chat completions: OpenAI, Azure, or any server that speaks it.

    Missing arguments come from the environment, as the ``openai`` package reads it:
    ``OPENAI_API_KEY`` and ``OPENAI_BASE_URL``, or ``AZURE_OPENAI_ENDPOINT``,
    ``AZURE_OPENAI_API_KEY`` and ``OPENAI_API_VERSION``, and then ``model`` is the deployment. The
    package waits and tries again on 429 and 5xx, ``max_retries`` times.

    With ``schema``, a JSON Schema, structured output is asked for; a server that does not know it
    is asked for a JSON object, and then for text. ``constrain`` has options of
    :func:`toolwire.constrain` for a server that takes grammars, such as ``{"server": "vllm"}``, or
    ``{"backend": "gbnf"}`` for llama.cpp: then a grammar holds the model to the schema, its
    reasoning apart, and nothing else is tried. Without a model or format among them, ``model`` says
    whose grammar it is.
    """

    def __init__(
        self,
        model: str,
        *,
        client: Any = None,
        base_url: str | None = None,
        api_key: str | None = None,
        schema: dict[str, Any] | None = None,
        temperature: float | None = None,
        timeout: float = 120.0,
        max_retries: int = 3,
        constrain: Mapping[str, Any] | None = None,
    ) -> None:
        try:
            import openai
        except ImportError:
            raise MissingExtraError("openai") from None
        self.model = model
        self._refused: type[Exception] = openai.BadRequestError
        if client is None:
            options: dict[str, Any] = {
                "api_key": api_key,
                "timeout": timeout,
                "max_retries": max_retries,
                "http_client": openai.DefaultAsyncHttpxClient(
                    headers={"Accept-Encoding": ACCEPTED},
                    timeout=timeout,
                    event_hooks={"response": [bounding_hook(MOST_BYTES)]},
                ),
            }
            if base_url is None and os.environ.get("AZURE_OPENAI_ENDPOINT"):
                client = openai.AsyncAzureOpenAI(**options)
            else:
                client = openai.AsyncOpenAI(base_url=base_url, **options)
        self._client = client
        self._options: dict[str, Any] = {} if temperature is None else {"temperature": temperature}
        self._formats: list[dict[str, Any] | None] = [None]
        if constrain is not None:
            if schema is None:
                raise ValueError("constrain= holds the model to a schema, and schema= is missing")
            self._options["extra_body"] = _grammar(model, schema, constrain)
        elif schema is not None:
            self._formats = [_response_format(schema), {"type": "json_object"}, None]

    async def __call__(self, prompt: str) -> str:
        """Give the text of the reply."""
        messages = [{"role": "user", "content": prompt}]
        while True:
            options = dict(self._options)
            if self._formats[0] is not None:
                options["response_format"] = self._formats[0]
            try:
                completion = await self._client.chat.completions.create(
                    model=self.model, messages=messages, **options
                )
            except self._refused as error:
                # The messages differ from server to server, but each names the parameter.
                if len(self._formats) == 1 or "response_format" not in str(error):
                    raise
                del self._formats[0]
                continue
            except BodyError as error:
                raise ModelError("model_failed", f"the model's server: {error}") from None
            return self._text(completion)

    def _text(self, completion: Any) -> str:
        choices = getattr(completion, "choices", None)
        if not choices:
            raise ModelError("model_failed", "the model's server gave no choice")
        message = choices[0].message
        _no_refusal(getattr(message, "refusal", None))
        if choices[0].finish_reason == "content_filter":
            raise ModelError(
                "model_refused", "the reply was held back by the server's content filter"
            )
        return message.content or ""

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.close()
