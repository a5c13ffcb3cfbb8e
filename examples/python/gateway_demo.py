"""Shows the gateway at work: a model's raw text goes in, OpenAI's chunks come out.

.venv/bin/python examples/python/gateway_demo.py
"""

import asyncio
import json

import aiohttp
from aiohttp import web
from aiohttp.test_utils import TestServer
from gateway_server import application

RAW = """<think>
They ask for the weather.
</think>
I look it up.
<tool_call>
{"name": "weather", "arguments": {"city": "Oslo"}}
</tool_call>"""


async def complete(request: web.Request) -> web.StreamResponse:
    """Continue every prompt with the same text, in pieces of five characters."""
    response = web.StreamResponse()
    await response.prepare(request)
    for at in range(0, len(RAW), 5):
        chunk = {"choices": [{"text": RAW[at : at + 5]}]}
        await response.write(f"data: {json.dumps(chunk)}\n\n".encode())
    return response


async def main() -> None:
    """Ask the gateway, and print what each chunk brings."""
    backend = web.Application()
    backend.add_routes([web.post("/completions", complete)])
    asked = {
        "model": "Qwen/Qwen3-8B",
        "stream": True,
        "messages": [{"role": "user", "content": "How is the weather in Oslo?"}],
        "tools": [{"type": "function", "function": {"name": "weather"}}],
    }
    async with TestServer(backend) as model:
        gateway = TestServer(application(str(model.make_url(""))))
        async with gateway as server, aiohttp.ClientSession() as session:
            url = server.make_url("/v1/chat/completions")
            async with session.post(url, json=asked) as response:
                async for line in response.content:
                    if line.startswith(b"data: {"):
                        choice = json.loads(line[6:])["choices"][0]
                        print(choice["delta"] or choice["finish_reason"])


if __name__ == "__main__":
    asyncio.run(main())
