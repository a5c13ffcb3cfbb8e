"""The console's command ``toolwire mcp``: serving a program's tools, listing those of a server."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import sys
from pathlib import Path
from typing import Any

from toolwire.cli.app import named_by
from toolwire.cli.parser import add_command, add_group
from toolwire.cli.store import PLACES, shown
from toolwire.cli.terminal import DONE, FailedError, safe_line
from toolwire.runs.errors import StoreError
from toolwire.runs.executor_base import ExecutorBase
from toolwire.runs.store_place import open_store
from toolwire.tools.registry import ToolRegistry

TOKEN_VARIABLE = "TOOLWIRE_MCP_TOKEN"

MCP_EPILOG = f"""\
MODULE:NAME is a program's executor, its registry, or a function of a store that makes an executor;
the module is found from the present folder. docs/mcp.md tells more.

examples:
  toolwire mcp serve agent:registry                         for a client that starts this command
  toolwire mcp serve agent:registry --store tools.db        runs and approvals outlive the process
  {TOKEN_VARIABLE}=$(openssl rand -hex 32) toolwire mcp serve agent:registry --http 8000
  toolwire mcp list https://tools.example.org/mcp --token-file token
  toolwire mcp list -- npx -y @modelcontextprotocol/server-everything

exit status: 0 done; 2 wrong usage, or a server, a store or an address that cannot be used
"""

SERVE_EPILOG = f"""\
Without --http, the messages go over standard input and output, as clients want that start a server;
what the tools print goes to standard error. With it, clients need the token, which --token-file or
the variable {TOKEN_VARIABLE} has, and only this machine reaches the server unless HOST is given.
The file may have a token a line, for a client each, who reaches no other client's calls and runs.

A tool that needs approval asks the person at the client, if the client shows forms; otherwise the
answer names the run, and `toolwire approvals` decides in the store.

examples:
  toolwire mcp serve agent:registry
  toolwire mcp serve agent:registry --store tools.db --approver store
  toolwire mcp serve agent:registry --http 0.0.0.0:8000 --token-file token --name tools.example.org
"""

LIST_EPILOG = """\
A command stands behind `--`, an address stands alone.

examples:
  toolwire mcp list https://tools.example.org/mcp --token-file token
  toolwire mcp list -- npx -y @modelcontextprotocol/server-everything
"""


def serve(arguments: argparse.Namespace) -> int:
    """Serve the tools of a program."""
    mcp = extra()
    tools = served_tools(mcp, arguments)
    if arguments.http is None:
        asyncio.run(mcp.serve_stdio(tools))
        return DONE
    host, port = address(arguments.http)
    tokens = tokens_of(arguments)
    if not tokens:
        raise FailedError(f"clients need a token: give --token-file, or set {TOKEN_VARIABLE}")
    if min(map(len, tokens)) < mcp.SHORTEST_TOKEN:
        raise FailedError(f"a token has at least {mcp.SHORTEST_TOKEN} characters")
    serving = mcp.serve_http(tools, tokens, host=host, port=port, hosts=arguments.name or ())
    print(safe_line(f"serving http://{host}:{port}/mcp"), file=sys.stderr, flush=True)
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(serving)
    return DONE


def served_tools(mcp: Any, arguments: argparse.Namespace) -> Any:
    """Make the server of what the command line names."""
    place = arguments.store
    try:
        store = None if place is None else open_store(place)
    except (StoreError, ValueError, ImportError) as error:
        raise FailedError(f"{shown(place)}: {error}") from None
    found = named_by(arguments.app)
    if callable(found):
        if store is None:
            raise FailedError(f"{arguments.app} makes an executor for a store: give --store")
        found, store = found(store), None
    if not isinstance(found, (ExecutorBase, ToolRegistry)):
        raise FailedError(f"{arguments.app} is no executor and no registry")
    try:
        return mcp.ToolServer(found, store=store, approver=arguments.approver)
    except ValueError as error:
        raise FailedError(f"{arguments.app}: {error}") from None


def list_tools(arguments: argparse.Namespace) -> int:
    """List the tools of a server."""
    mcp = extra()
    given = arguments.server
    is_address = len(given) == 1 and "://" in given[0]
    token = next(iter(tokens_of(arguments)), None) if is_address else None
    registry = ToolRegistry()
    # Who types the command wants it to run as in the shell.
    env = {name: value for name, value in os.environ.items() if name != TOKEN_VARIABLE}
    server = given[0] if is_address else given
    try:
        with registry.add_mcp(server, token=token, env=env) as connection:
            for tool in registry.list():
                about = (tool.description or "").strip().partition("\n")[0][:100]
                mark = "reads" if getattr(tool, "read_only", None) else "acts"
                print(safe_line(f"{mark:<6} {tool.name}  {about}"))
            for name, why in connection.skipped.items():
                print(safe_line(f"unfit  {name}  {why}"))
    except (mcp.McpServerError, ValueError) as error:
        raise FailedError(str(error)) from None
    return DONE


def extra() -> Any:
    """Give the module, if its package is there."""
    try:
        import toolwire.mcp
    except ImportError as error:
        raise FailedError(str(error)) from None
    return toolwire.mcp


def address(given: str) -> tuple[str, int]:
    """Read ``PORT`` or ``HOST:PORT``."""
    host, _, port = given.rpartition(":")
    if not port.isdecimal() or not 0 < int(port) < 65536:
        raise FailedError(f"--http is PORT or HOST:PORT, such as 8000, and not {given}")
    return host.strip("[]") or "127.0.0.1", int(port)


def tokens_of(arguments: argparse.Namespace) -> list[str]:
    """Read the tokens, a line each, which are on no command line, since others see these."""
    path = arguments.token_file
    if path is None:
        given = os.environ.get(TOKEN_VARIABLE, "")
    else:
        try:
            given = Path(path).read_text(encoding="utf-8")
        except (OSError, UnicodeError) as error:
            raise FailedError(f"cannot read {path}: {error}") from None
    return [line.strip() for line in given.splitlines() if line.strip()]


def add_token(parser: argparse.ArgumentParser) -> None:
    """Add the option."""
    parser.add_argument(
        "--token-file", metavar="FILE", help="the file that has the token, or a token a line"
    )


def add_to(commands: Any) -> None:
    """Add the command to the console's."""
    about = "serve tools over the Model Context Protocol, or list a server's"
    steps = add_group(commands, "mcp", about, MCP_EPILOG)
    serving = add_command(steps, "serve", "serve a program's tools", SERVE_EPILOG)
    serving.add_argument("app", metavar="MODULE:NAME", help="the program's executor or registry")
    serving.add_argument("--store", metavar="STORE", help=PLACES)
    serving.add_argument("--http", metavar="[HOST:]PORT", help="serve over HTTP")
    add_token(serving)
    serving.add_argument(
        "--name",
        metavar="HOST",
        action="append",
        help="a name that clients reach the server by",
    )
    serving.add_argument(
        "--approver",
        choices=("client", "store"),
        default="client",
        help="who decides: the person at the client (default), or only the store's console",
    )
    serving.set_defaults(run=serve)
    listing = add_command(steps, "list", "list the tools of a server", LIST_EPILOG)
    listing.add_argument("server", metavar="SERVER", nargs="+", help="an address, or a command")
    add_token(listing)
    listing.set_defaults(run=list_tools)
