"""Conversations with a model that calls tools: from a user's text to an answer.

An :class:`Agent` asks a model, runs the calls that the model writes, tells it what they gave, and
asks again until the model answers. What was said is in the executor's store, so any process goes on
with a conversation, also after a person has approved a call:

>>> import asyncio
>>> from toolwire.agent import Agent
>>> from toolwire.runs import Executor, MemoryStore, tool
>>> @tool(requires_approval=True)
... def wipe(disk: int) -> str:
...     return f"wiped {disk}"
>>> def model(body):  # Yours is a client of openai or anthropic, or sends the body to a server.
...     call = {"name": "wipe", "arguments": '{"disk": 7}'}
...     calls = [{"id": "call_0", "type": "function", "function": call}]
...     message = {"role": "assistant", "content": None, "tool_calls": calls}
...     if body["messages"][-1]["role"] == "tool":
...         message = {"role": "assistant", "content": "It is " + body["messages"][-1]["content"]}
...     return {"choices": [{"message": message}]}
>>> agent = Agent(model, model="qwen3", tools=[wipe], store=MemoryStore())
>>> answer = agent.run_sync("Wipe disk 7.", "chat 7")
>>> answer.state, answer.waiting[0].tool
('waiting', 'wipe')
>>> decision = asyncio.run(agent.executor.approve(answer.waiting[0].approval_id))
>>> agent.run_sync(conversation="chat 7").text
'It is wiped 7'
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Iterable, Mapping
from dataclasses import astuple, replace
from typing import Any, Literal

from toolwire._agent_values import AgentEvent, AgentLimits, Answer
from toolwire._answer import ending
from toolwire._native import (
    AgentConversation,
    AgentConversations,
    AgentHearing,
    AgentSettings,
    Detector,
)
from toolwire.completions import Render
from toolwire.model_client import ask_model, client_of, events_of, is_stream
from toolwire.runs.errors import AgentError
from toolwire.runs.executor import Executor
from toolwire.runs.executor_base import ExecutorBase
from toolwire.runs.functions import is_function
from toolwire.runs.run import Run
from toolwire.runs.store import Store
from toolwire.runs.store_calls import StoreCalls
from toolwire.runs.tool import Tool
from toolwire.tools.base import definition_of

__all__ = ["Agent", "AgentError", "AgentEvent", "AgentLimits", "Answer"]

Tell = Callable[[str, dict[str, Any]], None]


class Agent:
    """A model, its tools, and a store for their conversations.

    ``client`` is a client of ``openai``, ``anthropic`` or ``google-genai``, or a function, sync or
    async, that sends the body of a request and gives the response. ``api`` names whose bodies they
    are: ``openai``, ``openai_responses``, ``anthropic``, ``gemini``, ``bedrock``, ``ollama``,
    ``mistral``, ``cohere``. ``tools`` is an executor with a store, or tools, which then get
    ``store``. ``detector`` reads the calls in the text of a model whose server leaves them there.
    ``render`` writes the prompt of a text model over plain completions, for messages and tools, as
    a tokenizer's chat template does; ``model`` says how its text is read. ``interrupted`` says what
    becomes of a call whose process died: ``ask`` waits for a person, ``tell`` tells the model that
    the outcome is unknown. ``streams`` says whether a function is asked for streams by
    :meth:`stream`; the clients are. ``constrain`` has options of :func:`toolwire.constrain` (all
    but ``tool_choice``) for a server of chat completions, or of plain ones, that takes grammars:
    each request is held to one and has no tools, so the text of the system names them, and the
    calls are read in the text. Any further option is a member of each request, such as
    ``temperature``.
    """

    def __init__(
        self,
        client: Any,
        *,
        model: str,
        tools: ExecutorBase | Iterable[Any] = (),
        system: str = "",
        api: str | None = None,
        store: Store | None = None,
        limits: AgentLimits | None = None,
        detector: Detector | None = None,
        interrupted: Literal["ask", "tell"] = "ask",
        streams: bool | None = None,
        render: Render | None = None,
        constrain: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> None:
        self.executor = executor_of(tools, store)
        kept = self.executor.store
        if kept is None:
            raise TypeError("an agent keeps its conversations in a store: Agent(…, store=…)")
        if render is not None and detector is not None:
            raise TypeError("render= makes its own detector, by the model and the prompt")
        self._client = client_of(client, api, streams, render)
        counts = astuple(limits or AgentLimits())
        self._tells = interrupted == "tell"
        grammar = None if constrain is None else dict(constrain)
        given = (self._client.api, model, system, options, detector, counts)
        self._settings = AgentSettings(*given, grammar)
        if render is not None and grammar is not None:
            # The grammar follows from the prompt, which has the tools.
            self._settings = AgentSettings(*given)
            self._client = replace(self._client, grammar=grammar)
        self._conversations, self._calls = AgentConversations(kept), StoreCalls(kept)

    async def run(self, text: str | None = None, conversation: str = "", ctx: Any = None) -> Answer:
        """Go on with a conversation until the model answers, calls wait, or a limit is reached.

        With a text, the user says it first. Without one, what is missing is done. ``ctx`` is the
        context of the tools.

        Raises :class:`AgentError` with its ``code``, and
        :class:`~toolwire.tools.StoreError`.
        """
        return await self._go_on(text, conversation, ctx, None)

    def run_sync(self, text: str | None = None, conversation: str = "", ctx: Any = None) -> Answer:
        """Do the same as :meth:`run` where no event loop runs."""
        return asyncio.run(self.run(text, conversation, ctx))

    async def say(self, text: str, conversation: str = "") -> None:
        """Have the user say a text, and ask nothing: another process goes on, by :meth:`run`."""
        await self._take_up(text, conversation, None)

    async def stream(
        self, text: str | None = None, conversation: str = "", ctx: Any = None
    ) -> AsyncGenerator[AgentEvent, None]:
        """Do the same as :meth:`run`, and give what happens as it happens.

        The last event has the ``answer``. Raises what :meth:`run` raises. Who closes the iterator
        before its end stops the work: a handler that works then may be interrupted.
        """
        queue: asyncio.Queue[AgentEvent | None] = asyncio.Queue()

        def tell(type: str, data: dict[str, Any]) -> None:
            queue.put_nowait(AgentEvent(type, data))

        async def work() -> Answer:
            try:
                return await self._go_on(text, conversation, ctx, tell)
            finally:
                queue.put_nowait(None)

        task = asyncio.create_task(work())
        try:
            while (event := await queue.get()) is not None:
                yield event
            answer = await task
            yield AgentEvent(answer.state, {}, answer)
        finally:
            task.cancel()
            await asyncio.wait([task])

    def stream_sync(
        self, text: str | None = None, conversation: str = "", ctx: Any = None
    ) -> Generator[AgentEvent, None, None]:
        """Do the same as :meth:`stream` where no event loop runs."""
        loop, events = asyncio.new_event_loop(), self.stream(text, conversation, ctx)
        try:
            while (event := loop.run_until_complete(next_of(events))) is not None:
                yield event
        finally:
            loop.run_until_complete(events.aclose())
            loop.run_until_complete(loop.shutdown_default_executor())
            loop.close()

    async def events(self, conversation: str) -> list[AgentEvent]:
        """Give what happened in a conversation so far, the oldest first; nothing without one."""
        held = await self._calls.read(self._conversations.find, conversation, self._settings)
        return [] if held is None else [AgentEvent(*event) for event in held.events(0)]

    async def _go_on(
        self, text: str | None, conversation: str, ctx: Any, tell: Tell | None
    ) -> Answer:
        held = await self._take_up(text, conversation, tell)
        while True:
            step = held.next_step(self._settings)
            if step is None:
                raise unknown(conversation)
            word, limit, places = step
            if word == "end":
                return self._answer(held, "stopped" if limit else "done", reason=limit)
            if word == "ask":
                await self._ask(held, limit, tell)
                continue
            waiting = await self._run_calls(held, conversation, places, ctx, tell)
            if waiting:
                return self._answer(held, "waiting", waiting=waiting)

    async def _take_up(self, text: str | None, id: str, tell: Tell | None) -> AgentConversation:
        held = await self._calls.read(self._conversations.find, id, self._settings)
        if held is None:
            if text is None:
                raise unknown(id)
            held = await self._calls.write(self._conversations.begin, id, self._settings)
        if text is not None:
            start = held.message_count()
            held.say(text)
            await self._save(held, start, tell)
        return held

    async def _save(self, held: AgentConversation, start: int, tell: Tell | None) -> None:
        """Keep what was added from this message on, and tell what it says."""
        await self._calls.write_whole(self._conversations.save, held)
        tell_all(tell, held.events(start) if tell else [])

    async def _ask(self, held: AgentConversation, limit: str | None, tell: Tell | None) -> None:
        client, began = self._client, time.monotonic()
        send = client.stream if tell and client.stream else client.send
        streamed = tell is not None and client.stream is not None
        settings = self._settings.streamed() if streamed else self._settings
        body, settings = self._request(held, settings, limit)
        hearing = AgentHearing(held, settings)

        async def read(given: Any) -> Any:
            nonlocal hearing
            hearing, heard = AgentHearing(held, settings), []
            if not is_stream(given):
                return client.read(given)
            try:
                async for each in events_of(given):
                    event = client.read_event(each)
                    heard.append(event)
                    tell_all(tell, hearing.hear(event))
            except Exception:
                tell_all(tell, hearing.take_back())
                raise
            return heard

        response = await ask_model(send, body, read)
        try:
            held.answered(response, settings, milliseconds(began), limit)
        except AgentError:
            tell_all(tell, hearing.take_back())
            raise
        await self._calls.write_whole(self._conversations.save, held)
        tell_all(tell, hearing.finish(held) if tell else [])

    def _request(
        self, held: AgentConversation, settings: AgentSettings, limit: str | None
    ) -> tuple[dict[str, Any], AgentSettings]:
        """Give the body that is sent, and the settings by which its response is read."""
        tools = self.executor.to_provider(self._client.api)
        body, detector = self._client.prepare(held.request(settings, tools, limit))
        return body, settings if detector is None else settings.read_by(detector)

    async def _run_calls(
        self,
        held: AgentConversation,
        id: str,
        places: list[tuple[int, int]],
        ctx: Any,
        tell: Tell | None,
    ) -> list[Run]:
        """Run the calls, at once if none of their tools changes anything; give those that wait."""
        saving = asyncio.Lock()

        async def one(place: tuple[int, int]) -> Run | None:
            began = time.monotonic()
            call = held.open_call(place)
            assert call is not None
            if self.executor.find(call[0]) is None:
                async with saving:
                    known = [tool.name for tool in self.executor.tools()]
                    start = held.message_count()
                    held.add_no_tool(place, call[0], known)
                    await self._save(held, start, tell)
                return None
            run = await self._started(call, id, place, ctx)
            if not run.is_ended or (run.state == "interrupted" and not self._tells):
                return run
            async with saving:
                state, data, message = ending(run) or ("failed", None, None)
                took, start = milliseconds(began), held.message_count()
                held.add_result(place, run.id, run.tool, state, data, message, took)
                await self._save(held, start, tell)
            return None

        runs: list[Run | None]
        if all(self._only_reads(held, place) for place in places):
            runs = await asyncio.gather(*(one(place) for place in places))
        else:
            runs = [await one(place) for place in places]
        waiting = [run for run in runs if run is not None]
        for run in waiting:
            data = {"name": run.tool, "run": run.id, "state": run.state}
            more = {"message": held.message_count() - 1, "approval_id": run.approval_id}
            tell_all(tell, [("waiting", {**data, **more})])
        return waiting

    def _only_reads(self, held: AgentConversation, place: tuple[int, int]) -> bool:
        call = held.open_call(place)
        tool = None if call is None else self.executor.find(call[0])
        return bool(getattr(tool, "read_only", False))

    async def _started(
        self, call: tuple[str, Any], id: str, place: tuple[int, int], ctx: Any
    ) -> Run:
        """Start the run of a call, or go on with the one that it has."""
        name, arguments = call
        message, index = place
        action = {"type": "tool_use", "id": "call", "name": name, "input": arguments}
        run = await self.executor.start(action, ctx, scope=id, message=message, index=index)
        if run.is_ended:
            return run
        return await self.executor.resume(run.id, ctx) or run

    def _answer(self, held: AgentConversation, state: Any, **more: Any) -> Answer:
        text, reasoning, cut_off, asked, wrote = held.said()
        said: dict[str, Any] = {"text": text, "reasoning": reasoning, "cut_off": cut_off}
        return Answer(state, **said, **more, input_tokens=asked, output_tokens=wrote)

    async def list(self, limit: int = 100, *, after: str | None = None) -> list[str]:
        """Give the ids of the store's conversations, in the order of their keys."""
        return await self._calls.read(self._conversations.list, limit, after)

    async def forget(self, conversation: str) -> bool:
        """Delete a conversation, and say whether there was one; its runs stay."""
        return await self._calls.write_whole(self._conversations.forget, conversation)


def executor_of(tools: ExecutorBase | Iterable[Any], store: Store | None) -> ExecutorBase:
    """Give the executor, or make one of tools."""
    if isinstance(tools, ExecutorBase):
        return tools
    made = Executor(store)
    for one in tools:
        is_own = isinstance(one, Tool) or is_function(one)
        made.register(one if is_own else definition_of(one))
    return made


def unknown(id: str) -> AgentError:
    """Make the error for a conversation that the store does not have."""
    message = f'the store has no conversation "{id}"; begin it with a text'
    return AgentError(message, "unknown_conversation")


async def next_of(events: AsyncIterator[AgentEvent]) -> AgentEvent | None:
    """Give the next event; None behind the last one."""
    return await anext(events, None)


def tell_all(tell: Tell | None, events: list[tuple[str, dict[str, Any]]]) -> None:
    """Tell what happened, if anybody is told."""
    for type, data in events if tell else []:
        assert tell is not None
        tell(type, data)


def milliseconds(began: float) -> int:
    """Give the time since a moment."""
    return int((time.monotonic() - began) * 1000)
