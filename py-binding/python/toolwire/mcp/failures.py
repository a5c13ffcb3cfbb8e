"""Names what went wrong with a server, from what the SDK raised and what was noted of the wire.

>>> from toolwire.mcp.bounds import Noted
>>> from toolwire.mcp.failures import Failures
>>> str(Failures("files", 30.0).late())
"the MCP server 'files': no answer within 30 seconds"
"""

from __future__ import annotations

import anyio
import httpx2
from mcp.shared.exceptions import MCPError
from mcp_types import CONNECTION_CLOSED, REQUEST_TIMEOUT
from pydantic import ValidationError

import toolwire
from toolwire.mcp.bounds import MOST_BYTES, Noted
from toolwire.mcp.errors import McpServerError

__all__ = ["Failures", "reason"]

GONE = (
    anyio.ClosedResourceError,
    anyio.BrokenResourceError,
    anyio.EndOfStream,
    httpx2.HTTPError,
    OSError,
)
"""What the SDK raises where there is no server any more."""


class Failures:
    """What may go wrong with one server, as errors for the program."""

    def __init__(self, name: str, timeout_seconds: float) -> None:
        self.name = name
        self.noted = Noted()
        self._timeout_seconds = timeout_seconds

    def told(self, error: Exception) -> tuple[McpServerError, bool]:
        """Give the error for what the SDK raised, and whether the connection is of no more use.

        What is nothing of the SDK's is raised again.
        """
        if isinstance(error, MCPError):
            if error.code == REQUEST_TIMEOUT:
                return self.late(), False
            if error.code == CONNECTION_CLOSED:
                return self.gone("it has closed the connection"), True
            said = toolwire.visible(error.message[:500])
            return McpServerError(self.name, "refused", said, error.code), False
        # Before Python 3.11, asyncio and anyio have time-outs of their own.
        if isinstance(error, TimeoutError) or type(error).__name__ == "TimeoutError":
            return self.late(), False
        if isinstance(error, GONE):
            return self.gone(f"it cannot be reached ({type(error).__name__})"), True
        if isinstance(error, (ValidationError, ValueError, RuntimeError)):
            said = f"its answer cannot be read ({type(error).__name__})"
            return McpServerError(self.name, "protocol", said), False
        raise error

    def late(self) -> McpServerError:
        """Give the error for an answer that did not come."""
        said = f"no answer within {self._timeout_seconds:g} seconds"
        return McpServerError(self.name, "timed_out", said + self._written())

    def gone(self, said: str) -> McpServerError:
        """Give the error for a server that is not there, with the reason that was noted."""
        if self.noted.too_large:
            too_much = f"it has sent more than {MOST_BYTES:,} bytes at once"
            return McpServerError(self.name, "too_large", too_much)
        if self.noted.status in (401, 403):
            refused = f"it refuses the token (HTTP status {self.noted.status})"
            return McpServerError(self.name, "refused", refused, self.noted.status)
        if self.noted.unfit:
            return McpServerError(self.name, "protocol", self.noted.unfit)
        if self.noted.unreadable:
            return McpServerError(self.name, "protocol", said + self._written())
        return McpServerError(self.name, "unavailable", said)

    def _written(self) -> str:
        if not self.noted.unreadable:
            return ""
        line = toolwire.visible(self.noted.unreadable.decode("utf-8", "replace"))
        return f"; it has written what is no message: {line!r}"


def reason(error: BaseException) -> str:
    """Name the innermost failure."""
    while inner := getattr(error, "exceptions", ()):
        error = inner[0]
    return f"{type(error).__name__}: {toolwire.visible(str(error)[:200])}"
