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
            return web.json_response(provider.with_calls(await raw.json(), detector))
        head = {"model": asked["model"], "choices": asked.get("n") or 1}
        chunks = provider.Chunks("openai", sse=True, arguments="streamed", **head)
        streams, sent = [detector.stream() for _ in range(head["choices"])], web.StreamResponse()
        sent.content_type = "text/event-stream"
        await sent.prepare(request)
        async for line in raw.content:
            for one in json.loads(line[6:])["choices"] if line.startswith(b"data: {") else []:
                at, text = one["index"], one["delta"].get("content") or ""
                lines = chunks.feed(streams[at].feed(text), choice=at, logprobs=one.get("logprobs"))
                if one.get("finish_reason") == "length":
                    chunks.cut_off(at)
                await sent.write("".join(lines).encode())
        for at, stream in enumerate(streams):
            await sent.write("".join(chunks.feed(stream.finish(), choice=at)).encode())
        await sent.write("".join(chunks.finish()).encode())
        return sent


app = web.Application()
app.add_routes([web.post("/v1/chat/completions", chat)])
web.run_app(app, host="127.0.0.1", port=int(sys.argv[2]), access_log=None)
