"""Does to an issue what the analysis asks for.

>>> import asyncio
>>> from toolwire.issue_agent import ActionExecutor
>>> analysis = {"recommended_labels": ["bug"], "recommended_actions": []}
>>> analysis["user_comment"] = "It is known."
>>> for action in asyncio.run(ActionExecutor(None, dry_run=True).execute(analysis, {})):
...     print(action["action"], "-", action["details"])
labels_added - Dry run: Added labels: bug
comment_added - Dry run: Analysis comment posted
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, Protocol

from toolwire._native import Redactor
from toolwire.issue_agent.comment import publishable
from toolwire.issue_agent.issue import author

__all__ = ["ACTIONS", "ActionExecutor", "IssueActions"]

logger = logging.getLogger(__name__)

ACTIONS = ("add_label", "add_comment", "assign_user", "close_issue", "request_info")
"""What an analysis may ask for."""

UNKNOWN_LABEL = "unknown_label"
"""The code of a label that the repository does not have: no failure, since nothing is amiss."""

LONGEST_LABEL = 50
MOST_LABELS = 20

Taken = dict[str, Any]


class IssueActions(Protocol):
    """What the executor calls: a ``GitHubClient``, or another object with these methods."""

    async def add_comment(self, text: str, /) -> bool:
        """Post a comment; says whether it is there."""

    async def add_labels(self, labels: list[str], /) -> bool:
        """Add labels; says whether they are there."""

    async def get_labels(self) -> list[str]:
        """Give the names of the repository's labels."""

    def comment_body(self, text: str) -> str:
        """Give the text of a comment that will be posted."""

    async def assign_user(self, login: str, /) -> bool:
        """Assign a person; says whether they are assigned."""

    async def close_issue(self, reason: str, /) -> bool:
        """Close the issue; says whether it is closed."""


class ActionExecutor:
    """Takes the actions of an analysis: labels first, then the comment, then the others.

    ``allowed_actions`` are the allowed actions of ``ACTIONS``, all by default, and
    ``allowed_labels`` the allowed labels; others are noted as ``action_denied``. So are labels that
    the repository does not have, unless ``create_labels``. Labels are added in the spelling of the
    repository. The comment is made fit to be posted: ``secrets`` are removed, and only the issue's
    author and ``mentions`` may be pinged; ``commands`` are broken as those of ``publishable``. With
    ``dry_run`` nothing is done, the entry of the
    comment holds the text that would be posted, and ``github`` may be None. An exception of an
    action is noted, and the next action is taken. What is not done has a ``code``.

    With ``legacy=True`` the actions are those of the live agent: the recommended labels are added
    once for each ``add_label`` action, whatever it asks for, and the caller's analysis gets the
    ``strategy_actions``.
    """

    def __init__(
        self,
        github: IssueActions | None,
        *,
        legacy: bool = False,
        allowed_actions: Iterable[str] | None = None,
        allowed_labels: Iterable[str] | None = None,
        create_labels: bool = False,
        mentions: Iterable[str] = (),
        commands: Iterable[str] = (),
        secrets: Iterable[str] = (),
        dry_run: bool = False,
    ) -> None:
        if github is None and not dry_run:
            raise ValueError("github is None, which a dry run alone allows")
        self._github: Any = github
        self._legacy = legacy
        self._allowed = frozenset(ACTIONS if allowed_actions is None else allowed_actions)
        if unknown := self._allowed - set(ACTIONS):
            raise ValueError(f"unknown actions {sorted(unknown)}; known: {', '.join(ACTIONS)}")
        self._labels = (
            None if allowed_labels is None else {label.casefold() for label in allowed_labels}
        )
        self._create_labels = create_labels
        self._mentions = list(mentions)
        self._commands = list(commands)
        self._secrets = list(secrets)
        self._redactor = Redactor(self._secrets)
        self._dry_run = dry_run

    async def execute(
        self,
        final_analysis: dict[str, Any],
        issue_data: dict[str, Any],
        strategy_actions: Iterable[dict[str, Any]] | None = None,
    ) -> list[Taken]:
        """Give what was done, in order: ``action``, ``details``, ``success``, and any ``code``."""
        if self._legacy:
            return await self._execute_live(final_analysis, strategy_actions)
        actions = [*_list(final_analysis.get("recommended_actions")), *(strategy_actions or ())]
        known = [action for action in actions if isinstance(action, dict)]
        taken = [
            _unknown(type(action).__name__) for action in actions if not isinstance(action, dict)
        ]
        wanted = [action.get("details") for action in known if action.get("action") == "add_label"]
        taken += await self._add_labels([*_list(final_analysis.get("recommended_labels")), *wanted])
        merged = [action for action in known if action.get("action") == "add_comment"]
        taken += [_merged() for _ in merged]
        if final_analysis.get("user_comment"):
            taken.append(await self._add_comment(final_analysis["user_comment"], issue_data))
        others = [
            action for action in known if action.get("action") not in ("add_label", "add_comment")
        ]
        for action in others:
            taken.append(await self._other(action))
        return taken

    async def _add_labels(self, wanted: list[Any]) -> list[Taken]:
        names = [
            " ".join(label.split()) for label in wanted if isinstance(label, str) and label.strip()
        ]
        if not names:
            return []
        try:
            known = await self._known_labels()
        except Exception as error:
            return [self._failed("add_label", error)]
        labels: dict[str, str] = {}
        denied: dict[str, Taken] = {}
        for name in names:
            key = name.casefold()
            code = self._label_refusal(name, known)
            if code is None and key not in labels and len(labels) == MOST_LABELS:
                code = "too_many_labels"
            if code is None:
                labels.setdefault(key, name if known is None else known[key])
            else:
                unknown = code == UNKNOWN_LABEL
                why = "The repository has no label" if unknown else "Label not allowed:"
                text = self._redactor.redact(f"{why} {name[:LONGEST_LABEL]}")
                denied.setdefault(key, _taken("action_denied", text, success=False, code=code))
        taken = []
        added = list(labels.values())
        if added:
            add = self._step("add_label", "labels_added", f"Added labels: {', '.join(added)}")
            taken.append(await add(lambda: self._github.add_labels(added)))
        return [*taken, *denied.values()]

    async def _known_labels(self) -> dict[str, str] | None:
        """Give the repository's labels by their names in lower case; None when any may be added."""
        if self._github is None or self._create_labels or "add_label" not in self._allowed:
            return None
        return {label.casefold(): label for label in await self._github.get_labels()}

    def _label_refusal(self, name: str, known: dict[str, str] | None) -> str | None:
        if len(name) > LONGEST_LABEL or not name.isprintable():
            return "invalid_label"
        if self._labels is not None and name.casefold() not in self._labels:
            return "label_not_allowed"
        return None if known is None or name.casefold() in known else UNKNOWN_LABEL

    async def _add_comment(self, comment: Any, issue_data: dict[str, Any]) -> Taken:
        writer = author(issue_data)
        mentions = [*self._mentions, *([writer] if writer else [])]
        published = publishable(
            str(comment), secrets=self._secrets, mentions=mentions, commands=self._commands
        )
        if published.changes:
            changes = ", ".join(f"{code} {count}" for code, count in published.changes.items())
            logger.warning("the comment was changed: %s", changes)
        add = self._step("add_comment", "comment_added", "Analysis comment posted")
        taken = await add(lambda: self._github.add_comment(published.text))
        if self._dry_run and taken["success"]:
            text = published.text
            taken["comment"] = text if self._github is None else self._github.comment_body(text)
        return taken

    async def _other(self, action: dict[str, Any]) -> Taken:
        kind, details = action.get("action"), action.get("details")
        text = details.strip() if isinstance(details, str) else ""
        if kind == "assign_user" and text:
            step = self._step(kind, "user_assigned", f"Assigned to {text}")
            return await step(lambda: self._github.assign_user(text))
        if kind == "close_issue":
            step = self._step(kind, "issue_closed", f"Issue closed: {text}")
            return await step(lambda: self._github.close_issue(text))
        if kind == "request_info":
            return _info()
        return _unknown(kind)

    def _step(
        self, kind: str, done: str, details: str
    ) -> Callable[[Callable[[], Awaitable[bool]]], Awaitable[Taken]]:
        """Give a function that takes one action, if it is allowed, and reports the outcome."""
        details = self._redactor.redact(details)

        async def take(run: Callable[[], Awaitable[bool]]) -> Taken:
            if kind not in self._allowed:
                return _taken(
                    "action_denied",
                    f"Action not allowed: {kind}",
                    success=False,
                    code="action_not_allowed",
                )
            if self._dry_run:
                return _taken(done, f"Dry run: {details}", success=True)
            try:
                return _taken(done, details, success=bool(await run()))
            except Exception as error:
                return self._failed(kind, error)

        return take

    def _failed(self, kind: str, error: Exception) -> Taken:
        message = self._redactor.redact(str(error) or type(error).__name__)
        logger.error("%s failed: %s", kind, message)
        code = getattr(error, "code", None)
        code = code if isinstance(code, str) else "action_failed"
        return _taken(kind, f"Failed: {message}", success=False, code=code)

    async def _execute_live(
        self, final_analysis: dict[str, Any], strategy_actions: Iterable[dict[str, Any]] | None
    ) -> list[Taken]:
        taken: list[Taken] = []
        try:
            await self._take_live(final_analysis, list(strategy_actions or []), taken)
        except Exception as error:
            taken.append(_taken("error", str(error), success=False))
        return taken

    async def _take_live(
        self,
        final_analysis: dict[str, Any],
        strategy_actions: list[dict[str, Any]],
        taken: list[Taken],
    ) -> None:
        labels = list(set(final_analysis.get("recommended_labels") or []))
        actions = final_analysis.get("recommended_actions", [])
        actions.extend(strategy_actions)
        others = []
        for action in actions:
            kind = action.get("action", "")
            if kind == "add_label" and action.get("details", ""):
                success = await self._github.add_labels(list(labels))
                taken.append(
                    _taken("labels_added", f"Added labels: {', '.join(labels)}", success=success)
                )
            elif kind == "add_comment":
                taken.append(_merged())
            else:
                others.append(action)
        comment = final_analysis.get("user_comment", "")
        if comment:
            success = await self._github.add_comment(comment)
            taken.append(_taken("comment_added", "Analysis comment posted", success=success))
        for action in others:
            try:
                taken.append(await self._other_live(action))
            except Exception as error:
                taken.append(
                    _taken(action.get("action", "unknown"), f"Failed: {error}", success=False)
                )

    async def _other_live(self, action: dict[str, Any]) -> Taken:
        kind, details = action.get("action", ""), action.get("details", "")
        if kind == "assign_user" and details:
            success = await self._github.assign_user(details)
            return _taken("user_assigned", f"Assigned to {details}", success=success)
        if kind == "close_issue":
            success = await self._github.close_issue(details)
            return _taken("issue_closed", f"Issue closed: {details}", success=success)
        return _info() if kind == "request_info" else _unknown(kind)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _taken(action: str, details: str, *, success: Any, code: str | None = None) -> Taken:
    taken = {"action": action, "details": details, "success": success}
    return taken if code is None else {**taken, "code": code}


def _merged() -> Taken:
    return _taken(
        "comment_action_merged", "Comment action merged into main user_comment", success=True
    )


def _info() -> Taken:
    return _taken(
        "info_request_handled", "Information request included in main comment", success=True
    )


def _unknown(kind: Any) -> Taken:
    return _taken("unknown_action", f"Unknown action type: {str(kind)[:100]}", success=False)
