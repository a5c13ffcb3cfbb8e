"""Who is at the other end of a call, and which calls and runs are theirs.

>>> from toolwire.mcp.peer import Peer
>>> ann, bob = Peer("ann", "s1"), Peer("bob", "s2")
>>> ann.name({"toolwire/call_id": "call_1"}, 7) == bob.name({"toolwire/call_id": "call_1"}, 7)
False
>>> ann.owner == Peer("ann", "s1").owner, ann.owner == bob.owner
(True, False)
"""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from mcp.server.context import ServerRequestContext
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

__all__ = ["CALL_ID", "CLIENT", "Name", "Peer", "is_random", "peer_of"]

CALL_ID = "toolwire/call_id"
"""The key of ``_meta`` by which a client names a call, so that it runs once however often it is
sent."""

CLIENT = "toolwire.client"
"""The key of an ASGI scope that says which token a request has."""

LONGEST_ID = 200


class Name(NamedTuple):
    """What names a call: its id, and the scope in which no other call has it."""

    call_id: str
    scope: str


@dataclass(frozen=True)
class Peer:
    """A client, by its token, and its session; a protocol without sessions has none."""

    client: str
    session: str | None

    @property
    def owner(self) -> str:
        """The text by which a run is known as this peer's; it tells no token and no session."""
        return hashlib.sha256(self._written("owner").encode()).hexdigest()

    def name(self, meta: Mapping[str, Any], request_id: Any) -> Name:
        """Name a call, so that no other peer's call has the same name.

        A random UUID is nobody else's, so that it names a call in each session of the client. Any
        other id does so within the session, and without a session nothing does.
        """
        given = meta.get(CALL_ID)
        if isinstance(given, str) and 0 < len(given) <= LONGEST_ID:
            if is_random(given):
                return Name(given, Peer(self.client, None)._written("random"))
            if self.session is not None:
                return Name(given, self._written("named"))
        elif self.session is not None and request_id is not None:
            return Name(json.dumps(request_id), self._written("request"))
        return Name(str(uuid.uuid4()), self._written("new"))

    def _written(self, kind: str) -> str:
        return json.dumps(["mcp", kind, self.client, self.session])


def is_random(text: str) -> bool:
    """Say whether a text is a UUID of version 4, in its usual form."""
    try:
        read = uuid.UUID(text)
    except ValueError:
        return False
    return str(read) == text and read.version == 4


def peer_of(context: ServerRequestContext[Any, Any], connection: str | None) -> Peer:
    """Give the peer of a request; ``connection`` names that of the standard streams."""
    request = context.request
    if request is None:
        return Peer("", connection)
    session = None
    if context.session.protocol_version not in MODERN_PROTOCOL_VERSIONS:
        # Only there the SDK has looked whether the session is open, and whose it is.
        session = request.headers.get("mcp-session-id")
    return Peer(str(request.scope.get(CLIENT, "")), session)
