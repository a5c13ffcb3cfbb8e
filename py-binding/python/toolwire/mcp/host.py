"""The hosts that a server over HTTP answers for: ``Host`` and ``Origin``, compared as parsed.

>>> from toolwire.mcp.host import Hosts
>>> hosts = Hosts(["localhost", "tools.example.org", "tools.example.org:8443"])
>>> hosts.takes_host([b"LOCALHOST:8000"]), hosts.takes_host([b"localhost:80@evil.example"])
(True, False)
>>> hosts.takes_origin([b"https://tools.example.org"]), hosts.takes_origin([b"null"])
(True, False)
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

__all__ = ["LOOPBACK", "Hosts"]

LOOPBACK = ("127.0.0.1", "localhost", "::1")

USUAL = {"http": 80, "https": 443}
AUTHORITY = re.compile(r"(\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9._-]{1,253})(?::([0-9]{1,5}))?")
ORIGIN = re.compile(r"(https?)://(.*)", re.IGNORECASE | re.DOTALL)


class Authority(NamedTuple):
    """A host, in its one form, and its port if that is given."""

    host: str
    port: int | None

    @classmethod
    def read(cls, text: str) -> Authority | None:
        """Read ``host`` or ``host:port``; None for anything else."""
        parts = AUTHORITY.fullmatch(text)
        if parts is None:
            return None
        port = None if parts[2] is None else int(parts[2])
        if port is not None and not 0 < port < 65536:
            return None
        host = parts[1].strip("[]")
        if parts[1].startswith("[") or re.fullmatch(r"[0-9.]+", host):
            try:
                host = str(ipaddress.ip_address(host))
            except ValueError:
                return None
        return cls(host.lower().removesuffix("."), port)


class Hosts:
    """The hosts of a server. A name of this machine is one at any port, another at the usual ones.

    Raises :class:`ValueError` for a name that is none.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._known: set[Authority] = set()
        for name in names:
            known = Authority.read(f"[{name}]" if name.count(":") > 1 and name[0] != "[" else name)
            if known is None:
                raise ValueError(f"{name!r} is no host and no host:port")
            self._known.add(known)

    def takes_host(self, headers: Sequence[bytes]) -> bool:
        """Say whether a request goes to this server, by its headers ``Host``."""
        if len(headers) != 1:
            return False
        read = Authority.read(headers[0].decode("latin-1"))
        return read is not None and self._has(read, tuple(USUAL.values()))

    def takes_origin(self, headers: Sequence[bytes]) -> bool:
        """Say whether a request comes from no page, or from one of these hosts."""
        if not headers:
            return True
        parts = ORIGIN.fullmatch(headers[0].decode("latin-1"))
        if len(headers) != 1 or parts is None:
            return False
        read = Authority.read(parts[2])
        return read is not None and self._has(read, (USUAL[parts[1].lower()],))

    def _has(self, read: Authority, usual: Sequence[int]) -> bool:
        if read in self._known or (
            read.host in LOOPBACK and Authority(read.host, None) in self._known
        ):
            return True
        return read.port in usual and Authority(read.host, None) in self._known
