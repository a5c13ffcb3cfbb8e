"""Undoing a run with the undo handler of its tool, from step to step.

>>> import asyncio
>>> from uuid import uuid4
>>> from toolwire._native import ToolTable
>>> from toolwire.runs.undo import UndoStore
>>> from toolwire.runs.undoer import Undoer
>>> undoer = Undoer(UndoStore(), ToolTable(), emits_events=True)
>>> asyncio.run(undoer.undo(uuid4(), None)), "there is nothing to undo it with"
(False, 'there is nothing to undo it with')
"""

from __future__ import annotations

import asyncio
from typing import Any

from toolwire._native import ToolTable
from toolwire.runs.ids import run_of
from toolwire.runs.sinks import sink_of, tell
from toolwire.runs.undo import UndoClaim
from toolwire.runs.words import OWN_WORDS, Words

__all__ = ["Undoer"]


class Undoer:
    """Undoes runs whose undo data are in a store."""

    def __init__(
        self, store: Any, tools: ToolTable, emits_events: bool, words: Words = OWN_WORDS
    ) -> None:
        self._store = store
        self._tools = tools
        self._emits_events = emits_events
        self._words = words

    async def undo(self, run_id: Any, ctx: Any) -> bool:
        """Undo a run, and say whether there was something to undo it with."""
        claim = await self._claim(run_id)
        return False if claim is None else await self._undo(claim, ctx)

    async def _claim(self, run_id: Any) -> UndoClaim | None:
        if not hasattr(self._store, "claim"):
            metadata = await self._store.get(run_id)
            if metadata is None:
                return None
            return UndoClaim(metadata, None)  # type: ignore[arg-type]
        claimed = await self._store.claim(run_id)
        if claimed == "busy":
            raise self._words.undo_failed("", run_id, "another undo of it is going on")
        return None if isinstance(claimed, str) else claimed

    async def _undo(self, claim: UndoClaim, ctx: Any) -> bool:
        metadata = claim.metadata
        undoing = self._tools.begin_undo(
            metadata.tool_name,
            run_of(metadata),
            ctx,
            metadata.created_at,
            self._emits_events,
            self._words.stageflow,
        )
        handler = None if undoing is None else undoing.tool.undo_handler
        if undoing is None or handler is None:
            await self._release(claim)
            return False
        cause: BaseException | None = None
        step = undoing.done()
        while step.kind != "finished":
            if step.kind == "run":
                try:
                    await handler(metadata)
                    step = undoing.done()
                except (Exception, asyncio.CancelledError) as error:
                    cause = error
                    step = undoing.raised(error)
                continue
            if step.kind == "emit":
                await tell(sink_of(ctx), step.event, step.data)
            elif step.kind == "forget":
                await self._forget(claim)
            else:
                await self._release(claim)
            step = undoing.done()
        if isinstance(cause, asyncio.CancelledError):
            raise cause
        if step.error is not None:
            failed = self._words.undo_failed
            raise failed(undoing.tool.name, run_of(metadata), step.error) from cause
        return True

    async def _forget(self, claim: UndoClaim) -> None:
        if claim.lease is None:
            await self._store.delete(run_of(claim.metadata))
        else:
            await self._store.finish(claim)

    async def _release(self, claim: UndoClaim) -> None:
        if claim.lease is not None:
            await self._store.release(claim)
