"""The same job with pydantic-ai: `PROGRAM http://HOST/v1 FILE TEXT`, then `… FILE "" ID`."""

import sys
from pathlib import Path

from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults, ModelMessagesTypeAdapter
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

server, name, text, *ids = sys.argv[1:]
file = Path(name)
Agent.instrument_all()
model = OpenAIChatModel("qwen3", provider=OpenAIProvider(base_url=server, api_key="none"))
agent = Agent(model, output_type=[str, DeferredToolRequests])


@agent.tool_plain
def disks() -> list[int]:
    """List the numbers of the disks."""
    return [7, 8]


@agent.tool_plain(requires_approval=True)
def wipe(disk: int) -> str:
    """Wipe a disk."""
    print("wiping", disk, flush=True)
    return "wiped"


history = ModelMessagesTypeAdapter.validate_json(file.read_bytes()) if file.exists() else None
decided = DeferredToolResults(approvals=dict.fromkeys(ids, True)) if ids else None
result = agent.run_sync(text or None, message_history=history, deferred_tool_results=decided)
file.write_bytes(result.all_messages_json())
if isinstance(result.output, DeferredToolRequests):
    for call in result.output.approvals:
        print(f"{call.tool_name} waiting: {call.tool_call_id}")
else:
    print(result.output)
