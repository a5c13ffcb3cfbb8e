"""The same job with LangGraph, without OpenTelemetry.

`PROGRAM http://HOST/v1 FILE TEXT`, then `… FILE "" ID`.
"""

import sys

from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.types import Command


def disks() -> list[int]:
    """List the numbers of the disks."""
    return [7, 8]


def wipe(disk: int) -> str:
    """Wipe a disk."""
    print("wiping", disk, flush=True)
    return "wiped"


server, file, text, *ids = sys.argv[1:]
model = ChatOpenAI(model="qwen3", base_url=server, api_key="none")
asks = HumanInTheLoopMiddleware(interrupt_on={"wipe": True})
given = {"messages": [("user", text)]}
if ids:
    given = Command(resume={ids[0]: {"decisions": [{"type": "approve"}]}})
with SqliteSaver.from_conn_string(file) as saver:
    agent = create_agent(model, [disks, wipe], middleware=[asks], checkpointer=saver)
    state = agent.invoke(given, {"configurable": {"thread_id": "chat"}})
print(state["messages"][-1].content)
for one in state.get("__interrupt__", ()):
    print(f"{one.value['action_requests'][0]['name']} waiting: {one.id}")
