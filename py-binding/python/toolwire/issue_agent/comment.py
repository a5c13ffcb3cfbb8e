r"""Comments fit to be posted, and texts without secrets.

>>> from toolwire.issue_agent import publishable
>>> published = publishable("@ann, ask @everyone.<!-- hidden -->", mentions=["ann"])
>>> published.text.replace("\u200b", "|"), published.changes
('@ann, ask @|everyone.&lt;!-- hidden -->', {'mention_broken': 1, 'html_escaped': 1})
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from toolwire import _native
from toolwire._native import Redactor

__all__ = ["GITHUB_LENGTH", "Published", "Redactor", "environment_secrets", "publishable"]

GITHUB_LENGTH = 65_536
"""The characters of a comment on GitHub."""

_SECRET_NAME = re.compile(
    r"TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|(?:API|PRIVATE|ACCESS)_?KEY"
    r"|(?:^|_)(?:KEY|PAT|PASS|PWD)$",
    re.IGNORECASE,
)


class Published(NamedTuple):
    """A comment that can be posted, and how often it was changed, by code."""

    text: str
    changes: dict[str, int]


def publishable(
    comment: str,
    *,
    secrets: Iterable[str] = (),
    mentions: Iterable[str] = (),
    commands: Iterable[str] = (),
    max_length: int = GITHUB_LENGTH,
) -> Published:
    """Make a comment fit to be posted where Markdown is shown.

    Secrets become ``[redacted]``: the given ones, and everything that looks like a token
    (``secret_redacted``). Control and invisible characters are removed (``control_removed``).
    Outside of code, mentions of anybody who is not in ``mentions`` get a zero-width space behind
    the ``@`` (``mention_broken``), commands (``/word`` where a line begins) one behind the ``/``
    (``command_broken``), ``<`` before a tag or comment becomes ``&lt;`` (``html_escaped``), and
    images become links (``image_unlinked``). A line that begins with the words of a command gets
    one behind its first character (``command_broken``): ``Duplicate of``, ``bors``, ``homu``,
    ``r?``, ``add to whitelist``, ``ok to test``, ``retest this please``, ``test this please``, and
    ``commands``, at most 100 texts of at most 100 bytes. More than ``max_length`` characters are
    cut off (``shortened``).
    """
    return Published(
        *_native.publishable(
            comment,
            secrets=list(secrets),
            mentions=list(mentions),
            commands=list(commands),
            max_length=max_length,
        )
    )


def environment_secrets(environ: Mapping[str, str] = os.environ) -> list[str]:
    """Give the values of the variables whose names say that they hold a secret.

    >>> environment_secrets({"GITHUB_TOKEN": "abc", "PATH": "/bin", "OPENAI_API_KEY": "def"})
    ['abc', 'def']
    """
    return [value for name, value in environ.items() if value and _SECRET_NAME.search(name)]
