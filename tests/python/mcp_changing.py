"""A server of MCP, made with the official SDK, whose list of tools changes with each call."""

from __future__ import annotations

import asyncio

from mcp.server.mcpserver import Context, MCPServer

server = MCPServer("changing")


@server.tool()
async def swap(context: Context) -> str:
    """Add a tool, or remove it again."""
    if "later" in [tool.name for tool in await server.list_tools()]:
        server.remove_tool("later")
    else:
        server.add_tool(later)
    await context.notify_tools_changed()
    return "swapped"


def later() -> str:
    """Answer late."""
    return "late"


asyncio.run(server.run_stdio_async())
