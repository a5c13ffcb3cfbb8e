"""Tools over the Model Context Protocol (MCP): serving a program's tools, and using a server's.

``pip install mcp`` brings the protocol's own SDK. :class:`ToolServer` serves the tools
of an executor or a registry; ``registry.add_mcp(…)`` adds the tools of a server to one.
``docs/mcp.md`` tells more.

>>> from toolwire.mcp import ToolServer
>>> from toolwire.tools import ToolDefinition, ToolRegistry
>>> registry = ToolRegistry()
>>> registry.register(ToolDefinition("look", "LOOK", lambda input: 7, read_only=True))
>>> [tool.name for tool in ToolServer(registry).tools()]
['look']
"""

from __future__ import annotations

from toolwire._extra import MissingExtraError

try:
    import mcp as _sdk  # noqa: F401
except ImportError:
    raise MissingExtraError("mcp") from None

from toolwire.mcp.connection import McpConnection
from toolwire.mcp.errors import McpServerError
from toolwire.mcp.gate import SHORTEST_TOKEN
from toolwire.mcp.http import HttpLimits
from toolwire.mcp.remote import Inverse
from toolwire.mcp.serve import http_app, serve_http, serve_stdio
from toolwire.mcp.server import ToolServer

__all__ = [
    "SHORTEST_TOKEN",
    "HttpLimits",
    "Inverse",
    "McpConnection",
    "McpServerError",
    "ToolServer",
    "http_app",
    "serve_http",
    "serve_stdio",
]
