"""A proxy before a server, which cuts connections when a test wants it."""

from __future__ import annotations

import contextlib
import socket
import threading
import time


class Proxy:
    """Hands bytes to a server and back, and cuts connections when it is told to.

    After :meth:`cut`, the next request reaches the server, and its answer does not come back.
    """

    def __init__(self, port: int) -> None:
        self._target = port
        self._cut = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """Cut the connection that sends the next request, behind the request."""
        self._cut.set()

    def _accept(self) -> None:
        while True:
            client, _ = self._listener.accept()
            try:
                server = socket.create_connection(("127.0.0.1", self._target))
            except OSError:
                client.close()
                continue
            for one, other, asks in ((client, server, True), (server, client, False)):
                pipe = threading.Thread(target=self._pipe, args=(one, other, asks), daemon=True)
                pipe.start()

    def _pipe(self, source: socket.socket, target: socket.socket, asks: bool) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                if asks and self._cut.is_set():
                    target.sendall(data)
                    # The server has time to do what it was asked for.
                    time.sleep(0.3)
                    self._cut.clear()
                    break
                if not asks and self._cut.is_set():
                    continue
                target.sendall(data)
        for end in (source, target):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
