"""What goes wrong with a server of MCP.

>>> from toolwire.mcp.errors import McpServerError
>>> str(McpServerError("files", "timed_out", "no answer within 30 seconds"))
"the MCP server 'files': no answer within 30 seconds"
"""

from __future__ import annotations

from typing import Any

from toolwire.runs.errors import ToolError

__all__ = ["McpServerError"]


class McpServerError(ToolError):
    """A server did not do what it was asked.

    ``kind`` is ``unavailable`` (it cannot be reached, or its process has ended), ``timed_out``,
    ``protocol`` (what it sent cannot be read), ``refused`` (it answered with an error, whose
    ``code`` it gave), ``too_large`` (it sent more than is taken), ``gone`` (it no longer has the
    tool) or ``changed`` (it has changed the tool since the call was checked). ``server`` is the
    name by which the registry knows it.
    """

    def __init__(self, server: str, kind: str, message: str, code: int | None = None) -> None:
        super().__init__(f"the MCP server {server!r}: {message}")
        self.server = server
        self.kind = kind
        self.code = code

    def to_dict(self) -> dict[str, Any]:
        """Add the server, the kind and the code."""
        return {**super().to_dict(), "server": self.server, "kind": self.kind, "code": self.code}
