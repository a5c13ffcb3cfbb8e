"""Opens the stores of the servers, in the tests and in the processes that they start."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from servers import Server
from toolwire.tools import PostgresStore, RedisStore, SqliteStore


def url_of(server: Server, port: int | None = None) -> str:
    """Give the URL of a server, or of another port that leads there."""
    port = server.port if port is None else port
    password = quote(server.password, safe="")
    if server.name == "redis":
        return f"redis://:{password}@127.0.0.1:{port}/0"
    return f"postgresql://shop:{password}@127.0.0.1:{port}/shop"


def open_store(url: str, name: str, **options: Any) -> Any:
    """Open the store of a name on a server, or that of a file; any process may."""
    if url.startswith("/"):
        return SqliteStore(url, **options)
    if url.startswith("redis"):
        return RedisStore(url, prefix=name, **options)
    return PostgresStore(url, table=name, **options)
