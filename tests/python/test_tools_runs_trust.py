"""Whose runs are whose, what a key is, and what a store that fails leaves behind."""

from __future__ import annotations

import uuid
from pathlib import Path
from typing import Any

import pytest
import toolwire
from test_tools_runs import CALL, Mailer, executor_of, in_a_loop, store
from toolwire.tools import (
    AdvancedToolExecutor,
    MemoryStore,
    SqliteStore,
    Store,
    ToolDefinition,
    ToolInput,
)

__all__ = ["store"]

CRAFTED = [
    ("", "", "chat 7\0call_1"),
    ("chat 7\0", "", "call_1"),
    ("chat", "", " 7\0call_1"),
    ("", "chat 7", "call_1"),
    ("chat 8", "", "call_1"),
]


def call(id: str) -> dict[str, Any]:
    return {"id": id, "type": "function", "function": {"name": "mail", "arguments": '{"to":"ann"}'}}


@in_a_loop
async def test_two_programs_never_share_a_key() -> None:
    keys = []
    for _ in range(2):
        mailer = Mailer()
        run = await executor_of(MemoryStore(), mailer).start(CALL)
        key = run.result().data["key"]
        assert key not in (run.id, CALL["id"])
        keys.append(key)
    assert keys[0] != keys[1]


@in_a_loop
async def test_a_run_without_a_store_has_a_key_of_its_own_each_time() -> None:
    executor = AdvancedToolExecutor()
    executor.register(ToolDefinition("mail", "MAIL", Mailer()))
    outputs = [await executor.execute(CALL) for _ in range(2)]
    assert len({output.data["key"] for output in outputs}) == 2


@in_a_loop
async def test_a_key_is_the_same_before_and_after_the_decision(store: Store) -> None:
    keys: list[str] = []

    def changes(input: ToolInput, tool: ToolDefinition) -> dict[str, str]:
        keys.append(input.idempotency_key)
        return {}

    mailer = Mailer()
    run = await executor_of(store, mailer, asks=True, changes=changes).start(CALL)
    executor = executor_of(store, mailer, asks=True, changes=changes)
    await executor.approvals.decide(str(run.approval_id), True)
    resumed = await executor.resume(run.id)
    assert resumed is not None
    assert {*keys, resumed.result().data["key"]} == {keys[0]}


@in_a_loop
async def test_no_crafted_id_reaches_a_run_of_another_scope(store: Store) -> None:
    mailer = Mailer()
    executor = executor_of(store, mailer)
    theirs = await executor.start(call("call_1"), scope="chat 7")
    unnamed = await executor.start(call(""))
    crafted = [*CRAFTED, ("", "", theirs.id), ("", "", unnamed.id), ("chat 8", "", theirs.id)]
    for number, (scope, message, id) in enumerate(crafted):
        run = await executor.start(call(id), scope=scope, message=message)
        assert run.id not in (theirs.id, unnamed.id)
        assert len(mailer.sent) == 3 + number
    mine = await executor.start(call("call_1"), {"user_id": "ann"}, scope="chat 7")
    assert mine.id != theirs.id


@in_a_loop
async def test_a_program_s_own_uuid_reaches_no_run_of_a_call(store: Store) -> None:
    mailer = Mailer()
    executor = executor_of(store, mailer)
    theirs = await executor.start(call("call_1"), scope="chat 7")
    run = await executor.start({**CALL, "id": theirs.id})
    assert (run.state, run.code, mailer.sent) == ("denied", "call_id_reused", ["ann"])
    own = {**CALL, "id": str(uuid.uuid4())}
    assert (await executor.start(own)).id == own["id"] == (await executor.start(own)).id


@in_a_loop
async def test_an_id_that_comes_again_in_a_later_message_is_another_call(store: Store) -> None:
    mailer = Mailer()
    executor = executor_of(store, mailer)
    runs = [await executor.start(call("call_0"), scope="c", message=n) for n in (1, 3, 3)]
    assert runs[0].id != runs[1].id == runs[2].id
    assert len(mailer.sent) == 2
    (detected,) = toolwire.detect('<tool:mail>{"to":"ann"}</tool>').calls
    places = [(4, 0), (4, 1), (4, 0), (6, 0)]
    placed = [
        await executor.start(detected, scope="c", message=message, index=index)
        for message, index in places
    ]
    assert placed[0].id == placed[2].id
    assert len({run.id for run in placed}) == 3
    assert len(mailer.sent) == 5


@in_a_loop
async def test_a_place_before_the_first_is_refused(store: Store) -> None:
    mailer = Mailer()
    with pytest.raises(ValueError, match="index must not be negative"):
        await executor_of(store, mailer).start(call("call_0"), message=1, index=-1)
    assert mailer.sent == []


class Full(Exception):
    """What this program's store raises when its disk is full."""


class Failing:
    """A store of which one write fails; with ``made``, only its answer is lost."""

    def __init__(self, inner: Store, write: int, *, made: bool) -> None:
        self._inner, self._left, self._made = inner, write, made

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._inner, name)
        if name not in ("put", "delete"):
            return method

        def written(*arguments: Any) -> Any:
            self._left -= 1
            if self._left != 0:
                return method(*arguments)
            if self._made:
                method(*arguments)
            raise Full("the disk is full")

        return written


@pytest.mark.parametrize("made", [False, True])
@in_a_loop
async def test_a_call_whose_request_was_not_stored_can_be_started_again(made: bool) -> None:
    failures = 0
    for write in range(1, 24):
        inner, mailer = MemoryStore(), Mailer()
        failing: Any = Failing(inner, write, made=made)
        try:
            await executor_of(failing, mailer, asks=True).start(CALL)
        except Full:
            failures += 1
        executor = executor_of(inner, mailer, asks=True)
        run = await executor.start(CALL)
        assert (run.state, run.error) == ("waiting", None), write
        await executor.approvals.decide(str(run.approval_id), True)
        ended = await executor.resume(run.id)
        assert ended is not None
        assert (ended.state, mailer.sent) == ("completed", ["ann"]), write
    assert failures > 2


@pytest.mark.parametrize("made", [False, True])
@in_a_loop
async def test_an_approved_run_whose_start_was_not_stored_stays_approved(made: bool) -> None:
    failures = 0
    for write in range(1, 24):
        inner, mailer = MemoryStore(), Mailer()
        executor = executor_of(inner, mailer, asks=True)
        run = await executor.start(CALL)
        await executor.approvals.decide(str(run.approval_id), True)
        failing: Any = Failing(inner, write, made=made)
        try:
            await executor_of(failing, mailer, asks=True).resume(run.id)
        except Full:
            failures += 1
            stands = await executor.run(run.id)
            assert stands is not None
            assert stands.state in ("approved", "running"), write
            if stands.state == "waiting" and not mailer.sent:
                ended = await executor.resume(run.id)
                assert ended is not None
                assert ended.state == "completed", write
        assert len(mailer.sent) <= 1, write
    # A store whose answer alone is lost is asked again, so nothing fails.
    assert made or failures > 0


@in_a_loop
async def test_a_full_disk_is_raised_and_leaves_the_call_to_be_started(tmp_path: Path) -> None:
    mailer = Mailer()
    good = SqliteStore(tmp_path / "runs.db")
    failing: Any = Failing(good, 1, made=False)
    with pytest.raises(Full):
        await executor_of(failing, mailer, asks=True).start(CALL)
    run = await executor_of(good, mailer, asks=True).start(CALL)
    assert (run.state, mailer.sent) == ("waiting", [])
