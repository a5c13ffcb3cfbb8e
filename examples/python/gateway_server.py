"""A server of OpenAI's chat completions in front of a server that completes raw text.

The backend only continues a text: `POST /completions`, as llama.cpp, vLLM and SGLang have it. The
gateway puts messages and tools into a prompt, reads what the model writes with the profile that the
request names as its model, and answers as OpenAI does: `content`, `reasoning_content` and
`tool_calls`, whole or streamed.

    .venv/bin/python examples/python/gateway_server.py http://127.0.0.1:8000/v1 --port 8080

It is built on aiohttp, which has the server, the client that streams, and limits for both in one
package. It listens on this machine alone and asks nobody for a key: what faces others goes in front
of it.
"""

import argparse
import asyncio
import json
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

import aiohttp
import toolwire
from aiohttp import web
from toolwire import provider

MAX_REQUEST = 1 << 20  # bytes
MAX_TEXT = 1 << 22  # characters that a model may write
MAX_LINE = 1 << 20  # bytes of a line of the backend
# What reading an answer of another form raises.
MISREAD = (ValueError, LookupError, TypeError, AttributeError)
PASSED_ON = ("temperature", "top_p", "seed", "stop", "presence_penalty", "frequency_penalty")
# The detector takes this for the end of the prompt: no reasoning is open.
ASSISTANT = "### assistant\n"
BACKEND: web.AppKey["Backend"] = web.AppKey("backend")
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class GatewayError(Exception):
    """What goes wrong, as a client may know it."""

    def __init__(self, status: int, message: str, code: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        kind = "invalid_request_error" if status < 500 else "server_error"
        error = {"message": message, "type": kind, "param": None, "code": code}
        self.text = json.dumps({"error": error})


@dataclass
class Reply:
    """What a client asked, and what is known of the answer."""

    model: str
    prompt: str
    detector: toolwire.Detector
    settings: dict[str, Any]
    tell_usage: bool
    cut_off: bool = False
    usage: dict[str, Any] = field(default_factory=dict)


class Backend:
    """The server that continues a text."""

    def __init__(self, url: str) -> None:
        self.url = url.rstrip("/") + "/completions"
        self.session: aiohttp.ClientSession | None = None

    async def run(self, _: web.Application) -> AsyncIterator[None]:
        """Keep connections open while the gateway runs."""
        timeout = aiohttp.ClientTimeout(total=600, sock_read=120)
        async with aiohttp.ClientSession(timeout=timeout, read_bufsize=MAX_LINE) as self.session:
            yield

    async def complete(self, reply: Reply) -> AsyncGenerator[str, None]:
        """Give the pieces of the model's text, and note in the reply how it ended."""
        assert self.session is not None
        asked = {
            "model": reply.model,
            "prompt": reply.prompt,
            "stream": True,
            "stream_options": {"include_usage": True},
            **reply.settings,
        }
        length = 0
        try:
            async with self.session.post(self.url, json=asked) as response:
                response.raise_for_status()
                async for line in response.content:
                    text = read_line(line, reply)
                    length += len(text)
                    if length > MAX_TEXT:
                        reply.cut_off = True
                        return
                    yield text
        except (aiohttp.ClientError, asyncio.TimeoutError, *MISREAD) as error:
            # The client learns neither the backend's address nor its words.
            logging.warning("the backend failed: %s", type(error).__name__)
            raise GatewayError(502, "the model's server failed", "backend_failed") from error


def read_line(line: bytes, reply: Reply) -> str:
    """Read a line of the backend's stream: the piece of text in it, or nothing."""
    data = line.removeprefix(b"data:").strip()
    if not line.startswith(b"data:") or data == b"[DONE]":
        return ""
    chunk = json.loads(data)
    if chunk.get("usage"):
        counts = {"input_tokens": "prompt_tokens", "output_tokens": "completion_tokens"}
        reply.usage = {name: int(chunk["usage"][count]) for name, count in counts.items()}
    for choice in chunk["choices"]:
        reply.cut_off = reply.cut_off or choice.get("finish_reason") == "length"
        return str(choice["text"])
    return ""


def read_request(body: Any) -> Reply:
    """Read a request of chat completions; its faults are the client's."""
    if not isinstance(body, dict) or not isinstance(body.get("model"), str):
        raise GatewayError(400, "the request must be an object with a model")
    if body.get("n") not in (None, 1):
        raise GatewayError(400, "n must be 1")
    profile = toolwire.profile_for(body["model"])
    if profile is None:
        raise GatewayError(404, "the model does not exist", "model_not_found")
    settings = {name: body[name] for name in PASSED_ON if body.get(name) is not None}
    limit = body.get("max_completion_tokens") or body.get("max_tokens")
    if limit is not None:
        settings["max_tokens"] = limit
    try:
        options = provider.options(body)
        detector = toolwire.Detector(**options, prompt=ASSISTANT)
        tools = [] if "calls" in options else body.get("tools") or []
        prompt = "\n".join([*tools_part(profile, tools), *message_parts(profile, body), ASSISTANT])
        usage = bool((body.get("stream_options") or {}).get("include_usage"))
    except toolwire.ToolwireError as error:
        raise GatewayError(400, str(error), error.kind) from error
    except (KeyError, TypeError, AttributeError) as error:
        raise GatewayError(400, "messages or tools do not have the form of OpenAI's") from error
    return Reply(body["model"], prompt, detector, settings, usage)


def tools_part(profile: toolwire.Profile, tools: list[dict[str, Any]]) -> list[str]:
    """Describe the tools, and how the models of the profile call one."""
    if not tools:
        return []
    described = [json.dumps(tool["function"], ensure_ascii=False) for tool in tools]
    example = written_calls(profile, [{"name": tools[0]["function"]["name"], "arguments": "{}"}])
    return ["### tools", *described, f"Call a tool like this: {example}\n"]


def message_parts(profile: toolwire.Profile, body: dict[str, Any]) -> list[str]:
    """Write the conversation, earlier calls as the models of the profile write them."""
    parts = []
    for message in body["messages"]:
        content = message.get("content") or ""
        if isinstance(content, list):
            content = "".join(part["text"] for part in content)
        calls = [call["function"] for call in message.get("tool_calls") or []]
        written = written_calls(profile, calls) if calls else ""
        parts.append(f"### {message['role']}\n{content}{written}\n")
    return parts


def written_calls(profile: toolwire.Profile, calls: list[dict[str, Any]]) -> str:
    """Write calls in the profile's first format, or as JSON where the format cannot hold them."""
    for name in profile.formats[:1]:
        try:
            return toolwire.render_calls(calls, name)
        except toolwire.ToolwireError as error:
            if error.kind != "cannot_render":
                raise
    return toolwire.render_calls(calls)


async def whole(reply: Reply, backend: Backend) -> web.Response:
    """Answer when the model has written everything."""
    text = "".join([piece async for piece in backend.complete(reply)])
    message = provider.message(reply.detector.detect(text), "openai", cut_off=reply.cut_off)
    answer = provider.response(message, "openai", model=reply.model, **reply.usage)
    return web.json_response(answer)


async def streamed(request: web.Request, reply: Reply) -> web.StreamResponse:
    """Answer while the model writes."""
    stream = reply.detector.stream()
    chunks = provider.Chunks("openai", model=reply.model, sse=True)
    response = web.StreamResponse(headers={"Cache-Control": "no-cache"})
    response.content_type = "text/event-stream"
    async with aclosing(request.app[BACKEND].complete(reply)) as pieces:
        # A backend that fails at once gives a status, and no stream.
        first = await anext(pieces, "")
        await response.prepare(request)
        try:
            await send(response, chunks.feed(stream.feed(first)))
            async for piece in pieces:
                await send(response, chunks.feed(stream.feed(piece)))
            usage = reply.usage if reply.tell_usage else {}
            last = chunks.feed(stream.finish())
            await send(response, last + chunks.finish(cut_off=reply.cut_off, **usage))
        except GatewayError as error:
            await send(response, [f"data: {error.text}\n\n"])
        except ConnectionError:
            # The client left, and the backend is told by the end of the connection.
            return response
    await response.write_eof()
    return response


async def send(response: web.StreamResponse, lines: list[str]) -> None:
    """Send lines, if there are any."""
    if lines:
        await response.write("".join(lines).encode())


async def chat(request: web.Request) -> web.StreamResponse:
    """Answer `POST /v1/chat/completions`."""
    try:
        body = json.loads(await request.read())
    except (ValueError, RecursionError) as error:
        raise GatewayError(400, "the request is not JSON") from error
    reply = read_request(body)
    if body.get("stream"):
        return await streamed(request, reply)
    return await whole(reply, request.app[BACKEND])


async def models(_: web.Request) -> web.Response:
    """Answer `GET /v1/models`: every profile is a model."""
    rows = [
        {"id": profile.slug, "object": "model", "created": 0, "owned_by": "toolwire"}
        for profile in toolwire.profiles()
    ]
    return web.json_response({"object": "list", "data": rows})


@web.middleware
async def errors(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Answer with OpenAI's error objects, whatever goes wrong."""
    try:
        return await handler(request)
    except GatewayError as error:
        known = error
    except web.HTTPRequestEntityTooLarge:
        known = GatewayError(413, f"a request has at most {MAX_REQUEST} bytes")
    except web.HTTPException as error:
        known = GatewayError(error.status, error.reason.lower())
    except Exception as error:
        logging.exception("the gateway failed")
        known = GatewayError(500, "the gateway failed")
        known.__cause__ = error
    return web.Response(status=known.status, text=known.text, content_type="application/json")


def application(backend: str) -> web.Application:
    """Make the gateway in front of a backend."""
    app = web.Application(client_max_size=MAX_REQUEST, middlewares=[errors])
    app[BACKEND] = Backend(backend)
    app.cleanup_ctx.append(app[BACKEND].run)
    app.add_routes([web.post("/v1/chat/completions", chat), web.get("/v1/models", models)])
    return app


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("backend", help="the address under which /completions is")
    parser.add_argument("--port", type=int, default=8080)
    options = parser.parse_args()
    web.run_app(application(options.backend), host="127.0.0.1", port=options.port, access_log=None)
