"""The rights of a token, checked before a model costs anything.

>>> from toolwire.issue_agent import Access
>>> Access("octo-bot", "classic").login
'octo-bot'

GitHub tells the scopes of a classic token (``X-OAuth-Scopes``), and what a person may do in a
repository. It tells neither of a fine-grained token nor of an app's: then a note says what such a
token needs.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from toolwire.issue_agent.github_http import GitHubConnection, GitHubError

__all__ = ["Access", "check_access"]

COMMENTS, LABELS = "comments", "labels"

_LABELLERS = ("admin", "maintain", "push", "triage")
_KINDS = {"ghs_": "installation", "github_pat_": "fine_grained", "ghu_": "app_user"}
_VIEWER = "query { viewer { login } }"


@dataclass(frozen=True)
class Access:
    """The owner and the kind of a token, with notes on everything that is not known.

    ``login`` is None where GitHub does not say. ``kind`` is ``none``, ``classic``,
    ``fine_grained``, ``installation`` (a workflow's token, and other apps'), ``app_user`` or
    ``unknown``. ``notes`` are sentences for a person.
    """

    login: str | None
    kind: str
    notes: tuple[str, ...] = ()

    def owns(self, comment: Mapping[str, Any]) -> bool:
        """Say whether a comment is by this account; an app's comments are by a bot of its name.

        >>> Access("octo[bot]", "installation").owns({"user": {"login": "octo", "type": "User"}})
        False
        """
        user = comment.get("user")
        user = user if isinstance(user, dict) else {}
        login = user.get("login")
        if self.login is None or not isinstance(login, str):
            return False
        if self.kind == "installation":
            own, other = (name.casefold().removesuffix("[bot]") for name in (self.login, login))
            return own == other and user.get("type") == "Bot"
        return self.login.casefold() == login.casefold()


def kind_of(token: str | None, scopes: str | None) -> str:
    """Give the kind of a token, by how it begins; a token with scopes is a classic one."""
    if not token:
        return "none"
    if scopes is not None:
        return "classic"
    return next((kind for start, kind in _KINDS.items() if token.startswith(start)), "unknown")


async def identify(connection: GitHubConnection, kind: str) -> str | None:
    """Give the login of the token's owner; None where GitHub does not say."""
    if kind == "none":
        return None
    if kind != "installation":
        try:
            account = await connection.request("GET", "/user")
            login = account.get("login") if isinstance(account, dict) else None
            if isinstance(login, str) and login:
                return login
        except GitHubError as error:
            if error.code != "refused":
                raise
    # An app is no user: only GraphQL gives its login.
    try:
        answer = await connection.graphql(_VIEWER)
    except GitHubError as error:
        if error.code not in ("refused", "bad_answer"):
            raise
        return None
    viewer = answer.get("data") if isinstance(answer, dict) else None
    viewer = viewer.get("viewer") if isinstance(viewer, dict) else None
    login = viewer.get("login") if isinstance(viewer, dict) else None
    return login if isinstance(login, str) and login else None


async def check_access(
    connection: GitHubConnection,
    repository: str,
    token: str | None,
    needs: Collection[str],
    login: str | None,
) -> Access:
    """Find out who owns a token, and whether it may write what the run ``needs``.

    Raises ``GitHubError`` that says what to do. Unknown facts become notes; when nothing needs to
    be written, missing rights become notes too.
    """
    if not token and needs:
        message = (
            "there is no token: set GITHUB_TOKEN to one that may write the repository's issues"
        )
        raise GitHubError("token_missing", message)
    response = await _repository(connection, repository)
    described = connection.value(response)
    described = described if isinstance(described, dict) else {}
    scopes = response.headers.get("x-oauth-scopes")
    kind = kind_of(token, scopes)
    lacks = _lacks(described, repository, kind, scopes)
    for code, (need, message) in lacks.items():
        if need in needs:
            raise GitHubError(code, message)
    login = login or await identify(connection, kind)
    if login is None:
        message = (
            "GitHub does not say whose this token is, so its comments cannot be told: "
            "give --login NAME"
        )
        if COMMENTS in needs:
            raise GitHubError("identity_unknown", message)
        lacks["identity_unknown"] = (COMMENTS, message)
    notes = [f"{code}: {message}" for code, (_, message) in lacks.items()]
    if kind in ("fine_grained", "installation", "app_user", "unknown"):
        notes.append(
            f"GitHub does not tell the rights of this token ({kind}) before it writes: it needs "
            "'Issues: write', and 'Pull requests: write' for these"
        )
    return Access(login, kind, tuple(notes))


async def _repository(connection: GitHubConnection, repository: str) -> Any:
    try:
        return await connection.send("GET", f"{connection.api_url}/repos/{repository}")
    except GitHubError as error:
        if error.status == 401:
            message = f"GitHub does not accept the token ({error}): set GITHUB_TOKEN to a valid one"
            raise GitHubError("token_invalid", message, 401) from None
        if error.status == 404:
            message = f"there is no repository {repository}, or the token may not see it"
            raise GitHubError("repository_not_found", message, 404) from None
        raise


def _lacks(
    described: dict[str, Any], repository: str, kind: str, scopes: str | None
) -> dict[str, tuple[str, str]]:
    """Give the rights that are known to be missing: code, purpose, and remedy of each."""
    lacks: dict[str, tuple[str, str]] = {}
    if described.get("archived") is True:
        lacks["repository_archived"] = (
            COMMENTS,
            f"{repository} is archived, and nothing can be written",
        )
    if scopes is not None:
        granted = {scope.strip() for scope in scopes.split(",")}
        enough = {"repo"} if described.get("private") is True else {"repo", "public_repo"}
        if not granted & enough:
            wanted = " or ".join(sorted(enough))
            message = f"the token lacks the scope {wanted}: give it that, or another token"
            lacks["token_scope"] = (COMMENTS, message)
    rights: Any = described.get("permissions")
    # The permissions that GitHub reports with an app's token are not the app's own.
    told = isinstance(rights, dict) and kind not in ("none", "installation")
    if told and not any(rights.get(right) is True for right in _LABELLERS):
        message = (
            "the token's account may not set labels: give it the role triage, or use --no-labels"
        )
        lacks["may_not_label"] = (LABELS, message)
    return lacks
