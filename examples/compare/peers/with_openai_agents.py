"""The same job with OpenAI's Agents SDK, without OpenTelemetry.

`PROGRAM http://HOST/v1 FILE TEXT`, then `… FILE "" ID`.
"""

import asyncio
import sys
from pathlib import Path

from agents import Agent, OpenAIChatCompletionsModel, Runner, RunState, function_tool
from openai import AsyncOpenAI

server, name, text, *ids = sys.argv[1:]
file = Path(name)


@function_tool
def disks() -> list[int]:
    """List the numbers of the disks."""
    return [7, 8]


@function_tool(needs_approval=True)
def wipe(disk: int) -> str:
    """Wipe a disk."""
    print("wiping", disk, flush=True)
    return "wiped"


client = AsyncOpenAI(base_url=server, api_key="none")
model = OpenAIChatCompletionsModel(model="qwen3", openai_client=client)
agent = Agent(name="disks", tools=[disks, wipe], model=model)
given = text
if ids:
    given = asyncio.run(RunState.from_string(agent, file.read_text()))
    for item in [one for one in given.get_interruptions() if one.call_id in ids]:
        given.approve(item)
result = Runner.run_sync(agent, given)
file.write_text(result.to_state().to_string())
print(result.final_output or "")
for item in result.interruptions:
    print(f"{item.name} waiting: {item.call_id}")
