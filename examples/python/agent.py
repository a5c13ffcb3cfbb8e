"""An agent with tools that a person approves, which may be killed at any moment.

The conversation is a file; runs, approvals and undo data are in a store. Started again, the agent
goes on where it stood, and no handler runs twice. It talks to any server of OpenAI's chat
completions; where the server gives the model's raw text, the calls are found in it.

    .venv/bin/python examples/python/agent.py http://127.0.0.1:8080/v1 "Note that Ann called."
    toolwire approvals list notes.db
    toolwire approvals approve notes.db REQUEST_ID
    toolwire undo apply notes.db RUN_ID --app agent:executor
"""

import argparse
import asyncio
import json
import os
from pathlib import Path
from typing import Any

import toolwire
from openai import AsyncOpenAI
from toolwire import provider
from toolwire.tools import (
    AdvancedToolExecutor,
    Store,
    ToolError,
    ToolOutput,
    open_store,
    tool,
)

NOTES = Path(os.environ.get("NOTES", "notes"))
# How often in a row the model is told that its call was refused.
MOST_REFUSALS = 3


@tool
def list_notes() -> list[str]:
    """List the titles of all notes."""
    return sorted(note.stem for note in NOTES.glob("*.txt"))


async def take_back(metadata: Any) -> None:
    """Remove the note that a run has written."""
    (NOTES / f"{metadata.undo_data['title']}.txt").unlink(missing_ok=True)


@tool(requires_approval=True, undoable=True, undo_handler=take_back)
def write_note(title: str, text: str) -> ToolOutput:
    """Write a note."""
    NOTES.mkdir(exist_ok=True)
    with (NOTES / f"{Path(title).name}.txt").open("a", encoding="utf-8") as note:
        note.write(text + "\n")
    return ToolOutput.ok({"written": title}, undo_metadata={"title": Path(title).name})


def executor(store: Store) -> AdvancedToolExecutor:
    """Make the executor, for this program and for the console's ``--app agent:executor``."""
    made = AdvancedToolExecutor(store=store)
    for one in (list_notes, write_note):
        made.register(one)
    return made


class Chat:
    """A conversation in a file; its path names the scope of its calls."""

    def __init__(self, path: Path) -> None:
        self.path, self.scope = path, str(path.resolve())
        self.messages: list[Any] = json.loads(path.read_text()) if path.exists() else []

    def add(self, *messages: dict[str, Any]) -> None:
        """Add messages; the file holds the old conversation or the new one, never a part."""
        self.messages.extend(messages)
        beside = self.path.with_suffix(".new")
        beside.write_text(json.dumps(self.messages))
        beside.replace(self.path)

    def open(self) -> tuple[int, list[tuple[int, dict[str, Any]]]]:
        """Give the number of the newest message with calls, and those that have no result yet.

        Results stand behind the message in the order of its calls. Many servers number the calls
        of each message anew, so a call is known by its message and its place there.
        """
        numbers = [n for n, message in enumerate(self.messages) if message.get("tool_calls")]
        if not numbers:
            return 0, []
        number = numbers[-1]
        results = sum(message["role"] == "tool" for message in self.messages[number + 1 :])
        return number, list(enumerate(self.messages[number]["tool_calls"]))[results:]


async def answer(
    call: dict[str, Any], message: int, index: int, tools: AdvancedToolExecutor, chat: Chat
) -> dict[str, Any]:
    """Run a call, wait for its approval if it needs one, and give the message for the model."""
    place: Any = {"scope": chat.scope, "message": message, "index": index}
    try:
        run = await tools.start(call, **place)
        if run.state == "waiting":
            print(
                f"waiting for approval of {run.tool}: {run.approval_id}, run {run.id}", flush=True
            )
        result: Any = await tools.execute(call, **place)
    except ToolError as error:
        result = error
    return dict(provider.dump(result, "openai", call))


async def ask(
    client: AsyncOpenAI, model: str, tools: AdvancedToolExecutor, chat: Chat
) -> list[dict[str, Any]]:
    """Ask the model; calls that it wrote as text become calls of its message.

    What the model is told of a call that was refused stands behind its message.
    """
    definitions: Any = tools.to_provider("openai")
    reply = await client.chat.completions.create(
        model=model, messages=chat.messages, tools=definitions
    )
    message = reply.choices[0].message
    said = message.model_dump(exclude_none=True)
    if message.tool_calls:
        return [said]
    found = toolwire.detect(message.content or "", model=model, tools=definitions)
    if found.calls:
        return [provider.message(found, "openai")]
    return [said, *(provider.refusal(one, "openai") for one in found.rejections[:1])]


async def converse(client: AsyncOpenAI, model: str, store: Store, chat: Chat) -> str:
    """Go on with a conversation until the model has nothing more to run."""
    tools, refused = executor(store), 0
    while True:
        message, calls = chat.open()
        for index, call in calls:
            chat.add(await answer(call, message, index, tools, chat))
        if chat.messages[-1]["role"] == "assistant":
            return str(chat.messages[-1]["content"])
        said, *told = await ask(client, model, tools, chat)
        refused = refused + 1 if told else 0
        chat.add(said, *told[: int(refused <= MOST_REFUSALS)])


def main() -> None:
    """Read the command line, and print the model's last word."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("server", help="such as http://127.0.0.1:8080/v1")
    parser.add_argument("question", nargs="?", help="without one, the conversation goes on")
    parser.add_argument("--model", default="qwen3")
    parser.add_argument("--store", default="notes.db", help="a file, redis://… or postgresql://…")
    parser.add_argument("--chat", type=Path, default=Path("chat.json"))
    given = parser.parse_args()
    chat = Chat(given.chat)
    if given.question:
        chat.add({"role": "user", "content": given.question})
    if not chat.messages:
        parser.error("ask something: there is no conversation to go on with")
    client = AsyncOpenAI(base_url=given.server, api_key=os.environ.get("OPENAI_API_KEY", "none"))
    print(asyncio.run(converse(client, given.model, open_store(given.store), chat)))


if __name__ == "__main__":
    main()
