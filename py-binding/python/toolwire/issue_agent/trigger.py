"""Which issues and comments the agent answers on GitHub.

>>> from toolwire.issue_agent import AnswerTrigger
>>> AnswerTrigger(None).reason_to_leave({"state": "closed"})
'a closed issue; --closed answers it'
"""

from __future__ import annotations

from typing import Any, Protocol

from toolwire.issue_agent.models import TriggerDecision

__all__ = ["AnswerTrigger", "OwnComments"]


class OwnComments(Protocol):
    """Knows the comments that the agent has written: ``GitHubClient`` does."""

    async def has_comment(self) -> bool:
        """Say whether the issue or comment is answered."""

    async def wrote(self, comment: dict[str, Any]) -> bool:
        """Say whether a comment is the agent's own."""


class AnswerTrigger:
    """Leaves alone answered and closed issues, pull requests, and what bots and the agent write.

    ``pull_requests`` and ``closed`` let it answer these; ``force`` lets it answer again.
    """

    def __init__(
        self,
        github: OwnComments | None,
        *,
        pull_requests: bool = False,
        closed: bool = False,
        force: bool = False,
    ) -> None:
        self._github = github
        self._pull_requests = pull_requests
        self._closed = closed
        self._force = force

    def reason_to_leave(
        self, issue_data: dict[str, Any], comment: dict[str, Any] | None = None
    ) -> str | None:
        """Say why an issue is not answered, from its own fields; None when it may be answered."""
        writer = (comment or issue_data).get("user")
        if isinstance(writer, dict) and writer.get("type") == "Bot":
            return "written by a bot"
        if issue_data.get("pull_request") is not None and not self._pull_requests:
            return "a pull request; --pull-requests answers it"
        if issue_data.get("state") == "closed" and not self._closed:
            return "a closed issue; --closed answers it"
        return None

    async def __call__(
        self, issue_data: dict[str, Any], comment: dict[str, Any] | None
    ) -> TriggerDecision:
        """Decide."""
        kind = "comment" if comment else "issue"
        reason = self.reason_to_leave(issue_data, comment)
        if reason is None and self._github is not None:
            if comment and await self._github.wrote(comment):
                reason = "written by the agent"
            elif not self._force and await self._github.has_comment():
                reason = "answered before"
        if reason is not None:
            return TriggerDecision(False, reason, kind)
        return TriggerDecision(True, f"a new {kind}", kind)
