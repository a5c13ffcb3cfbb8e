"""Starts database servers for tests, each on a port of loopback in a folder of its own.

A test in Python imports it. Tests in PHP start it as a program: it prints a line of JSON with the
address of each server, and then takes commands on standard input, one a line, and answers each:
``kill NAME``, ``start NAME``, ``cut NAME``, ``plan NAME REQUEST MODE SIZE`` (see ``proxy.py``),
``unplan NAME``, ``trips NAME``, ``read_only NAME on|off``. It stops the servers when its input
ends.

    servers.py NAME...
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from proxy import Cut, Proxy

PATIENCE = 60.0
# Debian keeps the programs of each version in a folder of its own.
POSTGRES = max(Path("/usr/lib/postgresql").glob("*/bin"), default=Path("/usr/bin"))


def free_port() -> int:
    """Give a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def wait_until(works: Callable[[], bool], what: str) -> None:
    """Wait until something works."""
    end = time.monotonic() + PATIENCE
    while not works():
        if time.monotonic() > end:
            raise TimeoutError(f"{what} did not come up")
        time.sleep(0.02)


class Server:
    """A database server in a folder."""

    name = ""
    # A password that a parser of URLs would trip over.
    password = "open/sesame"

    def __init__(self, folder: Path) -> None:
        self.folder = self.place(folder)
        self.folder.mkdir()
        self.port = free_port()
        self._process: subprocess.Popen[bytes] | None = None
        self._log = (folder / f"{self.name}.log").open("ab")
        self.prepare()
        self.start()
        self.set_up()
        self.proxy = Proxy(self.port)

    def place(self, folder: Path) -> Path:
        """Say where the server keeps its data."""
        return folder / self.name

    def prepare(self) -> None:
        """Make the files of the server."""

    def set_up(self) -> None:
        """Make users and databases on the running server."""

    def command(self) -> list[str]:
        """Give the command of the server."""
        raise NotImplementedError

    def answers(self) -> bool:
        """Say whether the server takes commands."""
        raise NotImplementedError

    def read_only(self, on: bool) -> None:
        """Let the server refuse changes, or take them again."""
        raise NotImplementedError

    def start(self) -> None:
        """Start the server, and wait until it takes commands."""
        self._spawn()
        wait_until(self._came_up, self.name)

    def kill(self) -> None:
        """End the server as a power failure of its process would."""
        assert self._process is not None
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()

    def stop(self) -> None:
        """End the server in order."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(self.stop_signal())
            try:
                self._process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()

    def stop_signal(self) -> signal.Signals:
        """Give the signal that ends the server at once."""
        return signal.SIGTERM

    def run(self, *command: str) -> str:
        """Run a program of the server as its user."""
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=PATIENCE, **self.user()
        )
        if done.returncode:
            raise RuntimeError(f"{command[0]}: {done.stdout}{done.stderr}")
        printed: str = done.stdout
        return printed

    def works(self, *command: str) -> bool:
        """Say whether a program of the server succeeds."""
        return (
            subprocess.run(command, stdout=self._log, stderr=self._log, **self.user()).returncode
            == 0
        )

    def user(self) -> dict[str, Any]:
        """Give the user of the server, for a program that is started."""
        return {}

    def _came_up(self) -> bool:
        assert self._process is not None
        if self._process.poll() is not None:
            # What a killed server left, such as its shared memory, ends a little later.
            time.sleep(0.2)
            self._spawn()
        return self.answers()

    def _spawn(self) -> None:
        self._process = subprocess.Popen(
            # The server ends with the thread that starts it, however that ends: so the main one.
            ["setpriv", "--pdeathsig", "KILL", *self.command()],
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=self._log,
            cwd=self.folder,
            **self.user(),
        )


def _option(name: str, value: str) -> tuple[str, str]:
    return (f"--{name}", value)


class Redis(Server):
    """Redis with a log on disk, and a password."""

    name = "redis"

    def place(self, folder: Path) -> Path:
        # It waits for the disk at each change, and memory is a disk that does not let it wait:
        # only processes are killed here.
        memory = Path("/dev/shm")
        return memory / folder.name if os.access(memory, os.W_OK) else folder / self.name

    def stop(self) -> None:
        super().stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def command(self) -> list[str]:
        options = {
            "bind": "127.0.0.1",
            "port": str(self.port),
            "dir": str(self.folder),
            "appendonly": "yes",
            # With "everysec", up to two seconds of changes are written after their answers.
            "appendfsync": "always",
            "save": "",
            "requirepass": self.password,
            # A replica is served at once, without a wait for others.
            "repl-diskless-sync-delay": "0",
            "logfile": "",
        }
        return ["redis-server", *(part for one in options.items() for part in _option(*one))]

    def answers(self) -> bool:
        return self._ask("ping") == "PONG"

    def read_only(self, on: bool) -> None:
        # A replica of a server that is not there refuses changes.
        self._ask("replicaof", *(("127.0.0.1", "1") if on else ("no", "one")))

    def follow(self, primary: Server) -> None:
        """Become a replica of another server, and wait until it has what the other one has."""
        self._ask("config", "set", "masterauth", primary.password)
        self._ask("replicaof", "127.0.0.1", str(primary.port))
        wait_until(lambda: "master_link_status:up" in self._ask("info", "replication"), "a replica")

    def _ask(self, *command: str) -> str:
        given = ["redis-cli", "-p", str(self.port), "--no-auth-warning", "-a", self.password]
        done = subprocess.run([*given, *command], capture_output=True, text=True)
        return done.stdout.strip()


class Postgres(Server):
    """PostgreSQL with a user, a password and a database."""

    name = "postgres"

    def user(self) -> dict[str, Any]:
        # The server refuses to run as root.
        return {"user": "postgres", "group": "postgres"} if os.geteuid() == 0 else {}

    def prepare(self) -> None:
        if os.geteuid() == 0:
            shutil.chown(self.folder, "postgres", "postgres")
        initdb = (str(POSTGRES / "initdb"), "-D", str(self.folder / "data"), "-U", "owner")
        self.run(*initdb, "--no-sync", "--auth-local=trust", "--auth-host=scram-sha-256")

    def command(self) -> list[str]:
        settings = {
            "listen_addresses": "127.0.0.1",
            "port": str(self.port),
            "unix_socket_directories": str(self.folder),
            # The process is killed, never the machine: what the kernel has is not lost.
            "fsync": "off",
            "max_connections": "60",
            "shared_buffers": "16MB",
            # What a killed server leaves is then in its folder.
            "dynamic_shared_memory_type": "mmap",
        }
        options = [part for one in settings.items() for part in ("-c", "=".join(one))]
        return [str(POSTGRES / "postgres"), "-D", str(self.folder / "data"), *options]

    def answers(self) -> bool:
        return self.works(*self._psql("postgres"), "-c", "SELECT 1")

    def set_up(self) -> None:
        role = f"CREATE ROLE shop LOGIN PASSWORD '{self.password}'"
        # The keys of a store compare by their bytes even if the texts of the database do not.
        base = "CREATE DATABASE shop OWNER shop"
        self.run(*self._psql("postgres"), "-c", role, "-c", base)

    def read_only(self, on: bool) -> None:
        setting = "ON" if on else "OFF"
        change = f"ALTER ROLE shop SET default_transaction_read_only = {setting}"
        end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'shop'"
        self.run(*self._psql("postgres"), "-c", change, "-c", end)

    def stop_signal(self) -> signal.Signals:
        return signal.SIGQUIT

    def _psql(self, database: str) -> tuple[str, ...]:
        where = ("-h", str(self.folder), "-p", str(self.port), "-U", "owner", "-d", database)
        return (str(POSTGRES / "psql"), "-X", "-q", *where)


class MariaDb(Server):
    """MariaDB with a user, a password and a database."""

    name = "mariadb"

    def _common(self) -> list[str]:
        user = subprocess.run(["id", "-un"], capture_output=True, text=True).stdout.strip()
        data = f"--datadir={self.folder / 'data'}"
        return ["--no-defaults", data, f"--user={user}", "--innodb-log-file-size=8M"]

    def prepare(self) -> None:
        options = ("--auth-root-authentication-method=normal", "--skip-test-db")
        self.run("mariadb-install-db", *self._common(), *options)

    def command(self) -> list[str]:
        return [
            "mariadbd",
            *self._common(),
            "--bind-address=127.0.0.1",
            f"--port={self.port}",
            f"--socket={self._socket()}",
            "--innodb-flush-log-at-trx-commit=2",
            "--skip-log-bin",
        ]

    def answers(self) -> bool:
        return self.works(*self._client("mariadb-admin"), "ping")

    def set_up(self) -> None:
        self._ask(
            "CREATE DATABASE shop CHARACTER SET utf8mb4;"
            f"CREATE USER shop@'%' IDENTIFIED BY '{self.password}'; GRANT ALL ON shop.* TO shop@'%'"
        )

    def read_only(self, on: bool) -> None:
        self._ask(f"SET GLOBAL read_only = {int(on)}")

    def _socket(self) -> Path:
        return self.folder / "s"

    def _client(self, program: str) -> tuple[str, ...]:
        return (program, "--no-defaults", "-u", "root", "-S", str(self._socket()))

    def _ask(self, statements: str) -> None:
        self.run(*self._client("mariadb"), "-e", statements)


KINDS: dict[str, type[Server]] = {one.name: one for one in (Redis, Postgres, MariaDb)}


@contextlib.contextmanager
def running(*names: str) -> Iterator[dict[str, Server]]:
    """Start servers in a new folder, and stop them at the end."""
    folder = Path(tempfile.mkdtemp(prefix="toolwire-stores-", dir="/tmp"))
    folder.chmod(0o755)
    servers: dict[str, Server] = {}
    try:
        for name in names:
            servers[name] = KINDS[name](folder)
        yield servers
    finally:
        for server in servers.values():
            server.stop()
        shutil.rmtree(folder, ignore_errors=True)


def obey(servers: dict[str, Server], line: str) -> str:
    """Do what a line of standard input says, and give the answer."""
    command, name, *rest = line.split()
    server = servers[name]
    if command == "kill":
        server.kill()
    elif command == "start":
        server.start()
    elif command == "cut":
        server.proxy.cut()
    elif command == "plan":
        request, mode, size = rest
        server.proxy.plan(Cut(int(request), mode, int(size)))
    elif command == "unplan":
        return "made" if server.proxy.plan(None) else "not made"
    elif command == "trips":
        return str(server.proxy.count_trips())
    elif command == "read_only":
        server.read_only(rest == ["on"])
    else:
        raise ValueError(line)
    return "done"


def main(names: list[str]) -> None:
    """Run the servers until standard input ends."""
    with running(*names) as servers:
        told = {
            name: {"port": server.port, "proxy": server.proxy.port, "password": server.password}
            for name, server in servers.items()
        }
        print(json.dumps(told), flush=True)
        for line in sys.stdin:
            print(obey(servers, line), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
