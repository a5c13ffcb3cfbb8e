"""A client of GitHub whose clock moves only when the client waits."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from issue_agent_server import (
    TOKEN,
    Server,
)
from toolwire.issue_agent import Clock, Deadline, GitHubClient


class Still(Clock):
    """A clock that moves only when somebody waits."""

    def __init__(self) -> None:
        self.at = 1_000_000.0
        self.waits: list[float] = []

    def time(self) -> float:
        return self.at

    def monotonic(self) -> float:
        return self.at

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.at += seconds


def ask(
    server: Server,
    work: Callable[[GitHubClient], Awaitable[Any]],
    limit: float | None = None,
    **options: Any,
) -> tuple[Any, list[float]]:
    """Let a client work; give its result or error, and how long it waited each time."""
    clock = Still()

    async def main() -> Any:
        deadline = Deadline(limit, clock)
        options.setdefault("token", TOKEN)
        address = {"api_url": server.address, "deadline": deadline}
        async with GitHubClient("octo/repo", 7, **{**address, **options}) as client:
            return await work(client)

    return asyncio.run(main()), clock.waits
