"""A proxy before a server, which cuts connections when a test wants it."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from dataclasses import dataclass, field

MODES = ("before", "half", "behind", "answer")


@dataclass(frozen=True)
class Cut:
    """Where a connection is cut: at which request, counted from when it is planned.

    ``before`` the request reaches the server; ``half`` of it has; ``behind`` it, so that no answer
    comes back; or behind so many bytes of the ``answer``.
    """

    request: int
    mode: str
    size: int = 0


@dataclass
class Link:
    """A connection through the proxy, and how many more bytes of answers it hands back."""

    client: socket.socket
    server: socket.socket
    left: int | None = None
    # Whether the next bytes from the client begin a trip: it had an answer to what it sent before.
    is_idle: bool = True
    lock: threading.Lock = field(default_factory=threading.Lock)

    def close(self) -> None:
        for end in (self.client, self.server):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)


class Proxy:
    """Hands bytes to a server and back, and cuts one connection where a test has planned it."""

    def __init__(self, port: int) -> None:
        self._target = port
        self._lock = threading.Lock()
        self._planned: Cut | None = None
        self._requests = 0
        self._trips = 0
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """Cut the connection that sends the next request, behind the request."""
        self.plan(Cut(1, "behind"))

    def plan(self, cut: Cut | None) -> bool:
        """Plan a cut in the place of an earlier one, and say whether that one was made."""
        with self._lock:
            was_made = self._planned is None
            self._planned, self._requests = cut, 0
            return was_made

    def count_trips(self) -> int:
        """Give the number of trips since this was last asked: of requests and waits for an answer.

        What a client sends before it has an answer is one trip, in however many pieces.
        """
        with self._lock:
            trips, self._trips = self._trips, 0
            return trips

    def _sent(self, link: Link) -> None:
        with self._lock:
            self._trips += link.is_idle
            link.is_idle = False

    def _due(self) -> Cut | None:
        """Count a request, and give the cut that is to be made at it."""
        with self._lock:
            self._requests += 1
            if self._planned is None or self._planned.request != self._requests:
                return None
            planned, self._planned = self._planned, None
            return planned

    def _accept(self) -> None:
        while True:
            client, _ = self._listener.accept()
            try:
                server = socket.create_connection(("127.0.0.1", self._target))
            except OSError:
                client.close()
                continue
            link = Link(client, server)
            for work in (self._ask, self._answer):
                threading.Thread(target=work, args=(link,), daemon=True).start()

    def _ask(self, link: Link) -> None:
        with contextlib.suppress(OSError):
            while data := link.client.recv(1 << 20):
                self._sent(link)
                due = self._due()
                if due is None:
                    link.server.sendall(data)
                    continue
                if due.mode == "before":
                    break
                with link.lock:
                    link.left = due.size if due.mode == "answer" else 0
                link.server.sendall(data[: len(data) // 2] if due.mode == "half" else data)
                # The server has time to do what it was asked for, and to answer.
                time.sleep(0.15)
                break
        link.close()

    def _answer(self, link: Link) -> None:
        with contextlib.suppress(OSError):
            while data := link.server.recv(1 << 20):
                with link.lock:
                    if link.left is not None:
                        data = data[: link.left]
                        link.left -= len(data)
                if data:
                    with self._lock:
                        link.is_idle = True
                    link.client.sendall(data)
        link.close()
