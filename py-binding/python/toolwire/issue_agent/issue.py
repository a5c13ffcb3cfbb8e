"""An issue as GitHub gives it: what its author provided, and the text that a model reads.

>>> from toolwire.issue_agent import assess_user_provided_information
>>> body = "Error: 0x1. Steps to reproduce: see `main.py`."
>>> issue = {"title": "Crash on Windows 11", "body": body}
>>> assess_user_provided_information(issue)["completeness_level"]
'complete'
"""

from __future__ import annotations

import re
from typing import Any

__all__ = ["assess_user_provided_information", "author", "has_images_in_text", "issue_context"]

_CODE = re.compile(r"```|`[^`]+`")
_URL = re.compile(r"https?://", re.IGNORECASE)
_IMAGE_ENDINGS = (".png", ".jpg", ".jpeg", ".gif", ".svg")
_WORDS = {
    "has_reproduction_steps": ("step 1", "step 2", "reproduc"),
    "has_error_messages": (
        "exception:",
        "traceback",
        "stack trace",
        "throw",
        "failed with",
        "error",
    ),
    "has_environment_details": (
        *(
            "version",
            "browser",
            "os",
            "operating system",
            "environment",
            "chrome",
            "firefox",
            "safari",
        ),
        *("edge", "windows", "mac", "linux"),
    ),
}
# The order of the keys is that of the live agent.
_ORDER = (
    "has_code_samples",
    "has_reproduction_steps",
    "has_error_messages",
    "has_screenshots",
    "has_environment_details",
)


def has_images_in_text(text: str) -> bool:
    """Say whether a text shows or names an image: Markdown, HTML, or an address that ends like one.

    >>> has_images_in_text("see ![this](a.bin)"), has_images_in_text("no image")
    (True, False)
    """
    lowered = text.lower()
    # One search for each pattern keeps the time linear.
    for line in lowered.split("\n"):
        markdown = line.find("](", line.find("![") + 2) if "![" in line else -1
        if markdown >= 0 and line.find(")", markdown + 2) >= 0:
            return True
        tag = line.find("<img")
        if tag >= 0 and line.find(">", tag) >= 0:
            return True
    return any(map(_is_image_address, lowered.split()))


def _is_image_address(word: str) -> bool:
    found = _URL.search(word)
    return found is not None and any(word.rfind(ending) > found.end() for ending in _IMAGE_ENDINGS)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else str(value)


def assess_user_provided_information(
    issue_data: dict[str, Any], *, legacy: bool = False
) -> dict[str, Any]:
    """Say which of five kinds of information an issue has, and its ``completeness_level``.

    That is ``complete`` from four kinds on, ``partial`` from two, else ``insufficient``. The live
    agent finds nothing in an issue whose body is null.
    """
    body, title = issue_data.get("body", ""), issue_data.get("title", "")
    found: dict[str, Any] = dict.fromkeys(_ORDER, False)
    if isinstance(body, str) or not legacy:
        body = _text(body)
        whole = f"{_text(title)} {body}".lower()
        found |= {name: any(word in whole for word in words) for name, words in _WORDS.items()}
        found |= {
            "has_code_samples": _CODE.search(body) is not None,
            "has_screenshots": has_images_in_text(body),
        }
    count = sum(found.values())
    found["completeness_level"] = (
        "complete" if count >= 4 else "partial" if count >= 2 else "insufficient"
    )
    return found


def author(data: Any) -> str | None:
    """Give the login of the author of an issue or a comment."""
    user = data.get("user") if isinstance(data, dict) else None
    login = user.get("login") if isinstance(user, dict) else None
    return login if isinstance(login, str) and login else None


def issue_context(
    issue_data: dict[str, Any],
    comment_data: dict[str, Any] | None = None,
    *,
    event_name: str = "",
    event_action: str = "",
) -> str:
    """Write an issue, and the comment that asks, as text for a prompt.

    >>> print(issue_context({"title": "Crash", "body": None, "labels": [{"name": "bug"}]}))
    Title: Crash
    Author: unknown
    Labels: bug
    Comments: 0
    Images: no
    <BLANKLINE>
    (no description)
    """
    body = _text(issue_data.get("body"))
    labels = issue_data.get("labels")
    names = [
        _text(label.get("name") if isinstance(label, dict) else label)
        for label in (labels if isinstance(labels, list) else [])
    ]
    lines = [
        f"Title: {_text(issue_data.get('title'))}",
        f"Author: {author(issue_data) or 'unknown'}",
        f"Labels: {', '.join(names) or 'none'}",
        f"Comments: {issue_data.get('comments', 0)}",
        f"Images: {'yes' if has_images_in_text(body) else 'no'}",
    ]
    if event_name:
        lines.append(f"Event: {event_name} {event_action}".rstrip())
    lines += ["", body or "(no description)"]
    if comment_data:
        lines += ["", f"Comment by {author(comment_data) or 'unknown'}, to be answered:", ""]
        lines.append(_text(comment_data.get("body")))
    return "\n".join(lines)
