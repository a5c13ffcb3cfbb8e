"""Serves the tools of `mcp_program` over HTTP, with few connections and little time."""

from __future__ import annotations

import asyncio
import sys

from mcp_program import registry
from toolwire.mcp import HttpLimits, ToolServer, serve_http

LIMITS = HttpLimits(connections=4, head_seconds=1.0, body_seconds=1.0)

asyncio.run(serve_http(ToolServer(registry), sys.argv[2], port=int(sys.argv[1]), limits=LIMITS))
