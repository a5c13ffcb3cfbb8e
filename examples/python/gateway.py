"""OpenAI's chat completions in front of such a server that gives calls as the model wrote them."""

import json
import sys

import aiohttp
import toolwire
from aiohttp import web
from toolwire import provider


async def chat(request: web.Request) -> web.StreamResponse:
    """Answer a request, whole or streamed."""
    asked = await request.json()
    detector = toolwire.Detector(**provider.options(asked))
    async with aiohttp.request("POST", f"{sys.argv[1]}/chat/completions", json=asked) as raw:
        if not asked.get("stream"):
            answer = await raw.json()
            texts = [choice["message"]["content"] or "" for choice in answer["choices"]]
            messages = [provider.message(detector.detect(text), "openai") for text in texts]
            response = provider.response(messages, "openai", model=asked["model"])
            return web.json_response({**answer, **response})
        chunks = provider.Chunks("openai", model=asked["model"], sse=True, arguments="streamed")
        stream, sent = detector.stream(), web.StreamResponse()
        sent.content_type = "text/event-stream"
        await sent.prepare(request)
        async for line in raw.content:
            for choice in json.loads(line[6:])["choices"] if line.startswith(b"data: {") else []:
                events = stream.feed(choice["delta"].get("content") or "")
                await sent.write("".join(chunks.feed(events)).encode())
        await sent.write("".join(chunks.feed(stream.finish()) + chunks.finish()).encode())
        return sent


app = web.Application()
app.add_routes([web.post("/v1/chat/completions", chat)])
web.run_app(app, host="127.0.0.1", port=int(sys.argv[2]), access_log=None)
