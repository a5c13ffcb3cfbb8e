"""Which client may ask for a run: the one whose call it was.

>>> import asyncio
>>> from toolwire.mcp.owners import RunOwners
>>> from toolwire.runs import MemoryStore
>>> async def main():
...     owners = RunOwners(MemoryStore())
...     await owners.write("run-1", "ann")
...     print(await owners.owns("run-1", "ann"), await owners.owns("run-1", "bob"))
>>> asyncio.run(main())
True False
"""

from __future__ import annotations

import hmac
import time

from toolwire._native import RunTable
from toolwire.runs.store import Store
from toolwire.runs.store_calls import StoreCalls

__all__ = ["RunOwners"]

KEPT_MICROSECONDS = int(RunTable.RETENTION_SECONDS * 1_000_000)

SWEEP_EVERY = 256
"""How many runs are written down between two removals of those that are over."""


class RunOwners:
    """The owners of runs, in the store that has the runs, for as long as these are kept."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._calls = StoreCalls(store)
        self._written = 0

    async def write(self, run_id: str, owner: str) -> None:
        """Write down whose a run is."""
        now = time.time_ns() // 1000
        if self._written % SWEEP_EVERY == 0:
            await self._calls.write(self._store.purge, key(""), now)
        self._written += 1
        await self._calls.write(
            self._store.put, key(run_id), owner.encode(), "any", now + KEPT_MICROSECONDS, now
        )

    async def owns(self, run_id: str, owner: str) -> bool:
        """Say whether a run is known to be a client's."""
        now = time.time_ns() // 1000
        found = await self._calls.read(self._store.get, key(run_id), now)
        return found is not None and hmac.compare_digest(found[0], owner.encode())


def key(run_id: str) -> str:
    """Give the key under which a store keeps the owner."""
    return f"mcp/{run_id}"
