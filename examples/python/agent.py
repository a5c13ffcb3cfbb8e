"""An agent with tools that a person approves, whose process may end at any moment.

The store has the conversation, its runs and approvals, and what undoes them. Started again without
a question, the agent goes on where it stood, and no handler runs twice. It talks to any server of
OpenAI's chat completions, also to one that leaves the model's calls in the text.

    .venv/bin/python examples/python/agent.py http://127.0.0.1:8080/v1 "Note that Ann called."
    toolwire approvals list notes.db
    toolwire approvals approve notes.db REQUEST_ID
    .venv/bin/python examples/python/agent.py http://127.0.0.1:8080/v1
    toolwire undo apply notes.db RUN_ID --app agent:executor
"""

import argparse
import os
import sys
from pathlib import Path

from openai import AsyncOpenAI
from toolwire import Detector
from toolwire.agent import Agent, AgentError
from toolwire.runs import Executor, Store, ToolOutput, UndoMetadata, open_store, tool

NOTES = Path(os.environ.get("NOTES", "notes"))


@tool
def list_notes() -> list[str]:
    """List the titles of all notes."""
    return sorted(note.stem for note in NOTES.glob("*.txt"))


def take_back(metadata: UndoMetadata) -> None:
    """Remove the note that a run has written."""
    (NOTES / f"{metadata.undo_data['title']}.txt").unlink(missing_ok=True)


@tool(requires_approval=True, undo=take_back)
def write_note(title: str, text: str) -> ToolOutput:
    """Write a note."""
    NOTES.mkdir(exist_ok=True)
    with (NOTES / f"{Path(title).name}.txt").open("a", encoding="utf-8") as note:
        note.write(text + "\n")
    return ToolOutput.ok({"written": title}, undo_metadata={"title": Path(title).name})


def executor(store: Store) -> Executor:
    """Make the executor, for this program and for the console's ``--app agent:executor``."""
    made = Executor(store)
    for one in (list_notes, write_note):
        made.register(one)
    return made


def main() -> None:
    """Read the command line, and print the model's last word or what a person has to decide."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("server", help="such as http://127.0.0.1:8080/v1")
    parser.add_argument("question", nargs="?", help="without one, the conversation goes on")
    parser.add_argument("--model", default="qwen3")
    parser.add_argument("--store", default="notes.db", help="a file, redis://… or postgresql://…")
    parser.add_argument("--chat", default="chat", help="the name of the conversation")
    given = parser.parse_args()
    key = os.environ.get("OPENAI_API_KEY", "none")
    agent = Agent(
        # The agent tries again itself.
        AsyncOpenAI(base_url=given.server, api_key=key, max_retries=0),
        model=given.model,
        tools=executor(open_store(given.store)),
        detector=Detector(model=given.model),
    )
    try:
        answer = agent.run_sync(given.question, given.chat)
    except AgentError as error:
        sys.exit(f"{error} ({error.code})")
    for run in answer.waiting:
        asked = f"waiting for approval of {run.tool}: {run.approval_id}"
        print(asked if run.state == "waiting" else f"{run.tool} is {run.state}: {run.id}")
    if answer.state == "stopped":
        print(f"stopped at the limit of {answer.reason}", file=sys.stderr)
    if answer.state != "waiting":
        print(answer.text)


if __name__ == "__main__":
    main()
