"""GitHub's REST API, as far as the agent needs it.

>>> from toolwire.issue_agent import GitHubClient
>>> client = GitHubClient("octo/repo", 7, token="a secret")
>>> client
GitHubClient('octo/repo', 7)
>>> client.marker
'<!-- toolwire:issue-agent issue-7 -->'

Requests are made with ``httpx``: ``pip install 'toolwire[github]'``.
"""

from __future__ import annotations

import asyncio
import email.utils
import logging
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from types import TracebackType
from typing import Any
from urllib.parse import urlsplit

from toolwire._native import Redactor
from toolwire.issue_agent.comment import GITHUB_LENGTH, publishable
from toolwire.issue_agent.issue import author
from toolwire.issue_agent.llm import MissingExtraError

__all__ = ["API_URL", "GitHubClient", "GitHubError"]

logger = logging.getLogger(__name__)

API_URL = "https://api.github.com"
"""The API of github.com."""

API_VERSION = "2022-11-28"
LOOPBACK = ("localhost", "127.0.0.1", "::1")
MOST_PAGES = 50

_REPOSITORY = re.compile(r"[A-Za-z0-9-]{1,39}/[A-Za-z0-9._-]{1,100}")
_LOGIN = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})(?:\[bot\])?")
_MARKER_KEY = re.compile(r"[A-Za-z0-9_-]{1,64}")
_NEXT_PAGE = re.compile(r'<([^<>]*)>\s*;\s*rel="next"')

Query = dict[str, "str | int"]


class GitHubError(Exception):
    """GitHub did not do what it was asked for.

    ``code`` is ``rate_limited``, ``unreachable``, ``bad_answer`` or ``refused``; ``status`` the HTTP status,
    if there was one. The message holds no token.
    """

    def __init__(self, code: str, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.status = status


class GitHubClient:
    """One issue of a repository.

    Requests that fail on the way, or with 429, 5xx, or 403 at a rate limit, are made again, ``max_retries``
    times, after the wait that the server asks for (``Retry-After``, ``X-RateLimit-Reset``) or ``backoff``
    seconds, doubled each time. A wait of more than ``max_wait`` seconds is not waited: it raises.

    A comment begins with a hidden marker made of ``marker_key``, and is posted only if there is none with it
    by the same account; so a second run, or a second try after an answer that was lost, adds nothing. It is
    made fit to be posted: ``secrets`` and the token are struck out, and ``mentions`` alone may be pinged.
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
        secrets: Iterable[str] = (),
        timeout: float = 30.0,
        max_retries: int = 4,
        max_wait: float = 120.0,
        backoff: float = 0.5,
    ) -> None:
        if not _REPOSITORY.fullmatch(repository):
            raise ValueError("repository must be of the form owner/name")
        if issue_number < 1:
            raise ValueError("issue_number must be at least 1")
        key = f"issue-{issue_number}" if marker_key is None else marker_key
        if not _MARKER_KEY.fullmatch(key):
            raise ValueError("marker_key must be 1 to 64 of A-Z, a-z, 0-9, _ and -")
        address = urlsplit(api_url)
        if address.scheme != "https" and not (address.scheme == "http" and address.hostname in LOOPBACK):
            raise ValueError("api_url must begin with https://")
        self.repository = repository
        self.issue_number = issue_number
        self.marker = f"<!-- toolwire:issue-agent {key} -->"
        self._api_url = api_url.rstrip("/")
        self._mentions = list(mentions)
        self._secrets = [*secrets, *([token] if token else [])]
        self._redactor = Redactor(self._secrets)
        self._limits = (max_retries, max_wait, backoff)
        self._login: str | None = None
        self._asked_login = False
        self._http = self._connect(token, timeout)

    def __repr__(self) -> str:
        return f"GitHubClient({self.repository!r}, {self.issue_number})"

    def _connect(self, token: str | None, timeout: float) -> Any:
        try:
            import httpx
        except ImportError:
            raise MissingExtraError("github", "httpx") from None
        self._lost: type[Exception] = httpx.TransportError
        headers = {
            "Accept": "application/vnd.github+json",
            "X-GitHub-Api-Version": API_VERSION,
            "User-Agent": "toolwire-issue-agent",
        }
        if token:
            headers["Authorization"] = f"Bearer {token}"
        return httpx.AsyncClient(headers=headers, timeout=timeout)

    async def __aenter__(self) -> GitHubClient:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def get_issue(self) -> dict[str, Any]:
        """Give the issue; from now on a comment may ping its author."""
        issue = await self._request("GET", self._path())
        if not isinstance(issue, dict):
            raise GitHubError("bad_answer", "the issue is no object")
        writer = author(issue)
        if writer is not None:
            self._mentions.append(writer)
        return issue

    async def search_issues(self, words: str, limit: int = 5) -> list[dict[str, Any]]:
        """Give the issues of the repository that a search for words finds, the best first."""
        plain = " ".join(re.findall(r"\w+", words))[:200]
        query: Query = {"q": f"{plain} repo:{self.repository} is:issue", "per_page": limit}
        found = await self._request("GET", "/search/issues", query=query)
        items = found.get("items") if isinstance(found, dict) else None
        return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []

    async def has_comment(self) -> bool:
        """Say whether the comment with the marker is there."""
        async for comment in self._comments():
            body = comment.get("body")
            if isinstance(body, str) and body.startswith(self.marker) and await self._is_own(comment):
                return True
        return False

    async def add_comment(self, text: str, /) -> bool:
        """Post a comment, made fit for it, unless it is there."""
        if await self.has_comment():
            logger.info("comment_exists: nothing is posted")
            return True
        room = GITHUB_LENGTH - len(self.marker) - 1
        published = publishable(text, secrets=self._secrets, mentions=self._mentions, max_length=room)
        body = f"{self.marker}\n{published.text}"
        await self._request("POST", self._path("comments"), {"body": body}, is_done=self.has_comment)
        return True

    async def add_labels(self, labels: list[str], /) -> bool:
        """Add labels to those that the issue has."""
        await self._request("POST", self._path("labels"), {"labels": labels})
        return True

    async def assign_user(self, login: str, /) -> bool:
        """Assign a person; says whether they are assigned, for GitHub leaves out who cannot be."""
        login = login.strip().lstrip("@")
        if not _LOGIN.fullmatch(login):
            raise ValueError("this is no login")
        issue = await self._request("POST", self._path("assignees"), {"assignees": [login]})
        assignees = issue.get("assignees") if isinstance(issue, dict) else None
        names = [one.get("login") for one in assignees or [] if isinstance(one, dict)]
        return login.lower() in [str(name).lower() for name in names]

    async def close_issue(self, reason: str = "", /) -> bool:
        """Close the issue: as not planned where the reason says so or names a duplicate."""
        dropped = any(word in reason.lower() for word in ("not planned", "not_planned", "duplicate"))
        change = {"state": "closed", "state_reason": "not_planned" if dropped else "completed"}
        issue = await self._request("PATCH", self._path(), change)
        return isinstance(issue, dict) and issue.get("state") == "closed"

    def _path(self, part: str = "") -> str:
        return f"/repos/{self.repository}/issues/{self.issue_number}" + (f"/{part}" if part else "")

    async def _comments(self) -> AsyncIterator[dict[str, Any]]:
        address: str | None = f"{self._api_url}{self._path('comments')}?per_page=100"
        for _ in range(MOST_PAGES):
            if address is None or not address.startswith(f"{self._api_url}/"):
                return
            response = await self._send("GET", address)
            comments = self._json(response)
            for comment in comments if isinstance(comments, list) else []:
                if isinstance(comment, dict):
                    yield comment
            following = _NEXT_PAGE.search(response.headers.get("link", ""))
            address = following[1] if following else None

    async def _is_own(self, comment: dict[str, Any]) -> bool:
        """Say whether a comment is by this account: others can write a marker too."""
        user = comment.get("user")
        if not isinstance(user, dict):
            return False
        if not self._asked_login:
            self._asked_login = True
            try:
                account = await self._request("GET", "/user")
                self._login = account.get("login") if isinstance(account, dict) else None
            except GitHubError as error:
                # The token of a workflow is no user's.
                if error.code != "refused":
                    raise
        return user.get("type") == "Bot" if self._login is None else user.get("login") == self._login

    async def _request(
        self,
        method: str,
        path: str,
        body: dict[str, Any] | None = None,
        *,
        query: Query | None = None,
        is_done: Callable[[], Awaitable[bool]] | None = None,
    ) -> Any:
        response = await self._send(method, self._api_url + path, body, query, is_done)
        return None if response is None else self._json(response)

    async def _send(
        self,
        method: str,
        address: str,
        body: dict[str, Any] | None = None,
        query: Query | None = None,
        is_done: Callable[[], Awaitable[bool]] | None = None,
    ) -> Any:
        """Make a request, again where that may help; None when `is_done` says that a lost one was heard."""
        max_retries, max_wait, backoff = self._limits
        for attempt in range(max_retries + 1):
            response, reason = None, ""
            try:
                response = await self._http.request(method, address, json=body, params=query)
            except self._lost as error:
                reason = f"{type(error).__name__}"
            if response is not None and not _is_passing(response):
                return self._checked(response)
            wait = backoff * 2**attempt
            if response is not None:
                reason = f"status {response.status_code}"
                asked = _asked_wait(response.headers)
                wait = wait if asked is None else asked
            if attempt == max_retries or wait > max_wait:
                raise self._given_up(method, reason, response, wait)
            logger.info("%s: %s; again in %.1f s", method, reason, wait)
            await asyncio.sleep(wait)
            if is_done is not None and await is_done():
                return None
        raise AssertionError("the last attempt returns or raises")

    def _given_up(self, method: str, reason: str, response: Any, wait: float) -> GitHubError:
        if response is None:
            return GitHubError("unreachable", f"GitHub cannot be reached: {method}: {reason}")
        limited = response.status_code in (403, 429)
        code = "rate_limited" if limited else "unreachable"
        message = f"{method}: {reason}" + (f"; asks to wait {wait:.0f} s" if limited else "")
        return GitHubError(code, message, response.status_code)

    def _checked(self, response: Any) -> Any:
        if response.is_success:
            return response
        message = ""
        if "json" in response.headers.get("content-type", ""):
            answer = self._json(response)
            message = str(answer.get("message", "")) if isinstance(answer, dict) else ""
        # A message of GitHub's may repeat what it was sent.
        message = self._redactor.redact(message)[:200]
        status = response.status_code
        raise GitHubError("refused", f"GitHub refused with status {status}: {message}".rstrip(": "), status)

    def _json(self, response: Any) -> Any:
        try:
            return response.json()
        except (ValueError, RecursionError):
            raise GitHubError("bad_answer", "GitHub's answer is no JSON", response.status_code) from None


def _is_passing(response: Any) -> bool:
    """Say whether a refusal may be another answer later."""
    status, headers = response.status_code, response.headers
    limited = "retry-after" in headers or headers.get("x-ratelimit-remaining") == "0"
    return status in (429, 500, 502, 503, 504) or (status == 403 and limited)


def _asked_wait(headers: Any) -> float | None:
    """Give the seconds that the server asks to wait."""
    after = headers.get("retry-after", "").strip()
    if after.isdecimal():
        return float(after)
    if after:
        try:
            return max(email.utils.parsedate_to_datetime(after).timestamp() - time.time(), 0.0)
        except ValueError:
            return None
    reset = headers.get("x-ratelimit-reset", "").strip()
    if headers.get("x-ratelimit-remaining") == "0" and reset.isdecimal():
        return max(float(reset) - time.time(), 0.0)
    return None
