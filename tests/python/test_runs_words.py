"""`toolwire.runs` has the project's own words, and `toolwire.tools` stageflow's."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest
from peers import Sink
from toolwire import runs, tools

CALL = {"id": "call_1", "name": "wipe", "arguments": {"disk": 7}}
SHARED = (
    "ToolNotFoundError ToolApprovalDeniedError ToolApprovalTimeoutError ToolExecutionError "
    "ToolUndoError"
)


def fail(_: Any) -> None:
    raise ValueError("no disk")


def keep(_: Any) -> runs.ToolOutput:
    return runs.ToolOutput.ok(7, undo_metadata={"disk": 7})


def told(error: BaseException | None) -> dict[str, Any]:
    assert isinstance(error, runs.ToolError)
    given = error.to_dict()
    assert given.pop("tool") in ("wipe", "nothing")
    return given


def own(handler: Any, **fields: Any) -> runs.Executor:
    made = runs.Executor(runs.MemoryStore())
    made.register(runs.Tool("wipe", handler, **fields))
    return made


def drop_in(handler: Any, **fields: Any) -> tools.AdvancedToolExecutor:
    made = tools.AdvancedToolExecutor(store=tools.MemoryStore())
    made.register(tools.ToolDefinition("wipe", "wipe", handler, **fields))
    return made


def test_an_error_of_a_run_has_own_words() -> None:
    failed = asyncio.run(own(fail).execute(CALL))
    given = {"message": "Tool 'wipe' failed: no disk", "run_id": failed.id, "cause": "no disk"}
    assert told(failed.error) == {"error_type": "ToolExecutionError", **given}

    denied = asyncio.run(own(fail, modes=("edit",)).execute(CALL, {"mode": "chat"}))
    assert told(denied.error) == {
        "error_type": "ToolModeError",
        "message": "Tool 'wipe' denied: it may not run in the mode 'chat', only in: edit",
        "mode": "chat",
        "allowed_modes": ["edit"],
    }
    assert isinstance(denied.error, runs.ToolDeniedError)

    unknown = asyncio.run(own(fail).execute({**CALL, "name": "nothing"}))
    message = "There is no tool 'nothing'"
    assert told(unknown.error) == {"error_type": "ToolNotFoundError", "message": message}

    async def undo() -> str:
        executor = own(keep, undo=fail)
        run = await executor.execute(CALL)
        with pytest.raises(runs.ToolUndoError) as raised:
            await executor.undo(run.id)
        assert raised.value.to_dict()["run_id"] == run.id
        return str(raised.value).replace(run.id, "ID")

    assert asyncio.run(undo()) == "Tool 'wipe' did not undo the run 'ID': no disk"


def test_an_error_of_the_drop_in_has_stageflow_s_words() -> None:
    async def raised_by(run: Any) -> dict[str, Any]:
        with pytest.raises(runs.ToolError) as raised:
            await run
        return told(raised.value)

    failed = asyncio.run(raised_by(drop_in(fail).execute(CALL)))
    del failed["action_id"]
    message = "Tool 'wipe' execution failed: no disk"
    assert failed == {"error_type": "ToolExecutionError", "message": message, "cause": "no disk"}

    refused = "Tool 'wipe' denied: current behavior 'chat' not in allowed behaviors ('edit',)"
    denied = drop_in(fail, allowed_behaviors=("edit",))
    assert asyncio.run(raised_by(denied.execute(CALL, {"execution_mode": "chat"}))) == {
        "error_type": "ToolDeniedError",
        "message": refused,
        "behavior": "chat",
        "allowed_behaviors": ["edit"],
    }

    # A run that the store has, and which another process reads, has the same words.
    async def again(executor: tools.AdvancedToolExecutor, context: Any) -> list[Any]:
        run = await executor.start(CALL, context)
        looked = await executor.run(run.id)
        assert looked is not None
        errors = [run.error, looked.error]
        return [[type(error), str(error)] for error in errors]

    said = [tools.ToolExecutionError, message]
    assert asyncio.run(again(drop_in(fail), None)) == [said, said]
    said = [tools.ToolDeniedError, refused]
    assert asyncio.run(again(denied, {"execution_mode": "chat"})) == [said, said]


@pytest.mark.parametrize("name", SHARED.split())
def test_who_catches_an_error_of_runs_catches_that_of_the_drop_in(name: str) -> None:
    assert issubclass(getattr(tools, name), getattr(runs, name))
    assert getattr(tools, name) is not getattr(runs, name)
    assert getattr(tools, name).__name__ == name


def test_events_have_the_words_of_their_executor() -> None:
    def report(given: Any) -> int:
        runs.report_progress(1, 2)
        return 7

    ours, theirs = Sink(), Sink()
    about = {"mode": "chat", "parent_id": "p", "event_sink": ours}
    asyncio.run(own(report).execute(CALL, about))
    context = SimpleNamespace(
        execution_mode="chat", pipeline_run_id="p", request_id=None, event_sink=theirs
    )
    asyncio.run(drop_in(report).execute(CALL, context))
    assert ours.names == theirs.names
    words = {"run_id": "action_id", "parent_id": "pipeline_run_id", "mode": "behavior"}
    for (name, said), (_, stageflow) in zip(ours.told, theirs.told, strict=True):
        assert [words.get(key, key) for key in said] == list(stageflow), name
        assert (said["run_id"], said["parent_id"]) == (stageflow["action_id"], "p"), name
    assert "tool.progress" in ours.names


def test_a_request_has_the_words_of_its_service() -> None:
    async def ask(executor: Any) -> Any:
        run = await executor.start(CALL)
        return run, await executor.approvals.get_request(run.approval_id)

    waits: dict[str, Any] = {"requires_approval": True}
    run, request = asyncio.run(ask(own(keep, **waits)))
    assert list(request.to_dict())[1:4] == ["run_id", "tool_name", "parent_id"]
    assert str(request.run_id) == str(request.action_id) == run.id
    run, request = asyncio.run(ask(drop_in(keep, **waits)))
    assert isinstance(request, tools.ApprovalRequest)
    assert list(request.to_dict())[1:4] == ["action_id", "tool_name", "pipeline_run_id"]
    assert str(request.run_id) == str(request.action_id) == run.id
    request.action_id, request.pipeline_run_id = "a", "p"
    assert [request.run_id, request.parent_id] == ["a", "p"]
    assert repr(request).startswith(f"ApprovalRequest(id={request.id!r}, action_id='a', ")


class Own:
    """A service of a program with some names for the ids."""

    def __init__(self) -> None:
        self.asked: dict[str, Any] = {}

    async def await_decision(self, *_: Any) -> Any:
        return SimpleNamespace(granted=True, reason=None)


class OfRuns(Own):
    async def request_approval(self, run_id: Any, parent_id: Any, **more: Any) -> Any:
        self.asked = {"run": run_id, "parent": parent_id, **more}
        return SimpleNamespace(id=1)


class OfStageflow(Own):
    async def request_approval(self, action_id: Any, pipeline_run_id: Any, **more: Any) -> Any:
        self.asked = {"run": action_id, "parent": pipeline_run_id, **more}
        return SimpleNamespace(id=1)


class OfAny(Own):
    async def request_approval(self, **given: Any) -> Any:
        self.asked = given
        return SimpleNamespace(id=1)


@pytest.mark.parametrize(
    ("service", "names"),
    [
        (OfRuns, [("run", "parent")] * 2),
        (OfStageflow, [("run", "parent")] * 2),
        (OfAny, [("run_id", "parent_id"), ("action_id", "pipeline_run_id")]),
    ],
)
def test_a_service_is_asked_by_its_own_names(service: Any, names: list[Any]) -> None:
    context = {"mode": None, "parent_id": "p", "execution_mode": None, "pipeline_run_id": "p"}
    for kind, (run, parent) in zip(("own", "drop-in"), names, strict=True):
        asked: Any = service()
        made: Any
        if kind == "own":
            made = runs.Executor(approvals=asked)
        else:
            made = tools.AdvancedToolExecutor(approval_service=asked)
        made.register(runs.Tool("wipe", keep, requires_approval=True))
        about = context if kind == "own" else SimpleNamespace(**context, request_id=None)
        asyncio.run(made.execute(CALL, about))
        assert str(asked.asked[parent]) == "p"
        assert asked.asked[run] is not None
        assert asked.asked["tool_name"] == "wipe"


@pytest.mark.parametrize("made", [runs, tools])
@pytest.mark.parametrize("executor", [runs.Executor, tools.AdvancedToolExecutor])
def test_each_executor_takes_the_services_of_both(executor: Any, made: Any) -> None:
    async def decided() -> Any:
        store = runs.MemoryStore()
        service = made.ApprovalService(store=store)
        named = "approvals" if executor is runs.Executor else "approval_service"
        ran = executor(store=store, **{named: service})
        ran.register(runs.Tool("wipe", keep, requires_approval=True))
        run = await ran.start(CALL)
        # The store has made the request with the run, in one operation of its own.
        assert ran._services.requests is not None
        await ran.approve(run.id)
        done = await ran.resume(run.id)
        return done.result().data

    assert asyncio.run(decided()) == 7


def test_an_undo_handler_reads_the_id_by_either_name() -> None:
    seen: list[Any] = []

    async def undo(metadata: Any) -> None:
        first = next(iter(metadata.to_dict()))
        seen.append([str(metadata.run_id), str(metadata.action_id), first])

    async def undone(executor: Any) -> str:
        executor.register(
            tools.ToolDefinition("wipe", "wipe", keep, undoable=True, undo_handler=undo)
        )
        run = await executor.start(CALL)
        assert await executor.undo(run.id)
        return str(run.id)

    for executor, name in ((own(keep), "run_id"), (drop_in(keep), "action_id")):
        id = asyncio.run(undone(executor))
        assert seen.pop() == [id, id, name]
