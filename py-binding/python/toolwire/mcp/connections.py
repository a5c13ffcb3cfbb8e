"""The connections of a registry, each with a name of its own.

>>> from toolwire.mcp.connection import McpConnection
>>> from toolwire.mcp.connections import Connections
>>> connections = Connections()
>>> connections.add(McpConnection(["npx", "server-a"], name="files"), lambda: None)
>>> connections.add(McpConnection(["npx", "server-b"], name="mails"), lambda: None)
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from typing import Any

from toolwire.mcp.connection import McpConnection

__all__ = ["Connections", "of_holder"]


class Connections:
    """The connections by which a registry or an executor has tools."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: list[tuple[McpConnection, Callable[[], None]]] = []

    def add(self, connection: McpConnection, forget: Callable[[], None]) -> None:
        """Add a connection; ``forget`` removes its tools when another one gets its name.

        Raises :class:`ValueError` when an open connection has the name already.
        """
        with self._lock:
            same = [entry for entry in self._known if is_clash(entry[0], connection)]
            for earlier, _ in same:
                if not earlier.is_closed:
                    raise ValueError(
                        f"the connection to {shown(connection)} cannot be named "
                        f"{connection.name!r}: {earlier.name!r} is the one to {shown(earlier)}; "
                        'give it another name: add_mcp(…, name="…")'
                    )
            self._known = [entry for entry in self._known if entry not in same]
            self._known.append((connection, forget))
        for _, forget_earlier in same:
            forget_earlier()

    def drop(self, connection: McpConnection) -> None:
        """Forget a connection that came to nothing."""
        with self._lock:
            self._known = [entry for entry in self._known if entry[0] is not connection]


def is_clash(one: McpConnection, other: McpConnection) -> bool:
    """Say whether two connections cannot be told apart by their names."""
    return one.name == other.name or one.label == other.label


def shown(connection: McpConnection) -> str:
    """Name a server without its arguments, which may be secret."""
    return connection.origin.label(None)


_lock = threading.Lock()
_connections: weakref.WeakKeyDictionary[Any, Connections] = weakref.WeakKeyDictionary()


def of_holder(holder: Any) -> Connections:
    """Give the connections of a registry or an executor."""
    with _lock:
        return _connections.setdefault(holder, Connections())
