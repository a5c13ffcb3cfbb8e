"""`toolwire.runs`: tools and executors in their own words."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import toolwire
from toolwire.runs import (
    Executor,
    ExecutorSettings,
    MemoryStore,
    Run,
    RunContext,
    SqliteStore,
    Tool,
    ToolInput,
    ToolOutput,
    UndoMetadata,
    tool,
)
from toolwire.tools import AdvancedToolExecutor, BaseTool, ToolDefinition

CALL = {"id": "call_1", "name": "wipe", "arguments": {"disk": 7}}


def executed(executor: Executor, call: Any = CALL, context: Any = None) -> Run:
    """Run a call to its end."""
    return asyncio.run(executor.execute(call, context))


def with_tool(
    handler: Callable[[ToolInput], Any], executor: Executor | None = None, **fields: Any
) -> Executor:
    """Make an executor with the tool `wipe`."""
    made = Executor() if executor is None else executor
    made.register(Tool("wipe", handler, **fields))
    return made


@pytest.mark.parametrize("store", [None, MemoryStore()])
def test_a_run_tells_what_became_of_a_call(store: MemoryStore | None) -> None:
    executor = with_tool(lambda given: given.arguments["disk"] + 1, Executor(store))
    run = executed(executor)
    assert (run.state, run.tool, run.result().data) == ("completed", "wipe", 8)

    def fails(given: ToolInput) -> None:
        raise OSError(f"no disk {given.arguments['disk']}")

    run = executed(with_tool(fails, Executor(store)), {**CALL, "id": "call_2"})
    assert (run.state, run.code, run.output) == ("failed", "raised", None)
    assert isinstance(run.error, Exception)
    assert isinstance(run.error.__cause__, OSError)
    said = with_tool(lambda given: ToolOutput.fail("no disk"), Executor(store))
    run = executed(said, {**CALL, "id": "call_3"})
    assert (run.state, run.code) == ("completed", None)
    assert run.output is not None
    assert (run.output.success, run.output.error) == (False, "no disk")


@pytest.mark.parametrize("store", [None, MemoryStore()])
def test_a_call_that_cannot_run_is_a_run_that_says_why(store: MemoryStore | None) -> None:
    schema = {"type": "object", "properties": {"disk": {"type": "string"}}}
    executor = with_tool(lambda given: 1, Executor(store), input_schema=schema)
    assert executed(executor).code == "invalid_input"
    unknown = executed(executor, {**CALL, "name": "wash"})
    assert (unknown.state, unknown.code, unknown.tool) == ("failed", "tool_not_found", "wash")
    assert executed(executor, {"text": "Hi"}).code == "no_call"


def test_a_tool_is_found_by_its_name_and_by_its_aliases() -> None:
    executor = with_tool(lambda given: given.tool_name, aliases=("format",))
    assert executed(executor, {**CALL, "name": "format"}).result().data == "wipe"
    detected = toolwire.detect('<tool:wipe>{"disk": 7}</tool>').calls[0]
    assert executed(executor, detected).result().data == "wipe"
    assert executor.find("format") is executor.tools()[0]
    assert (executor.remove("wipe"), executor.remove("wipe")) == (True, False)
    assert executor.find("format") is None


def test_a_handler_is_given_the_program_s_own_values() -> None:
    seen: list[ToolInput] = []
    executor = with_tool(seen.append, modes=("chat",))
    own = object()
    executed(executor, context={"mode": "chat", "user_id": 7, "own": own})
    assert dict(seen[0].context) == {"mode": "chat", "user_id": 7, "own": own}
    assert len(seen[0].idempotency_key) == 36
    other = executed(executor, context={"mode": "batch"})
    assert (other.state, other.code) == ("denied", "mode_not_allowed")
    assert "batch" in str(other.error)
    with pytest.raises(TypeError, match="context must be a mapping of names to values, not int"):
        executed(executor, context=7)


def test_another_process_has_the_context_as_far_as_the_store_keeps_it(tmp_path: Path) -> None:
    place, seen = tmp_path / "runs.db", list[ToolInput]()
    context = {"mode": "chat", "parent_id": "p", "request_id": "r", "user_id": "ann", "own": 1}
    first = with_tool(seen.append, Executor(SqliteStore(place)), requires_approval=True)
    run = asyncio.run(first.start(CALL, context))
    assert run.approval_id is not None

    async def elsewhere() -> Run | None:
        second = with_tool(seen.append, Executor(SqliteStore(place)), requires_approval=True)
        await second.approve(run.approval_id)
        return await second.resume(run.id)

    done = asyncio.run(elsewhere())
    assert done is not None
    assert (done.state, done.id) == ("completed", run.id)
    assert (seen[0].run_id, seen[0].parent_id, seen[0].request_id) == (run.id, "p", "r")
    del context["own"]
    assert dict(seen[0].context) == context


def test_a_policy_and_the_changes_are_asked_with_the_input() -> None:
    asked: list[tuple[Any, ...]] = []

    def permission(given: ToolInput, tool: Tool) -> bool | str:
        asked.append((given.arguments, given.context["user_id"], tool.name))
        return given.context["user_id"] == "ann" or "only ann may"

    executor = with_tool(lambda given: 1, Executor(permission=permission), capability="disks")
    assert executed(executor, context={"user_id": "ann"}).state == "completed"
    refused = executed(executor, context={"user_id": "bob"})
    assert (refused.state, refused.code) == ("denied", "permission_denied")
    assert "only ann may" in str(refused.error)
    assert asked == [({"disk": 7}, "ann", "wipe"), ({"disk": 7}, "bob", "wipe")]

    def changes(given: ToolInput, tool: Tool) -> dict[str, Any]:
        return {"removes": given.arguments["disk"]}

    shown: list[Any] = []

    def approver(request: Any, arguments: str) -> bool:
        shown.extend((change.label, change.text) for change in request.changes)
        return True

    executor = Executor(changes=changes, approver=approver)
    assert executed(with_tool(lambda given: 1, executor, requires_approval=True)).result().data == 1
    assert "removes" in str(shown)


def test_nobody_who_decides_in_time_ends_a_run_as_expired() -> None:
    executor = Executor(MemoryStore(), ExecutorSettings(approval_timeout_seconds=0.01))
    run = executed(with_tool(lambda given: 1, executor, requires_approval=True))
    assert (run.state, run.code) == ("expired", "approval_timeout")


@pytest.mark.parametrize("is_async", [False, True])
def test_a_run_is_undone_by_a_plain_function_or_a_coroutine(*, is_async: bool) -> None:
    undone: list[tuple[str, Any]] = []

    def undo(metadata: UndoMetadata) -> None:
        undone.append((str(metadata.run_id), metadata.undo_data))

    async def undo_later(metadata: UndoMetadata) -> None:
        undo(metadata)

    def wipe(given: ToolInput) -> ToolOutput:
        return ToolOutput.ok(undo_metadata={"disk": given.arguments["disk"]})

    executor = with_tool(wipe, Executor(MemoryStore()), undo=undo_later if is_async else undo)

    async def both() -> tuple[Run, bool, bool, Run | None]:
        run = await executor.start(CALL)
        first = await executor.undo(run.id)
        return run, first, await executor.undo(run.id), await executor.run(run.id)

    run, first, second, stands = asyncio.run(both())
    assert (first, second, undone) == (True, False, [(run.id, {"disk": 7})])
    assert stands is not None
    assert stands.state == "undone"


def test_a_function_is_a_tool() -> None:
    @tool(modes=("chat",), aliases=("sum",))
    def add(a: int, context: ToolInput, b: int = 1) -> int:
        """Add two numbers."""
        return a + b + int(context.context["more"])

    executor = Executor()
    executor.register(add)
    context = {"mode": "chat", "more": 100}
    call = {"id": "c", "name": "sum", "arguments": {"a": 2}}
    assert executed(executor, call, context).result().data == 103
    wrong = executed(executor, {**call, "arguments": {"a": "two"}}, context)
    assert (wrong.code, wrong.state) == ("invalid_input", "denied")

    def plain(a: int) -> int:
        """Add one."""
        return a + 1

    executor.register(plain)
    assert executed(executor, {**call, "name": "plain"}).result().data == 3
    written = executor.to_provider("openai")
    assert [one["function"]["name"] for one in written] == ["add", "plain"]
    assert plain(1) == 2
    assert add(1, ToolInput("", "", {}, {"more": 0})) == 2


def test_tools_of_both_kinds_run_in_both_executors() -> None:
    own = Tool("wipe", lambda given: dict(given.context), modes=("chat",))
    theirs = ToolDefinition("mail", "MAIL", lambda given: given.behavior)
    ours, drop_in = Executor(), AdvancedToolExecutor()
    for executor in (ours, drop_in):
        executor.register(own)
        executor.register(theirs)
    mail = {**CALL, "name": "mail"}
    assert executed(ours, mail, {"mode": "chat"}).result().data == "chat"
    stageflow = {"execution_mode": "chat", "user_id": 7}
    assert asyncio.run(drop_in.execute(mail, stageflow)).data == "chat"
    seen = asyncio.run(drop_in.execute(CALL, stageflow)).data
    assert (seen["mode"], seen["user_id"]) == ("chat", 7)
    assert executed(ours, {**CALL, "name": "MAIL"}).state == "completed"


def test_a_run_of_one_executor_is_that_of_the_other() -> None:
    store = MemoryStore()
    ours = with_tool(lambda given: 1, Executor(store), requires_approval=True)
    drop_in = AdvancedToolExecutor(store=store)
    drop_in.register(ToolDefinition("wipe", "wipe", lambda given: 2, requires_approval=True))

    async def both() -> tuple[Run, Run | None]:
        run = await ours.start(CALL, {"mode": "chat"})
        await drop_in.approve(run.approval_id)
        return run, await drop_in.resume(run.id)

    run, done = asyncio.run(both())
    assert done is not None
    assert (done.id, done.state, done.result().data) == (run.id, "completed", 2)


def test_what_is_no_tool_is_refused() -> None:
    for wrong in (7, BaseTool()):
        with pytest.raises(TypeError, match="a tool is a Tool or a function, not a "):
            Executor().register(wrong)  # type: ignore[arg-type]
    with pytest.raises(toolwire.InvalidArgumentError):
        with_tool(lambda given: 1, input_schema={"type": 7})
    with pytest.raises(TypeError, match=r"in a store: Executor\(store=SqliteStore"):
        asyncio.run(Executor().start(CALL))


def test_an_option_that_a_tool_has_not_is_refused_with_those_that_it_has() -> None:
    wrong: dict[str, Any] = {"needs_approval": True}
    said = r"@tool has no option 'needs_approval': it takes name, .*, requires_approval,"
    with pytest.raises(TypeError, match=said):
        tool(**wrong)


def test_a_context_shows_its_names_and_not_its_values() -> None:
    context = RunContext({"token": "secret", "mode": "chat"})
    assert repr(context) == "RunContext(mode, token)"
    assert (context.user_id, len(context), list(context)) == (None, 2, ["token", "mode"])
    copied = context.to_dict()
    copied["mode"] = "batch"
    assert context.mode == "chat"


def test_the_console_resumes_a_run_of_a_program(tmp_path: Path) -> None:
    program = """from toolwire.runs import Executor, Tool
def executor(store):
    made = Executor(store)
    made.register(Tool("wipe", lambda given: given.arguments["disk"], requires_approval=True))
    return made
"""
    (tmp_path / "disks.py").write_text(program, encoding="utf-8")
    store = SqliteStore(tmp_path / "runs.db")
    executor = with_tool(lambda given: 0, Executor(store), requires_approval=True)
    run = asyncio.run(executor.start(CALL))
    asyncio.run(executor.approve(run.approval_id))
    command = [sys.executable, "-m", "toolwire", "runs", "resume", "runs.db", run.id]
    done = subprocess.run(
        [*command, "--app", "disks:executor"], cwd=tmp_path, capture_output=True, check=False
    )
    assert (done.returncode, b"completed" in done.stdout) == (0, True), done.stderr
    stands = asyncio.run(executor.run(run.id))
    assert stands is not None
    assert stands.result().data == 7
