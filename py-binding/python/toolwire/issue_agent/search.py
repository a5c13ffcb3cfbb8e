"""A tool that needs nothing but GitHub: similar issues of the repository."""

from __future__ import annotations

import re
from typing import Any, Protocol

from toolwire.issue_agent.models import BaseTool

__all__ = ["IssueSearch", "SimilarIssues"]

_MOST_WORDS = 8
_WORD = re.compile(r"\w{3,40}")


class IssueSearch(Protocol):
    """Where issues are searched: ``GitHubClient``."""

    async def search_issues(self, words: str, limit: int = 5) -> list[dict[str, Any]]:
        """Give the issues that are found."""


class SimilarIssues(BaseTool):
    """Searches the repository's issues for the words of the title.

    Gives ``similar_issues`` (``number``, ``title``, ``state``, ``url``), ``context``, ``count`` and
    ``confidence``: 0.8 where some are found, else 0.3.

    >>> import asyncio
    >>> class Search:
    ...     async def search_issues(self, words, limit=5):
    ...         link = "https://x.example/3"
    ...         return [{"number": 3, "title": words, "state": "closed", "html_url": link}]
    >>> issue = {"number": 7, "title": "A crash at start"}
    >>> asyncio.run(SimilarIssues(Search()).execute(issue))["context"]
    '#3 (closed): crash start'
    """

    def __init__(self, github: IssueSearch, limit: int = 5) -> None:
        self._github = github
        self._limit = limit

    async def execute(
        self, issue_data: dict[str, Any], comment_data: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        """Search."""
        words = _WORD.findall(str(issue_data.get("title") or ""))[:_MOST_WORDS]
        # The search finds the issue itself too.
        found = await self._github.search_issues(" ".join(words), self._limit + 1) if words else []
        issues = [
            {
                "number": one.get("number"),
                "title": one.get("title"),
                "state": one.get("state"),
                "url": one.get("html_url"),
            }
            for one in found
            if one.get("number") != issue_data.get("number")
        ][: self._limit]
        lines = [f"#{one['number']} ({one['state']}): {one['title']}" for one in issues]
        return {
            "similar_issues": issues,
            "context": "\n".join(lines) or "No similar issues found in the database.",
            "count": len(issues),
            "confidence": 0.8 if issues else 0.3,
        }
