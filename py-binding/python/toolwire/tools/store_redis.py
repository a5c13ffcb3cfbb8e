"""A store on a Redis or Valkey server, which processes on many machines may share.

Every change is one Lua script, so it happens as a whole or not at all.

>>> from toolwire.tools import RedisStore
>>> RedisStore("redis://ann:secret@localhost:6379/0", prefix="shop")
RedisStore(localhost:6379/0, prefix='shop')
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from toolwire.tools.errors import StoreError
from toolwire.tools.store import Expect
from toolwire.tools.store_server import (
    check_key,
    import_package,
    safe_place,
    secrets_of,
    store_error,
)

if TYPE_CHECKING:
    import redis

__all__ = ["RedisStore"]

# An entry is one field of a hash: its version, its expiry as 20 digits or nothing, its bytes.
# Beside it stand the keys in their order, what expires in the order of the times, and the last
# version. Only the entry itself says when it expires: a purge compares it with what stands beside.
# A version is the server's microsecond, or the one after the last version: so it does not
# repeat even if the server loses its last changes.
_PUT = """
local held = redis.call('HGET', KEYS[1], ARGV[1])
local version, expires
if held then
  version, expires = string.match(held, '^([1-9]%d*):(%d*):')
  local whole = version and tonumber(version) < 9007199254740991
  whole = whole and (expires == '' or #expires == 20)
  if not whole then return redis.error_reply('CORRUPT') end
end
local live = held and (expires == '' or ARGV[5] <= expires)
if ARGV[3] == 'absent' then
  if live then return false end
elseif ARGV[3] ~= 'any' and not (live and version == ARGV[3]) then
  return false
end
local time = redis.call('TIME')
local new = tonumber(time[1]) * 1000000 + tonumber(time[2])
local last = tonumber(redis.call('GET', KEYS[4]) or '0')
local counts = last and last >= 0 and last < 9007199254740991
if not counts then return redis.error_reply('CORRUPT') end
if version and tonumber(version) > last then last = tonumber(version) end
if last >= new then new = last + 1 end
new = string.format('%.0f', new)
redis.call('SET', KEYS[4], new)
redis.call('HSET', KEYS[1], ARGV[1], new .. ':' .. ARGV[4] .. ':' .. ARGV[2])
redis.call('ZADD', KEYS[2], 0, ARGV[1])
if held and expires ~= '' then redis.call('ZREM', KEYS[3], expires .. ':' .. ARGV[1]) end
if ARGV[4] ~= '' then redis.call('ZADD', KEYS[3], 0, ARGV[4] .. ':' .. ARGV[1]) end
return new
"""

_DELETE = """
local held = redis.call('HGET', KEYS[1], ARGV[1])
if not held then return 0 end
local version, expires = string.match(held, '^(%d+):(%d*):')
if not version and ARGV[2] ~= 'any' then return redis.error_reply('CORRUPT') end
local live = version and (expires == '' or ARGV[3] <= expires)
if ARGV[2] ~= 'any' and not (live and version == ARGV[2]) then return 0 end
redis.call('HDEL', KEYS[1], ARGV[1])
redis.call('ZREM', KEYS[2], ARGV[1])
if version and expires ~= '' then redis.call('ZREM', KEYS[3], expires .. ':' .. ARGV[1]) end
return live and 1 or 0
"""

_SCAN = """
local found, start, limit = {}, ARGV[1], tonumber(ARGV[3])
while true do
  local page = redis.call('ZRANGEBYLEX', KEYS[2], start, ARGV[2], 'LIMIT', 0, 256)
  for _, key in ipairs(page) do
    local held = redis.call('HGET', KEYS[1], key)
    local expires = held and string.match(held, '^%d+:(%d*):')
    if held and not expires then return redis.error_reply('CORRUPT') end
    if held and (expires == '' or ARGV[4] <= expires) then
      found[#found + 1] = key
      found[#found + 1] = held
      if #found >= limit * 2 then return found end
    end
  end
  if #page < 256 then return found end
  start = '(' .. page[#page]
end
"""

_PURGE = """
local count, start = 0, '-'
while true do
  local page = redis.call('ZRANGEBYLEX', KEYS[3], start, '(' .. ARGV[2], 'LIMIT', 0, 256)
  for _, member in ipairs(page) do
    local key = string.sub(member, 22)
    if string.sub(key, 1, #ARGV[1]) == ARGV[1] then
      local held = redis.call('HGET', KEYS[1], key)
      local expires = held and string.match(held, '^%d+:(%d*):')
      if expires and expires == string.sub(member, 1, 20) then
        redis.call('HDEL', KEYS[1], key)
        redis.call('ZREM', KEYS[2], key)
        count = count + 1
      end
      redis.call('ZREM', KEYS[3], member)
    end
  end
  if #page < 256 then return count end
  start = '(' .. page[#page]
end
"""

_ENTRY = re.compile(rb"([1-9]\d{0,15}):(\d{20}|):")
_ZERO = 1 << 63
# Lua counts in floats, and from here on they leave numbers out.
_LAST_VERSION = (1 << 53) - 1


def _time(time: int | None) -> str:
    """Write a time as 20 digits, so that texts compare as the times do."""
    return "" if time is None else f"{time + _ZERO:020}"


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

    def __init__(
        self,
        server: str | redis.Redis = "redis://localhost:6379/0",
        *,
        prefix: str = "toolwire",
        timeout_seconds: float = 5.0,
        wait_replicas: int = 0,
    ) -> None:
        self._redis = import_package("redis", "RedisStore", "redis")
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
        arguments = (check_key(key), value, str(expect), _time(expires_at), _time(now))
        version = self._change(_PUT, *arguments)
        return None if version is None else int(version)

    def delete(self, key: str, expect: Expect, now: int) -> bool:
        """Delete an entry if its version is the expected one, and say whether there was one."""
        check_key(key)
        return expect != "absent" and self._change(_DELETE, key, str(expect), _time(now)) == 1

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
        arguments = (start, f"({prefix}\x7f", limit, _time(now))
        found = self._read("EVAL", _SCAN, len(self._names), *self._names, *arguments)
        pairs = zip(found[::2], found[1::2], strict=True)
        return [(self._key(key), *self._entry(held)) for key, held in pairs]

    def purge(self, prefix: str, now: int) -> int:
        """Remove the expired entries whose keys begin with a prefix, and give their number."""
        return int(self._change(_PURGE, check_key(prefix), _time(now)))

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

    def _change(self, script: str, *arguments: Any) -> Any:
        """Run a script that changes entries, once; then wait for replicas if that is asked for."""
        self._check_open()
        command = (script, len(self._names), *self._names, *arguments)
        try:
            if self._wait <= 0:
                return self._client.eval(*command)
            with self._client.pipeline(transaction=False) as pipe:
                # In one pipeline both go over one connection.
                pipe.eval(*command)
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
