"""An agent whose tool a person approves: `agent.py http://HOST/v1 chat.db "Wipe disk 7."`.

Then `toolwire approvals approve chat.db REQUEST`, and the first command without the text.
"""

import sys

from openai import OpenAI
from toolwire import Detector, telemetry
from toolwire.agent import Agent
from toolwire.runs import SqliteStore, tool


@tool
def disks() -> list[int]:
    """List the numbers of the disks."""
    return [7, 8]


@tool(requires_approval=True)
def wipe(disk: int) -> str:
    """Wipe a disk."""
    print("wiping", disk, flush=True)
    return "wiped"


server, file, *text = sys.argv[1:]
store = SqliteStore(file)
telemetry.instrument(store=store)
client = OpenAI(base_url=server, api_key="none", max_retries=0)  # The agent itself tries again.
detector = Detector(model="qwen3")  # For a server that leaves the calls in the text.
agent = Agent(client, model="qwen3", tools=[disks, wipe], store=store, detector=detector)
answer = agent.run_sync(text[0] if text else None, "chat")
print(answer.text)
for run in answer.waiting:
    print(f"{run.tool} {run.state}: {run.approval_id or run.id}")
