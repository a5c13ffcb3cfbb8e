"""The cases of ``store``: what every store promises, in steps that one store takes."""

from __future__ import annotations

import base64
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from cases import MalformedError, fields, raw
from toolwire.runs.store import Expect
from toolwire.tools import MemoryStore, SqliteStore

# A version that no entry has.
NEVER = 1 << 62


class DictStore:
    """A store in a dict, as a program may write one."""

    def __init__(self) -> None:
        self.entries: dict[str, tuple[bytes, int, int | None]] = {}
        self.version = 0

    def get(self, key: str, now: int) -> tuple[bytes, int, int | None] | None:
        entry = self.entries.get(key)
        return None if entry is None or (entry[2] is not None and now > entry[2]) else entry

    def meets(self, key: str, expect: Expect, now: int) -> bool:
        entry = self.get(key, now)
        if expect == "any":
            return True
        return entry is None if expect == "absent" else entry is not None and entry[1] == expect

    def put(
        self, key: str, value: bytes, expect: Expect, expires_at: int | None, now: int
    ) -> int | None:
        if not self.meets(key, expect, now):
            return None
        self.version += 1
        self.entries[key] = (value, self.version, expires_at)
        return self.version

    def delete(self, key: str, expect: Expect, now: int) -> bool:
        if expect == "absent" or not self.meets(key, expect, now):
            return False
        was_there = self.get(key, now) is not None
        self.entries.pop(key, None)
        return was_there

    def scan(
        self, prefix: str, after: str | None, limit: int, now: int
    ) -> Iterable[tuple[str, bytes, int, int | None]]:
        keys = sorted(
            key for key in self.entries if key.startswith(prefix) and (after is None or key > after)
        )
        found = ((key, self.get(key, now)) for key in keys)
        return [(key, *entry) for key, entry in found if entry is not None][:limit]

    def purge(self, prefix: str, now: int) -> int:
        expired = [
            key for key in self.entries if key.startswith(prefix) and self.get(key, now) is None
        ]
        for key in expired:
            del self.entries[key]
        return len(expired)

    def shared(self) -> bool:
        return False


STORES: dict[str, Callable[[Path], Any]] = {
    "memory": lambda _: MemoryStore(),
    "sqlite": lambda folder: SqliteStore(folder / "tools.db"),
    "python": lambda _: DictStore(),
}


class StoreCase:
    """Takes the steps of a case; a version is written as the number of the step that gave it."""

    def __init__(self, store: Any) -> None:
        self.store = store
        self.versions: dict[int, int] = {}

    def run(self, given: dict[str, Any], expected: dict[str, Any]) -> None:
        fields(given, "steps")
        fields(expected, "given")
        got = [self.take(*step) for step in enumerate(given["steps"])]
        assert got == expected["given"]

    def take(self, number: int, step: list[Any]) -> Any:
        name, *arguments = step
        if name == "get":
            entry = self.store.get(*arguments)
            return None if entry is None else self.written(entry)
        if name == "put":
            key, value, expect, expires_at, now = arguments
            version = self.store.put(key, raw(value), self.expect(expect), expires_at, now)
            if version is None:
                return False
            assert isinstance(version, int)
            assert 0 < version < 1 << 63
            assert version not in self.versions.values(), "a version comes once"
            self.versions[number] = version
            return True
        if name == "delete":
            key, expect, now = arguments
            deleted = self.store.delete(key, self.expect(expect), now)
            assert isinstance(deleted, bool)
            return deleted
        if name == "scan":
            return [[key, *self.written(entry)] for key, *entry in self.store.scan(*arguments)]
        if name == "purge":
            return self.store.purge(*arguments)
        raise MalformedError(f"an unknown step {name}")

    def expect(self, expect: Any) -> Any:
        return expect if isinstance(expect, str) else self.versions.get(expect, NEVER)

    def written(self, entry: Iterable[Any]) -> list[Any]:
        value, version, expires_at = entry
        (number,) = [step for step, known in self.versions.items() if known == version]
        shown: Any = {"$base64": base64.b64encode(value).decode()}
        if value.isascii() and value.decode().isprintable():
            shown = value.decode()
        return [shown, number, expires_at]


def in_every_store(given: dict[str, Any], expected: dict[str, Any]) -> None:
    for make in STORES.values():
        with tempfile.TemporaryDirectory() as folder:
            StoreCase(make(Path(folder))).run(given, expected)
