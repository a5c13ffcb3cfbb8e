"""What busy threads, failing stores and cancelled tasks may not do to a run of a store."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from toolwire.tools import (
    AdvancedToolExecutor,
    MemoryStore,
    Run,
    RunNotRetriedError,
    SqliteStore,
    ToolDefinition,
    ToolExecutorConfig,
    ToolInput,
)

CALL = {"id": "call_1", "type": "WORK", "payload": {}}


def executor_of(store: Any, handler: Callable[..., Any], **more: Any) -> AdvancedToolExecutor:
    options = {name: more.pop(name) for name in ("permission", "keep_outputs") if name in more}
    executor = AdvancedToolExecutor(store=store, **options)
    executor.register(ToolDefinition("work", "WORK", handler, **more))
    return executor


class Store:
    """A store over another one, which fails or takes its time as a test says."""

    blocking = True

    def __init__(self) -> None:
        self._store = MemoryStore()
        self.is_away = False
        self.is_slow = False

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._store, name)

        def call(*arguments: Any) -> Any:
            if self.is_away:
                raise OSError("the store is away")
            if self.is_slow and name == "put":
                time.sleep(0.3)
            return method(*arguments)

        return call

    def shared(self) -> bool:
        return True


async def interrupted(store: Any, executor: AdvancedToolExecutor) -> str:
    """Start a run whose process ends in its handler, as far as the store knows."""
    run = await executor.start(CALL)
    assert run.state == "interrupted", run
    return run.id


def test_a_retried_run_that_is_denied_never_begins_again() -> None:
    keys: list[str | None] = []
    may = True

    def work(input: ToolInput) -> None:
        keys.append(input.idempotency_key)
        time.sleep(0.2)

    async def main() -> None:
        nonlocal may
        store = MemoryStore()
        executor = AdvancedToolExecutor(
            ToolExecutorConfig(handler_timeout_seconds=0.05),
            store=store,
            permission=lambda tool, action, ctx: may,
        )
        executor.register(ToolDefinition("work", "WORK", work))
        run_id = await interrupted(store, executor)
        await executor.retry(run_id)
        may = False
        denied = await executor.resume(run_id)
        assert denied is not None
        assert denied.state == "denied"
        may = True
        with pytest.raises(RunNotRetriedError) as refused:
            await executor.start(CALL, again=True)
        assert refused.value.code == "already_ran"
        assert len(keys) == 1

    asyncio.run(main())


def test_a_run_that_begins_again_has_one_key() -> None:
    keys: list[str | None] = []
    may = False

    def work(input: ToolInput) -> None:
        keys.append(input.idempotency_key)
        if len(keys) == 1:
            time.sleep(0.2)

    async def main() -> None:
        nonlocal may
        executor = AdvancedToolExecutor(
            ToolExecutorConfig(handler_timeout_seconds=0.05),
            store=MemoryStore(),
            permission=lambda tool, action, ctx: may,
        )
        executor.register(ToolDefinition("work", "WORK", work))
        assert (await executor.start(CALL)).state == "denied"
        may = True
        run = await executor.start(CALL, again=True)
        assert run.state == "interrupted"
        await executor.retry(run.id)
        done = await executor.resume(run.id)
        assert done is not None
        assert done.state == "completed"
        assert len(keys) == 2
        assert keys[0] == keys[1]

    asyncio.run(main())


def test_a_store_that_goes_away_after_the_handler_takes_no_output() -> None:
    store = Store()

    def work(input: ToolInput) -> str:
        store.is_away = True
        return "charged"

    async def main() -> Run:
        return await executor_of(store, work).start(CALL)

    run = asyncio.run(main())
    assert run.output is not None
    assert (run.state, run.output.data) == ("completed", "charged")
    assert isinstance(run.not_kept, Exception)


@pytest.mark.parametrize("is_plain", [True, False])
def test_a_time_out_of_the_handlers_own_is_its_failure(is_plain: bool) -> None:
    def work(input: ToolInput) -> None:
        raise TimeoutError("connect: no answer")

    async def awaited(input: ToolInput) -> None:
        raise TimeoutError("connect: no answer")

    async def main() -> Run:
        handler = work if is_plain else awaited
        executor = executor_of(MemoryStore(), handler, timeout_seconds=60.0)
        return await executor.start(CALL)

    run = asyncio.run(main())
    assert run.state == "failed"
    assert "connect: no answer" in str(run.error)


def test_a_handler_that_got_no_thread_in_time_never_runs() -> None:
    ran: list[Any] = []

    def work(input: ToolInput) -> None:
        ran.append(input)

    async def main() -> Run:
        loop = asyncio.get_running_loop()
        loop.set_default_executor(ThreadPoolExecutor(1))
        busy = loop.run_in_executor(None, time.sleep, 0.5)
        run = await executor_of(MemoryStore(), work, timeout_seconds=0.1).start(CALL)
        await busy
        return run

    run = asyncio.run(main())
    assert (run.state, ran) == ("failed", [])
    assert "did not finish within 0.1 seconds" in str(run.error)


def test_the_end_of_a_run_waits_for_no_handler_of_another(tmp_path: Path) -> None:
    def work(input: ToolInput) -> None:
        time.sleep(input.payload["seconds"])

    async def main() -> None:
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(2))
        executor = executor_of(SqliteStore(tmp_path / "runs.db"), work)

        def call(number: int, seconds: float) -> Any:
            action = {"id": str(number), "type": "WORK", "payload": {"seconds": seconds}}
            return asyncio.ensure_future(executor.start(action))

        first = call(0, 0.2)
        await asyncio.sleep(0.05)
        others = [call(number, 1.5) for number in range(1, 4)]
        assert (await asyncio.wait_for(first, 1.0)).state == "completed"
        assert not any(other.done() for other in others)
        await asyncio.gather(*others)

    asyncio.run(main())


def test_a_task_that_is_cancelled_at_the_end_writes_the_end() -> None:
    store = Store()

    def work(input: ToolInput) -> str:
        store.is_slow = True
        return "done"

    async def main() -> str:
        executor = executor_of(store, work)
        task = asyncio.ensure_future(executor.start(CALL))
        while not store.is_slow:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.sleep(0.5)
        store.is_slow = False
        return (await executor.start(CALL)).state

    assert asyncio.run(main()) == "completed"


def test_a_store_that_keeps_no_outputs_knows_how_a_run_ended() -> None:
    def work(input: ToolInput) -> str:
        if input.payload:
            raise ValueError("the secret")
        return "the secret"

    async def main() -> None:
        store = MemoryStore()
        executor = executor_of(store, work, keep_outputs=False)
        first = await executor.start(CALL)
        assert (first.result().data, first.output_gap) == ("the secret", "withheld")
        again = await executor.start(CALL)
        assert (again.state, again.output, again.output_gap) == ("completed", None, "withheld")
        call = {"id": "call_2", "type": "WORK", "payload": {"raise": True}}
        failed = await executor.start(call)
        assert "the secret" in str(failed.error)
        stands = await executor.run(failed.id)
        assert stands is not None
        assert stands.state == "failed"
        assert "the secret" not in str(stands.error)
        kept = [value for _, value, _, _ in store.scan("", None, 100, 0)]
        assert not [value for value in kept if b"the secret" in value]

    asyncio.run(main())
