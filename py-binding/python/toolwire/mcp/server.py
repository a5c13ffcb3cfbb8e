"""Serves the tools of an executor or a registry over the Model Context Protocol.

>>> import asyncio
>>> from mcp import Client
>>> from toolwire.mcp import ToolServer
>>> from toolwire.tools import ToolDefinition, ToolRegistry
>>> registry = ToolRegistry()
>>> registry.register(ToolDefinition("add", "ADD", lambda input: sum(input.payload["of"])))
>>> async def main():
...     async with Client(ToolServer(registry).server) as client:
...         print((await client.call_tool("add", {"of": [1, 2]})).structured_content)
>>> asyncio.run(main())
{'result': 3}
"""

from __future__ import annotations

import json
import uuid
from typing import Any, Literal

from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ElicitRequest,
    ElicitResult,
    InputRequiredResult,
    ListToolsResult,
    PaginatedRequestParams,
    Tool,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

import toolwire
from toolwire.mcp.announce import Announcer
from toolwire.mcp.answer import RESUME, STATUS, answer_of, facts_of
from toolwire.mcp.asking import can_be_asked, question, take_answer
from toolwire.mcp.mirror import executor_for
from toolwire.mcp.offered import follow_up_tools, offered
from toolwire.mcp.owners import RunOwners
from toolwire.mcp.peer import Peer, peer_of
from toolwire.mcp.progress import progress_to
from toolwire.mcp.wire import cancelled_once
from toolwire.runs.errors import StoreError, ToolError, ToolNotFoundError
from toolwire.runs.executor_base import ExecutorBase
from toolwire.runs.run import Run
from toolwire.runs.store import Store
from toolwire.tools.registry import ToolRegistry

__all__ = ["ToolServer"]

Context = ServerRequestContext[Any, Any]

BUSY = -32050
"""The code of an error: too many calls run at once."""


class AnnouncingServer(Server[Any]):
    """A server that says to clients of every protocol that it tells them of new tools."""

    def create_initialization_options(
        self, notification_options: NotificationOptions | None = None, *given: Any, **more: Any
    ) -> InitializationOptions:
        """Give what a client is told at the beginning."""
        options = notification_options or NotificationOptions(tools_changed=True)
        return super().create_initialization_options(options, *given, **more)


class ToolServer:
    """Serves tools; each call is a run, with its checks, its approval and its record.

    A call and its run are those of the client that made it, by its token and its session: no other
    client's id is the same call, and no other client is told of the run. Clients are told when
    tools are registered or removed later.

    An executor has to keep runs (``Executor(store)``). Of a registry, an executor is
    made, with ``store`` or in memory. ``context`` is that of every run, as for ``execute``.

    ``approver`` says who decides: the person at a client that can show a form (``"client"``), or
    whoever decides in the store (``"store"``).
    """

    def __init__(
        self,
        tools: ExecutorBase | ToolRegistry,
        *,
        name: str = "toolwire",
        store: Store | None = None,
        context: dict[str, Any] | None = None,
        approver: Literal["client", "store"] = "client",
        most_calls: int = 64,
    ) -> None:
        if approver not in ("client", "store"):
            raise ValueError(f'approver is "client" or "store", and not {approver!r}')
        self.executor = executor_for(tools, store)
        self._owners = RunOwners(self.executor.store)
        self._context = {} if context is None else dict(context)
        self._approver = approver
        self._most_calls = most_calls
        self._calls = 0
        # Where one client has the process for itself, this is its session.
        self.connection: str | None = None
        self._announcer = Announcer()
        self.executor.on_change(self._announcer.changed)
        self.server: Server[Any] = AnnouncingServer(
            name,
            version=toolwire.__version__,
            on_list_tools=self._list,
            on_call_tool=self._call,
            on_subscriptions_listen=self._announcer.listen,
        )
        self.server.middleware.append(
            RequestStateBoundary(RequestStateSecurity.ephemeral(ttl=3600.0), default_audience=name)
        )

    def tools(self) -> list[Tool]:
        """Give the tools as clients see them."""
        own = offered(self.executor)
        asks = any(tool.requires_approval for tool in self.executor.tools())
        return [*own, *(follow_up_tools() if asks else ())]

    async def _list(
        self, context: Context, params: PaginatedRequestParams | None
    ) -> ListToolsResult:
        self._announcer.asked(context, peer_of(context, self.connection).session or "")
        return ListToolsResult(tools=self.tools())

    async def _call(
        self, context: Context, params: CallToolRequestParams
    ) -> CallToolResult | InputRequiredResult:
        if self._calls >= self._most_calls:
            raise MCPError(BUSY, f"{self._most_calls} calls run already; try again later")
        self._calls += 1
        try:
            async with progress_to(context.session):
                return await cancelled_once(self._answer(context, params))
        except ToolNotFoundError:
            raise MCPError(INVALID_PARAMS, f"there is no tool {shown(params.name)}") from None
        except StoreError as error:
            raise MCPError(INTERNAL_ERROR, f"the store cannot be used ({error.kind})") from None
        except ToolError as error:
            raise MCPError(INVALID_PARAMS, str(error)) from None
        finally:
            self._calls -= 1

    async def _answer(
        self, context: Context, params: CallToolRequestParams
    ) -> CallToolResult | InputRequiredResult:
        peer = peer_of(context, self.connection)
        if params.request_state is not None:
            return await self._go_on(peer, params, json.loads(params.request_state))
        if params.name in (STATUS, RESUME) and self.executor.find(params.name) is None:
            return await self._follow_up(context, peer, params)
        call_id, scope = peer.name(params.meta or {}, context.request_id)
        asked = {"id": call_id, "type": params.name, "payload": params.arguments or {}}
        run = await self.executor.start(asked, dict(self._context), scope=scope)
        if run.code == "tool_not_found":
            raise MCPError(INVALID_PARAMS, f"there is no tool {shown(params.name)}")
        return await self._ask(context, peer, run)

    async def _ask(
        self, context: Context, peer: Peer, run: Run
    ) -> CallToolResult | InputRequiredResult:
        """Answer with a run; ask the person at the client first if it waits for a person."""
        if run.state != "completed":
            # Its id is in the answer, and only who gets this may ask for it.
            await self._owners.write(run.id, peer.owner)
        session = context.session
        asks = self._approver == "client" and can_be_asked(session.client_capabilities)
        if run.state != "waiting" or run.approval_id is None or not asks:
            return answer_of(run)
        approvals = self.executor.approvals
        request = await approvals.get_request(run.approval_id)
        form = None if request is None else await question(approvals, request)
        if request is None or form is None:
            return answer_of(run)
        if session.protocol_version in MODERN_PROTOCOL_VERSIONS:
            state = {
                "run": run.id,
                "request": str(request.id),
                "shown": request.fingerprint,
                "owner": peer.owner,
            }
            return InputRequiredResult(
                input_requests={"approval": ElicitRequest(params=form)},
                request_state=json.dumps(state),
            )
        answer = await session.elicit_form(form.message, form.requested_schema, context.request_id)
        return await self._decided(run, str(request.id), request.fingerprint, answer)

    async def _go_on(
        self, peer: Peer, params: CallToolRequestParams, state: dict[str, Any]
    ) -> CallToolResult:
        """Take the answer that a client of today's protocol sends with the call once more."""
        run = await self.executor.run(state["run"]) if state["owner"] == peer.owner else None
        if run is None:
            raise MCPError(INVALID_PARAMS, "the run of this call is not in the store any more")
        answer = (params.input_responses or {}).get("approval")
        if not isinstance(answer, ElicitResult):
            return answer_of(run)
        return await self._decided(run, state["request"], state["shown"], answer)

    async def _decided(
        self, run: Run, request_id: str, fingerprint: str | None, answer: ElicitResult
    ) -> CallToolResult:
        if not await take_answer(self.executor.approvals, request_id, fingerprint, answer):
            return answer_of(run)
        return answer_of(await self.executor.resume(run.id, dict(self._context)) or run)

    async def _follow_up(
        self, context: Context, peer: Peer, params: CallToolRequestParams
    ) -> CallToolResult | InputRequiredResult:
        """Answer a question about a run, or go on with it; another client's run is none."""
        run_id = (params.arguments or {}).get("run")
        if not isinstance(run_id, str) or not is_uuid(run_id):
            raise MCPError(INVALID_PARAMS, 'give the id of a run: {"run": "…"}')
        known = await self._owners.owns(run_id, peer.owner)
        run = await self.executor.run(run_id) if known else None
        if run is None:
            raise MCPError(INVALID_PARAMS, f"there is no run {run_id}")
        if params.name == STATUS:
            return CallToolResult(content=[], structured_content=facts_of(run))
        resumed = await self.executor.resume(run.id, dict(self._context))
        return await self._ask(context, peer, resumed or run)


def is_uuid(text: str) -> bool:
    """Say whether a text is the id of a run, if there is one."""
    try:
        return str(uuid.UUID(text)) == text
    except ValueError:
        return False


def shown(name: str) -> str:
    """Give a name from a client for a message."""
    return json.dumps(toolwire.visible(name[:100]), ensure_ascii=False)
