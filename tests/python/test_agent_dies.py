"""A conversation whose process dies at any operation of its store goes on in another one."""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any

import pytest
from toolwire.agent import Agent, AgentError, Answer
from toolwire.tools import MemoryStore, tool


class DeadProcess(Exception):
    """The process of a test has died."""


class DyingStore:
    """A store of a process that dies at one operation: before it is made, or after."""

    def __init__(self, kept: MemoryStore, dies_at: int, made: bool) -> None:
        self.kept, self.left, self.made = kept, dies_at, made

    def __getattr__(self, name: str) -> Any:
        method = getattr(self.kept, name)
        if name == "shared":
            return method

        def operation(*arguments: Any) -> Any:
            if self.left == 0:
                raise DeadProcess(name)
            self.left -= 1
            if self.left > 0:
                return method(*arguments)
            if self.made:
                method(*arguments)
            raise DeadProcess(name)

        return operation


class Model:
    """Calls a tool that runs and one that waits, then says what came of them."""

    def __init__(self) -> None:
        self.asked: list[Any] = []

    def __call__(self, body: dict[str, Any]) -> dict[str, Any]:
        self.asked.append(body)
        messages = body["messages"]
        said: dict[str, Any] = {"role": "assistant", "content": None}
        results = [one["content"] for one in messages if one["role"] == "tool"]
        if results:
            assert [one["tool_call_id"] for one in messages if one["role"] == "tool"] == ["a", "b"]
            said["content"] = " ".join(results)
        else:
            said["tool_calls"] = [call("a", "note"), call("b", "wipe")]
        return {"choices": [{"message": said}]}


def call(id: str, name: str) -> dict[str, Any]:
    return {"id": id, "type": "function", "function": {"name": name, "arguments": '{"disk": 7}'}}


def agent(model: Model, store: Any, ran: list[str]) -> Agent:
    @tool
    def note(disk: int) -> str:
        """Note a disk."""
        ran.append(f"note {disk}")
        return "noted"

    @tool(requires_approval=True)
    def wipe(disk: int) -> str:
        """Wipe a disk."""
        ran.append(f"wipe {disk}")
        return "wiped"

    return Agent(model, model="m", tools=[note, wipe], store=store, interrupted="tell")


def end_leases(store: MemoryStore) -> None:
    """End the leases of the runs, as a minute does."""
    now = time.time_ns() // 1000
    for key, value, version, expires_at in store.scan("", None, 1000, now):
        record = json.loads(value)
        if isinstance(record, dict) and record.get("lease"):
            record["lease"]["until"] = "2020-01-01T00:00:00Z"
            assert store.put(key, json.dumps(record).encode(), version, expires_at, now)


async def begin(made: Agent) -> None:
    """Go to the approval, and on from there."""
    await made.run("Note and wipe disk 7.", "chat")
    answer = await made.run(None, "chat")
    await made.executor.approve(answer.waiting[0].approval_id)
    await made.run(None, "chat")


async def go_on(made: Agent, store: MemoryStore) -> Answer:
    """Go on as the next process does: with the text if the conversation never began."""
    for _ in range(6):
        try:
            answer = await made.run(None, "chat")
        except AgentError as error:
            if error.code != "unknown_conversation":
                raise
            answer = await made.run("Note and wipe disk 7.", "chat")
        if answer.state != "waiting":
            return answer
        for run in answer.waiting:
            if run.state == "waiting":
                await made.executor.approve(run.approval_id)
            else:
                end_leases(store)
    raise AssertionError("the conversation does not end")


def was_death(raised: BaseException | None) -> bool:
    """Say whether an exception came of the death of its process."""
    while raised is not None and not isinstance(raised, DeadProcess):
        raised = raised.__cause__ or raised.__context__
    return raised is not None


@pytest.mark.parametrize("made", [False, True], ids=["before", "after"])
def test_a_process_that_dies_at_any_operation_loses_nothing(made: bool) -> None:
    deaths, died = 0, True
    while died:
        kept, ran = MemoryStore(), list[str]()
        try:
            asyncio.run(begin(agent(Model(), DyingStore(kept, deaths + 1, made), ran)))
            died = False
        except Exception as raised:
            if not was_death(raised):
                raise
            deaths += 1
        model = Model()
        answer = asyncio.run(go_on(agent(model, kept, ran), kept))
        assert answer.state == "done", deaths
        assert len(ran) == len(set(ran)), f"a handler ran twice after a death at {deaths}: {ran}"
        # A handler that was about to start may have run, for all that the next process knows.
        unknown = answer.text.count("was interrupted")
        assert unknown <= 1, answer.text
        assert len(ran) + unknown >= 2, f"{deaths}: {ran}, {answer.text}"
        if unknown == 0:
            assert answer.text == "noted wiped"
    assert deaths > 20, deaths
