"""A store on a Redis or Valkey server, which processes on many machines may share.

Every change, and every batch of changes, is one call of a Lua script: so it happens as a whole or
not at all. The script is the file ``redis.lua`` beside this one. PHP's store runs the same bytes.

>>> from toolwire.runs import RedisStore
>>> RedisStore("redis://ann:secret@localhost:6379/0", prefix="shop")
RedisStore(localhost:6379/0, prefix='shop')
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from importlib import resources
from typing import TYPE_CHECKING, Any

from toolwire.runs.errors import StoreError
from toolwire.runs.store import Change, Expect
from toolwire.runs.store_server import (
    check_key,
    import_package,
    safe_place,
    secrets_of,
    store_error,
)

if TYPE_CHECKING:
    import redis

__all__ = ["RedisStore"]

_ENTRY = re.compile(rb"([1-9]\d{0,15}):(\d{20}|):")
_ZERO = 1 << 63
# Lua counts in floats, and from here on they leave numbers out.
_LAST_VERSION = (1 << 53) - 1


def _time(time: int | None) -> str:
    """Write a time as 20 digits, so that texts compare as the times do."""
    return "" if time is None else f"{time + _ZERO:020}"


def _put(key: str, value: bytes, expect: Expect, expires_at: int | None) -> tuple[Any, ...]:
    return "put", check_key(key), value, str(expect), _time(expires_at)


def _delete(key: str, expect: Expect) -> tuple[Any, ...]:
    # No entry has the version "absent".
    return "delete", check_key(key), str(expect)


def _purge(prefix: str, limit: int | None) -> tuple[Any, ...]:
    return "purge", check_key(prefix), "" if limit is None else str(limit)


_WORDS: dict[str, Callable[..., tuple[Any, ...]]] = {
    "put": _put,
    "delete": _delete,
    "purge_some": _purge,
}


def _answer(kind: str, answer: Any) -> int | bool | None:
    """Read the answer to a change."""
    if kind == "delete":
        return bool(answer == 1)
    return None if answer is None else int(answer)


def read_script() -> bytes:
    """Give the script that reads and changes entries."""
    return resources.files("toolwire.runs").joinpath("redis.lua").read_bytes()


class RedisStore:
    """Keeps entries on a Redis or Valkey server, for any number of threads and processes.

    ``server`` is a URL, as ``redis://user:password@host:6379/0``, ``rediss://`` with TLS or
    ``unix://``, or a client of the package ``redis``, as Sentinel gives one; its retries are turned
    off, because a change must be sent once. All names on the server begin with ``{prefix}:``. With
    ``wait_replicas``, a change is acknowledged when that many replicas have it.

    The first call connects. Errors have the kinds ``io``, ``read_only``, ``corrupt`` and
    ``closed``. After ``io``, a change may have been made or not, and the next call connects again.
    """

    blocking = True
    """Calls wait for the network."""

    has_whole_batches = True
    """A batch is one script."""

    def __init__(
        self,
        server: str | redis.Redis = "redis://localhost:6379/0",
        *,
        prefix: str = "toolwire",
        timeout_seconds: float = 5.0,
        wait_replicas: int = 0,
    ) -> None:
        self._redis = import_package("redis", "RedisStore")
        if not prefix or not prefix.isprintable() or not prefix.isascii():
            raise ValueError("prefix must be printable ASCII, and not empty")
        self._prefix = prefix
        self._wait = wait_replicas
        self._timeout = timeout_seconds
        self._client: Any = self._connect(server) if isinstance(server, str) else server
        self._secrets = secrets_of(server) if isinstance(server, str) else []
        settings = self._client.connection_pool.connection_kwargs
        if settings.get("decode_responses"):
            raise ValueError("the client must not decode responses: the store keeps bytes")
        self._client.set_retry(self._redis.retry.Retry(self._redis.backoff.NoBackoff(), 0))
        place = settings.get("path") or f"{settings.get('host')}:{settings.get('port')}"
        place = f"{place}/{settings.get('db') or 0}"
        # Sentinel finds the server of its clients anew each time.
        known = "path" in settings or "host" in settings
        self._place = safe_place(place if known else "of the client", self._secrets)
        # The braces keep the names on one node of a cluster.
        names = ("entries", "order", "expiry", "version")
        self._names = [f"{{{prefix}}}:{name}" for name in names]
        self._script = read_script()
        self._closed = False

    def _connect(self, url: str) -> Any:
        redis = self._redis
        try:
            return redis.Redis.from_url(
                url,
                protocol=2,
                socket_timeout=self._timeout,
                socket_connect_timeout=self._timeout,
                socket_keepalive=True,
            )
        except (ValueError, TypeError, redis.RedisError):
            # The message of the cause shows parts of the URL.
            form = "redis://user:password@host:6379/0, with %40 for an @ in the password"
            raise ValueError(f"the URL of the Redis server is not of the form {form}") from None

    def get(self, key: str, now: int) -> tuple[bytes, int, int | None] | None:
        """Give the entry under a key: value, version, expires_at."""
        held = self._read("HGET", self._names[0], check_key(key))
        if held is None:
            return None
        entry = self._entry(held)
        return None if entry[2] is not None and now > entry[2] else entry

    def put(
        self, key: str, value: bytes, expect: Expect, expires_at: int | None, now: int
    ) -> int | None:
        """Put an entry if the present version is the expected one; give its version, else None."""
        (version,) = self._change(now, *_put(key, value, expect, expires_at))
        return None if version is None else int(version)

    def delete(self, key: str, expect: Expect, now: int) -> bool:
        """Delete an entry if its version is the expected one, and say whether there was one."""
        words = _delete(key, expect)
        return expect != "absent" and self._change(now, *words) == [1]

    def batch(self, changes: Sequence[Change], now: int) -> list[int | bool | None]:
        """Make several changes in one trip, up to the first put whose condition is not met."""
        if not changes:
            return []
        sent = [word for change in changes for word in _WORDS[change[0]](*change[1:])]
        answers = self._change(now, *sent)
        made = zip(changes, answers, strict=False)
        return [_answer(change[0], answer) for change, answer in made]

    def scan(
        self, prefix: str, after: str | None, limit: int, now: int
    ) -> list[tuple[str, bytes, int, int | None]]:
        """Give the next entries under a prefix, by key: key, value, version, expires_at."""
        check_key(prefix)
        if limit <= 0:
            return []
        start = f"[{prefix}"
        if after is not None and check_key(after) >= prefix:
            start = f"({after}"
        # No key has a byte above `~`.
        found = self._read(*self._call(now, "scan", start, f"({prefix}\x7f", limit))
        pairs = zip(found[::2], found[1::2], strict=True)
        return [(self._key(key), *self._entry(held)) for key, held in pairs]

    def purge(self, prefix: str, now: int) -> int:
        """Remove the expired entries whose keys begin with a prefix, and give their number."""
        (count,) = self._change(now, *_purge(prefix, None))
        return int(count)

    def shared(self) -> bool:
        """Say that other processes may write to it."""
        return True

    def close(self) -> None:
        """Close the connections. Every later call raises."""
        self._closed = True
        self._client.close()

    def __enter__(self) -> RedisStore:
        return self

    def __exit__(self, *_raised: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"RedisStore({self._place}, prefix={self._prefix!r})"

    def _entry(self, held: bytes) -> tuple[bytes, int, int | None]:
        parts = _ENTRY.match(held)
        if parts is None:
            raise StoreError(self._corrupt(), "corrupt")
        version, expires_at = int(parts[1]), int(parts[2]) - _ZERO if parts[2] else None
        if version >= _LAST_VERSION or (expires_at is not None and expires_at >= _ZERO):
            raise StoreError(self._corrupt(), "corrupt")
        return held[parts.end() :], version, expires_at

    def _key(self, name: bytes) -> str:
        try:
            return check_key(name.decode("ascii"))
        except ValueError as error:
            raise StoreError(self._corrupt(), "corrupt") from error

    def _read(self, *command: Any) -> Any:
        """Send a command that changes nothing; once more, if the connection broke."""
        self._check_open()
        try:
            return self._client.execute_command(*command)
        except self._redis.ConnectionError:
            failure = None
        except Exception as error:
            failure = self._failure(error)
        if failure is None:
            try:
                return self._client.execute_command(*command)
            except Exception as error:
                failure = self._failure(error)
        raise failure

    def _call(self, now: int, *words: Any) -> tuple[Any, ...]:
        """Give the command that runs the script."""
        return ("EVAL", self._script, len(self._names), *self._names, _time(now), *words)

    def _change(self, now: int, *words: Any) -> Any:
        """Make changes, once; then wait for replicas if that is asked for."""
        self._check_open()
        command = self._call(now, *words)
        try:
            if self._wait <= 0:
                return self._client.execute_command(*command)
            with self._client.pipeline(transaction=False) as pipe:
                # In one pipeline both go over one connection.
                pipe.execute_command(*command)
                pipe.execute_command("WAIT", self._wait, int(self._timeout * 500))
                changed, replicas = pipe.execute()
        except Exception as error:
            failure = self._failure(error)
        else:
            if replicas >= self._wait:
                return changed
            message = (
                f"the change was made at {self._place}, but only {replicas} replicas of "
                f"{self._wait} have it; a failover may lose it"
            )
            failure = StoreError(message, "io")
        raise failure

    def _check_open(self) -> None:
        if self._closed:
            raise StoreError(f"the store at {self._place} was closed; open it again", "closed")

    def _corrupt(self) -> str:
        names = ", ".join(self._names)
        return f"what stands at {self._place} under {names} is no store; give another prefix"

    def _failure(self, error: Exception) -> Exception:
        """Make the store's error for an error of the client."""
        redis, text = self._redis, str(error)
        if not isinstance(error, (redis.RedisError, OSError)):
            return error
        kind, message = "io", f"the Redis server {self._place} cannot be used now: {text}"
        if isinstance(error, redis.exceptions.ReadOnlyError):
            # After a failover, the name of the server may lead to the new one.
            self._client.connection_pool.disconnect()
            kind = "read_only"
            message = f"the Redis server {self._place} is a replica, which may only be read"
        elif text.startswith("WRONGTYPE") or "CORRUPT" in text:
            kind, message = "corrupt", self._corrupt()
        elif isinstance(error, redis.AuthenticationError):
            message = f"the Redis server {self._place} refused the user or the password"
        elif any(secret in text for secret in self._secrets):
            message = f"the Redis server {self._place} cannot be used now"
        return store_error(message, kind, error, self._secrets)
