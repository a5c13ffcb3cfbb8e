"""Scenarios of approvals and of undo data."""

from __future__ import annotations

import asyncio
import threading
import time
from types import ModuleType
from typing import Any

from peers import ACTION, REQUEST, RUN, plain
from stageflow_scenario import scenario


@scenario
async def approve_and_look(tools: ModuleType) -> Any:
    service = tools.ApprovalService()
    request = await service.request_approval(ACTION, "edit", RUN, "Really?", {"k": 1})
    before = [
        plain(request),
        await service.get_status(request.id),
        await service.get_status(ACTION),
    ]
    pending = [len(await service.get_pending_requests(run)) for run in (None, RUN, REQUEST)]
    decision = await service.record_decision(request.id, True, decided_by=REQUEST, reason="fine")
    waited = await service.await_decision(request.id, 1)
    after = plain(await service.get_request(request.id))
    await service.cleanup(request.id)
    await service.cleanup(request.id)
    gone = [await service.get_request(request.id), await service.get_status(request.id)]
    fields = [decision.granted, decision.reason, plain(decision.decided_by), waited.granted]
    return [before, pending, fields, after, gone, len(await service.get_pending_requests())]


@scenario
async def approve_unknown(tools: ModuleType) -> Any:
    service = tools.ApprovalService()
    errors = []
    for call in (service.await_decision(ACTION), service.record_decision(ACTION, True)):
        try:
            await call
        except KeyError as error:
            errors.append(error.args)
    return [errors, await service.cancel_request(ACTION), await service.get_status(ACTION)]


@scenario
async def approve_timeout(tools: ModuleType) -> Any:
    service = tools.ApprovalService(0.01)
    request = await service.request_approval(ACTION, "edit")
    try:
        await service.await_decision(request.id)
    except TimeoutError:
        return [await service.get_status(request.id), await service.cancel_request(request.id)]
    return None


@scenario
async def approve_twice(tools: ModuleType) -> Any:
    service = tools.ApprovalService()
    request = await service.request_approval(ACTION, "edit")
    await service.record_decision(request.id, True)
    await service.record_decision(request.id, False)
    return await service.get_status(request.id)


@scenario
async def approve_late(tools: ModuleType) -> Any:
    service = tools.ApprovalService(0.001)
    request = await service.request_approval(ACTION, "edit")
    try:
        await service.await_decision(request.id)
    except TimeoutError:
        await service.record_decision(request.id, True)
    return await service.get_status(request.id)


@scenario
async def approve_what_nobody_decided(tools: ModuleType) -> Any:
    service = tools.ApprovalService(0.001)
    expired = await service.request_approval(ACTION, "edit")
    cancelled = await service.request_approval(RUN, "edit")
    try:
        await service.await_decision(expired.id)
    except TimeoutError:
        await service.cancel_request(cancelled.id)
    decision = await service.await_decision(cancelled.id)
    requests = [plain(await service.get_request(one.id)) for one in (expired, cancelled)]
    again = [await service.cancel_request(one.id) for one in (expired, cancelled)]
    return [requests, decision, again, plain(await service.get_pending_requests())]


@scenario
async def approve_with_two_waiters(tools: ModuleType) -> Any:
    service = tools.ApprovalService()
    request = await service.request_approval(ACTION, "edit")
    waiting = [asyncio.ensure_future(service.await_decision(request.id)) for _ in range(2)]
    await asyncio.sleep(0)
    given = await service.record_decision(request.id, False, REQUEST, "no")
    return [given, *(await asyncio.gather(*waiting)), await service.await_decision(request.id, 1)]


@scenario
async def approve_for_runs(tools: ModuleType) -> Any:
    service = tools.ApprovalService()
    for run in (None, "", "run", RUN, 5):
        await service.request_approval(ACTION, "edit", run)
    return [len(await service.get_pending_requests(run)) for run in (None, "", "run", RUN, 5, 6)]


@scenario
async def await_out_of_time(tools: ModuleType) -> Any:
    service = tools.ApprovalService()
    request = await service.request_approval(ACTION, "edit")
    return await service.await_decision(request.id, 0)


@scenario
async def await_what_is_decided(tools: ModuleType) -> Any:
    service = tools.ApprovalService()
    request = await service.request_approval(ACTION, "edit")
    await service.record_decision(request.id, True)
    return await service.await_decision(request.id, 0)


@scenario
async def approve_from_a_thread(tools: ModuleType) -> Any:
    service = tools.ApprovalService()
    request = await service.request_approval(ACTION, "edit")

    def decide() -> None:
        asyncio.run(service.record_decision(request.id, True))

    # The thread decides while nothing else wakes this loop.
    threading.Timer(0.05, decide).start()
    start = time.monotonic()
    decision = await service.await_decision(request.id, 2)
    return [decision.granted, time.monotonic() - start < 1]


@scenario
async def decide_with_another_type(tools: ModuleType) -> Any:
    service = tools.ApprovalService()
    request = await service.request_approval(ACTION, "edit")
    await service.record_decision(request.id, "false")
    return await service.get_status(request.id)


@scenario
async def cleanup_while_a_task_waits(tools: ModuleType) -> Any:
    service = tools.ApprovalService()
    request = await service.request_approval(ACTION, "edit")
    waiting = asyncio.ensure_future(service.await_decision(request.id, 0.1))
    await asyncio.sleep(0)
    await service.cleanup(request.id)
    return await waiting


@scenario
async def set_a_status(tools: ModuleType) -> Any:
    service = tools.ApprovalService()
    request = await service.request_approval(ACTION, "edit")
    request.status = tools.ApprovalStatus.APPROVED
    return await service.get_status(request.id)


@scenario
async def approve_newest(tools: ModuleType) -> Any:
    service = tools.ApprovalService()
    first = await service.request_approval(ACTION, "edit")
    await service.request_approval(ACTION, "edit")
    await service.record_decision(first.id, True)
    return [await service.get_status(ACTION), await service.get_status(first.id)]


@scenario
async def request_keeps_its_id(tools: ModuleType) -> Any:
    service = tools.ApprovalService()
    made = await service.request(
        tools.ApprovalRequest(REQUEST, ACTION, "edit", approval_message="m")
    )
    return [plain(made.id), made.approval_message]


@scenario
async def undo_store(tools: ModuleType) -> Any:
    store = tools.UndoStore(default_ttl_seconds=60)
    data = {"x": [1]}
    first = await store.store(ACTION, "edit", data)
    await store.store(
        tools.UndoMetadata(RUN, "edit", {}, "2024-01-01T00:00:00+00:00"), ttl_seconds=-1
    )
    seen = [
        plain(await store.get(ACTION)),
        (await store.get(ACTION)) == first,
        first.undo_data is data,
    ]
    lengths = [len(store), len(await store.get_all()), await store.get(RUN), len(store)]
    await store.store(REQUEST, "edit", {}, -1)
    swept = [await store.cleanup_expired(), await store.cleanup_expired(), len(store)]
    removed = [await store.delete(ACTION), await store.remove(ACTION), await store.get(ACTION)]
    return [seen, lengths, swept, removed]


@scenario
async def undo_store_misuse(tools: ModuleType) -> Any:
    errors = []
    for arguments in ((ACTION,), (ACTION, "edit")):
        try:
            await tools.UndoStore().store(*arguments)
        except TypeError as error:
            errors.append(str(error))
    return errors
