"""Scenarios of approvals and of undo data."""

from __future__ import annotations

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
