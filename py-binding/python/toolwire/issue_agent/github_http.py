"""Requests to GitHub's REST API: waits that it asks for, second tries, errors with a code.

>>> from toolwire.issue_agent import GitHubError
>>> error = GitHubError("rate_limited", "GitHub asks to wait", 403)
>>> error.code, error.status
('rate_limited', 403)

Requests are made with ``httpx``: ``pip install httpx``.
"""

from __future__ import annotations

import email.utils
import logging
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from toolwire._body import ACCEPTED, BodyError, bounding_hook
from toolwire._native import Redactor
from toolwire.issue_agent.deadline import Deadline
from toolwire.issue_agent.llm import MissingExtraError

__all__ = ["API_URL", "GitHubError"]

logger = logging.getLogger(__name__)

API_URL = "https://api.github.com"
"""The API of github.com."""

API_VERSION = "2022-11-28"
LOOPBACK = ("localhost", "127.0.0.1", "::1")
MOST_PAGES = 50

MOST_BYTES = 16 * 1024 * 1024
"""The longest answer, decoded: a page of a hundred comments has less than half of it."""

SHORTEST_LIMIT = 60.0
"""The seconds that GitHub wants to be left alone after a secondary rate limit, at least."""

PASSING = (500, 502, 503, 504)

_NEXT_PAGE = re.compile(r'<([^<>]*)>\s*;\s*rel="next"')
_SECONDARY = re.compile(r"secondary rate limit|abuse detection", re.IGNORECASE)

Query = dict[str, "str | int"]


class GitHubError(Exception):
    """A request to GitHub failed.

    ``code`` is ``rate_limited``, ``unreachable``, ``bad_answer``, ``list_too_long``, ``refused``,
    ``issue_not_found`` or ``sso_required``; or, when the token was checked, ``token_missing``,
    ``token_invalid``, ``token_scope``, ``repository_not_found``, ``repository_archived``,
    ``may_not_label`` or ``identity_unknown``. ``status`` is the HTTP status, if there was one. The
    message holds no token.
    """

    def __init__(self, code: str, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.status = status


class Wait(NamedTuple):
    """Why a request is made again, and after how many seconds at least."""

    reason: str
    seconds: float
    limited: bool


class GitHubConnection:
    """Makes requests with a token, with further tries within a deadline.

    At a rate limit it waits until GitHub's reset; at a secondary limit for at least a minute,
    doubled each time. Lost requests and 5xx are tried again after ``backoff`` seconds, doubled each
    time. There are at most ``max_retries`` further tries. It raises when the deadline leaves no
    time for a wait.
    """

    def __init__(
        self,
        api_url: str,
        token: str | None,
        secrets: Iterable[str],
        *,
        timeout: float,
        max_retries: int,
        backoff: float,
        deadline: Deadline,
    ) -> None:
        address = urlsplit(api_url)
        if address.scheme != "https" and not (
            address.scheme == "http" and address.hostname in LOOPBACK
        ):
            raise ValueError("api_url must begin with https://")
        self.api_url = api_url.rstrip("/")
        self.redactor = Redactor([*secrets, *([token] if token else [])])
        self._limits = (max_retries, backoff)
        self._deadline = deadline
        self._http = self._connect(token, timeout)

    def _connect(self, token: str | None, timeout: float) -> Any:
        try:
            import httpx
        except ImportError:
            raise MissingExtraError("httpx") from None
        self._lost: type[Exception] = httpx.TransportError
        headers = {
            "Accept": "application/vnd.github+json",
            "X-GitHub-Api-Version": API_VERSION,
            "Accept-Encoding": ACCEPTED,
            "User-Agent": "toolwire-issue-agent",
        }
        if token:
            headers["Authorization"] = f"Bearer {token}"
        hooks = {"response": [bounding_hook(MOST_BYTES)]}
        return httpx.AsyncClient(headers=headers, timeout=timeout, event_hooks=hooks)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def request(
        self,
        method: str,
        path: str,
        body: dict[str, Any] | None = None,
        *,
        query: Query | None = None,
        is_done: Callable[[], Awaitable[bool]] | None = None,
    ) -> Any:
        """Give the value of an answer; None when ``is_done`` says that a lost request succeeded."""
        response = await self.send(method, self.api_url + path, body, query, is_done)
        return None if response is None else self.value(response)

    async def graphql(self, query: str) -> Any:
        """Give the answer to a query; GitHub Enterprise has it beside the REST API."""
        enterprise = (
            self.api_url.removesuffix("/v3") if self.api_url.endswith("/api/v3") else self.api_url
        )
        return self.value(await self.send("POST", f"{enterprise}/graphql", {"query": query}))

    async def pages(self, path: str) -> AsyncIterator[dict[str, Any]]:
        """Give the objects of a list, page after page.

        Raises ``GitHubError`` when the list cannot be read to its end: the rest may matter.
        """
        address = f"{self.api_url}{path}?per_page=100"
        for _ in range(MOST_PAGES):
            response = await self.send("GET", address)
            listed = self.value(response)
            if not isinstance(listed, list):
                raise GitHubError("bad_answer", "GitHub's answer is no list", response.status_code)
            for one in listed:
                if isinstance(one, dict):
                    yield one
            following = _NEXT_PAGE.search(response.headers.get("link", ""))
            if following is None:
                return
            address = following[1]
            # The token is sent to no other host.
            if not address.startswith(f"{self.api_url}/"):
                raise GitHubError("bad_answer", "the next page of GitHub's list is not on its API")
        raise GitHubError(
            "list_too_long", f"a list of GitHub has more than {MOST_PAGES} pages: {path}"
        )

    async def send(
        self,
        method: str,
        address: str,
        body: dict[str, Any] | None = None,
        query: Query | None = None,
        is_done: Callable[[], Awaitable[bool]] | None = None,
    ) -> Any:
        """Make a request, with further tries; None when ``is_done`` finds it done."""
        max_retries, backoff = self._limits
        limits = 0
        for attempt in range(max_retries + 1):
            response = None
            try:
                response = await self._http.request(method, address, json=body, params=query)
                wait = self._wait(response, backoff * 2**attempt, limits)
            except self._lost as error:
                wait = Wait(type(error).__name__, backoff * 2**attempt, False)
            except BodyError as error:
                raise GitHubError("bad_answer", f"{method}: {error}") from None
            if wait is None:
                return self._checked(response)
            limits += wait.limited
            if attempt == max_retries or not self._deadline.fits(wait.seconds):
                raise self._given_up(method, wait, response)
            level = logging.WARNING if wait.limited else logging.INFO
            logger.log(level, "GitHub: %s: %s; again in %.1f s", method, wait.reason, wait.seconds)
            await self._deadline.clock.sleep(wait.seconds)
            if is_done is not None and await is_done():
                return None
        raise AssertionError("the last attempt returns or raises")

    def _wait(self, response: Any, backoff: float, limits: int) -> Wait | None:
        """Give the wait before another try; None when another try would not help."""
        status, headers = response.status_code, response.headers
        after = self._retry_after(headers.get("retry-after", "").strip())
        if status in PASSING:
            return Wait(f"status {status}", backoff if after is None else after, False)
        if status not in (403, 429):
            return None
        reset = self._until_reset(headers)
        told = max(after or 0.0, reset or 0.0)
        # A secondary limit may come with the headers of the primary one, whose reset is over
        # already.
        is_secondary = _SECONDARY.search(self._message(response)) is not None
        if reset is not None and not is_secondary:
            return Wait(f"rate limit, status {status}", told, True)
        if is_secondary or status == 429 or after is not None:
            seconds = max(SHORTEST_LIMIT * 2**limits, told)
            return Wait(f"secondary rate limit, status {status}", seconds, True)
        return None

    def _until_reset(self, headers: Any) -> float | None:
        """Give the seconds until the primary limit is reset; None when it is not reached."""
        reset = headers.get("x-ratelimit-reset", "").strip()
        if headers.get("x-ratelimit-remaining") != "0" or not reset.isdecimal():
            return None
        # GitHub gives the reset in whole seconds.
        return max(float(reset) - self._deadline.clock.time() + 1, 0.0)

    def _retry_after(self, after: str) -> float | None:
        if after.isdecimal():
            return float(after)
        try:
            moment = email.utils.parsedate_to_datetime(after).timestamp()
        except (ValueError, OverflowError):
            return None
        return max(moment - self._deadline.clock.time(), 0.0)

    def _given_up(self, method: str, wait: Wait, response: Any) -> GitHubError:
        if response is None:
            return GitHubError("unreachable", f"GitHub cannot be reached: {method}: {wait.reason}")
        message = f"{method}: {wait.reason}"
        if not wait.limited:
            return GitHubError("unreachable", message, response.status_code)
        left = self._deadline.left
        ends = "" if left is None else f"; the run has {left:.0f} s left"
        message = f"{message}: GitHub asks to wait {wait.seconds:.0f} s{ends}"
        return GitHubError("rate_limited", message, response.status_code)

    def _checked(self, response: Any) -> Any:
        if response.is_success:
            return response
        status, message = response.status_code, self._message(response)
        if "required" in response.headers.get("x-github-sso", ""):
            note = "the token has not been authorized for the organization's single sign-on."
            message = f"{note} {message}"
            raise GitHubError(
                "sso_required", f"GitHub refused with status {status}: {message}", status
            )
        raise GitHubError(
            "refused", f"GitHub refused with status {status}: {message}".rstrip(": "), status
        )

    def _message(self, response: Any) -> str:
        """Give GitHub's message without the token, which the message may repeat."""
        if "json" not in response.headers.get("content-type", ""):
            return ""
        try:
            answer = self.value(response)
        except GitHubError:
            return ""
        message = str(answer.get("message", "")) if isinstance(answer, dict) else ""
        return self.redactor.redact(message)[:200]

    def value(self, response: Any) -> Any:
        """Give the JSON value of an answer."""
        try:
            return response.json()
        except (ValueError, RecursionError):
            raise GitHubError(
                "bad_answer", "GitHub's answer is no JSON", response.status_code
            ) from None
