"""An approval covers the whole action, and an action that ran can be undone."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from peers import action
from test_tools_approvals import Site, run
from toolwire import InvalidArgumentError
from toolwire.tools import (
    AdvancedToolExecutor,
    ApprovalRequest,
    ToolChangedSinceError,
    ToolDefinition,
    ToolInput,
    ToolOutput,
    UndoMetadata,
    UndoStore,
)


class Credentials:
    """An object whose text holds a secret that no key names."""

    def __init__(self, password: str) -> None:
        self.password = password

    def __repr__(self) -> str:
        return f"Credentials(password={self.password!r})"


class Broken:
    """An object whose `repr()` raises."""

    def __repr__(self) -> str:
        raise ValueError("no text")


class Silent:
    """An object whose text does not show its content."""


class Free(Site):
    """An executor with one tool that takes any payload."""

    def __init__(self) -> None:
        super().__init__(permission=None)
        self.executor.register(ToolDefinition("edit", "EDIT", self.handle, requires_approval=True))


def nested(levels: int, inner: Any) -> dict[str, Any]:
    payload: dict[str, Any] = {"x": inner}
    for _ in range(levels):
        payload = {"x": payload}
    return payload


@pytest.mark.parametrize("levels", [127, 128, 1500])
def test_what_nests_too_deep_to_be_bound_is_not_asked_for(levels: int) -> None:
    site = Free()
    with pytest.raises(InvalidArgumentError) as raised:
        run(site.run(action(payload=nested(levels, {"cmd": "ls"}))))
    assert "the payload is nested too deep at /x/x" in str(raised.value)
    assert site.seen == []


def test_what_changes_deep_inside_is_seen() -> None:
    inner: dict[str, Any] = {"cmd": "ls"}

    async def change(request: ApprovalRequest) -> None:
        inner["cmd"] = "rm -rf /"
        await site.approve(request)

    site = Free()
    with pytest.raises(ToolChangedSinceError):
        run(site.run(action(payload=nested(126, inner)), change))
    assert site.seen == []


@pytest.mark.parametrize(
    ("odd", "says"), [(Broken(), "no text"), (Silent(), "does not tell what is in it at /a/1")]
)
def test_what_cannot_be_bound_fails_the_run(odd: Any, says: str) -> None:
    site = Free()
    with pytest.raises((InvalidArgumentError, ValueError)) as raised:
        run(site.run(action(payload={"a": [1, odd]})))
    assert says in str(raised.value)
    assert site.seen == []


def test_an_object_shows_its_type_and_none_of_its_secrets() -> None:
    shown: list[Any] = []

    async def look(request: ApprovalRequest) -> None:
        shown.extend(
            [await site.service.get_arguments(request.id), json.dumps(request.payload_summary)]
        )
        await site.approve(request)

    site = Free()
    assert run(site.run(action(payload={"auth": Credentials("hunter2secret")}), look)).success
    assert shown[0] == '{"auth":{"$type":"Credentials"}}'
    assert "hunter2secret" not in shown[1]


def test_an_object_that_changed_since_does_not_run() -> None:
    held = Credentials("one")

    async def change(request: ApprovalRequest) -> None:
        held.password = "two"
        await site.approve(request)

    site = Free()
    with pytest.raises(ToolChangedSinceError):
        run(site.run(action(payload={"auth": held}), change))
    assert site.seen == []


def test_a_person_may_deny_what_changed_meanwhile() -> None:
    async def deny(request: ApprovalRequest) -> None:
        await site.service.record_decision(request.id, False, fingerprint="old")

    site = Free()
    with pytest.raises(Exception, match="denied"):
        run(site.run(action(payload={}), deny))
    assert site.seen == []


@pytest.mark.parametrize("kept", [True, False])
def test_the_runs_of_a_call_id_that_a_model_repeats_are_undone_one_by_one(
    kept: bool, tmp_path: Any
) -> None:
    undone: list[Any] = []

    async def handle(given: ToolInput) -> ToolOutput:
        return ToolOutput.ok(undo_metadata={"was": given.payload["v"]})

    async def undo(metadata: UndoMetadata) -> None:
        undone.append(metadata.undo_data["was"])

    async def both() -> None:
        from toolwire.tools import SqliteStore

        store = SqliteStore(tmp_path / "tools.db") if kept else None
        executor = AdvancedToolExecutor(undo_store=UndoStore(store=store))
        executor.register(ToolDefinition("edit", "EDIT", handle, undoable=True, undo_handler=undo))
        first = action(payload={"v": 1})
        second = action(id=first.id, payload={"v": 2})
        for acting in (first, second):
            await executor.execute(acting, {})
        for expected in ([2], [2, 1]):
            assert await executor.undo_action(first.id, {})
            assert undone == expected
        assert not await executor.undo_action(first.id, {})
        assert await executor._services.undo.get_all() == []

    asyncio.run(both())
