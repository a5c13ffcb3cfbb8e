"""A program's tools served over HTTP by the console, in a process of its own."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

from mcp_program import serving

HERE = Path(__file__).parent


def free_port() -> int:
    """Give a port of this machine that nobody listens on."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        port: int = listening.getsockname()[1]
        return port


@contextlib.contextmanager
def served(tokens: str, *more: str) -> Iterator[str]:
    """Serve the tools of `mcp_program` for these tokens, a line each; give the address."""
    port = free_port()
    command = serving("--http", str(port), *more)
    settings = {**os.environ, "TOOLWIRE_MCP_TOKEN": tokens}
    with subprocess.Popen(command, cwd=HERE, env=settings, stderr=subprocess.PIPE) as process:
        try:
            assert process.stderr is not None
            said = process.stderr.readline().decode()
            address = f"http://127.0.0.1:{port}/mcp"
            assert said == f"serving {address}\n"
            for _ in range(100):
                with socket.socket() as trying:
                    if trying.connect_ex(("127.0.0.1", port)) == 0:
                        break
                time.sleep(0.1)
            yield address
        finally:
            process.terminate()
