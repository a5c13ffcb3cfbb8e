r"""The parts of GitHub's API that the agent needs for one issue.

>>> from toolwire.issue_agent import GitHubClient
>>> client = GitHubClient("octo/repo", 7, token="a secret")
>>> client
GitHubClient('octo/repo', 7)
>>> client.comment_body("Thanks, @ann.").replace("\u200b", "|")
'<!-- toolwire:issue-agent issue-7 -->\nThanks, @|ann.'

Requests are made with ``httpx``: ``pip install httpx``.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Awaitable, Callable, Collection, Iterable
from types import TracebackType
from typing import Any

from toolwire.issue_agent.access import COMMENTS, LABELS, Access, check_access, identify, kind_of
from toolwire.issue_agent.comment import GITHUB_LENGTH, publishable
from toolwire.issue_agent.deadline import Deadline
from toolwire.issue_agent.github_http import API_URL, GitHubConnection, GitHubError
from toolwire.issue_agent.issue import author

__all__ = ["API_URL", "MARK", "GitHubClient", "GitHubError"]

logger = logging.getLogger(__name__)

MARK = "<!-- toolwire:issue-agent "
"""How every comment of the agent begins."""

LONGEST_RUN = 600.0
"""The seconds that a client waits for GitHub in all, by default."""

LONGEST_QUERY = 200

_REPOSITORY = re.compile(r"[A-Za-z0-9-]{1,39}/[A-Za-z0-9._-]{1,100}")
_LOGIN = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})(?:\[bot\])?")
_MARKER_KEY = re.compile(r"[A-Za-z0-9_-]{1,64}")


class GitHubClient:
    """One issue of a repository.

    Requests that fail on the way, at a rate limit, or with 5xx are made again, ``max_retries``
    times, after the wait that GitHub asks for, or ``backoff`` seconds, doubled each time. If
    ``deadline`` leaves no time for a wait, the request raises at once.

    A comment begins with a hidden marker made of ``marker_key``, and is posted only if the account
    has no comment with this marker. So a second run, or a second try after a lost answer, adds
    nothing. With ``force`` one more comment is posted. It is made fit to be posted: ``secrets`` and
    the token are removed, only ``mentions`` may be pinged, and ``commands`` are broken as those of
    ``publishable``. The account is the token's; ``login`` names it where GitHub does not.
    """

    def __init__(
        self,
        repository: str,
        issue_number: int,
        *,
        token: str | None = None,
        api_url: str = API_URL,
        marker_key: str | None = None,
        mentions: Iterable[str] = (),
        commands: Iterable[str] = (),
        secrets: Iterable[str] = (),
        login: str | None = None,
        force: bool = False,
        timeout: float = 30.0,
        max_retries: int = 4,
        backoff: float = 0.5,
        deadline: Deadline | None = None,
    ) -> None:
        if not _REPOSITORY.fullmatch(repository):
            raise ValueError("repository must be of the form owner/name")
        if issue_number < 1:
            raise ValueError("issue_number must be at least 1")
        key = f"issue-{issue_number}" if marker_key is None else marker_key
        if not _MARKER_KEY.fullmatch(key):
            raise ValueError("marker_key must be 1 to 64 of A-Z, a-z, 0-9, _ and -")
        if login is not None and not _LOGIN.fullmatch(login):
            raise ValueError("login must be the name of an account")
        self.repository = repository
        self.issue_number = issue_number
        self.marker = f"{MARK}{key} -->"
        self._mentions = list(mentions)
        self._commands = list(commands)
        self._secrets = [*secrets, *([token] if token else [])]
        self._token = token
        self._login = login
        self._force = force
        self._access: Access | None = None
        self._labels: list[str] | None = None
        self._github = GitHubConnection(
            api_url,
            token,
            self._secrets,
            timeout=timeout,
            max_retries=max_retries,
            backoff=backoff,
            deadline=deadline or Deadline(LONGEST_RUN),
        )

    def __repr__(self) -> str:
        return f"GitHubClient({self.repository!r}, {self.issue_number})"

    async def __aenter__(self) -> GitHubClient:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections."""
        await self._github.aclose()

    async def check_access(self, needs: Collection[str] = (COMMENTS, LABELS)) -> Access:
        """Find out who owns the token, and whether it may write ``comments`` and ``labels``.

        It makes two small requests. Call it before a model is asked. Raises ``GitHubError``, whose
        message says what is to be done. The ``notes`` of the result tell what is not known and what
        is missing beside ``needs``.
        """
        access = await check_access(self._github, self.repository, self._token, needs, self._login)
        self._access = access
        return access

    async def get_issue(self) -> dict[str, Any]:
        """Give the issue; from now on a comment may ping its author."""
        issue = await self._ask("GET")
        if not isinstance(issue, dict):
            raise GitHubError("bad_answer", "the issue is no object")
        writer = author(issue)
        if writer is not None:
            self._mentions.append(writer)
        return issue

    async def get_labels(self) -> list[str]:
        """Give the names of the repository's labels."""
        if self._labels is None:
            listed = [
                one.get("name")
                async for one in self._github.pages(f"/repos/{self.repository}/labels")
            ]
            self._labels = [name for name in listed if isinstance(name, str)]
        return list(self._labels)

    async def search_issues(self, words: str, limit: int = 5) -> list[dict[str, Any]]:
        """Give the issues of the repository that a search for words finds, the best first.

        Each word is quoted, so that none of them is an operator or a qualifier.
        """
        query = ""
        for word in re.findall(r"\w+", words):
            if len(query) + len(word) + 3 > LONGEST_QUERY:
                break
            query += f' "{word}"'
        if not query:
            return []
        asked: dict[str, str | int] = {
            "q": f"repo:{self.repository} is:issue{query}",
            "per_page": limit,
        }
        found = await self._github.request("GET", "/search/issues", query=asked)
        items = found.get("items") if isinstance(found, dict) else None
        return [item for item in items if self._is_here(item)] if isinstance(items, list) else []

    def _is_here(self, item: Any) -> bool:
        """Say whether a result of a search is an issue of this repository."""
        address = item.get("repository_url") if isinstance(item, dict) else None
        return isinstance(address, str) and address.lower().endswith(
            f"/repos/{self.repository.lower()}"
        )

    async def has_comment(self) -> bool:
        """Say whether the comment with the marker is there."""
        return bool(await self._own_comments())

    async def wrote(self, comment: dict[str, Any]) -> bool:
        """Say whether a comment is one of the agent's own, on any question."""
        body = comment.get("body")
        return isinstance(body, str) and body.startswith(MARK) and await self._is_own(comment)

    def comment_body(self, text: str) -> str:
        """Give the text that will be posted: the marker, then the comment made fit for it."""
        room = GITHUB_LENGTH - len(self.marker) - 1
        published = publishable(
            text,
            secrets=self._secrets,
            mentions=self._mentions,
            commands=self._commands,
            max_length=room,
        )
        return f"{self.marker}\n{published.text}"

    async def add_comment(self, text: str, /) -> bool:
        """Post a comment, made fit for it, unless it is there."""
        before = await self._own_comments()
        if before and not self._force:
            logger.info("comment_exists: nothing is posted")
            return True

        async def is_done() -> bool:
            return bool(await self._own_comments() - before)

        body = {"body": self.comment_body(text)}
        await self._ask("POST", "comments", body, is_done)
        return True

    async def add_labels(self, labels: list[str], /) -> bool:
        """Add labels to those of the issue; GitHub creates those that the repository lacks."""
        await self._ask("POST", "labels", {"labels": labels})
        return True

    async def assign_user(self, login: str, /) -> bool:
        """Assign a person, and say whether it worked; GitHub silently ignores some people."""
        login = login.strip().lstrip("@")
        if not _LOGIN.fullmatch(login):
            raise ValueError("this is no login")
        issue = await self._ask("POST", "assignees", {"assignees": [login]})
        assignees = issue.get("assignees") if isinstance(issue, dict) else None
        names = [one.get("login") for one in assignees or [] if isinstance(one, dict)]
        return login.lower() in [str(name).lower() for name in names]

    async def close_issue(self, reason: str = "", /) -> bool:
        """Close the issue: as not planned where the reason says so or names a duplicate."""
        dropped = any(
            word in reason.lower() for word in ("not planned", "not_planned", "duplicate")
        )
        change = {"state": "closed", "state_reason": "not_planned" if dropped else "completed"}
        issue = await self._ask("PATCH", body=change)
        return isinstance(issue, dict) and issue.get("state") == "closed"

    def _path(self, part: str = "") -> str:
        return f"/repos/{self.repository}/issues/{self.issue_number}" + (f"/{part}" if part else "")

    async def _ask(
        self,
        method: str,
        part: str = "",
        body: dict[str, Any] | None = None,
        is_done: Callable[[], Awaitable[bool]] | None = None,
    ) -> Any:
        """Make a request for the issue; an error about an issue that is not there names it."""
        try:
            return await self._github.request(method, self._path(part), body, is_done=is_done)
        except GitHubError as error:
            # A deleted issue is gone.
            if error.code != "refused" or error.status not in (404, 410):
                raise
            right = "see it" if method == "GET" else "write to it"
            message = (
                f"there is no issue {self.repository}#{self.issue_number}, or the token may not "
                f"{right}"
            )
            raise GitHubError("issue_not_found", message, error.status) from None

    async def _own_comments(self) -> set[int]:
        """Give the ids of the account's comments with the marker."""
        own = set()
        async for comment in self._github.pages(self._path("comments")):
            body, number = comment.get("body"), comment.get("id")
            marked = isinstance(body, str) and body.startswith(self.marker)
            if marked and isinstance(number, int) and await self._is_own(comment):
                own.add(number)
        return own

    async def _is_own(self, comment: dict[str, Any]) -> bool:
        """Say whether a comment is by this account: others can write a marker too."""
        if self._access is None:
            kind = kind_of(self._token, None)
            self._access = Access(self._login or await identify(self._github, kind), kind)
        return self._access.owns(comment)
