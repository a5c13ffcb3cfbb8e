"""Who may reach a server over HTTP, how many may, and for how long they may keep it waiting."""

from __future__ import annotations

import contextlib
import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from mcp_served import free_port, served

HERE = Path(__file__).parent
TOKEN = "a token of many characters"
START = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "raw", "version": "1"},
    },
}


def asked(port: int, *headers: str) -> int:
    """Send a request with these headers as they are; give the status."""
    body = json.dumps(START).encode()
    lines = [
        "POST /mcp HTTP/1.1",
        f"Authorization: Bearer {TOKEN}",
        "Accept: application/json, text/event-stream",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
        "Connection: close",
        *headers,
    ]
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        connection.sendall("\r\n".join([*lines, "", ""]).encode() + body)
        return int(connection.recv(4096).split(b" ")[1])


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    names = ("--name", "tools.example.org", "--name", "other.example.org:8443")
    with served(TOKEN, *names) as address:
        yield int(address.rsplit(":", 1)[1].split("/")[0])


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1:8000", 200),
        ("LOCALHOST", 200),
        ("[::1]:1", 200),
        ("[0:0:0:0:0:0:0:1]", 200),
        ("Tools.Example.org.", 200),
        ("tools.example.org:443", 200),
        ("other.example.org:8443", 200),
        ("localhost:80@evil.example", 421),
        ("127.0.0.1:80.evil.example", 421),
        ("127.0.0.1.evil.example", 421),
        ("localhost:", 421),
        ("localhost:99999", 421),
        ("localhost:80:80", 421),
        ("localhost/evil.example", 421),
        ("user@localhost", 421),
        ("127.1", 421),
        ("tools.example.org:8443", 421),
        ("other.example.org", 421),
        ("evil-tools.example.org", 421),
    ],
)
def test_the_host_is_compared_as_parsed(port: int, host: str, status: int) -> None:
    assert asked(port, f"Host: {host}") == status


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("http://localhost:3000", 200),
        ("HTTP://127.0.0.1", 200),
        ("https://tools.example.org", 200),
        ("https://other.example.org:8443", 200),
        ("null", 403),
        ("http://localhost:3000@evil.example", 403),
        ("http://localhost:3000.evil.example", 403),
        ("http://localhost:3000/evil", 403),
        ("http://tools.example.org:443", 403),
        ("https://tools.example.org.evil.example", 403),
        ("ftp://localhost", 403),
        ("localhost", 403),
        ("", 403),
    ],
)
def test_the_origin_is_compared_as_parsed(port: int, origin: str, status: int) -> None:
    assert asked(port, "Host: localhost", f"Origin: {origin}") == status


def test_a_header_that_comes_twice_names_nobody(port: int) -> None:
    both = ("Origin: http://localhost", "Origin: http://evil.example")
    assert asked(port, "Host: localhost", *both) == 403
    assert asked(port, "Host: localhost", "Host: localhost") in (400, 421)
    assert asked(port) in (400, 421)


@contextlib.contextmanager
def limited(log: Path) -> Iterator[int]:
    """Serve with few connections and little time; give the port."""
    port = free_port()
    command = [sys.executable, "mcp_limited.py", str(port), TOKEN]
    with (
        log.open("w") as errors,
        subprocess.Popen(command, cwd=HERE, stderr=errors) as process,
    ):
        try:
            for _ in range(200):
                with socket.socket() as trying:
                    if trying.connect_ex(("127.0.0.1", port)) == 0:
                        break
                time.sleep(0.1)
            yield port
        finally:
            process.terminate()


def ends(connection: socket.socket) -> bool:
    """Wait until the server has ended a connection."""
    connection.settimeout(20)
    with contextlib.suppress(ConnectionResetError):
        while connection.recv(4096):
            pass
    return True


@pytest.mark.parametrize(
    "begun",
    [
        b"",
        b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-A: ",
        f"POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}\r\n"
        "Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{".encode(),
    ],
    ids=["nothing", "head", "body"],
)
def test_who_does_not_finish_a_request_is_sent_away(begun: bytes, tmp_path: Path) -> None:
    with limited(tmp_path / "log") as port:
        assert asked(port, "Host: localhost") == 200
        with contextlib.ExitStack() as stack:
            slow = [
                stack.enter_context(socket.create_connection(("127.0.0.1", port))) for _ in range(4)
            ]
            for one in slow:
                one.sendall(begun)
            assert asked(port, "Host: localhost") == 503
            assert all(ends(one) for one in slow)
            assert asked(port, "Host: localhost") == 200


def test_a_byte_now_and_then_does_not_prolong_a_request(tmp_path: Path) -> None:
    with limited(tmp_path / "log") as port:
        with socket.create_connection(("127.0.0.1", port)) as dripping:
            sent = 0
            with contextlib.suppress(OSError):
                for _ in range(200):
                    dripping.sendall(b"P")
                    sent += 1
                    time.sleep(0.1)
        assert sent < 100


def test_what_clients_do_fills_no_log(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with limited(log) as port:
        for _ in range(300):
            with socket.create_connection(("127.0.0.1", port)) as connection:
                connection.sendall(b"\x1b[31m is no request\r\n\r\n")
                assert ends(connection)
    lines = log.read_text().splitlines()
    assert 1 <= len(lines) <= 70
    assert "\x1b" not in log.read_text()
