"""Rows of an approval that somebody writes back after it was used, denied or withdrawn."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from test_tampering import Entry, Scene, call, is_coded, rows
from test_tampering import store as store

Close = Callable[[Any, uuid.UUID], Any]


def approvals_of(store: Any) -> dict[str, Entry]:
    return {key: entry for key, entry in rows(store).items() if key.startswith("approval/")}


def write_back(store: Any, entries: dict[str, Entry]) -> None:
    for key, (value, until) in entries.items():
        store.put(key, value, "any", until, 0)


async def everybody(made: Scene, run: str, request_id: uuid.UUID) -> set[str]:
    """Approve again by both ids, go on, and call again; give the states that the run was in."""
    executor, states = made.executor(), set()
    for work in (
        lambda: executor.approvals.record_decision(request_id, True),
        lambda: executor.approvals.decide(run, True),
        lambda: executor.resume(run),
        lambda: executor.start(call(run)),
        lambda: executor.resume(run),
        lambda: executor.run(run),
    ):
        try:
            states.add(getattr(await work(), "state", "none"))
        except Exception as error:
            if not is_coded(error):
                raise
    return states


async def ask(made: Scene) -> tuple[str, uuid.UUID]:
    run = str(uuid.uuid4())
    waiting = await made.executor().start(call(run))
    assert waiting.approval_id is not None
    return run, uuid.UUID(waiting.approval_id)


def test_an_approval_that_was_used_is_used_up(store: Any) -> None:
    async def scenario() -> None:
        made = Scene(store)
        run, request_id = await ask(made)
        pending = approvals_of(store)
        await made.executor().approvals.record_decision(request_id, True)
        approved = approvals_of(store)
        resumed = await made.executor().resume(run)
        assert resumed is not None
        assert (resumed.state, made.ran[run]) == ("completed", 1)
        for old in (pending, approved, pending | approved):
            write_back(store, old)
            states = await everybody(made, run, request_id)
            assert states <= {"none", "completed"}
            assert made.ran == {run: 1}

    asyncio.run(scenario())


CLOSES: dict[str, Close] = {
    "denied": lambda service, id: service.record_decision(id, False),
    "cancelled": lambda service, id: service.cancel_request(id),
    "forgotten": lambda service, id: service.cleanup(id),
    "expired": lambda service, id: expire(service, id),
}


async def expire(service: Any, request_id: uuid.UUID) -> None:
    service._approvals.expire(request_id)


@pytest.mark.parametrize("is_resumed", [True, False])
@pytest.mark.parametrize("close", CLOSES)
def test_a_request_that_was_closed_stays_closed(store: Any, close: str, is_resumed: bool) -> None:
    async def scenario() -> None:
        made = Scene(store)
        run, request_id = await ask(made)
        other, other_id = await ask(made)
        pending = approvals_of(store)
        await made.executor().approvals.record_decision(other_id, True)
        approved = approvals_of(store)
        await CLOSES[close](made.executor().approvals, request_id)
        if is_resumed:
            resumed = await made.executor().resume(run)
            assert resumed is not None
            assert resumed.state in ("denied", "expired")
        write_back(store, pending)
        states = await everybody(made, run, request_id)
        assert states <= {"none", "denied", "expired", "waiting"}
        # The rows of the other request, under the keys of this one.
        for key, (value, until) in approved.items():
            if str(other_id) in key:
                here = key.replace(str(other_id), str(request_id)).replace(other, run)
                store.put(here, value, "any", until, 0)
        states = await everybody(made, run, request_id)
        assert states <= {"none", "denied", "expired", "waiting"}
        assert made.ran[run] == 0
        assert made.ran[other] <= 1

    asyncio.run(scenario())
