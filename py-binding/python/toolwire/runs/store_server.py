"""What the stores on servers share: keys, credentials, packages.

>>> from toolwire.runs.store_server import secrets_of
>>> secrets_of("redis://ann:open%20sesame@localhost/0")
['open%20sesame', 'open sesame']
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import unquote

from toolwire.runs.errors import StoreError
from toolwire.runs.store import Change, Store

__all__ = [
    "check_key",
    "hides",
    "import_package",
    "one_by_one",
    "safe_place",
    "secrets_of",
    "store_error",
]

_KEY = re.compile(r"[ -~]{0,255}")


def import_package(module: str, store: str) -> Any:
    """Import a package that only one store needs; say how to install it if it is missing."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        message = f"{store} needs the package {module}: pip install {module}"
        raise ImportError(message, name=module) from error


def check_key(text: str) -> str:
    """Give a key or a prefix of keys; refuse what no key of a store can be."""
    if _KEY.fullmatch(text) is None:
        raise ValueError("a key must be printable ASCII of at most 255 bytes")
    return text


def one_by_one(store: Store, changes: Sequence[Change], now: int) -> list[int | bool | None]:
    """Make the changes of a batch one by one, up to the first put whose condition is not met."""
    made: list[int | bool | None] = []
    for change in changes:
        if change[0] == "put":
            made.append(store.put(*change[1:], now))
            if made[-1] is None:
                break
        elif change[0] == "delete":
            made.append(store.delete(*change[1:], now))
        else:
            made.append(store.purge(change[1], now))
    return made


def secrets_of(url: str) -> list[str]:
    """Give the texts of a URL that may be a password, as they stand there and decoded.

    A password with an ``@`` or ``/`` breaks the URL, and a parser then shows parts of it as the
    host or the port. So every part counts that may belong to it.
    """
    before, at, host = url.rpartition("@")
    if not at:
        return []
    user, _, password = before.partition("://")[2].partition(":")
    parts = [password, *re.split(r"[@/?#:]", password)] if password else []
    found = [part for part in dict.fromkeys(parts) if part and part not in (user, host)]
    return list(dict.fromkeys([*found, *map(unquote, found)]))


def safe_place(place: str, secrets: list[str]) -> str:
    """Give the place of a server for messages, unless it may show a part of the password."""
    return "of the given URL" if any(secret in place for secret in secrets) else place


def hides(error: BaseException, secrets: list[str]) -> bool:
    """Say whether an error and its causes show none of these texts."""
    text, seen = "", error
    while seen is not None:
        text += str(seen)
        seen = seen.__cause__ or seen.__context__  # type: ignore[assignment]
    return not any(secret in text for secret in secrets)


def store_error(message: str, kind: str, cause: BaseException, secrets: list[str]) -> StoreError:
    """Make the error of a store; its cause is left out where it shows a password."""
    error = StoreError(message, kind)
    if hides(cause, secrets):
        error.__cause__ = cause
    error.__suppress_context__ = True
    return error
