"""A server of Anthropic's messages and OpenAI's responses; the model writes what the user says."""

from __future__ import annotations

import argparse
from typing import Any, Literal

import toolwire
from aiohttp import web
from toolwire import provider


async def messages(request: web.Request) -> web.StreamResponse:
    """Answer ``POST /v1/messages``, whole or streamed."""
    asked = await request.json()
    raw = asked["messages"][-1]["content"]
    if asked.get("stream"):
        return await streamed(request, asked, raw, "anthropic")
    written = provider.message(detector(asked).detect(raw), "anthropic")
    counts: dict[str, Any] = {"input_tokens": 3, "output_tokens": len(raw)}
    response = provider.response(written, "anthropic", model=asked["model"], **counts)
    return web.json_response(response)


async def responses(request: web.Request) -> web.StreamResponse:
    """Answer ``POST /v1/responses``, whole or streamed."""
    asked = await request.json()
    if asked.get("stream"):
        return await streamed(request, asked, asked["input"], "openai_responses")
    written = provider.message(detector(asked).detect(asked["input"]), "openai_responses")
    response = provider.response(written, "openai_responses", model=asked["model"])
    return web.json_response(response)


def detector(asked: dict[str, Any]) -> toolwire.Detector:
    return toolwire.Detector(**provider.options(asked))


async def streamed(
    request: web.Request,
    asked: dict[str, Any],
    raw: str,
    form: Literal["anthropic", "openai_responses"],
) -> web.StreamResponse:
    response = web.StreamResponse()
    response.content_type = "text/event-stream"
    await response.prepare(request)
    stream = detector(asked).stream()
    chunks = provider.Chunks(form, model=asked["model"], sse=True)
    for at in range(0, len(raw), 3):
        for line in chunks.feed(stream.feed(raw[at : at + 3])):
            await response.write(line.encode())
    last = chunks.feed(stream.finish()) + chunks.finish(input_tokens=3, output_tokens=len(raw))
    await response.write("".join(last).encode())
    await response.write_eof()
    return response


async def models(_: web.Request) -> web.Response:
    """Answer ``GET /v1/models``."""
    return web.json_response({"data": []})


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    app = web.Application()
    app.add_routes([web.post("/v1/messages", messages), web.post("/v1/responses", responses)])
    app.add_routes([web.get("/v1/models", models)])
    web.run_app(app, host="127.0.0.1", port=parser.parse_args().port, access_log=None)
