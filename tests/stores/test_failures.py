"""Servers that are away, restart, refuse changes or cut a connection."""

from __future__ import annotations

import asyncio
import logging
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from server_stores import open_store, url_of
from servers import Redis, Server
from toolwire.tools import ApprovalService, StoreError


def kind_of(work: Callable[[], Any]) -> str:
    """Give the kind of the error that some work raises."""
    with pytest.raises(StoreError) as raised:
        work()
    return raised.value.kind


def test_a_server_that_is_killed_loses_nothing(make: Callable[..., Any], server: Server) -> None:
    store, idle = make(), make()
    versions = {f"k{number}": store.put(f"k{number}", b"1", "any", None, 0) for number in range(50)}
    assert idle.get("k1", 0)
    server.kill()
    try:
        changes = (
            lambda: store.put("k1", b"2", versions["k1"], None, 0),
            lambda: store.get("k1", 0),
            lambda: store.delete("k2", "any", 0),
            lambda: store.scan("", None, 9, 0),
            lambda: store.purge("", 9),
        )
        assert [kind_of(work) for work in changes] == ["io"] * len(changes)
    finally:
        server.start()
    # One connection broke in use, the other one while nobody used it: both stores go on.
    assert idle.put("k0", b"2", versions["k0"], None, 0) > max(versions.values())
    found = {key: version for key, _, version, _ in store.scan("", None, 99, 0)}
    assert found | {"k0": versions["k0"]} == versions


def test_a_wait_outlives_a_restart(make: Callable[..., Any], server: Server) -> None:
    async def scenario() -> bool:
        service = ApprovalService(store=make())
        request = await service.request_approval(UUID(int=1), "edit")
        wait = asyncio.ensure_future(service.await_decision(request.id, 60))
        await asyncio.sleep(0.3)
        await asyncio.to_thread(server.kill)
        await asyncio.sleep(0.3)
        server.start()
        await ApprovalService(store=make()).record_decision(request.id, True)
        return (await wait).granted

    assert asyncio.run(scenario())


def test_a_cut_connection_is_an_error_once(make: Callable[..., Any], server: Server) -> None:
    direct, cut = make(), make(port=server.proxy.port)
    first = cut.put("k", b"1", "absent", None, 0)
    server.proxy.cut()
    # The server does what it was asked for, and the answer is lost.
    assert kind_of(lambda: cut.put("k", b"2", first, None, 0)) == "io"
    value, version, _ = direct.get("k", 0)
    assert (value, version != first) == (b"2", True)
    assert cut.put("k", b"3", first, None, 0) is None
    assert cut.put("k", b"3", version, None, 0)
    server.proxy.cut()
    assert cut.get("k", 0)[0] == b"3", "what only reads is asked again"


def test_a_server_that_may_only_be_read_says_so(make: Callable[..., Any], server: Server) -> None:
    store = make()
    store.put("k", b"1", "any", None, 0)
    server.read_only(True)
    try:
        assert store.get("k", 0)[0] == b"1"
        assert len(store.scan("", None, 9, 0)) == 1
        for work in (
            lambda: store.put("k", b"2", "any", None, 0),
            lambda: store.delete("k", "any", 0),
        ):
            assert kind_of(work) == "read_only"
    finally:
        server.read_only(False)
    assert store.put("k", b"2", "any", None, 0)


def test_what_is_no_store_is_corrupt(make: Callable[..., Any], server: Server) -> None:
    store = make("alien")
    store.put("k", b"1", "any", None, 0)
    if server.name == "redis":
        store._client.hset("{alien}:entries", "k", "nonsense")
        assert kind_of(lambda: store.put("k", b"2", "any", None, 0)) == "corrupt"
        store._client.set("{other}:entries", "x")
        store = make("other")
    else:
        with store._connections.take() as connection:
            connection.execute("CREATE TABLE other (name text)")
        store = make("other")
    for work in (lambda: store.get("k", 0), lambda: store.put("k", b"2", "any", None, 0)):
        assert kind_of(work) == "corrupt"


def test_a_change_waits_for_replicas_that_are_asked_for(
    servers: dict[str, Server], tmp_path: Path
) -> None:
    primary = servers["redis"]
    assert isinstance(primary, Redis)
    store = open_store(url_of(primary), "waits", wait_replicas=1, timeout_seconds=0.4)
    with store, pytest.raises(StoreError, match="only 0 replicas of 1") as raised:
        store.put("k", b"1", "any", None, 0)
    assert raised.value.kind == "io"
    replica = Redis(tmp_path)
    try:
        replica.follow(primary)
        with open_store(url_of(primary), "waits", wait_replicas=1) as store:
            assert store.get("k", 0)[0] == b"1"
            versions = [store.put("k", b"2", "any", None, 0) for _ in range(20)]
        primary.kill()
        replica.read_only(False)
        # The replica takes over, and has what was acknowledged.
        with open_store(url_of(replica), "waits") as store:
            assert store.get("k", 0) == (b"2", versions[-1], None)
            assert store.put("k", b"3", versions[-1], None, 0) > versions[-1]
    finally:
        replica.stop()
        primary.start()


PASSWORDS = ["wrong", "p@ss", "p/ss@word", "p:s?s#w", "100%zz", "%40secret", "p@h:99999"]


@pytest.mark.parametrize("password", PASSWORDS)
def test_a_password_is_in_no_message(
    server: Server, password: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    kinds: set[str] = set()
    for port in (server.port, 1):
        scheme = "redis" if server.name == "redis" else "postgresql"
        url = f"{scheme}://shop:{password}@127.0.0.1:{port}/0"
        try:
            store = open_store(url, "secrets", timeout_seconds=2)
            shown = repr(store)
            store.get("k", 0)
            pytest.fail("the password is not that of the server")
        except (StoreError, ValueError) as error:
            kinds.add(getattr(error, "kind", "url"))
            shown = "".join(traceback.format_exception(error)) + repr(error)
            cause = error.__cause__ or error.__context__
            shown += str(cause)
        # The traceback shows lines of this file, but no values.
        assert password not in shown
        for part in ("ss@word", "secret@", "ss#w", "h:99999"):
            assert part not in shown
        assert password not in caplog.text
    assert kinds <= {"io", "url"}


def test_a_missing_package_is_named(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    package = "redis" if server.name == "redis" else "psycopg"
    # Python raises for a module whose place is taken by nothing.
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=rf"needs the package {package}: pip install {package}$"):
        open_store(url_of(server), "missing")
